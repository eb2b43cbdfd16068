"""The image that all views are computed from: 128 x 128 grey levels 0..255."""

import io
from functools import lru_cache

import numpy as np
from scipy import sparse

from mvclust.extras import need

SIZE = 128
# Luma of ITU-R BT.601.
LUMINANCE = (0.298936021293775, 0.587043074451121, 0.114020904255103)


def grey_image(pixels, size=SIZE):
    """Resize an image to a square and make it grey.

    Parameters
    ----------
    pixels : ndarray of shape (height, width) or (height, width, 3)
        Grey levels or red, green and blue, 0..255.
    size : int, default=128
        Height and width of the result; the ratio of the sides is not kept.

    Returns
    -------
    ndarray of shape (size, size)
        Whole numbers 0..255, float64. Each channel is resized with 8-bit rounding after each axis;
        then the luminance is rounded.

    Examples
    --------
    >>> import numpy as np
    >>> red = np.zeros((4, 4, 3))
    >>> red[..., 0] = 255
    >>> grey_image(red, 2)
    array([[76., 76.],
           [76., 76.]])
    """
    small = resize(pixels, size, to_bytes=True)
    return small if small.ndim == 2 else _rounded(small @ np.array(LUMINANCE))


def resize(image, size, to_bytes=False):
    """Resize an image to a square by cubic interpolation.

    Keys' kernel with a = -1/2, widened by the factor of reduction; beyond the borders the image is
    mirrored. The axis with the stronger reduction comes first, the height if both are equal.

    Parameters
    ----------
    image : ndarray of shape (height, width) or (height, width, n_channels)
    size : int
        Height and width of the result.
    to_bytes : bool, default=False
        Whether to round half up and clip to 0..255 after each axis, as images of 8 bits do.

    Returns
    -------
    ndarray of shape (size, size) or (size, size, n_channels)

    References
    ----------
    R. G. Keys, "Cubic convolution interpolation for digital image processing", IEEE Transactions
    on Acoustics, Speech, and Signal Processing 29 (1981) 1153-1160, eq. 15.

    Examples
    --------
    >>> import numpy as np
    >>> resize(np.ones((5, 3)), 2)
    array([[1., 1.],
           [1., 1.]])
    """
    image = np.asarray(image, dtype=np.float64)
    for axis in (0, 1) if image.shape[0] >= image.shape[1] else (1, 0):
        lines = np.moveaxis(image, axis, 0)
        # A sparse product sums in a fixed order, on any number of threads.
        made = weights(len(lines), size) @ lines.reshape(len(lines), -1)
        made = np.moveaxis(made.reshape(size, *lines.shape[1:]), 0, axis)
        image = _rounded(made) if to_bytes else made
    return image


@lru_cache(maxsize=256)
def weights(n, m):
    """The weights by which `resize` makes `m` pixels from `n`: a csr_array (m, n), rows sum to 1.

    >>> (weights(2, 1) * 2).toarray()
    array([[1., 1.]])
    """
    scale = m / n
    narrow = min(scale, 1)
    centres = (np.arange(m) + 0.5) / scale - 0.5
    reach = 2 / narrow
    first = np.floor(centres - reach).astype(int)
    columns = first[:, None] + np.arange(int(np.ceil(2 * reach)) + 2)
    made = _cubic(narrow * (centres[:, None] - columns))
    made /= made.sum(axis=1, keepdims=True)
    mirrored = columns % (2 * n)
    mirrored = np.where(mirrored < n, mirrored, 2 * n - 1 - mirrored)
    rows = np.repeat(np.arange(m), columns.shape[1])
    matrix = sparse.coo_array((made.ravel(), (rows, mirrored.ravel())), shape=(m, n)).tocsr()
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    return matrix


def decode(content, mode=None):
    """Decode an image file.

    Parameters
    ----------
    content : bytes
        The file, for instance a JPEG.
    mode : str, optional
        A mode of Pillow to convert to, such as "RGB"; by default an image with one channel keeps
        it, and any other becomes "RGB".

    Returns
    -------
    ndarray of shape (height, width) or (height, width, 3)
        uint8.

    Raises
    ------
    ValueError
        If the content is no image, or is cut.

    Examples
    --------
    >>> from pathlib import Path
    >>> decode(Path("image_0001.jpg").read_bytes()).shape  # doctest: +SKIP
    (200, 300, 3)
    """
    image = opened(content)
    return np.asarray(image.convert(mode or ("L" if image.mode == "L" else "RGB")))


def opened(content):
    """Open an image file with Pillow and read its pixels; a ValueError says what is wrong."""
    images = need("PIL.Image", "images")
    try:
        image = images.open(io.BytesIO(content))
        image.load()
    except (OSError, SyntaxError) as error:
        raise ValueError(f"an image cannot be decoded: {error}") from error
    return image


def _cubic(x):
    x = np.abs(x)
    near = 1.5 * x**3 - 2.5 * x**2 + 1
    far = -0.5 * x**3 + 2.5 * x**2 - 4 * x + 2
    return np.where(x <= 1, near, np.where(x <= 2, far, 0.0))


def _rounded(image):
    """Half up, in 0..255. Exact halves occur: 1e-9 makes the order of sums irrelevant."""
    return np.clip(np.floor(image + 0.5 + 1e-9), 0, 255)
