"""Histograms in a grid of cells, into which each pixel votes with bilinear weights."""

import numpy as np


def cell_histograms(bins, n_bins, cell, n_pixels, votes=None, border=0):
    """Let each pixel vote for its bin in the four nearest cells.

    The image has n_pixels a side, and is covered by cells of `cell` pixels a side. `bins` and
    `votes` (None: 1 each) have shape (n, n): the pixels of the border have no bin, so n is n_pixels
    - 2 border. The share of a cell falls linearly with the distance from its centre, to 0 at the
    next centre; what falls beyond the grid is dropped. The result has shape
    (n_bins, n_cells, n_cells): bin, cell row, cell column.

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
    """Flatten channels, cell rows and columns in the order channel, column, row (fastest).

    >>> channel_slowest(np.arange(4).reshape(1, 2, 2))
    array([0, 2, 1, 3])
    """
    return channels.transpose(0, 2, 1).ravel()
