"""The loss of a batch of each method, from networks to numbers; what DSIMVC fills and weighs."""

import functools
import itertools

import numpy as np
import pytest
from deep.needed import jax

from mvclust.deep import apadc, completer, cpspan, dsimvc, proimp
from mvclust.deep.autoencoders import start_autoencoders
from mvclust.deep.layers import start_network
from mvclust.deep.losses import mutual_information

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
each = pytest.mark.parametrize("name", METHODS)
pytestmark = pytest.mark.usefixtures("double")


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


def central_difference(function, arrays, direction, step=1e-6):
    """Derivative of a function of a tree of arrays along a direction, by two values."""
    ends = [
        function(jax.tree.map(lambda a, d, s=sign: a + s * step * d, arrays, direction))
        for sign in (1, -1)
    ]
    return float(ends[0] - ends[1]) / (2 * step)


def random_like(tree, rng):
    return jax.tree.map(lambda a: rng.standard_normal(np.shape(a)), tree)


def as_double(tree):
    return jax.tree.map(lambda a: np.asarray(a, np.float64), tree)


def along(gradient, direction):
    parts = jax.tree.map(lambda g, d: float((g * d).sum()), gradient, direction)
    return sum(jax.tree.leaves(parts))


def relu_network(network, x):
    """A network applied naively, with the statistics of the batch."""
    for layer in network:
        x = x @ layer["W"] + layer["b"]
        if "scale" in layer:
            x = (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + 1e-5)
            x = np.maximum(layer["scale"] * x + layer["shift"], 0)
    return x


def plain(network, x):
    """A network without batch norm, applied naively."""
    for layer in network[:-1]:
        x = np.maximum(x @ layer["W"] + layer["b"], 0)
    return x @ network[-1]["W"] + network[-1]["b"]


def softmax(x):
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def unit(x):
    return x / np.linalg.norm(x, axis=1, keepdims=True)


@pytest.fixture(autouse=True)
def no_dropout(monkeypatch):
    """Dropout is tested with the layers; without it sums are easy to repeat."""
    monkeypatch.setattr(proimp, "DROPOUT", 0.0)


@each
def test_the_loss_of_a_padded_batch_is_the_naive_one_without_padding(name):
    """What padding holds reaches neither the loss nor its gradient nor running statistics."""
    p, batch = start(name).params, {key: array[:N] for key, array in batch_of().items()}
    value, gradient, (running, _) = loss_of(name)
    assert value == pytest.approx(float(globals()[f"naive_{name}"](p, batch)), rel=1e-9)
    other, change, (same, _) = loss_of(name, batch=batch_of(padding=7.0))
    assert other == value
    jax.tree.map(np.testing.assert_array_equal, change, gradient)
    jax.tree.map(np.testing.assert_array_equal, same, running)


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


@each
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


@pytest.fixture
def networks():
    """Small networks for three views, moved away from the kinks of ReLU, and that of weights."""
    rng = np.random.default_rng(0)
    params = start_autoencoders(rng, [3, 2, 3], 5, H)
    del params["decoders"]
    params = as_double(params | dsimvc.start_heads(rng, H, K))
    weighing = as_double(start_network(rng, (K, 6, 1), 0)[0])
    params = jax.tree.map(lambda a, d: a + 0.1 * d, params, random_like(params, rng))
    return params, jax.tree.map(lambda a, d: a + 0.1 * d, weighing, random_like(weighing, rng))


@pytest.fixture
def batches():
    """A batch of complete and one of filled samples."""
    rng = np.random.default_rng(1)
    Xs = [rng.standard_normal((9, d)) for d in (3, 2, 3)]
    return dsimvc.take(Xs, np.arange(5), np.ones(5)), dsimvc.take(Xs, np.arange(5, 9), np.ones(4))


def naive_pair(H1, H2, Q1, Q2, omega=None):
    """Both contrasts of two views; with weights, the features are weighted."""
    n = len(Q1)

    def cut(h):
        return h * min(1, np.sqrt(3) / np.linalg.norm(h))

    parts = []
    for i in range(n):
        others = sum((cut(H1[i]) @ cut(H2[j])) ** 2 for j in range(n) if j != i)
        parts.append(-2 / n * cut(H1[i]) @ cut(H2[i]) + others / (n * (n - 1)))
    total = sum(parts) if omega is None else np.dot(omega, parts) / omega.sum()
    return total + dsimvc.labels_loss(Q1, Q2, np.ones(n))  # which has a worked example


def naive_outputs(params, batch):
    Z = [plain(encoder, batch[f"x{v + 1}"]) for v, encoder in enumerate(params["encoders"])]
    H = [plain(params["feature_head"], z) for z in Z]
    return H, [softmax(plain(params["label_head"], z)) for z in Z]


