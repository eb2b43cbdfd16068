"""Scores of the fits, tuning, tests over data sets."""
