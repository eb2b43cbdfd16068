"""Methods for unmapped views: what both promise, equations of CMVNMF, steps of propagation."""

import pickle

import numpy as np
import pytest
from estimators.shared_cases import by_view, overlapping_views
from helpers import assert_equal_to_oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone

from mvclust import CMVNMF, ConstraintPropagation, unmapping
from mvclust.estimators.cmvnmf import check_constraints, start_from_kmeans
from mvclust.estimators.constraint_propagation import close_links, pckmeans, propagate, start_means
from mvclust.metrics import accuracy, adjusted_rand_index
from mvclust.testing import make_blobs, next_draw

both = pytest.mark.parametrize("estimator", [CMVNMF, ConstraintPropagation])


def unmapped_problem(estimator):
    """Unmapped views, and what the class takes beside them."""
    rng = np.random.default_rng(1)
    Xs, y = make_blobs()
    Xs = [np.maximum(X + 3 * rng.normal(size=X.shape), 0) for X in Xs]
    data = unmapping.unmap(Xs, y, 0.9, seed=1)
    if estimator is CMVNMF:
        must, cannot = unmapping.random_constraints(data.ys, 0.2, 1)
        return data.Xs, {"must_links": must, "cannot_links": cannot}
    return data.Xs, known(data, 0.02, 0.7, 1)


@both
def test_same_seed_same_labels_sparse_views_and_nothing_is_touched(estimator):
    Xs, links = unmapped_problem(estimator)
    before = [X.copy() for X in Xs]
    kept = {name: {pair: M.copy() for pair, M in of.items()} for name, of in links.items()}
    for X in Xs:
        X.flags.writeable = False
    following = next_draw()
    model = estimator(3, max_iter=30, random_state=1)
    one = model.fit(Xs, **links).labels_
    two = clone(model).fit([sparse.csc_array(X) for X in Xs], **links).labels_
    turned = {
        name: {(b, a): M.T.toarray() if a != b else M for (a, b), M in of.items()}
        for name, of in links.items()
    }
    three = pickle.loads(pickle.dumps(clone(model))).fit(Xs, **turned).labels_
    for labels, *others in zip(one, two, three, strict=True):
        assert (np.array(others) == labels).all()
    for X, Y in zip(Xs, before, strict=True):
        np.testing.assert_array_equal(X, Y)
    assert all((kept[name][pair] != M).nnz == 0 for name in kept for pair, M in links[name].items())
    assert next_draw() == following
    assert (pickle.loads(pickle.dumps(model)).labels_[0] == one[0]).all()


@both
def test_clear_clusters_without_constraints(estimator):
    """Of mapped views as of one alone."""
    Xs, y = make_blobs()
    for views in (Xs, Xs[:1]):
        labels = estimator(3, random_state=0).fit_predict(views)
        assert [accuracy(y, found) for found in labels] == [1] * len(views)


def known(data, share, mapped, seed):
    must, cannot = unmapping.random_intra_constraints(data.ys, share, seed)
    mapping = unmapping.known_mapping(data.ids, mapped, seed)
    return {"must_links": must, "cannot_links": cannot, "mapping": mapping}


