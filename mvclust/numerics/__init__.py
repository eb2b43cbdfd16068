"""Numerical building blocks that two or more methods share."""
