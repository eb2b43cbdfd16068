"""Tensor nuclear norm and its shrinkage, against loops over full transforms."""

import numpy as np
import pytest
from scipy import fft

from mvclust.numerics.tensors import (
    low_tubal_rank,
    multi_rank,
    rotate,
    t_svt,
    tensor_nuclear_norm,
    unrotate,
)

SIDES = [("samples", "rows"), ("samples", "columns"), ("views", "rows")]


def naive(T, tau, axis, side):
    """One singular value decomposition per slice of the full DFT: the result and its norm."""
    F = np.fft.fft(rotate(T, axis, side), axis=0)
    total = 0.0
    for f in range(len(F)):
        left, values, right = np.linalg.svd(F[f], full_matrices=False)
        kept = np.maximum(values - tau, 0)
        F[f] = (left * kept) @ right
        total += kept.sum() / len(F)
    back = np.fft.ifft(F, axis=0)
    assert np.abs(back.imag).max() < 1e-12 * max(1, np.abs(T).max())
    return unrotate(back.real, axis, side), total


def bcirc(R):
    """Block-circulant matrix of the slices."""
    n3 = len(R)
    return np.block([[R[(i - j) % n3] for j in range(n3)] for i in range(n3)])


def stack(n, n_views, seed=0, width=None):
    return np.random.default_rng(seed).normal(size=(n_views, n, width or n))


@pytest.mark.parametrize(("axis", "side"), SIDES)
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 8, 9])
@pytest.mark.parametrize("n_views", [1, 2, 3, 4])
def test_shrinkage_and_norm_equal_a_loop_over_the_full_transform(n, n_views, axis, side):
    T = stack(n, n_views)
    before = T.copy()
    for tau in (0.0, 0.7):
        expected, value = naive(T, tau, axis, side)
        for method in ("auto", "gram", "svd"):
            G, norm = t_svt(T, tau, axis=axis, side=side, method=method, return_norm=True)
            np.testing.assert_allclose(G, expected, atol=1e-12 * np.abs(T).max() * n)
            assert norm == pytest.approx(value, rel=1e-9)
        assert tensor_nuclear_norm(G, axis, side) == pytest.approx(value, rel=1e-9)
    np.testing.assert_array_equal(T, before)
    of_bcirc = np.linalg.norm(bcirc(rotate(T, axis, side)), "nuc") / len(rotate(T, axis, side))
    assert tensor_nuclear_norm(T, axis, side) == pytest.approx(of_bcirc, rel=1e-12)


def test_embeddings_and_wide_slices():
    T = stack(9, 4, width=2)  # slices (2, 4)
    for method in ("gram", "svd"):
        expected = naive(T, 0.5, "samples", "rows")[0]
        np.testing.assert_allclose(t_svt(T, 0.5, method=method), expected, atol=1e-12)
    with pytest.raises(ValueError, match="square"):
        t_svt(T, 0.5, side="columns")


def test_fixed_values_of_the_norm():
    Z = np.fromfunction(lambda v, i, j: (1 + j + 4 * i + 16 * v) % 7, (2, 4, 4))
    values = [22.0243107232, 21.3988763439, 29.8051026981]
    for (axis, side), value in zip(SIDES, values, strict=True):
        assert tensor_nuclear_norm(Z, axis, side) == pytest.approx(value, abs=1e-9)


