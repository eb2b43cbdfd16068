"""Modules whose extra is not installed have no doctests."""

from importlib.util import find_spec

collect_ignore_glob = [] if find_spec("jax") else ["mvclust/deep/*"]
