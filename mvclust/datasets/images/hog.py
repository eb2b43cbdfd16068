"""View hog: histograms of oriented gradients with 31 numbers per cell."""

import numpy as np

from mvclust.datasets.images.cells import cell_histograms, channel_slowest

N_ORIENTATIONS = 9
# cos and sin of 0, 20, .. 160 degrees, exactly symmetric, so that equal projections stay equal.
COS = np.cos(np.deg2rad([0, 20, 40, 60, 80]))
COS = np.concatenate([COS, -COS[:0:-1]])
SIN = np.sin(np.deg2rad([0, 20, 40, 60, 80]))
SIN = np.concatenate([SIN, SIN[:0:-1]])
CLIP = 0.2
EPSILON = 1e-4


def hog(grey, cell=16):
    """Histograms of oriented gradients of the cells of an image.

    Parameters
    ----------
    grey : ndarray of shape (n, n)
        Grey levels 0..255.
    cell : int, default=16
        Side of a cell in pixels.

    Returns
    -------
    ndarray of shape (31 * (n // cell) ** 2,)
        Channel (slow), cell column, cell row (fast). The channels are 18 signed and 9 unsigned
        orientations and 4 textures, see `hog_channels`.

    References
    ----------
    P. Felzenszwalb, R. Girshick, D. McAllester, D. Ramanan, "Object detection with
    discriminatively trained part-based models", IEEE Transactions on Pattern Analysis and Machine
    Intelligence 32 (2010) 1627-1645, section 6; textures as in VLFeat's ``vl_hog``.

    Examples
    --------
    >>> import numpy as np
    >>> hog(np.tile(np.arange(128.0), (128, 1))).reshape(31, 64)[[0, 18, 27], 0].round(4)
    array([0.4   , 0.4   , 0.0471])
    """
    return channel_slowest(hog_channels(np.asarray(grey) / 255, cell))


def hog_channels(image, cell):
    """The 31 channels of all cells of a square image, (31, n_cells, n_cells).

    The axes are channel, cell row and cell column; a cell has `cell` pixels a side.

    >>> hog_channels(np.zeros((8, 8)), 4).shape
    (31, 2, 2)
    """
    bins, norm = _gradients(image)
    signed = cell_histograms(bins, 2 * N_ORIENTATIONS, cell, len(image), norm)
    unsigned = signed[:N_ORIENTATIONS] + signed[N_ORIENTATIONS:]
    energy = np.pad((unsigned**2).sum(axis=0), 1, mode="edge")
    # Sums over 2 x 2 cells, and each cell's four of them: upper left, upper right, lower ones.
    blocks = energy[:-1, :-1] + energy[:-1, 1:] + energy[1:, :-1] + energy[1:, 1:]
    around = blocks[:-1, :-1], blocks[:-1, 1:], blocks[1:, :-1], blocks[1:, 1:]
    channels = np.zeros((3 * N_ORIENTATIONS, *signed.shape[1:]))
    textures = []
    for block in around:
        factor = 1 / np.sqrt(block + EPSILON)
        clipped = np.minimum(np.concatenate([signed, unsigned]) * factor, CLIP)
        channels += clipped / 2
        textures.append(clipped[2 * N_ORIENTATIONS :].sum(axis=0) / np.sqrt(18))
    return np.concatenate([channels, textures])


def _gradients(image):
    """The signed orientation, 0..17, and the norm of the gradient; both 0 on the border."""
    gx, gy = np.zeros_like(image), np.zeros_like(image)
    gx[1:-1, 1:-1] = image[1:-1, 2:] - image[1:-1, :-2]
    gy[1:-1, 1:-1] = image[2:, 1:-1] - image[:-2, 1:-1]
    largest, bins = np.zeros_like(image), np.zeros(image.shape, dtype=np.int64)
    for k, (c, s) in enumerate(zip(COS, SIN, strict=True)):
        projection = gx * c + gy * s
        larger = np.abs(projection) > largest  # of equal ones the first stays
        largest[larger] = np.abs(projection[larger])
        bins[larger] = np.where(projection[larger] < 0, k + N_ORIENTATIONS, k)
    return bins, np.hypot(gx, gy)