@pytest.mark.parametrize(("axis", "side"), SIDES)
@pytest.mark.parametrize("norm", ["mean", "sum"])
@pytest.mark.parametrize("transform", ["dft", "dct", "identity", "orthogonal"])
def test_shrinkage_is_the_proximal_map_of_the_norm_that_is_named(axis, side, norm, transform):
    rng = np.random.default_rng(1)
    T, tau = stack(5, 3), 0.3 if norm == "mean" else 0.06
    if transform == "orthogonal":
        transform = np.linalg.qr(rng.normal(size=(len(rotate(T, axis, side)),) * 2))[0]
    options = {"axis": axis, "side": side, "norm": norm, "transform": transform}

    def value(G):
        return tau * tensor_nuclear_norm(G, **options) + ((G - T) ** 2).sum() / 2

    G, reported = t_svt(T, tau, return_norm=True, **options)
    assert reported == pytest.approx(tensor_nuclear_norm(G, **options), rel=1e-9)
    least = value(G)
    for _ in range(200):
        change = 10.0 ** rng.uniform(-4, 0) * rng.normal(size=T.shape)
        assert value(G + change) >= least - 1e-11 * least
    np.testing.assert_allclose(t_svt(T, 0.0, **options), T, atol=1e-12)
    assert not t_svt(T, 1e6, **options).any()
    np.testing.assert_allclose(t_svt(3 * T, 3 * tau, **options), 3 * G, atol=1e-11)
    other = stack(5, 3, seed=2)
    moved = np.linalg.norm(G - t_svt(other, tau, **options))
    assert moved <= np.linalg.norm(T - other) * (1 + 1e-12)


@pytest.mark.parametrize("n", [6, 7])
def test_conventions_differ_by_the_number_of_slices(n):
    T = stack(n, 3)
    np.testing.assert_allclose(t_svt(T, 0.1, norm="sum"), t_svt(T, 0.1 * n), atol=1e-12)
    total = tensor_nuclear_norm(T, norm="sum")
    assert total == pytest.approx(n * tensor_nuclear_norm(T), rel=1e-12)
    dft = fft.fft(np.eye(n), norm="ortho")
    np.testing.assert_allclose(t_svt(T, 0.4, transform=dft), t_svt(T, 0.4), atol=1e-12)


@pytest.mark.parametrize(("n", "times"), [(3, "122"), (5, "11221"), (7, "1112211"), (6, "111111")])
def test_released_fault_shrinks_the_middle_pair_of_odd_transforms_twice(n, times):
    T, tau = stack(n, 3), 0.2
    F = np.fft.fft(rotate(T), axis=0)
    for f, count in enumerate(times):
        left, values, right = np.linalg.svd(F[f], full_matrices=False)
        F[f] = (left * np.maximum(values - int(count) * tau, 0)) @ right
    released = t_svt(T, tau, odd_slices="released")
    np.testing.assert_allclose(released, unrotate(np.fft.ifft(F, axis=0).real), atol=1e-12)
    with pytest.raises(ValueError, match="DFT alone"):
        t_svt(T, tau, transform="dct", odd_slices="released")


def test_gram_matrices_are_left_where_the_threshold_is_small():
    T = stack(6, 2, width=40)
    T[1] = T[0] + 1e-9 * T[1]  # singular values far apart
    exact = t_svt(T, 1e-10, method="svd")
    np.testing.assert_array_equal(t_svt(T, 1e-10), exact)
    largest = np.abs(np.fft.fft(T, axis=1)).max() * T.shape[2]
    assert np.abs(t_svt(T, 1e-10, method="gram") - exact).max() < 1e-8 * largest


def test_low_tubal_rank_descends_to_the_rank():
    T = stack(8, 3)
    G, rows = low_tubal_rank(T, 2)
    assert multi_rank(G, axis="views").tolist() == [2, 2, 2]
    again, rows = low_tubal_rank(T, 2, rows)
    np.testing.assert_allclose(again, G, atol=1e-10)  # the best is a fixed point
    start = np.random.default_rng(0).normal(size=rows.shape) + 0j
    errors = []
    for _ in range(5):
        G, start = low_tubal_rank(T, 2, start)
        errors.append(np.linalg.norm(T - G))
    assert (np.diff(errors) <= 1e-12).all()


BAD = [("tau", -1.0, "tau"), ("tau", np.nan, "tau"), ("T", np.ones((3, 3)), "three axes")]
BAD += [("T", np.full((2, 3, 3), np.nan), "NaN"), ("transform", np.eye(2), "shape")]
BAD += [(name, "none", name) for name in ("axis", "side", "norm", "transform", "method")]


@pytest.mark.parametrize(("name", "value", "message"), BAD)
def test_bad_arguments_are_named(name, value, message):
    with pytest.raises(ValueError, match=message):
        t_svt(**{"T": np.ones((2, 3, 3)), "tau": 1.0} | {name: value})
