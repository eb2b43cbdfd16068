"""DSIMVC: the loss of both batches, weights that are learnt through a step, what is filled."""

import itertools

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

jax = pytest.importorskip("jax", reason="the extra deep is not installed: no jax")

from deep.deep_cases import (  # noqa: E402
    SmallDSIMVC,
    along,
    as_double,
    central_difference,
    plain,
    random_like,
    softmax,
)

from mvclust.deep.autoencoders import start_autoencoders  # noqa: E402
from mvclust.deep.dsimvc import (  # noqa: E402
    batches_of,
    fill,
    labels_loss,
    loss_ahead,
    start_heads,
    take,
    training_loss,
    weights_of_samples,
)
from mvclust.deep.layers import start_network  # noqa: E402
from mvclust.testing import views_for  # noqa: E402

K, LATENT = 3, 4


@pytest.fixture
def networks():
    """Small networks for three views, moved away from the kinks of ReLU, and that of weights."""
    rng = np.random.default_rng(0)
    params = start_autoencoders(rng, [3, 2, 3], 5, LATENT)
    del params["decoders"]
    params = as_double(params | start_heads(rng, LATENT, K))
    weighing = as_double(start_network(rng, (K, 6, 1), 0)[0])
    params = jax.tree.map(lambda a, d: a + 0.1 * d, params, random_like(params, rng))
    return params, jax.tree.map(lambda a, d: a + 0.1 * d, weighing, random_like(weighing, rng))


@pytest.fixture
def batches():
    """A batch of complete and one of filled samples."""
    rng = np.random.default_rng(1)
    Xs = [rng.standard_normal((9, d)) for d in (3, 2, 3)]
    return take(Xs, np.arange(5), np.ones(5)), take(Xs, np.arange(5, 9), np.ones(4))


def test_fewer_clusters_than_asked_for_are_said():
    model = SmallDSIMVC(8, random_state=0)
    model.epochs = model.pretraining = model.reconstructing = model.contrasting = 1
    with pytest.warns(ConvergenceWarning, match="clusters of the 8 asked for"):
        model.fit(views_for(SmallDSIMVC)[0])


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
    return total + labels_loss(Q1, Q2, np.ones(n))  # which has a worked example


def naive_outputs(params, batch):
    Z = [plain(encoder, batch[f"x{v + 1}"]) for v, encoder in enumerate(params["encoders"])]
    H = [plain(params["feature_head"], z) for z in Z]
    return H, [softmax(plain(params["label_head"], z)) for z in Z]


@pytest.mark.usefixtures("double")
def test_the_loss_is_the_naive_one(networks, batches):
    params, omega = networks[0], np.array([0.2, 0.5, 0.8, 0.1])
    total = 0
    for batch, weights in zip(batches, (None, omega), strict=True):
        H, Q = naive_outputs(params, batch)
        for v, w in itertools.combinations(range(3), 2):
            total += naive_pair(H[v], H[w], Q[v], Q[w], weights)
    found, terms = training_loss(params, omega, *batches, 1.0)
    assert float(found) == pytest.approx(float(total), rel=1e-10)
    more, other = training_loss(params, omega, *batches, 3.0)
    assert float(other["labels"]) == float(terms["labels"])
    assert float(more) != float(found)


@pytest.mark.usefixtures("double")
def test_without_filled_samples_only_the_complete_ones_count(networks, batches):
    complete, filled = batches
    nothing = filled | {"weight": np.zeros(4)}
    loss, terms = training_loss(networks[0], np.ones(4), complete, nothing, 1.0)
    assert float(terms["filled"]) == 0
    assert float(loss) == pytest.approx(float(terms["features"] + terms["labels"]))


@pytest.mark.usefixtures("double")
def test_weights_are_learnt_through_the_step_that_used_them(networks, batches, monkeypatch):
    monkeypatch.setattr("mvclust.deep.dsimvc.LOOK_AHEAD", 0.05)  # else the derivative is tiny
    params, weighing = networks
    rest = (params, *batches, 1.0)
    gradient = jax.grad(loss_ahead)(weighing, *rest)
    direction = random_like(weighing, np.random.default_rng(2))

    def value(moved):
        return loss_ahead(moved, *rest)

    change = central_difference(value, weighing, direction, step=1e-4)
    assert abs(change) > 1e-9
    assert along(gradient, direction) == pytest.approx(change, rel=1e-5)
    # By hand: the step with these weights, then the loss on complete samples alone.
    omega = weights_of_samples(weighing, params, batches[1])
    step = jax.grad(lambda p: training_loss(p, omega, *batches, 1.0)[0])(params)
    ahead = jax.tree.map(lambda p, g: p - 0.05 * g, params, step)
    _, terms = training_loss(ahead, omega, *batches, 1.0)
    expected = float(terms["features"] + terms["labels"])
    assert float(loss_ahead(weighing, *rest)) == pytest.approx(expected, rel=1e-12)


def test_missing_rows_are_filled_from_the_nearest_that_have_both_views():
    angles = np.deg2rad([0, 10, 20, 40, 80, 5])
    near = np.c_[np.cos(angles), np.sin(angles)]
    presence = np.ones((6, 2), bool)
    presence[0, 1] = presence[5, 1] = False  # the nearest of the first lacks the view too
    Xs = [near, np.arange(6.0)[:, None]]
    filled = fill(Xs, presence, [near, near], n_neighbors=3, n_candidates=600)
    assert filled[1][:, 0].tolist() == [2, 1, 2, 3, 4, 2]
    np.testing.assert_array_equal(filled[0], Xs[0])
    filled = fill(Xs, presence, [near, near], n_neighbors=3, n_candidates=2)
    assert filled[1][0, 0] == 1  # one of the two nearest has the view
    presence = np.array([[True, False], [True, False], [False, True], [False, True]])
    filled = fill([near[:4], Xs[1][:4]], presence, [near[:4], near[:4]], 3, 600)
    assert filled[1][:2, 0].tolist() == [2.5, 2.5]  # no sample has both: the mean of the view


def test_each_further_view_adds_one_sample():
    presence = np.ones((5, 3), bool)
    presence[0, 2] = False
    one = np.eye(5)[:, :2] + [[1, 0], [1, 0], [1, 0], [0, 1], [0, 1]]
    first = one / np.linalg.norm(one, axis=1, keepdims=True)
    other = first[[0, 3, 4, 1, 2]]
    X = np.array([[0.0], [1], [2], [3], [4]])
    filled = fill([X, X, X], presence, [first, other, first], n_neighbors=2, n_candidates=600)
    assert filled[2][0, 0] == pytest.approx((1 + 2 + 4) / 3)  # 2, 1 by the first, 4 by the second


def test_batches_hold_no_sample_twice_and_may_be_empty():
    stream = batches_of(np.array([1, 4, 6, 7, 9]), 2, np.random.default_rng(0))
    rows = [next(stream)[0] for _ in range(4)]
    assert all(len(set(batch)) == 2 for batch in rows)
    assert len(set(np.concatenate(rows[:2]))) == 4
    rows, weight = next(batches_of(np.array([], int), 8, np.random.default_rng(0)))
    assert weight.sum() == 0
    assert len(rows) == 2
