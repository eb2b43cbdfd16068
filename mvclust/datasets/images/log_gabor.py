"""View gabor: energies and mean amplitudes of a bank of log-Gabor filters."""

from functools import lru_cache

import numpy as np
from scipy import fft

N_ORIENTATIONS, N_SCALES = 6, 4


def log_gabor(grey):
    """Energies and mean amplitudes of 24 log-Gabor filters.

    Parameters
    ----------
    grey : ndarray of shape (n, n)
        Grey levels 0..255.

    Returns
    -------
    ndarray of shape (48,)
        The sum of the squared amplitude for 6 orientations (slow) and 4 scales (fast), then the
        mean amplitude in the same order.

    Notes
    -----
    The filter of orientation o and scale s has, at radius r and angle theta,
    ``exp(-ln(r / f)^2 / (2 ln(0.55)^2)) exp(-d^2 / (2 sigma^2)) / (1 + (r / 0.4)^20)`` with
    f = 1 / (3 * 2.1^s), d the angle between theta and o pi / 6, and sigma = (pi / 6) / 1.2.

    References
    ----------
    D. J. Field, "Relations between the statistics of natural images and the response properties of
    cortical cells", Journal of the Optical Society of America A 4 (1987) 2379-2394 (the radial
    part); P. Kovesi, "Image features from phase congruency", Videre 1 (1999) 1-26 (the bank).

    Examples
    --------
    >>> import numpy as np
    >>> bool((log_gabor(np.full((128, 128), 100.0)) < 1e-20).all())
    True
    """
    spectrum = fft.fft2(np.asarray(grey) / 255)
    amplitude = np.abs(fft.ifft2(spectrum * _bank(len(grey))))
    return np.concatenate([(amplitude**2).sum(axis=(1, 2)), amplitude.mean(axis=(1, 2))])


@lru_cache(maxsize=4)
def _bank(n):
    """The filters, of shape (24, n, n), in the order of `scipy.fft`."""
    fy, fx = np.meshgrid(fft.fftfreq(n), fft.fftfreq(n), indexing="ij")
    radius, theta = np.hypot(fx, fy), np.arctan2(-fy, fx)
    radius[0, 0] = 1  # the logarithm must exist; the filters are 0 there
    low_pass = 1 / (1 + (radius / 0.4) ** 20)
    sigma = (np.pi / N_ORIENTATIONS) / 1.2
    filters = []
    for o in range(N_ORIENTATIONS):
        angle = o * np.pi / N_ORIENTATIONS
        d = np.abs(np.arctan2(np.sin(theta - angle), np.cos(theta - angle)))
        spread = np.exp(-(d**2) / (2 * sigma**2))
        for s in range(N_SCALES):
            centre = 1 / (3 * 2.1**s)
            radial = np.exp(-(np.log(radius / centre) ** 2) / (2 * np.log(0.55) ** 2))
            filters.append(radial * spread * low_pass)
            filters[-1][0, 0] = 0
    return np.array(filters)