def test_the_loss_is_the_naive_one(networks, batches):
    params, omega = networks[0], np.array([0.2, 0.5, 0.8, 0.1])
    total = 0
    for batch, weights in zip(batches, (None, omega), strict=True):
        H, Q = naive_outputs(params, batch)
        for v, w in itertools.combinations(range(3), 2):
            total += naive_pair(H[v], H[w], Q[v], Q[w], weights)
    found, terms = dsimvc.training_loss(params, omega, *batches, 1.0)
    assert float(found) == pytest.approx(float(total), rel=1e-10)
    more, other = dsimvc.training_loss(params, omega, *batches, 3.0)
    assert float(other["labels"]) == float(terms["labels"])
    assert float(more) != float(found)
    complete, filled = batches
    nothing = filled | {"weight": np.zeros(4)}
    alone, terms = dsimvc.training_loss(params, np.ones(4), complete, nothing, 1.0)
    assert float(terms["filled"]) == 0
    assert float(alone) == pytest.approx(float(terms["features"] + terms["labels"]))


def test_weights_are_learnt_through_the_step_that_used_them(networks, batches, monkeypatch):
    monkeypatch.setattr("mvclust.deep.dsimvc.LOOK_AHEAD", 0.05)  # else the derivative is tiny
    params, weighing = networks
    rest = (params, *batches, 1.0)
    gradient = jax.grad(dsimvc.loss_ahead)(weighing, *rest)
    direction = random_like(weighing, np.random.default_rng(2))

    def value(moved):
        return dsimvc.loss_ahead(moved, *rest)

    change = central_difference(value, weighing, direction, step=1e-4)
    assert abs(change) > 1e-9
    assert along(gradient, direction) == pytest.approx(change, rel=1e-5)
    # By hand: the step with these weights, then the loss on complete samples alone.
    omega = dsimvc.weights_of_samples(weighing, params, batches[1])
    step = jax.grad(lambda p: dsimvc.training_loss(p, omega, *batches, 1.0)[0])(params)
    ahead = jax.tree.map(lambda p, g: p - 0.05 * g, params, step)
    _, terms = dsimvc.training_loss(ahead, omega, *batches, 1.0)
    expected = float(terms["features"] + terms["labels"])
    assert float(dsimvc.loss_ahead(weighing, *rest)) == pytest.approx(expected, rel=1e-12)


def test_missing_rows_are_filled_from_the_nearest_that_have_both_views():
    angles = np.deg2rad([0, 10, 20, 40, 80, 5])
    near = np.c_[np.cos(angles), np.sin(angles)]
    presence = np.ones((6, 2), bool)
    presence[0, 1] = presence[5, 1] = False  # the nearest of the first lacks the view too
    Xs = [near, np.arange(6.0)[:, None]]
    filled = dsimvc.fill(Xs, presence, [near, near], n_neighbors=3, n_candidates=600)
    assert filled[1][:, 0].tolist() == [2, 1, 2, 3, 4, 2]
    np.testing.assert_array_equal(filled[0], Xs[0])
    filled = dsimvc.fill(Xs, presence, [near, near], n_neighbors=3, n_candidates=2)
    assert filled[1][0, 0] == 1  # one of the two nearest has the view
    presence = np.array([[True, False], [True, False], [False, True], [False, True]])
    filled = dsimvc.fill([near[:4], Xs[1][:4]], presence, [near[:4], near[:4]], 3, 600)
    assert filled[1][:2, 0].tolist() == [2.5, 2.5]  # no sample has both: the mean of the view


def test_each_further_view_adds_one_sample():
    presence = np.ones((5, 3), bool)
    presence[0, 2] = False
    one = np.eye(5)[:, :2] + [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    first = one / np.linalg.norm(one, axis=1, keepdims=True)
    other = first[[0, 3, 4, 1, 2]]
    X = np.array([[0.0], [1], [2], [3], [4]])
    filled = dsimvc.fill([X, X, X], presence, [first, other, first], 2, 600)
    assert filled[2][0, 0] == pytest.approx((1 + 2 + 4) / 3)  # 2, 1 by the first, 4 by the second


def test_batches_hold_no_sample_twice_and_may_be_empty():
    stream = dsimvc.batches_of(np.array([1, 4, 6, 7, 9]), 2, np.random.default_rng(0))
    rows = [next(stream)[0] for _ in range(4)]
    assert all(len(set(batch)) == 2 for batch in rows)
    assert len(set(np.concatenate(rows[:2]))) == 4
    rows, weight = next(dsimvc.batches_of(np.array([], int), 8, np.random.default_rng(0)))
    assert weight.sum() == 0
    assert len(rows) == 2
