"""How much each question moves the accuracy: an additive model over the crossed options."""

import numpy as np


def shares_of(y, shape):
    """Share of the variance over protocols that each question explains.

    Noise inflates the variance of a mean over masks. So variances are taken between masks: effects
    on one mask times those on another, averaged over all pairs.

    Parameters
    ----------
    y : ndarray of shape (n_masks, n_protocols)
        With one mask, plain variances.
    shape : tuple of int
        Number of options of every question; the last question varies fastest.

    Returns
    -------
    first, total : ndarray of shape (n_questions,)
        By the question alone, and with all its interactions. NaN if nothing varies.

    Examples
    --------
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


def _between(effects):
    """Mean over pairs of masks of the mean product of effects; the mean square of one mask."""
    n = len(effects)
    flat = effects.reshape(n, -1)
    if n == 1:
        return float((flat**2).mean())
    return float(((flat.sum(axis=0) ** 2 - (flat**2).sum(axis=0)) / (n * (n - 1))).mean())


def effects_of(y, levels, stated):
    """What each option is worth against the one that is stated, all else equal.

    Parameters
    ----------
    y : ndarray of shape (n_protocols,)
        Mean accuracy in percent.
    levels : dict
        Question -> options, crossed.
    stated : dict
        Question -> its stated option.

    Returns
    -------
    list of (question, option, float)
        In points; the stated ones are left out.
    """
    y = np.reshape(y, [len(options) for options in levels.values()])
    found = []
    for axis, (question, options) in enumerate(levels.items()):
        means = np.moveaxis(y, axis, 0).reshape(len(options), -1).mean(axis=1)
        usual = means[_position(options, stated[question])]
        found += [
            (question, option, float(mean - usual))
            for option, mean in zip(options, means, strict=True)
            if option != stated[question]
        ]
    return found


def _position(options, wanted):
    return next(i for i, option in enumerate(options) if option == wanted)
