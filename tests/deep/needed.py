"""JAX: a module that imports it from here is skipped where it is not installed."""

import pytest

jax = pytest.importorskip("jax", reason="the extra deep is not installed: no jax")