PAIR = [np.random.default_rng(0).random((n, 3)) for n in (4, 5)]
ZEROS, ONES = np.zeros((4, 5)), np.ones((4, 5))
CP = ConstraintPropagation
NEAR = {"must_links": {(0, 0): np.eye(4, k=1)}, "cannot_links": {(0, 0): np.eye(4, k=-1)}}
CROSSED = {"must_links": {(0, 1): np.eye(4, 5)}, "cannot_links": {(1, 0): np.eye(5, 4)[::-1]}}
BAD_VIEWS = [
    ([], "Xs is empty"), (np.eye(4), "must be a list with one array per view"),
    ([np.eye(4), np.eye(2)], "n_clusters=3 is more than the 2 samples of view 1"),
    ([np.full((9, 2), np.inf)], "view 0 contains infinite values"),
    ([np.vstack([np.eye(5), np.full((2, 5), np.nan)])], "view 0 has 2 missing rows"),
]  # fmt: skip
BAD = [(method, {}, message, Xs) for method in (CMVNMF, CP) for Xs, message in BAD_VIEWS]
BAD += [
    (CMVNMF, {"must_links": [1]}, "must_links must be a dict"),
    (CMVNMF, {"must_links": {(0, 3): ZEROS}}, r"key \(0, 3\), expected \(a, b\)"),
    (CMVNMF, {"must_links": {(1, 1): np.zeros((5, 5))}}, "two different view numbers"),
    (CMVNMF, {"must_links": {"ab": ZEROS}}, "has the key 'ab'"),
    (CMVNMF, {"must_links": {(0, 1): ZEROS.T}}, r"must_links\[0, 1\] has shape \(5, 4\)"),
    (CMVNMF, {"must_links": {(0, 1): -ONES}}, "negative or infinite"),
    (CMVNMF, {"must_links": {(0, 1): ONES, (1, 0): ONES.T}}, "both .* join them"),
    (CMVNMF, CROSSED, r"row 2 of view 1 and row 2 of view 0 are both.*\(1 such pairs"),
    (CP, {"must_links": [1]}, "must_links must be a dict"),
    (CP, {"must_links": {(0, 1): ZEROS}}, r"key \(0, 1\), expected \(v, v\)"),
    (CP, {"must_links": {(1, 1): ZEROS}}, r"must_links\[1, 1\] has shape \(4, 5\)"),
    (CP, {"cannot_links": {(0, 0): np.eye(4)}}, "separates row 0 from itself"),
    (CP, NEAR, "rows 0 and 1 of view 0 are both"),
    (CP, {"mapping": {(0, 0): np.zeros((4, 4))}}, "two different view numbers"),
    (CP, {"mapping": {(0, 1): ONES}}, "row 0 of view 0 more than one counterpart"),
]


@pytest.mark.parametrize(("estimator", "links", "message", "Xs"), [(*b, PAIR)[:4] for b in BAD])
def test_bad_views_and_constraints_are_one_sentence(estimator, links, message, Xs):
    with pytest.raises(ValueError, match=message) as caught:
        estimator(3).fit(Xs, **links)
    assert "\n" not in str(caught.value)


@both
def test_new_rows_are_labelled_as_those_of_fit(estimator):
    Xs, y = make_blobs()
    views, ys = [Xs[0], Xs[1][3:]], [y, y[3:]]
    model = estimator(3, random_state=0).fit(views)
    for labels, own in zip(model.predict(views), model.labels_, strict=True):
        assert (labels == own).mean() > 0.95
    new = [make_blobs(seed=4)[0][0][:9], make_blobs(seed=4)[0][1]]
    for labels, old, rows, Y in zip(model.predict(new), model.labels_, ys, new, strict=True):
        names = [np.bincount(old[rows == c]).argmax() for c in range(3)]
        assert (labels == np.array(names)[y[: len(Y)]]).all()
    with pytest.raises(ValueError, match="view 0 has 1 missing rows"):
        model.predict([np.where(np.arange(9)[:, None] == 2, np.nan, new[0]), new[1]])
    with pytest.raises(ValueError, match="was fitted to 2 views, got 1"):
        model.predict(new[:1])
    if estimator is CMVNMF:
        assert all(V is E for V, E in zip(model.V_, model.embedding_, strict=True))
        assert [V.shape for V in model.transform(new)] == [(9, 3), (45, 3)]


def links_of(z, letter):
    pairs = ((2, 1), (3, 1), (3, 2))
    return {(a - 1, b - 1): sparse.csr_array(z[f"{letter}_{a}{b}"]) for a, b in pairs}


