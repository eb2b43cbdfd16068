"""Double precision; compiling fast instead of fast code."""

import os

import pytest

os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0")


@pytest.fixture
def double():
    jax = pytest.importorskip("jax", reason="the extra deep is not installed: no jax")
    with jax.enable_x64(True):
        yield
