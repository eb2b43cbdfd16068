"""Limits of iterations are reached on purpose: no test of the estimators shows the warning."""

from pathlib import Path

import pytest


def pytest_collection_modifyitems(items):
    quiet = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(quiet)
