"""View centrist: histogram of census codes."""

import numpy as np

# Neighbours in reading order: (row, column) relative to the centre.
NEIGHBOURS = ((-1, -1), (-1, 0), (-1, 1), (0, -1), (0, 1), (1, -1), (1, 0), (1, 1))


def centrist(grey):
    """Count the census codes of the inner pixels.

    Bit k of a pixel's code is 1 if the pixel is at least as bright as its k-th neighbour, counted
    in reading order from the upper left.

    Parameters
    ----------
    grey : ndarray of shape (n, m)
        Grey levels.

    Returns
    -------
    ndarray of shape (254,)
        How often the codes 1..254 occur; flat areas have code 255, which is left out.

    References
    ----------
    J. Wu, J. M. Rehg, "Where am I: place instance and category recognition using spatial PACT",
    CVPR 2008; "CENTRIST: a visual descriptor for scene categorization", IEEE Transactions on
    Pattern Analysis and Machine Intelligence 33 (2011) 1489-1501, eq. 1.

    Examples
    --------
    >>> import numpy as np
    >>> counts = centrist(np.tile(np.arange(5.0), (5, 1)))
    >>> int(counts.argmax()) + 1, int(counts.max())
    (107, 9)
    """
    codes = codes_of(np.asarray(grey), NEIGHBOURS, np.greater_equal)
    return np.bincount(codes.ravel(), minlength=256)[1:255].astype(np.float64)


def codes_of(grey, neighbours, comparison):
    """The 8-bit code, 0..255, of each inner pixel, in an array of shape (n - 2, m - 2).

    `neighbours` are 8 pairs of row and column relative to the pixel, of which the k-th gives bit k.
    It is 1 if `comparison` of pixel and neighbour is true.

    >>> codes_of(np.ones((3, 3)), NEIGHBOURS, np.greater_equal)
    array([[255]])
    """
    n, m = grey.shape
    centre = grey[1:-1, 1:-1]
    codes = np.zeros(centre.shape, dtype=np.int64)
    for k, (y, x) in enumerate(neighbours):
        codes |= (
            comparison(centre, grey[1 + y : n - 1 + y, 1 + x : m - 1 + x]).astype(np.int64) << k
        )
    return codes
