"""From many images to the six views."""

import numpy as np

from mvclust.datasets.images.centrist import centrist
from mvclust.datasets.images.gist import gist
from mvclust.datasets.images.grey import decode, grey_image
from mvclust.datasets.images.hog import hog
from mvclust.datasets.images.lbp import lbp
from mvclust.datasets.images.log_gabor import log_gabor
from mvclust.datasets.images.wavelet_moments import wavelet_moments

# Name of a view -> its function of a grey image of 128 x 128, in the order of the published file.
VIEWS = {
    "gabor": log_gabor,
    "wavelet_moments": wavelet_moments,
    "centrist": centrist,
    "hog": hog,
    "gist": gist,
    "lbp": lbp,
}


def six_views(contents):
    """Compute the six views of images.

    Parameters
    ----------
    contents : iterable of bytes
        Image files; one at a time is held in memory.

    Returns
    -------
    list of ndarray of shape (n_samples, n_features_v)
        gabor 48, wavelet_moments 40, centrist 254, hog 1984, gist 512 and lbp 928 features, not
        normalised. The row of an image does not depend on the others.

    Raises
    ------
    ValueError
        If a content is no image.

    Examples
    --------
    >>> from pathlib import Path
    >>> files = sorted(Path("Faces").glob("*.jpg"))
    >>> Xs = six_views(file.read_bytes() for file in files)  # doctest: +SKIP
    """
    rows = [[] for _ in VIEWS]
    for content in contents:
        grey = grey_image(decode(content))
        for row, view in zip(rows, VIEWS.values(), strict=True):
            row.append(view(grey))
    return [np.array(row) for row in rows]
