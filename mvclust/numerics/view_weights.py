"""Weights of views that follow from their losses."""

import numpy as np

EXACT = 1e-12  # share of the largest loss below which a loss counts as this: a view may fit exactly
TINY = float(np.finfo(float).tiny)


def view_weights(losses, exponent, *, smallest=0.0):
    """Minimise sum_v w_v^exponent losses_v over weights that sum to 1.

    The solution is w_v proportional to losses_v^(1 / (1 - exponent)). With an exponent of 1 the
    view with the smallest loss (the first of equals) takes all. The exponent is above 0; below 1
    the weights are a stationary point, in which views with a larger loss weigh more. Weights below
    `smallest` are set to 0, and the others scaled again.

    The losses are not negative, of shape (n_views,), or (n_views, n_runs): several runs are
    weighted column by column.

    >>> D = np.array([2.0, 1.0, 4.0])
    >>> view_weights(D, 2).round(3).tolist(), view_weights(D, 1).tolist()
    ([0.286, 0.571, 0.143], [0.0, 1.0, 0.0])
    """
    if exponent == 1:
        weights = np.zeros(losses.shape)
        np.put_along_axis(weights, losses.argmin(axis=0, keepdims=True), 1.0, axis=0)
        return weights
    losses = np.maximum(losses, np.maximum(EXACT * losses.max(axis=0), TINY))
    # The largest power is 1: nothing overflows.
    best = losses.min(axis=0) if exponent > 1 else losses.max(axis=0)
    weights = (best / losses) ** (1 / (exponent - 1))
    weights /= weights.sum(axis=0)
    if smallest > 0:
        weights[weights < smallest] = 0.0
        weights /= weights.sum(axis=0)
    return weights