@pytest.mark.parametrize("case", [1, 2, 3])
@pytest.mark.parametrize("end", ["it1", "it5", "itend"])
def test_cmvnmf_equals_oracle(oracle, case, end):
    z = oracle("cmvnmf_paper")
    expected = z[f"obj_c{case}"]  # begins with the objective of the start
    iterations = len(expected) - 1 if end == "itend" else int(end[2:])
    init = {letter: by_view(z, f"{letter}0__v{{}}") for letter in "UV"}
    limits = {"tol": 1e-6, "max_iter": 2000} if end == "itend" else {"max_iter": iterations}
    model = CMVNMF(5, beta=z["betas"][case - 1], variant="paper", init=init, tol=0)
    model.set_params(**limits)
    Xs = [X.T for X in by_view(z, "X__v{}")]
    model.fit(Xs, must_links=links_of(z, "M"), cannot_links=links_of(z, "C"))
    assert model.n_iter_ == iterations
    np.testing.assert_allclose(model.objective_, expected[1 : iterations + 1], rtol=1e-8)
    assert_equal_to_oracle(z, f"{{}}_c{case}_{end}__v{{}}", U=model.U_, V=model.V_)
    for v, labels in enumerate(model.labels_, 1):
        if end == "itend":
            np.testing.assert_array_equal(labels, z[f"labels_c{case}__v{v}"])


def equation_2(Xs, must, cannot, U, V, beta):
    """The objective as it is printed, constraint by constraint."""
    total = sum(np.sum((X - V_a @ U_a.T) ** 2) for X, U_a, V_a in zip(Xs, U, V, strict=True))
    for (a, b), M in must.items():
        for i, j in zip(*M.nonzero(), strict=True):
            total += beta * np.sum((V[a][i] - V[b][j]) ** 2)
    for (a, b), C in cannot.items():
        for i, j in zip(*C.nonzero(), strict=True):
            total += beta * 2 * V[a][i] @ V[b][j]
    return total


def random_problem(seed, share=0.2):
    rng = np.random.default_rng(seed)
    Xs = [rng.random((n, d)) * (rng.random((n, d)) < 0.6) for n, d in ((14, 6), (17, 9), (11, 5))]
    must, cannot = unmapping.random_constraints(
        [rng.integers(3, size=len(X)) for X in Xs], share, seed
    )
    return Xs, must, cannot


@given(
    seed=st.integers(0, 1000), share=st.sampled_from([0.0, 0.1, 0.5]),
    beta=st.sampled_from([0.0, 0.1, 1.0, 100.0]), variant=st.sampled_from(["scaled", "paper"]),
)  # fmt: skip
@settings(max_examples=40, deadline=None)
def test_objective_is_equation_2_and_falls_and_factors_are_non_negative(seed, share, beta, variant):
    Xs, must, cannot = random_problem(seed, share)
    options = {"beta": beta, "variant": variant, "scale": None, "n_init": 1, "max_iter": 60}
    model = CMVNMF(3, **options, tol=0, random_state=seed)
    model.fit(Xs, must_links=must, cannot_links=cannot)
    assert np.isfinite(model.objective_).all()
    assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()
    for factor in (*model.U_, *model.V_):
        assert (factor >= 0).all()
    value = equation_2(Xs, must, cannot, model.U_, model.V_, beta)
    np.testing.assert_allclose(model.objective_[-1], value, rtol=1e-9)
    if variant == "scaled":  # which keeps the column sums of U
        for X, U in zip(Xs, model.U_, strict=True):
            np.testing.assert_allclose(U.sum(axis=0), X.sum() / len(X), rtol=1e-9)


@pytest.mark.parametrize("variant", ["scaled", "paper"])
def test_permuting_rows_permutes_labels(variant):
    Xs, must, cannot = random_problem(3)
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for X in Xs]
    U, V = ([rng.random((size, 3)) for size in sizes] for sizes in ((6, 9, 5), (14, 17, 11)))

    def labels(Xs, V, *links):
        model = CMVNMF(3, variant=variant, init={"U": U, "V": V}, max_iter=20)
        return model.fit(Xs, must_links=links[0], cannot_links=links[1]).labels_

    def moved(parts):
        return [part[order] for part, order in zip(parts, orders, strict=True)]

    links = [
        {(a, b): M[orders[a]][:, orders[b]] for (a, b), M in of.items()} for of in (must, cannot)
    ]
    expected = moved(labels(Xs, V, must, cannot))
    for one, other in zip(labels(moved(Xs), moved(V), *links), expected, strict=True):
        np.testing.assert_array_equal(one, other)


