"""Corrections of p values for the number of tests."""

import numpy as np


def holm(p_values):
    """Holm's correction of p-values for their number.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [0.03, 0.06, 0.06]
    """
    p_values = np.asarray(p_values, dtype=float)
    order = p_values.argsort(kind="stable")
    corrected = np.empty(len(p_values))
    corrected[order] = np.maximum.accumulate(p_values[order] * np.arange(len(p_values), 0, -1))
    return np.minimum(corrected, 1.0)
