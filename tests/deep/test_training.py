"""Layers and trainer as in PyTorch: batch norm, padding, Adam, batches, patience, errors."""

import os
import subprocess
import sys

import numpy as np
import pytest
from deep.needed import jax

from mvclust.deep import layers
from mvclust.deep.base import settings_of, shift_and_size
from mvclust.deep.training import ROUND, Trainer, Weights, in_chunks, observed_rows, pad

ONE = {"scale": np.ones(1), "shift": np.zeros(1)}
START = {"mean": np.zeros(1), "var": np.ones(1)}
FEATURE = np.array([[1.0], [2.0], [4.0], [9.0], [7.0]])  # the last is padding


@pytest.mark.usefixtures("double")
def test_batch_norm_is_that_of_the_worked_example():
    out, running = layers.batch_norm(ONE, START, FEATURE, np.arange(5) < 4)
    expected = [-0.9733280145, -0.6488853430, 0, 1.6222133575]
    np.testing.assert_allclose(out[:4, 0], expected, atol=1e-9)
    assert float(running["mean"][0]) == pytest.approx(0.4)
    assert float(running["var"][0]) == pytest.approx(2.1666666667)
    out, after = layers.batch_norm(ONE, running, FEATURE[:4])
    expected = [0.4076187916, 1.0869834444, 2.4457127498, 5.8425360134]
    np.testing.assert_allclose(out[:, 0], expected, atol=1e-9)
    assert after is running


@pytest.mark.parametrize("count", [0, 1])
def test_fewer_than_two_rows_leave_the_running_statistics(count):
    out, running = layers.batch_norm(ONE, START, FEATURE, np.arange(5) < count)
    assert np.isfinite(out).all()
    assert float(running["mean"][0]) == 0
    assert float(running["var"][0]) == 1


def test_starts_are_those_of_linear_layers_in_pytorch():
    layer = layers.start_linear(np.random.default_rng(0), 16, 2000)
    assert layer["W"].shape == (16, 2000)
    for array in layer.values():
        assert 0.24 < np.abs(array).max() <= 0.25
        assert abs(array.mean()) < 0.01


def test_rows_are_normalised_and_the_gradient_of_one_of_zeros_is_finite():
    x = np.array([[1.0, 2.0, 3.0, 4.0]])
    out = layers.layer_norm({"scale": 2 * np.ones(4), "shift": np.ones(4)}, x)
    np.testing.assert_allclose(out, 1 + 2 * (x - 2.5) / np.sqrt(1.25 + 1e-5), rtol=1e-5)
    x = np.array([[0.0, 0.0], [3.0, 4.0]])
    np.testing.assert_allclose(layers.unit_rows(x), [[0, 0], [0.6, 0.8]], rtol=1e-6)
    assert np.isfinite(jax.jit(jax.grad(lambda x: layers.unit_rows(x)[1].sum()))(x)).all()


def test_dropout_keeps_the_mean_and_does_not_see_padding():
    key = jax.random.PRNGKey(0)
    (mask,) = layers.dropout_masks(key, [500], 64, 0.2)
    assert set(np.unique(mask)) == {0, np.float32(1.25)}
    assert float(mask.mean()) == pytest.approx(1, abs=0.02)
    (more,) = layers.dropout_masks(key, [500], 128, 0.2)
    np.testing.assert_array_equal(more[:64], mask)


def line(params, running, batch, settings):
    """Squared error of x a + b, the latter being late."""
    guess = batch["x"] * params["a"] + settings["late"] * params["b"]
    error = (batch["weight"] * (guess - batch["y"]) ** 2).sum() / batch["weight"].sum()
    return error, (running, {"error": error})


def trainer(**changes):
    start = Weights({"a": np.zeros(1, np.float32), "b": np.zeros(1, np.float32)}, {})
    given = {"batch_size": 64, "seed": 0, "late": ("b",)} | changes
    return Trainer("Line", line, start, **given)


def rows(n=64, noise=0.0):
    x = np.linspace(-1, 1, n, dtype=np.float32)
    return {"x": x, "y": 2 * x + 1 + np.float32(noise), "weight": np.ones(n, np.float32)}


