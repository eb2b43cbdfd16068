"""The six views: values computed by hand, invariances, bounds, and mistakes they notice."""

import hashlib
import io

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from mvclust.datasets.images import grey
from mvclust.datasets.images.extract import VIEWS, six_views

Y, X = np.mgrid[:128, :128].astype(float)
CONSTANT = np.full((128, 128), 100.0)
STEP = np.where(X < 64, 0.0, 255.0)
BAR = np.where((X > 40) & (X < 44), 255.0, 0.0)
CHECKERS = 255 * ((X + Y) % 2)
POINT = np.where((X == 64) & (Y == 64), 255.0, 0.0)
WAVE = 100 + 50 * np.cos(np.pi * X / 2)
DIAGONAL = 100 + 50 * np.cos(np.pi * (X + Y) / 2)
NOISE = np.random.default_rng(0).integers(0, 256, (128, 128)).astype(float)
SMOOTH = np.random.default_rng(0).random((128, 128)) * 255  # no two pixels are equal


def near(values, expected, rtol=1e-9, atol=1e-12):
    np.testing.assert_allclose(values, expected, rtol=rtol, atol=atol)


def check_gabor(view):
    near(view(CONSTANT), 0)
    energy, mean = view(WAVE)[:24].reshape(6, 4), view(WAVE)[24:].reshape(6, 4)
    distance = np.log(0.25 * 3 * 2.1 ** np.arange(4))
    radial = np.exp(-(distance**2) / (2 * np.log(0.55) ** 2))
    near(mean[0], 25 / 255 * radial / (1 + 0.625**20))
    near([mean[0, 0], energy[0, 0]], [0.0873135606, 124.906010], rtol=1e-8)
    near(mean[[1, 5], 0], mean[0, 0] * np.exp(-0.72))
    diagonal = view(DIAGONAL)[24:].reshape(6, 4)[:, 0]
    assert diagonal[4] > 2 * diagonal[1]
    near(view(NOISE[::-1, ::-1]), view(NOISE), rtol=1e-12)
    near(view(20 + NOISE / 2)[24:], view(NOISE)[24:] / 2, rtol=1e-8)


def check_wavelet_moments(view):
    near(view(X)[:20], 3.847124, rtol=1e-6)
    near(view(X)[20:], 2.799998, rtol=1e-6)
    near(view(Y)[[0, 19]], [-0.000690, 7.957863], rtol=1e-3)


def check_centrist(view):
    around = np.array([254, 253, 251, 247, 239, 223, 191, 127]) - 1  # codes count from 1
    near(view(POINT), np.isin(np.arange(254), around))
    turned = [int(f"{code:08b}"[::-1], 2) - 1 for code in range(1, 255)]
    near(view(NOISE[::-1, ::-1])[turned], view(NOISE))
    near(view(20 + NOISE / 2), view(NOISE))


def check_hog(view):
    cells = view(STEP).reshape(31, 8, 8)  # channel, cell column, cell row
    near(cells[[0, 18]][:, 3:5], 0.4, rtol=1e-6)
    near(cells[27:, 3:5], 0.2 / np.sqrt(18), rtol=1e-6)
    near(view(STEP).sum(), 15.81698893)
    near(view(Y).reshape(31, 64)[[4, 22]], 0.4)
    # Both signs of one orientation: signed bins 0 and 9 are clipped, the textures count one.
    bar = view(BAR).reshape(31, 8, 8)[:, 2]
    near(bar[[0, 9, 18]], 0.4, rtol=1e-6)
    near(bar[27:], 0.2 / np.sqrt(18), rtol=1e-6)
    noise, turned = (view(G).reshape(31, 8, 8) for G in (NOISE, NOISE[::-1, ::-1]))
    signs = [*range(9, 18), *range(9), *range(18, 27), *range(30, 26, -1)]
    near(turned[signs][:, ::-1, ::-1], noise)
    assert noise[27, 0, 0] <= 1.5 / np.sqrt(18) + 1e-12  # its four cells are one
    mirrored = view(SMOOTH[:, ::-1]).reshape(31, 8, 8)
    near(mirrored[[28, 27, 30, 29], ::-1], view(SMOOTH).reshape(31, 8, 8)[27:])


