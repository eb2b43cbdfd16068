"""Histograms in a grid of cells, into which each pixel votes with bilinear weights."""

import numpy as np


def cell_histograms(bins, n_bins, cell, n_pixels, votes=None, border=0):
    """Let each pixel vote for its bin in the four nearest cells.

    Parameters
    ----------
    bins : ndarray of shape (n, n)
        The bin of each pixel.
    n_bins : int
    cell : int
        Side of a cell in pixels.
    n_pixels : int
        Side of the image; the cells cover it.
    votes : ndarray of shape (n, n), optional
        The weight of each pixel; by default 1.
    border : int, default=0
        Pixels of the image's border that have no bin: n is n_pixels - 2 border.

    Returns
    -------
    ndarray of shape (n_bins, n_cells, n_cells)
        Bin, cell row, cell column. The share of a cell falls linearly with the distance from its
        centre, to 0 at the next centre; what falls beyond the grid is dropped.

    Examples
    --------
    >>> import numpy as np
    >>> cell_histograms(np.zeros((4, 4), dtype=int), 1, 2, 4)
    array([[[3.0625, 3.0625],
            [3.0625, 3.0625]]])
    """
    n_cells = n_pixels // cell
    place = (np.arange(border, n_pixels - border) + 0.5) / cell - 0.5
    first = np.floor(place).astype(np.int64)
    share = place - first
    side = n_cells + 2  # one row of cells more on each side takes what is dropped
    counts = np.zeros(n_bins * side * side)
    for dy, wy in ((0, 1 - share), (1, share)):
        for dx, wx in ((0, 1 - share), (1, share)):
            weight = wy[:, None] * wx
            weight = weight if votes is None else weight * votes
            index = (bins * side + (first + dy + 1)[:, None]) * side + (first + dx + 1)
            counts += np.bincount(index.ravel(), weight.ravel(), minlength=counts.size)
    return counts.reshape(n_bins, side, side)[:, 1:-1, 1:-1]


def channel_slowest(channels):
    """Flatten in the order channel, cell column, cell row (fastest).

    Parameters
    ----------
    channels : ndarray of shape (n_channels, n_rows, n_columns)

    Returns
    -------
    ndarray of shape (n_channels * n_rows * n_columns,)

    Examples
    --------
    >>> import numpy as np
    >>> channel_slowest(np.arange(4).reshape(1, 2, 2))
    array([0, 2, 1, 3])
    """
    return channels.transpose(0, 2, 1).ravel()
