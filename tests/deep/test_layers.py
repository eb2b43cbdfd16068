"""Layers: batch norm as in PyTorch, padding without effect, safe gradients."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the extra deep is not installed: no jax")

from mvclust.deep.layers import (  # noqa: E402
    batch_norm,
    dropout_masks,
    layer_norm,
    run_network,
    start_linear,
    start_network,
    unit_rows,
)

ONE = {"scale": np.ones(1), "shift": np.zeros(1)}
START = {"mean": np.zeros(1), "var": np.ones(1)}
FEATURE = np.array([[1.0], [2.0], [4.0], [9.0]])


@pytest.mark.usefixtures("double")
def test_batch_norm_is_that_of_the_worked_example():
    out, running = batch_norm(ONE, START, FEATURE, np.ones(4))
    expected = [-0.9733280145, -0.6488853430, 0, 1.6222133575]
    np.testing.assert_allclose(out[:, 0], expected, atol=1e-9)
    assert float(running["mean"][0]) == pytest.approx(0.4)
    assert float(running["var"][0]) == pytest.approx(2.1666666667)
    out, after = batch_norm(ONE, running, FEATURE)
    expected = [0.4076187916, 1.0869834444, 2.4457127498, 5.8425360134]
    np.testing.assert_allclose(out[:, 0], expected, atol=1e-9)
    assert after is running


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_rows_leave_the_running_statistics(count):
    out, running = batch_norm(ONE, START, FEATURE, np.arange(4) < count)
    assert np.isfinite(out).all()
    assert float(running["mean"][0]) == 0
    assert float(running["var"][0]) == 1


@pytest.mark.usefixtures("double")
def test_padding_changes_nothing():
    rng = np.random.default_rng(0)
    network, running = start_network(rng, (3, 5, 4), 1)
    X = rng.standard_normal((6, 3))
    run = jax.jit(run_network)
    out, after = run(network, running, X, np.ones(6))
    padded = np.r_[X, rng.standard_normal((2, 3))]
    more, same = run(network, running, padded, np.r_[np.ones(6), 0, 0])
    np.testing.assert_allclose(more[:6], out, atol=1e-12)
    jax.tree.map(np.testing.assert_allclose, same, after)


def test_starts_are_those_of_linear_layers_in_pytorch():
    layer = start_linear(np.random.default_rng(0), 16, 2000)
    assert layer["W"].shape == (16, 2000)
    for array in layer.values():
        assert 0.24 < np.abs(array).max() <= 0.25
        assert abs(array.mean()) < 0.01


def test_layer_norm_normalises_rows():
    x = np.array([[1.0, 2.0, 3.0, 4.0]])
    out = layer_norm({"scale": 2 * np.ones(4), "shift": np.ones(4)}, x)
    np.testing.assert_allclose(out, 1 + 2 * (x - 2.5) / np.sqrt(1.25 + 1e-5), rtol=1e-5)


def test_the_gradient_of_a_row_of_zeros_is_finite():
    x = np.array([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(unit_rows(x), [[0, 0], [0.6, 0.8]], rtol=1e-6)
    assert np.isfinite(jax.jit(jax.grad(lambda x: unit_rows(x)[1].sum()))(x)).all()


def test_dropout_keeps_the_mean_and_does_not_see_padding():
    key = jax.random.PRNGKey(0)
    (mask,) = dropout_masks(key, [500], 64, 0.2)
    assert set(np.unique(mask)) == {0, np.float32(1.25)}
    assert float(mask.mean()) == pytest.approx(1, abs=0.02)
    (more,) = dropout_masks(key, [500], 128, 0.2)
    np.testing.assert_array_equal(more[:64], mask)
