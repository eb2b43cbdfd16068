"""The loss of a batch of each method, from networks to numbers, in double precision."""

import functools

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the extra deep is not installed: no jax")

from deep.deep_cases import (  # noqa: E402
    along,
    as_double,
    central_difference,
    plain,
    random_like,
    relu_network,
    softmax,
    unit,
)

from mvclust.deep import apadc, completer, cpspan, proimp  # noqa: E402
from mvclust.deep.losses import mutual_information  # noqa: E402

N, WIDTH, H, K = 8, 5, 4, 3
SETTINGS = {
    "completer": {"c": 10.0, "lam_pre": 0.1, "lam_rec": 0.1, "late": 1.0},
    "proimp": {"late": 1.0, "matching": np.array([2, 0, 1]), "step": np.uint32(0)},
    "apadc": {"lam_mmd": 10.0, "lam_rec": 0.1, "widths": apadc.kernel_widths(2, 4)},
    "cpspan": {"lam_prototypes": 0.5, "lam_samples": 0.3},
}
METHODS = {"completer": completer, "proimp": proimp, "apadc": apadc, "cpspan": cpspan}
LOSSES = {name: module.batch_loss for name, module in METHODS.items()}
LOSSES["cpspan"] = cpspan.LOSSES["all"]
pytestmark = [pytest.mark.usefixtures("double"), pytest.mark.parametrize("name", METHODS)]


def start(name):
    """Small networks for two views of three features, in double precision."""
    sizes = [K] if name == "proimp" else []
    return as_double(METHODS[name].start_networks(0, [3, 3], WIDTH, H, *sizes))


def batch_of(padding=0.0):
    """Eight samples, of which three lack the second view and two the first, and padding."""
    rng = np.random.default_rng(1)
    seen = np.ones((N, 2))
    seen[:2, 0] = seen[2:5, 1] = 0
    batch = {"x1": rng.standard_normal((N, 3)), "x2": rng.standard_normal((N, 3)), "seen": seen}
    batch["weight"] = np.ones(N)
    filled = {"x1": padding, "x2": padding, "seen": 1, "weight": 0}
    return {
        key: np.r_[array, np.full((3, *array.shape[1:]), filled[key])]
        for key, array in batch.items()
    }


@functools.cache
def compiled(name):
    """The loss with its gradient and all that goes with it."""
    return jax.jit(jax.value_and_grad(LOSSES[name], has_aux=True))


def loss_of(name, params=None, batch=None):
    """Loss, gradient and the pair of running statistics and terms; by default of the start."""
    weights, settings = start(name), dict(SETTINGS[name])
    if name == "proimp":
        settings["key"] = np.array(jax.random.PRNGKey(0))
    params = weights.params if params is None else params
    batch = batch_of() if batch is None else batch
    (value, aux), gradient = compiled(name)(params, weights.running, batch, settings)
    return float(value), gradient, aux


@pytest.fixture(autouse=True)
def no_dropout(monkeypatch):
    """Dropout is tested with the layers; without it sums are easy to repeat."""
    monkeypatch.setattr(proimp, "DROPOUT", 0.0)


def test_the_loss_of_a_padded_batch_is_the_naive_one_without_padding(name):
    p, batch = start(name).params, {key: array[:N] for key, array in batch_of().items()}
    naive = {
        "completer": naive_completer,
        "proimp": naive_proimp,
        "apadc": naive_apadc,
        "cpspan": naive_cpspan,
    }
    assert loss_of(name)[0] == pytest.approx(float(naive[name](p, batch)), rel=1e-9)


# Compositions of the losses that are tested with worked examples, on networks applied naively.


def naive_completer(p, batch):
    X = batch["x1"], batch["x2"]
    Z = [softmax(relu_network(p["encoders"][v], X[v])) for v in (0, 1)]
    back = [relu_network(p["decoders"][v], Z[v]) for v in (0, 1)]
    guess = [softmax(relu_network(p["predictors"][v], Z[v])) for v in (0, 1)]
    total = mutual_information(*Z, 10, np.ones(N))
    for v in (0, 1):
        total += 0.1 * np.mean((back[v] - X[v]) ** 2) + 0.1 * np.mean((guess[v] - Z[1 - v]) ** 2)
    return total


def naive_norm(x):
    centred = x - x.mean(axis=1, keepdims=True)
    return centred / np.sqrt(x.var(axis=1, keepdims=True) + 1e-5)


