"""View wavelet_moments: means and deviations of the columns of a coarse wavelet approximation."""

from functools import lru_cache

import numpy as np

from mvclust.datasets.images.grey import weights

LEVELS = 4
SIDE = 256
# Scaling filter of coif1, the shortest coiflet.
COIF1 = np.array([1, 5, 14, 14, 1, -3]) + np.array([-1, 1, 2, -2, -1, 1]) * np.sqrt(7)
COIF1 /= 16 * np.sqrt(2)


def wavelet_moments(grey):
    """Means and standard deviations of the columns of a wavelet approximation.

    The image, enlarged to 256 x 256 and transposed, is reduced to its approximation four times:
    256, 130, 67, 36, 20 pixels a side.

    Parameters
    ----------
    grey : ndarray of shape (n, n)
        Grey levels 0..255.

    Returns
    -------
    ndarray of shape (40,)
        20 means, then 20 standard deviations (divided by 19).

    Notes
    -----
    All steps are linear and the same along both axes, so they are one matrix.

    References
    ----------
    I. Daubechies, "Orthonormal bases of compactly supported wavelets II. Variations on a theme",
    SIAM Journal on Mathematical Analysis 24 (1993) 499-519 (coiflets).

    Examples
    --------
    >>> import numpy as np
    >>> float(wavelet_moments(np.full((128, 128), 255.0))[0].round(6))
    16.0
    """
    L = _reduction(len(grey))
    # einsum sums in a fixed order, on any number of threads.
    half = np.einsum("ax,yx->ay", L, np.asarray(grey) / 255)
    approximation = np.einsum("ay,by->ab", half, L)
    return np.concatenate([approximation.mean(axis=0), approximation.std(axis=0, ddof=1)])


@lru_cache(maxsize=4)
def _reduction(n):
    """The matrix that enlarges n pixels to 256 and reduces them to 20."""
    matrix = weights(n, SIDE).toarray()
    for _ in range(LEVELS):
        matrix = low_pass(matrix)
    return matrix


def low_pass(X):
    """One level of the approximation along the rows: n of them become (n + 5) // 2.

    It is every second row of the convolution with the filter; beyond the borders X is mirrored, the
    border row repeated.

    >>> low_pass(np.ones((8, 1))).ravel().round(4)
    array([1.4142, 1.4142, 1.4142, 1.4142, 1.4142, 1.4142])
    """
    reach = len(COIF1) - 1
    extended = np.pad(X, ((reach, reach), (0, 0)), mode="symmetric")
    starts = np.arange(1, len(X) + reach, 2)
    return sum(h * extended[starts + k] for k, h in enumerate(COIF1))
