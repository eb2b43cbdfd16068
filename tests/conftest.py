"""Fixtures that all tests share."""

import os

import numpy as np
import pytest
from helpers import ORACLES, find_mirror
from hypothesis import settings

from mvclust.testing import make_blobs

# The same examples in every run; HYPOTHESIS_PROFILE=explore draws new ones.
settings.register_profile("repeat", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))


@pytest.fixture(scope="session")
def mirror():
    """The mirror folder; skips where there is none."""
    folder = find_mirror()
    if folder is None:
        pytest.skip("no mirror of the data sets here (set MVCLUST_MIRROR)")
    return folder


@pytest.fixture
def oracle():
    """Load an oracle by name."""
    return lambda name: dict(np.load(ORACLES / f"{name}.npz"))


@pytest.fixture
def blobs():
    """Three well separated groups in three non-negative views: 45 samples, (Xs, y)."""
    return make_blobs()