def mean_accuracy(data, labels):
    return np.mean([accuracy(y, own) for y, own in zip(data.ys, labels, strict=True)])


@pytest.mark.parametrize("variant", [{}, {"variant": "paper", "tol": 1e-2}])
def test_constraints_raise_accuracy(variant):
    for seed in range(3):
        data = overlapping_views(seed, 3)
        must, cannot = unmapping.random_constraints(data.ys, 0.05, seed)
        model = CMVNMF(3, random_state=seed, **variant)
        without = mean_accuracy(data, model.fit(data.Xs).labels_)
        found = model.fit(data.Xs, must_links=must, cannot_links=cannot).labels_
        assert mean_accuracy(data, found) > without + 0.1
        # With constraints the numbers of the clusters are the same in all views.
        joined = accuracy(np.concatenate(data.ys), np.concatenate(found))
        assert joined > mean_accuracy(data, found) - 0.02


def test_aligned_start_numbers_the_clusters_alike():
    Xs, y = make_blobs()
    data = unmapping.unmap(Xs, y, seed=0)
    must, cannot = unmapping.random_constraints(data.ys, 0.1, 0)
    sizes = [len(X) for X in data.Xs]
    blocks = [check_constraints(links, sizes, "", "") for links in (must, cannot)]
    start = start_from_kmeans(data.Xs, *blocks, 3, 5, True, seed=0)
    labels = np.concatenate([V.argmax(axis=1) for V in start["V"]])
    assert accuracy(np.concatenate(data.ys), labels) == 1
    for X, U, V in zip(data.Xs, start["U"], start["V"], strict=True):
        np.testing.assert_allclose(U.T @ np.ones(X.shape[1]) @ V.sum(axis=0), V.sum(1) @ X.sum(1))


def test_views_that_are_factorised_without_error():
    y = np.repeat([0, 1, 2, 3], 10)
    model = CMVNMF(4, random_state=0).fit([np.eye(6)[y], np.eye(5)[y]])
    assert abs(model.objective_[-1]) < 1e-12
    assert all(adjusted_rand_index(y, labels) == 1 for labels in model.labels_)


def random_links(rng, n, share=0.2):
    links = unmapping.random_intra_constraints([rng.integers(3, size=n)], share, rng)
    return [of_kind[0, 0] for of_kind in links]


def cost(X, W, labels, means):
    """J as it is defined, pair by pair."""
    together, pairs = labels[:, None] == labels, np.tril(W, -1)
    broken = pairs[(pairs > 0) & ~together].sum() - pairs[(pairs < 0) & together].sum()
    return np.sum((X - means[labels]) ** 2) + broken


@given(seed=st.integers(0, 1000), weight=st.sampled_from([0.0, 0.3, 10.0]))
@settings(max_examples=30, deadline=None)
def test_pckmeans_reaches_a_minimum_of_its_objective(seed, weight):
    rng = np.random.default_rng(seed)
    X = rng.random((25, 4))
    must, cannot = random_links(rng, 25)
    W = weight * close_links(must, cannot, "", 0)
    start = start_means(X, W, 3, rng)
    values = []
    for sweeps in (1, 2, 3, 100):
        labels, means, J = pckmeans(X, W, start, None, sweeps, np.random.default_rng(seed))
        np.testing.assert_allclose(J, cost(X, W, labels, means), rtol=1e-8, atol=1e-10)
        values.append(J)
    assert (np.diff(values) <= 1e-9).all()
    for i, c in np.ndindex(25, 3):  # no single row can do better
        other = labels.copy()
        other[i] = c
        assert cost(X, W, other, means) >= J - 1e-8
    again = pckmeans(X, W, means, labels, 5, rng)
    np.testing.assert_array_equal(again[0], labels)


