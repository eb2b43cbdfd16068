"""The grey image: exact weights, exact rounding, luminance."""

from fractions import Fraction
from math import floor

import numpy as np
import pytest

from mvclust.datasets.images.grey import LUMINANCE, grey_image, resize, weights


def test_the_weights_are_those_of_the_cubic_kernel_and_colours_have_their_luminance():
    half = (weights(256, 128) * 256).toarray()
    np.testing.assert_allclose(half[0, :5], [140, 102, 26, -9, -3], atol=1e-9)
    np.testing.assert_allclose(half[10, 17:25], [-3, -9, 29, 111, 111, 29, -9, -3], atol=1e-9)
    double = (weights(64, 128) * 128).toarray()
    np.testing.assert_allclose(double[4, :4], [-3, 29, 111, -9], atol=1e-9)
    np.testing.assert_allclose(double[5, 1:5], [-9, 111, 29, -3], atol=1e-9)
    np.testing.assert_allclose(weights(7, 7).toarray(), np.eye(7), atol=1e-15)
    np.testing.assert_allclose(weights(300, 128).sum(axis=1), 1)
    np.testing.assert_allclose(weights(3, 1).toarray(), weights(3, 1).toarray()[:, ::-1])
    for colour, luminance in zip(np.eye(3), (76, 150, 29), strict=True):
        assert (grey_image(255 * colour * np.ones((5, 9, 3)), 3) == luminance).all()


def cubic(x):
    x = abs(x)
    if x <= 1:
        return (3 * x**3 - 5 * x**2 + 2) / 2
    return (-(x**3) + 5 * x**2 - 8 * x + 4) / 2 if x <= 2 else Fraction(0)


def line(values, m):
    """One line of pixels resized, in exact arithmetic, rounded half up."""
    n, made = len(values), []
    scale = Fraction(m, n)
    narrow = min(scale, 1)
    for i in range(m):
        u = (i + Fraction(1, 2)) / scale - Fraction(1, 2)
        near = range(floor(u - 2 / narrow) - 1, floor(u + 2 / narrow) + 2)
        w = {j: cubic(narrow * (u - j)) for j in near}
        value = sum(w[j] * values[min(j % (2 * n), -(j + 1) % (2 * n))] for j in w)
        made.append(min(max(floor(value / sum(w.values()) + Fraction(1, 2)), 0), 255))
    return made


def exactly(channel, m):
    """Both axes, the one with the stronger reduction first, the height if they are equal."""
    height_first = len(channel) >= len(channel[0])
    lines = list(zip(*channel, strict=True)) if height_first else channel
    once = [line(values, m) for values in lines]
    twice = [line(values, m) for values in zip(*once, strict=True)]
    return np.array(twice if height_first else list(zip(*twice, strict=True)), dtype=float)


@pytest.mark.parametrize("shape", [(6, 10), (10, 6), (9, 9), (3, 8), (2, 3)])
def test_each_axis_is_rounded_exactly(shape):
    """Against exact fractions: a lost rounding, another order or border changes a grey level."""
    rng = np.random.default_rng(sum(shape))
    for _ in range(5):
        pixels = rng.choice([0, 1, 2, 128, 254, 255], (*shape, 3))
        channels = [exactly(pixels[..., c].tolist(), 4) for c in range(3)]
        small = resize(pixels, 4, to_bytes=True)
        assert all(np.array_equal(small[..., c], channels[c]) for c in range(3))
        luminance = np.floor(np.dot(np.stack(channels, axis=2), LUMINANCE) + 0.5)
        assert np.array_equal(grey_image(pixels, 4), luminance)
        assert np.array_equal(grey_image(pixels[..., 0], 4), channels[0])
