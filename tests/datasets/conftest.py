"""What the tests of the data sets share: the mirror folder, no settings of the user."""

import os
from pathlib import Path

import pytest

MIRROR = os.environ.get("MVCLUST_MIRROR")
BESIDE = Path(__file__).parents[2].parent / "shared" / "mirror"


@pytest.fixture(scope="session")
def mirror():
    """The folder with the original files, or a skipped test."""
    if MIRROR:
        return Path(MIRROR)
    if BESIDE.is_dir():
        return BESIDE
    pytest.skip("no mirror folder: set MVCLUST_MIRROR to run this test")


@pytest.fixture(autouse=True)
def no_settings(monkeypatch):
    """The variables of the user must not change what a test does."""
    monkeypatch.delenv("MVCLUST_MIRROR", raising=False)
    monkeypatch.delenv("MVCLUST_CACHE", raising=False)
