"""How much each question moves the accuracy: an additive model over the crossed options."""

from collections.abc import Sequence

import numpy as np


def shares_of(y: np.ndarray, shape: Sequence[int]) -> tuple[np.ndarray, np.ndarray]:
    """Share of the variance over protocols by each question alone, and with its interactions.

    y has the shape (n_masks, n_protocols); `shape` are the numbers of options, the last question
    varying fastest. Noise inflates the variance of a mean over masks, so variances are taken
    between masks: effects on one mask times those on another, averaged over all pairs; with one
    mask, plain variances. NaN if nothing varies.

    >>> first, total = shares_of(np.array([[60.0, 58.5, 65.5, 65.5]]), (2, 2))
    >>> [round(float(share), 3) for share in (*first, *total)]
    [0.972, 0.014, 0.986, 0.028]
    """
    y = np.reshape(y, (len(y), *shape))
    centred = y - y.mean(axis=tuple(range(1, y.ndim)), keepdims=True)
    whole = _between(centred)
    axes = range(1, y.ndim)
    if not whole > 0:
        return np.full(len(shape), np.nan), np.full(len(shape), np.nan)
    first = [
        _between(centred.mean(axis=tuple(a for a in axes if a != q), keepdims=True)) for q in axes
    ]
    total = [whole - _between(centred.mean(axis=q, keepdims=True)) for q in axes]
    return np.maximum(first, 0.0) / whole, np.maximum(total, 0.0) / whole


def _between(effects: np.ndarray) -> float:
    """Mean over pairs of masks of the mean product of effects; for one mask the mean square."""
    n = len(effects)
    flat = effects.reshape(n, -1)
    if n == 1:
        return float((flat**2).mean())
    return float(((flat.sum(axis=0) ** 2 - (flat**2).sum(axis=0)) / (n * (n - 1))).mean())


def effects_of(
    y: np.ndarray, levels: dict[str, list[str]], stated: dict[str, str]
) -> list[tuple[str, str, float]]:
    """Effect of each option on mean accuracies `y` against the stated one, all else equal."""
    y = np.reshape(y, [len(options) for options in levels.values()])
    found = []
    for axis, (question, options) in enumerate(levels.items()):
        means = np.moveaxis(y, axis, 0).reshape(len(options), -1).mean(axis=1)
        usual = means[options.index(stated[question])]
        found += [
            (question, option, float(mean - usual))
            for option, mean in zip(options, means, strict=True)
            if option != stated[question]
        ]
    return found
