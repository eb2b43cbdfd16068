"""Columns of typed tables."""

import numpy as np


def as_column(entries):
    """A column as numbers, or as texts if one entry is none.

    Parameters
    ----------
    entries : list
        None where there is no value.

    Returns
    -------
    ndarray

    Examples
    --------
    >>> as_column([1, None]), as_column(["a", None])
    (array([ 1., nan]), array(['a', ''], dtype='<U1'))
    """
    try:
        return np.array([np.nan if x is None else x for x in entries], dtype=float)
    except (ValueError, TypeError):
        return np.array(["" if x is None else str(x) for x in entries])
