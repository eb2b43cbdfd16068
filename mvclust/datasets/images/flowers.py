"""Three views of Flowers17 of our own: colour, shape and texture."""

import numpy as np

from mvclust.datasets.images.grey import SIZE, opened, resize
from mvclust.datasets.images.hog import hog_channels
from mvclust.datasets.images.lbp import lbp_channels
from mvclust.extras import need

SIDE = 256
HUES, SATURATIONS, VALUES = 16, 4, 4
CELL = 8
N_WORDS, N_COMPONENTS, PATCHES_PER_IMAGE = 300, 40, 45


def flower_views(contents):
    """Compute colour, shape and texture of images.

    The views are neither the distance matrices that papers used nor an attempt to rebuild them.

    Parameters
    ----------
    contents : iterable of bytes
        Image files. The words of the second view are learnt from all of them, without labels.

    Returns
    -------
    list of ndarray of shape (n_samples, n_features_v)
        colour 256, shape 300 and texture 464 features.

    Raises
    ------
    ValueError
        If a content is no image.

    Examples
    --------
    >>> from pathlib import Path
    >>> files = sorted(Path("17flowers").glob("*.jpg"))
    >>> Xs = flower_views(file.read_bytes() for file in files)  # doctest: +SKIP
    """
    colours, channels, textures = [], [], []
    for content in contents:
        image = _central_square(content)
        grey = np.asarray(image.convert("L"), dtype=np.float64)
        colours.append(colour_histogram(np.asarray(image.convert("HSV"))))
        # 31 numbers per cell; the patches overlap and would take nine times as much.
        channels.append(hog_channels(grey, CELL).astype(np.float32))
        textures.append(texture(grey))
    return [np.array(colours), word_shares(channels), np.array(textures)]


def colour_histogram(hsv):
    """Square roots of the shares of pixels in 16 x 4 x 4 bins of hue, saturation and value.

    `hsv` of shape (height, width, 3) has hue, saturation and value, 0..255. The result of shape
    (256,) has hue slowest, value fastest.

    >>> colour_histogram(np.full((2, 2, 3), 255)).nonzero()
    (array([255]),)
    """
    h, s, v = np.moveaxis(np.asarray(hsv, dtype=np.int64), -1, 0)
    h, s, v = h * HUES // 256, s * SATURATIONS // 256, v * VALUES // 256
    index = (SATURATIONS * h + s) * VALUES + v
    counts = np.bincount(index.ravel(), minlength=HUES * SATURATIONS * VALUES)
    return np.sqrt(counts / index.size)


def texture(grey):
    """Local binary patterns in 2 x 2 cells of an image and of its reduction.

    `grey` of shape (256, 256) has levels 0..255. The result of shape (464,) has the image before
    the reduction; within each, bin (slow), cell row, cell column.

    >>> texture(np.zeros((256, 256))).sum()
    np.float64(8.0)
    """
    images = grey, resize(grey, SIZE, to_bytes=True)
    return np.concatenate([lbp_channels(image, len(image) // 2).ravel() for image in images])


def word_shares(channels):
    """Square roots of the shares of words among the patches of each image, (n_samples, 300).

    A patch is 3 x 3 neighbouring cells. Words are centres of k-means on a sample of the patches,
    reduced to 40 principal components. The channels are those of
    `mvclust.datasets.images.hog.hog_channels`, one array per image. See G. Csurka, C. Dance, L.
    Fan, J. Willamowski, C. Bray, "Visual categorization with bags of keypoints", ECCV workshop
    2004.

    >>> rng = np.random.default_rng(0)
    >>> word_shares([rng.random((31, 10, 10)) for _ in range(12)]).shape
    (12, 300)
    """
    from sklearn.cluster import MiniBatchKMeans
    from sklearn.decomposition import PCA
    from threadpoolctl import threadpool_limits

    sample = _sample(channels)
    with threadpool_limits(1):  # the same sums on any number of threads
        reduction = PCA(N_COMPONENTS, svd_solver="covariance_eigh").fit(sample)
        words = MiniBatchKMeans(N_WORDS, random_state=0, n_init=3, batch_size=4096, max_iter=60)
        words.fit(reduction.transform(sample))
        indices = [words.predict(reduction.transform(_patches(each))) for each in channels]
    counts = np.array([np.bincount(each, minlength=N_WORDS) for each in indices])
    return np.sqrt(counts / counts.sum(axis=1, keepdims=True))


def _patches(channels):
    """All 3 x 3 neighbouring cells, one row each."""
    windows = np.lib.stride_tricks.sliding_window_view(channels, (3, 3), axis=(1, 2))
    return windows.transpose(1, 2, 0, 3, 4).reshape(-1, 9 * len(channels))


def _sample(channels):
    """Some patches of each image, drawn at random; filled in place to save memory."""
    rng = np.random.default_rng(0)
    n_patches, n_features = _patches(channels[0]).shape
    size = min(PATCHES_PER_IMAGE, n_patches)
    sample = np.empty((len(channels) * size, n_features), dtype=channels[0].dtype)
    for i, each in enumerate(channels):
        drawn = rng.choice(n_patches, size, replace=False)
        sample[i * size : (i + 1) * size] = _patches(each)[drawn]
    return sample


def _central_square(content):
    image = opened(content).convert("RGB")
    side = min(image.size)
    left, top = (image.width - side) // 2, (image.height - side) // 2
    box = left, top, left + side, top + side
    return image.crop(box).resize((SIDE, SIDE), need("PIL.Image", "images").Resampling.BICUBIC)
