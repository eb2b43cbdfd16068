"""The tests of the data sets run without the user's settings."""

import pytest


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    """The variables of the user must not change what a test does."""
    monkeypatch.delenv("MVCLUST_MIRROR", raising=False)
    monkeypatch.delenv("MVCLUST_CACHE", raising=False)
