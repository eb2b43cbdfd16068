"""Seeds that follow from named axes."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from mvclust.bench.config.protocols import BASE_OF

if TYPE_CHECKING:
    from mvclust.bench.plan.settings import Setting


def seed_of(*axes: object) -> int:
    """Seed that follows from named axes (data set, protocol, rate, repetition, purpose).

    The method is not an axis: all methods see the same masks and the same starts.

    >>> seed_of(0, "handwritten", "random", 0.3, 1, "mask")
    1133162348
    """
    text = "|".join(str(axis) for axis in axes)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def seed_of_setting(root: int, setting: Setting, repetition: int, purpose: str) -> int:
    """Seed of one repetition of a setting, from the root of all seeds.

    Settings that differ only in the mechanism of missing views and its strength share the seeds of
    the base of their masks: they are compared in pairs. The purpose is "mask", "order" or
    "constraints" for what is drawn, "fit" for all fits on it.
    """
    base = BASE_OF.get(setting.protocol, setting.protocol)
    axes = setting.dataset, base, f"{setting.rate:g}", repetition  # 0 as 0.0
    return seed_of(root, *axes, purpose)
