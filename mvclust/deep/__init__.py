"""Deep methods for incomplete views, in JAX; they need the extra ``mvclust[deep]``.

Written from a specification of the released programs, see docs/deep.md. Nothing else in mvclust
imports this package.
"""

import os

import lazy_loader

from mvclust.extras import need

# The number of threads changes the last bits of every product; JAX reads it when it is imported.
os.environ.setdefault("PJRT_NPROC", "1")
need("jax", extra="deep")
need("optax", extra="deep")

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