def test_steps_are_those_of_adam_and_late_parameters_count_their_own():
    own, moments, a, b = trainer(), np.zeros((2, 2)), 0.0, 0.0
    data, counts = rows(), np.zeros(2)
    for epoch in range(6):
        late = float(epoch >= 3)
        own.run_epoch(data, {"late": late, "learning_rate": 0.1})
        residual = data["x"] * a + late * b - data["y"]
        gradient = np.array([2 * (residual * data["x"]).mean(), 2 * late * residual.mean()])
        counts += [1, late]
        moments[0] = 0.9 * moments[0] + 0.1 * gradient
        moments[1] = 0.999 * moments[1] + 0.001 * gradient**2
        t = np.maximum(counts, 1)
        step = (moments[0] / (1 - 0.9**t)) / (np.sqrt(moments[1] / (1 - 0.999**t)) + 1e-8)
        a, b = np.array([a, b]) - 0.1 * step
    assert float(own.weights.params["a"][0]) == pytest.approx(a, rel=1e-4)
    assert float(own.weights.params["b"][0]) == pytest.approx(b, rel=1e-4)
    assert b > 0.25  # a first step of its own has the full length, three of them are 0.3


RATE = {"late": 1.0, "learning_rate": 0.1}


def test_a_batch_of_one_row_is_left_out_and_counted_a_longer_remainder_is_padded():
    for n, counts in ((66, (2, 0)), (65, (1, 1))):
        own = trainer()
        own.run_epoch(rows(n), RATE)
        assert (own.n_steps, own.n_skipped) == counts
    with pytest.raises(ValueError, match="Line: no batch of epoch 2 is fit for a step"):
        own.run_epoch(rows(1), RATE)
    assert pad(np.ones((65, 2))).shape == (2 * ROUND, 2)
    assert pad(np.ones(64)).sum() == pad(np.ones(65)).sum() - 1 == 64


def test_a_loss_that_is_no_number_is_named_with_its_epoch():
    with pytest.raises(FloatingPointError, match="Line: the loss 'error' is nan in epoch 1"):
        trainer().run_epoch(rows(noise=np.nan), RATE)


def test_patience_counts_epochs_without_a_lower_loss_after_the_switch():
    own = trainer()
    own.history = {"loss": [1.0, 5.0, 4.0, 4.5, 4.5]}
    found = [own.stalled(*case) for case in ((None,), (3,), (2, 1), (3, 1), (1, 9))]
    assert found == [False, True, True, False, False]


def test_readings_change_the_schedule_or_the_width():
    given = {"width": 1024, "learning_rate": 1e-4, "epochs": 500, "switches": {"start": 100}}
    released = {"width": 1024, "learning_rate": 1e-4, "epochs": 500, "start": 100}
    assert settings_of("released", **given) == released
    assert settings_of("narrow", **given) == released | {"width": 256}
    short = {"learning_rate": pytest.approx(5e-4), "epochs": 100, "start": 20}
    assert settings_of("short", **given) == released | short


def test_scaling_is_by_observed_rows_and_a_constant_is_divided_by_one():
    X = np.array([[1.0, 3.0], [5.0, 3.0]])
    shift, size = shift_and_size(X, "feature_minmax")
    assert shift.tolist() == [1, 3]
    assert size.tolist() == [4, 1]
    assert [float(x) for x in shift_and_size(X, "view_range")] == [1, 4]
    assert [float(x) for x in shift_and_size(X, "view_standard")] == [3, X.std(ddof=1)]
    assert shift_and_size(X, None) == (0, 1)


def test_missing_rows_are_zero_whatever_they_hold():
    presence = np.array([[True, True], [False, True]])
    Xs = observed_rows([np.array([[1.0], [np.nan]]), np.array([[2.0], [3.0]])], presence)
    assert [X.tolist() for X in Xs] == [[[1], [0]], [[2], [3]]]


def test_chunks_give_each_row_in_its_order():
    X = np.arange(1100.0).reshape(-1, 1)
    double, same = in_chunks(lambda weights, X: (weights * X, X), 2, X)
    np.testing.assert_array_equal(double, 2 * X)
    np.testing.assert_array_equal(same, X)


BITS = """
import hashlib, os
import numpy as np
from mvclust.deep.layers import run_network, start_network
import jax
assert os.environ["PJRT_NPROC"] == "1"
network, running = start_network(np.random.default_rng(0), (256, 512, 512), 1)
X = np.random.default_rng(1).standard_normal((256, 256), np.float32)
loss = lambda network: (run_network(network, running, X, np.ones(256, np.float32))[0] ** 2).mean()
print(hashlib.sha256(np.array(jax.grad(loss)(network)[0]["W"]).tobytes()).hexdigest())
"""


def test_bits_do_not_depend_on_the_cores_that_a_process_may_use():
    if not hasattr(os, "sched_setaffinity") or len(os.sched_getaffinity(0)) < 2:
        pytest.skip("one core, or no affinity on this system")
    pin = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    environment = {k: v for k, v in os.environ.items() if k not in ("PJRT_NPROC", "XLA_FLAGS")}
    digests = [
        subprocess.check_output([sys.executable, "-c", code], env=environment)
        for code in (BITS, pin + BITS)
    ]
    assert digests[0] == digests[1]
    assert len(digests[0].split()[-1]) == 64