def naive_proimp(p, batch):
    heads, r, A = [], [], []
    for v, x in enumerate((batch["x1"], batch["x2"])):
        own, c = p["attention"][v], unit(p["prototypes"][v])
        z = relu_network(p["projector"], unit(relu_network(p["encoders"][v], x)))
        q, k, u = (
            naive_norm(rows) @ own[key]["W"] + own[key]["b"]
            for key, rows in (("q", z), ("k", c), ("u", c))
        )
        A.append(softmax(q @ k.T / np.sqrt(H)))
        y = (unit(A[v] @ u) + unit(z)) @ p["decoder"]["W"] + p["decoder"]["b"]
        heads.append(relu_network(p["sample_head"], y))
        t = A[v].T @ (naive_norm(z) @ p["gathered"][v]["W"] + p["gathered"][v]["b"])
        r.append(unit(t) + c)
    R = relu_network(p["prototype_head"], np.r_[r[1], r[0][[2, 0, 1]]])
    losses = proimp.samples_loss(*heads, np.ones(N)), proimp.assignments_loss(*A, np.ones(N))
    return sum(losses) + proimp.prototypes_loss(R)


def naive_apadc(p, batch):
    seen, X, total = batch["seen"] > 0, (batch["x1"], batch["x2"]), 0
    both = seen.all(axis=1)
    Z, alone = [], []
    for v in (0, 1):
        rows = X[v][seen[:, v]]
        code = softmax(relu_network(p["encoders"][v], rows))
        total += 0.1 * np.mean((relu_network(p["decoders"][v], code) - rows) ** 2)
        Z.append(softmax(relu_network(p["encoders"][v], X[v][both])))
        only = seen[:, v] & ~both
        alone.append(softmax(relu_network(p["encoders"][v], X[v][only])))
    total += apadc.information_loss(*Z, np.ones(both.sum()))
    F = [np.r_[Z[v], alone[0], alone[1]] for v in (0, 1)]
    M = (F[0] + F[1]) / 2
    for sample in F:
        rows = np.r_[sample, M]
        squared = ((rows[:, None] - rows) ** 2).sum(axis=2)
        s = squared.sum() / (len(rows) * (len(rows) - 1))
        K_ = sum(np.exp(-squared / (s / 2**2 * 2**i)) for i in range(4))
        n = len(sample)
        total += 10 * (K_[:n, :n].mean() + K_[n:, n:].mean() - 2 * K_[:n, n:].mean())
    return total


def naive_cpspan(p, batch):
    seen, X, total, Z = batch["seen"] > 0, (batch["x1"], batch["x2"]), 0, []
    both = seen.all(axis=1)
    for v in (0, 1):
        rows = X[v][seen[:, v]]
        total += np.mean((plain(p["decoders"][v], plain(p["encoders"][v], rows)) - rows) ** 2)
        Z.append(plain(p["encoders"][v], X[v][both]))
    total += 0.3 * np.mean((1 - (unit(Z[0]) * unit(Z[1])).sum(axis=1)) ** 2)
    columns = [(one, other) for one in Z[0].T for other in Z[1].T]
    cosines = [one @ other / np.linalg.norm(one) / np.linalg.norm(other) for one, other in columns]
    return total + 0.5 * np.mean((1 - np.array(cosines)) ** 2)


def test_the_gradient_is_the_central_difference(name, monkeypatch):
    if name == "apadc":
        # The bandwidth is constant in the gradient alone; digits test the gradient of kernels.
        monkeypatch.setitem(SETTINGS["apadc"], "lam_mmd", 0.0)
    rng = np.random.default_rng(0)
    params = start(name).params
    # Away from shifts of 0, where units that are constant in a batch are on the kink of ReLU.
    params = jax.tree.map(lambda a, d: a + 0.1 * d, params, random_like(params, rng))
    direction = random_like(params, rng)
    _, gradient, _ = loss_of(name, params)

    def value(moved):
        return loss_of(name, moved)[0]

    change = central_difference(value, params, direction)
    assert along(gradient, direction) == pytest.approx(change, rel=1e-6)


def test_what_padding_holds_reaches_neither_loss_nor_gradient_nor_running_statistics(name):
    value, gradient, (running, _) = loss_of(name)
    other, change, (same, _) = loss_of(name, batch=batch_of(padding=7.0))
    assert other == value
    jax.tree.map(np.testing.assert_array_equal, change, gradient)
    jax.tree.map(np.testing.assert_array_equal, same, running)
