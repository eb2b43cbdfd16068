"""Multi-view clustering with complete, incomplete and unmapped views."""

import lazy_loader

# Names are loaded on first use, so that `import mvclust` costs milliseconds.
__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)

__version__ = "0.1.0"
