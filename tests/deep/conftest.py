"""Arrays of the worked examples; double precision; compiling fast instead of fast code."""

import os

import numpy as np
import pytest

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")


@pytest.fixture
def double():
    """Double precision in JAX."""
    jax = pytest.importorskip("jax", reason="the extra deep is not installed: no jax")
    with jax.enable_x64(True):
        yield


@pytest.fixture
def Z():
    """The probabilities of the worked examples."""
    return (
        np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6], [0.5, 0.3, 0.2]]),
        np.array([[0.6, 0.3, 0.1], [0.2, 0.7, 0.1], [0.1, 0.1, 0.8], [0.3, 0.3, 0.4]]),
    )


@pytest.fixture
def AB():
    """The rows of the worked examples of ProImp, not yet of unit length."""
    return (
        np.array([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]),
        np.array([[1.0, 0.5], [0.0, 2.0], [1.0, 0.0]]),
    )


@pytest.fixture
def codes():
    """The codes of the worked examples of CPSPAN."""
    return (
        np.array([[1.0, 0.0], [1.0, 1.0], [0.0, 2.0]]),
        np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 2.0]]),
    )


@pytest.fixture
def H():
    """The features of the worked examples of DSIMVC."""
    return (
        np.array([[1.0, 0.0], [0.0, 1.0], [2.0, 2.0]]),
        np.array([[1.0, 1.0], [0.0, 1.0], [1.0, 2.0]]),
    )
