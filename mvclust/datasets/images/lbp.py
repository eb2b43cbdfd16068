"""View lbp: histograms of uniform local binary patterns."""

from functools import lru_cache

import numpy as np

from mvclust.datasets.images.cells import cell_histograms, channel_slowest
from mvclust.datasets.images.centrist import codes_of

# Neighbours clockwise from the east: (row, column) relative to the centre.
NEIGHBOURS = ((0, 1), (1, 1), (1, 0), (1, -1), (0, -1), (-1, -1), (-1, 0), (-1, 1))
N_BINS = 58
FLAT, OTHER = 56, 57


def lbp(grey, cell=32):
    """Histograms of local binary patterns in the cells of an image.

    Parameters
    ----------
    grey : ndarray of shape (n, n)
        Grey levels.
    cell : int, default=32
        Side of a cell in pixels.

    Returns
    -------
    ndarray of shape (58 * (n // cell) ** 2,)
        Bin (slow), cell column, cell row (fast); see `lbp_channels`.

    References
    ----------
    T. Ojala, M. Pietikäinen, T. Mäenpää, "Multiresolution gray-scale and rotation invariant
    texture classification with local binary patterns", IEEE Transactions on Pattern Analysis and
    Machine Intelligence 24 (2002) 971-987; bins and cells as in VLFeat's ``vl_lbp``.

    Examples
    --------
    >>> import numpy as np
    >>> lbp(np.full((128, 128), 100.0)).reshape(58, 16)[56].sum()
    np.float64(16.0)
    """
    return channel_slowest(lbp_channels(np.asarray(grey), cell))


def lbp_channels(grey, cell):
    """The square roots of the shares of 58 patterns in each cell: bin, cell row, cell column.

    Bit k is 1 if neighbour k, clockwise from the east, is brighter than the centre. Bin 7 i + j - 1
    counts the patterns of j = 1..7 ones from bit i on, bin 56 those of no or only ones, bin 57 the
    rest. Each cell, `cell` pixels a side, has unit length.

    >>> lbp_channels(np.zeros((8, 8)), 4)[56]
    array([[1., 1.],
           [1., 1.]])
    """
    bins = _bins()[codes_of(grey, NEIGHBOURS, np.less)]
    counts = cell_histograms(bins, N_BINS, cell, len(grey), border=1)
    return np.sqrt(counts / counts.sum(axis=0))


@lru_cache(maxsize=1)
def _bins():
    """The bin of each of the 256 codes."""
    bins = np.full(256, OTHER)
    bins[[0, 255]] = FLAT
    for start in range(8):
        for ones in range(1, 8):
            code = sum(1 << (start + k) % 8 for k in range(ones))
            bins[code] = 7 * start + ones - 1
    return bins
