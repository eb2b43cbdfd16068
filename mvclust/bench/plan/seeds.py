"""Seeds that follow from named axes."""

import hashlib

from mvclust.bench.config.protocols import BASE_OF


def seed_of(*axes):
    """A seed that follows from named axes (data set, protocol, rate, repetition, purpose).

    The method is no axis: all methods see the same masks and the same starts.

    Examples
    --------
    >>> seed_of(0, "handwritten", "random", 0.3, 1, "mask")
    1133162348
    """
    text = "|".join(str(axis) for axis in axes)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def seed_of_setting(root, setting, repetition, purpose):
    """The seed of one repetition of a setting.

    Settings that differ in nothing but the mechanism of missing views and its strength share the
    seeds of the base of their masks: they are compared in pairs.

    Parameters
    ----------
    root : int
        Root of all seeds.
    setting : Setting
    repetition : int
    purpose : str
        "mask", "order" or "constraints" for what is drawn, "fit" for all fits on it.

    Returns
    -------
    int
    """
    base = BASE_OF.get(setting.protocol, setting.protocol)
    axes = setting.dataset, base, f"{setting.rate:g}", repetition  # 0 as 0.0
    return seed_of(root, *axes, purpose)
