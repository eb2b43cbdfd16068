"""The missing instances that the authors published with their code."""

from pathlib import Path

import numpy as np

from mvclust.datasets.catalogue import unknown

# The masks of UEAF (3sources) and of GIMC_FLSD by the same author (bbcsport).
_MASKS = {
    "3sources": "3sources3vbigRnSp_percentDel_{}.mat",
    "bbcsport": "bbcsport4vbigRnSp_percentDel_{}.mat",
}
# The random orders of PVC and GPMVC (3sources, bbcsport) and of IMG (buaa).
_FOLDS = {
    "3sources": "3sources3vbigFolds.mat",
    "bbcsport": "bbcsport4vbigFolds.mat",
    "buaa": "buaaFolds.mat",
}
RATES = (0.1, 0.3, 0.5)


def published_masks(name, rate, folder):
    """Read the masks of missing instances that the authors published.

    Parameters
    ----------
    name : str
        "3sources" (the 169 stories, 10 masks), "bbcsport" (116 x 4, 30 masks) or "buaa" (90
        samples, 30 masks).
    rate : float
        For 3sources and bbcsport the share of instances that each view lacks: 0.1, 0.3 or 0.5.
        For buaa the share of samples that lack one of the two views, from 0 to 1: one half lacks
        the second view, the other half the first.
    folder : path-like
        Where `fetch_dataset` put the raw files.

    Returns
    -------
    list of ndarray of shape (n_samples, n_views)
        One mask per repetition, bool: whether the instance is present. Every sample has a view.

    Raises
    ------
    ValueError
        If there are no masks of this data set or rate.
    FileNotFoundError
        If the raw files are not in the folder.
    DamagedFile
        If a file is cut or its content is damaged.

    Notes
    -----
    For buaa only random orders of the samples are published. As in the code that comes with them,
    the first ones are paired, and of the rest the first half keeps the first view. The number of
    pairs is rounded down after a correction for floating point, so 70 % of 90 are 63, where that
    code has 62.

    Examples
    --------
    >>> from mvclust.datasets import published_masks
    >>> published_masks("3sources", 0.3, "raw/3sources")[0].shape  # doctest: +SKIP
    (169, 3)
    """
    from mvclust.datasets.readers.matlab import read_mat

    if name in _MASKS:
        if rate not in RATES:
            raise ValueError(f"No masks of {name} are published for the rate {rate}, only {RATES}.")
        content = read_mat(_find(folder, _MASKS[name].format(rate)), ["folds"])
        return [mask.astype(bool) for mask in content["folds"]]
    if name not in _FOLDS:
        raise ValueError(unknown("data set with published masks", name, _FOLDS))
    if not 0 <= rate <= 1:
        raise ValueError(f"The rate of missing instances is {rate}, expected 0 to 1.")
    orders = published_orders(name, folder)
    n = orders.shape[1]
    n_paired = int(n * (1 - rate) + 0.01)
    n_first = -(-(n - n_paired) // 2)
    masks = []
    for order in orders:
        mask = np.ones((n, 2), dtype=bool)
        mask[order[n_paired : n_paired + n_first], 1] = False
        mask[order[n_paired + n_first :], 0] = False
        masks.append(mask)
    return masks


def published_orders(name, folder):
    """Read the random orders of the samples that the authors published.

    They are of "3sources" (the 169 stories), "bbcsport" (116 x 4) or "buaa" (90 samples), and in
    the folder where `fetch_dataset` put the raw files. Each of the 30 rows of the result holds the
    numbers 0 to n_samples - 1. Errors are those of `published_masks`.
    """
    from mvclust.datasets.readers.matlab import read_mat

    if name not in _FOLDS:
        raise ValueError(unknown("data set with published orders", name, _FOLDS))
    return read_mat(_find(folder, _FOLDS[name]), ["folds"])["folds"].astype(np.int64) - 1


def _find(folder, file):
    path = Path(folder) / file
    if not path.is_file():
        raise FileNotFoundError(f"{path} is not there: fetch the data set first.")
    return path
