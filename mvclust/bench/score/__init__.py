"""Scores of fits, tuning, comparisons with published numbers, tests over data sets."""
