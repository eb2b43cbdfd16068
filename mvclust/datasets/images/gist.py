"""View gist: the spatial envelope of a scene."""

from functools import lru_cache

import numpy as np
from scipy import fft

N_SCALES, N_ORIENTATIONS, N_BLOCKS = 4, 8, 4
PADDING_OF_PREFILTER, PADDING = 5, 32
CUTOFF = 4  # cycles per image, of the local mean and contrast


def gist(grey):
    """Mean amplitudes of 32 filters in 4 x 4 blocks, after whitening and local contrast.

    Parameters
    ----------
    grey : ndarray of shape (n, n)
        Grey levels.

    Returns
    -------
    ndarray of shape (512,)
        Scale (slowest), orientation, block column, block row (fastest).

    Notes
    -----
    The filter of scale s and orientation o has, at radius r and angle theta,
    ``exp(-3.5 (r 1.85^s / 0.3 - 1)^2 - 2 pi a^2)`` with a = theta + o pi / 8, from -pi to pi.

    References
    ----------
    A. Oliva, A. Torralba, "Modeling the shape of the scene: a holistic representation of the
    spatial envelope", International Journal of Computer Vision 42 (2001) 145-175; constants of
    the authors' function ``LMgist``.

    Examples
    --------
    >>> import numpy as np
    >>> gist(np.full((128, 128), 100.0)).sum()
    np.float64(0.0)
    """
    n = len(grey)
    spectrum = fft.fft2(np.pad(_prefiltered(_stretched(np.asarray(grey))), PADDING, "symmetric"))
    amplitude = np.abs(fft.ifft2(spectrum * _bank(n + 2 * PADDING)))
    inner = amplitude[:, PADDING : PADDING + n, PADDING : PADDING + n]
    side = n // N_BLOCKS
    blocks = inner.reshape(len(inner), N_BLOCKS, side, N_BLOCKS, side).mean(axis=(2, 4))
    return blocks.transpose(0, 2, 1).ravel()


def _stretched(grey):
    """Grey levels that fill 0..255; 0 for an image of one level."""
    low, high = grey.min(), grey.max()
    return (grey - low) * (255 / (high - low)) if high > low else np.zeros(grey.shape)


def _prefiltered(grey):
    """Subtract the local mean of the logarithm, and divide by the local contrast."""
    levels = np.pad(np.log1p(grey), PADDING_OF_PREFILTER, "symmetric")
    low = _low_pass(len(levels))
    detail = levels - fft.ifft2(fft.fft2(levels) * low).real
    contrast = np.sqrt(np.abs(fft.ifft2(fft.fft2(detail**2) * low).real))
    inner = slice(PADDING_OF_PREFILTER, -PADDING_OF_PREFILTER)
    return (detail / (0.2 + contrast))[inner, inner]


@lru_cache(maxsize=4)
def _low_pass(n):
    cycles = fft.fftfreq(n, 1 / n)
    return np.exp(-(cycles[:, None] ** 2 + cycles**2) * np.log(2) / CUTOFF**2)


@lru_cache(maxsize=4)
def _bank(n):
    """The filters, of shape (32, n, n), in the order of `scipy.fft`."""
    fy, fx = np.meshgrid(fft.fftfreq(n), fft.fftfreq(n), indexing="ij")
    radius, theta = np.hypot(fx, fy), np.arctan2(fy, fx)
    filters = []
    for s in range(N_SCALES):
        radial = -3.5 * (radius * 1.85**s / 0.3 - 1) ** 2
        for o in range(N_ORIENTATIONS):
            a = theta + o * np.pi / N_ORIENTATIONS
            a = np.where(a > np.pi, a - 2 * np.pi, a)
            filters.append(np.exp(radial - 2 * np.pi * a**2))
    return np.array(filters)