def test_closure_is_transitive_and_contradictions_are_said():
    must, cannot = np.zeros((2, 6, 6))
    must[0, 1] = must[2, 1] = must[3, 4] = cannot[4, 0] = 1
    links = close_links(sparse.csr_array(must), sparse.csr_array(cannot), "", 0)
    expected = np.zeros((6, 6))
    expected[:3, :3] = expected[3:5, 3:5] = 1
    expected[:3, 3:5] = expected[3:5, :3] = -1
    np.fill_diagonal(expected, 0)
    np.testing.assert_array_equal(links, expected)
    cannot[0, 2] = 1
    with pytest.raises(ValueError, match="view 0 contradict each other"):
        CP(2).fit([np.eye(6)], must_links={(0, 0): must}, cannot_links={(0, 0): cannot})


@given(seed=st.integers(0, 1000), threshold=st.sampled_from([0.05, 0.3, 0.7, 1.0]))
@settings(max_examples=30, deadline=None)
def test_propagation_equals_its_definition(seed, threshold):
    rng = np.random.default_rng(seed)
    X, labels = rng.random((20, 3)), rng.integers(3, size=20)
    labels[:3] = range(3)
    means = np.array([X[labels == c].mean(axis=0) for c in range(3)])
    must, cannot = random_links(rng, 20, 0.1)
    links = (must + must.T - cannot - cannot.T).toarray()
    rows = rng.permutation(20)[:8]
    spread = [np.mean(np.sum((X[labels == c] - means[c]) ** 2, axis=1)) for c in range(3)]
    heat = np.exp(-((X[:, None] - X) ** 2).sum(axis=2) / (2 * np.maximum(spread, 1e-300)[labels]))
    near, largest = np.where(labels[:, None] == labels, heat, 0.0), {}
    for kind in (1, -1):
        i, j = np.nonzero(links == kind)
        weight = near[rows][:, None, i] * near[rows][:, j]
        largest[kind] = np.where(weight >= threshold, weight, 0).max(axis=2, initial=0)
    expected = np.where(largest[1] >= largest[-1], largest[1], -largest[-1])
    np.fill_diagonal(expected, 0)
    for view in (X, sparse.csr_array(X)):
        found = propagate(view, labels, means, links, rows, threshold)
        np.testing.assert_allclose(found, expected, atol=1e-8)
        np.testing.assert_array_equal(found, found.T)


def test_propagated_constraints_raise_accuracy():
    gains = []
    for seed in range(3):
        data = overlapping_views(seed, 2, 0.9)
        links = known(data, 0.02, 1.0, seed)
        model = CP(3, scale=None, closure=False, random_state=seed)
        alone = mean_accuracy(data, model.fit(data.Xs, **links | {"mapping": None}).labels_)
        gains.append(mean_accuracy(data, model.fit(data.Xs, **links).labels_) - alone)
        assert min(model.n_received_) > 0
    assert np.mean(gains) > 0.05


def test_closed_constraints_of_all_pairs_give_the_clusters():
    data = overlapping_views(0, 2, 0.9)
    labels = CP(3, random_state=0).fit(data.Xs, **known(data, 1, 0, 0)).labels_
    assert mean_accuracy(data, labels) == 1


def test_a_mapping_gives_one_number_for_a_cluster_and_means_are_those_of_unit_rows():
    Xs, y = make_blobs()
    data = unmapping.unmap(Xs, y, seed=0)
    mapping = unmapping.known_mapping(data.ids, 0.5, 0)
    model = ConstraintPropagation(3, random_state=0).fit(data.Xs, mapping=mapping)
    assert accuracy(np.concatenate(data.ys), np.concatenate(model.labels_)) == 1
    assert model.n_received_ == [0, 0, 0]
    for X, labels, means in zip(data.Xs, model.labels_, model.means_, strict=True):
        X = X / np.linalg.norm(X, axis=1)[:, None]
        np.testing.assert_allclose(means, [X[labels == c].mean(axis=0) for c in range(3)])