def check_gist(view):
    near(view(CONSTANT), 0)
    noise, turned = (view(G).reshape(32, 4, 4) for G in (NOISE, NOISE[::-1, ::-1]))
    near(turned[:, ::-1, ::-1], noise, rtol=1e-10)
    near(view(20 + NOISE / 2), view(NOISE), rtol=1e-9)
    # Noise in the upper right block alone: scale, orientation, block column, block row (fastest).
    corner = np.where((X >= 96) & (Y < 32), NOISE, 128.0)
    assert (view(corner).reshape(32, 16).argmax(axis=1) == 12).all()
    # The frequency (1/16, 1/16) has the angle -3 pi / 4 too, which is that of orientation 6.
    diagonal = view(100 + 50 * np.cos(2 * np.pi * (X + Y) / 16)).reshape(4, 8, 16).mean(axis=2)
    assert (diagonal.argmax(axis=1) == 6).all()
    # Half the contrast on the left is more than half after the division by the local contrast.
    faint = view(np.where(X < 64, 128 + (NOISE - 128) / 2, NOISE)).reshape(32, 4, 4)
    assert faint[:, :2].sum() > 0.6 * faint[:, 2:].sum()


def check_lbp(view):
    near(view(CONSTANT), np.repeat(np.arange(58) == 56, 16))
    cells = view(STEP).reshape(58, 4, 4)  # bin, cell column, cell row
    near(cells[51, 1], np.sqrt(16.5 / 1024))
    checkers = view(CHECKERS).reshape(58, 4, 4)
    near(checkers[[56, 57]][:, 1:3, 1:3], np.sqrt(0.5))
    point = view(POINT).reshape(58, 16).any(axis=1)
    assert set(point.nonzero()[0]) == {*range(0, 50, 7), 56}
    noise, turned = (view(G).reshape(58, 4, 4) for G in (NOISE, NOISE[::-1, ::-1]))
    starts = [7 * ((i + 4) % 8) + j for i in range(8) for j in range(7)] + [56, 57]
    near(turned[starts][:, ::-1, ::-1], noise)
    near(view(20 + NOISE / 2), view(NOISE))


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_has_the_values_computed_by_hand(name):
    globals()[f"check_{name}"](VIEWS[name])


def test_the_wavelet_is_that_of_pywavelets():
    pywt = pytest.importorskip("pywt", reason="PyWavelets is not installed")
    from mvclust.datasets.images.wavelet_moments import COIF1, low_pass

    near(COIF1[::-1], pywt.Wavelet("coif1").dec_lo)
    for n in (256, 67, 9):
        near(low_pass(NOISE[:n, :3]), pywt.dwt(NOISE[:n, :3], "coif1", "symmetric", axis=0)[0])


def made_up(n=4):
    """Images of several sizes and kinds, as files."""
    images = pytest.importorskip("PIL.Image", reason="Pillow is not installed")
    rng, files = np.random.default_rng(1), []
    for i in range(n):
        shape = (90 + 20 * i, 210 - 20 * i, 3)[: 2 + i % 2]
        file = io.BytesIO()
        images.fromarray(rng.integers(0, 256, shape, dtype=np.uint8)).save(file, "PNG")
        files.append(file.getvalue())
    return files


def test_an_image_has_the_same_features_whatever_the_others_and_the_threads():
    files = made_up()
    with threadpool_limits(1):
        once = six_views(files)
    again = six_views(files[::-1])
    assert [X.shape for X in once] == [(4, d) for d in (48, 40, 254, 1984, 512, 928)]
    for first, second in zip(once, again, strict=True):
        assert first.dtype == np.float64
        assert first.tobytes() == second[::-1].tobytes()
        assert np.isfinite(first).all()
    with pytest.raises(ValueError, match="an image cannot be decoded"):
        six_views([files[0][:2000]])


def test_the_reference_image_has_the_known_sums(mirror):
    folder = mirror / "caltech101-raw" / "101_ObjectCategories"
    path = folder / "Faces" / "image_0001.jpg"
    if not path.exists():
        pytest.skip("the mirror has no images of Caltech101")
    pytest.importorskip("PIL", reason="Pillow is not installed")
    G = grey.grey_image(grey.decode(path.read_bytes()))
    assert G.sum() == 2_274_655
    if hashlib.sha256(G.astype(np.uint8).tobytes()).hexdigest() != (
        "9a806636d1bba3f3c27995ce3ec87b8ed43a88d7f5e95b8cd3a5777171a76981"
    ):
        pytest.skip("this JPEG decoder gives other grey levels")
    sums = [view(G).sum() for view in VIEWS.values()]
    expected = [316.2374142, 209.7234679, 13_852, 281.3937819, 24.48958546, 104.5932423]
    np.testing.assert_allclose(sums, expected, rtol=1e-6)
