"""CMVNMF against the paper's equations, and what its mathematics promises."""

import numpy as np
import pytest
from estimators.shared_cases import overlapping_views
from helpers import assert_equal_to_oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust.estimators.cmvnmf import CMVNMF, check_constraints, start_from_kmeans
from mvclust.metrics import accuracy, adjusted_rand_index
from mvclust.testing import make_blobs
from mvclust.unmapping import mapped_constraints, random_constraints, unmap

VIEWS = (1, 2, 3)
VARIANTS = ("scaled", "paper")


def links_of(z, letter):
    pairs = ((2, 1), (3, 1), (3, 2))
    return {(a - 1, b - 1): sparse.csr_array(z[f"{letter}_{a}{b}"]) for a, b in pairs}


def start_of(z):
    return {letter: [z[f"{letter}0__v{v}"] for v in VIEWS] for letter in "UV"}


@pytest.mark.parametrize("case", [1, 2, 3])
@pytest.mark.parametrize("end", ["it1", "it5", "itend"])
def test_paper_variant_equals_oracle(oracle, case, end):
    z = oracle("cmvnmf_paper")
    expected = z[f"obj_c{case}"]  # begins with the objective of the start
    iterations = len(expected) - 1 if end == "itend" else int(end[2:])
    assert z["beta"] == z["betas"][0]
    beta, tol = z["betas"][case - 1], 1e-6 if end == "itend" else 0
    model = CMVNMF(5, beta=beta, variant="paper", init=start_of(z), max_iter=2000, tol=tol)
    if end != "itend":
        model.set_params(max_iter=iterations)
    Xs = [z[f"X__v{v}"].T for v in VIEWS]
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
    must, cannot = random_constraints([rng.integers(3, size=len(X)) for X in Xs], share, seed)
    return Xs, must, cannot


@given(
    seed=st.integers(0, 1000),
    share=st.sampled_from([0.0, 0.1, 0.5]),
    beta=st.sampled_from([0.0, 0.1, 1.0, 100.0]),
    variant=st.sampled_from(VARIANTS),
)
@settings(max_examples=40, deadline=None)
def test_objective_falls_and_factors_are_non_negative(seed, share, beta, variant):
    Xs, must, cannot = random_problem(seed, share)
    model = CMVNMF(
        3, beta=beta, variant=variant, n_init=1, max_iter=60, tol=0, random_state=seed
    ).fit(Xs, must_links=must, cannot_links=cannot)
    assert np.isfinite(model.objective_).all()
    assert (np.diff(model.objective_) <= 1e-9 * model.objective_[0]).all()
    for factor in (*model.U_, *model.V_):
        assert (factor >= 0).all()


@pytest.mark.parametrize("variant", VARIANTS)
def test_objective_is_equation_2(variant):
    Xs, must, cannot = random_problem(0)
    model = CMVNMF(3, beta=0.7, variant=variant, scale=None, max_iter=7, random_state=0)
    model.fit(Xs, must_links=must, cannot_links=cannot)
    value = equation_2(Xs, must, cannot, model.U_, model.V_, 0.7)
    np.testing.assert_allclose(model.objective_[-1], value, rtol=1e-10)


def test_scaled_keeps_the_column_sums_of_u():
    Xs, must, cannot = random_problem(1)
    model = CMVNMF(3, scale=None, max_iter=30, random_state=0)
    model.fit(Xs, must_links=must, cannot_links=cannot)
    for X, U in zip(Xs, model.U_, strict=True):
        np.testing.assert_allclose(U.sum(axis=0), X.sum() / len(X), rtol=1e-10)


@pytest.mark.parametrize("variant", VARIANTS)
def test_permuting_rows_permutes_labels(variant):
    Xs, must, cannot = random_problem(3)
    rng = np.random.default_rng(0)
    orders = [rng.permutation(len(X)) for X in Xs]
    start = {
        "U": [rng.random((X.shape[1], 3)) for X in Xs],
        "V": [rng.random((len(X), 3)) for X in Xs],
    }
    model = CMVNMF(3, variant=variant, init=start, max_iter=20)
    labels = model.fit(Xs, must_links=must, cannot_links=cannot).labels_
    model.set_params(init=start | {"V": [V[o] for V, o in zip(start["V"], orders, strict=True)]})
    moved = [
        {(a, b): M[orders[a]][:, orders[b]] for (a, b), M in links.items()}
        for links in (must, cannot)
    ]
    model.fit(
        [X[o] for X, o in zip(Xs, orders, strict=True)], must_links=moved[0], cannot_links=moved[1]
    )
    for found, expected, order in zip(model.labels_, labels, orders, strict=True):
        np.testing.assert_array_equal(found, expected[order])


@pytest.mark.parametrize("variant", [{}, {"variant": "paper", "tol": 1e-2}])
def test_constraints_raise_accuracy(variant):
    gains = []
    for seed in range(3):
        data = overlapping_views(seed, 3)
        must, cannot = random_constraints(data.ys, 0.05, seed)
        model = CMVNMF(3, random_state=seed, **variant)
        without = model.fit(data.Xs).labels_
        found = model.fit(data.Xs, must_links=must, cannot_links=cannot).labels_
        scores = [
            np.mean([accuracy(y, labels) for y, labels in zip(data.ys, each, strict=True)])
            for each in (without, found)
        ]
        gains.append(scores[1] - scores[0])
        # With constraints the numbers of the clusters are the same in all views.
        joined = accuracy(np.concatenate(data.ys), np.concatenate(found))
        assert joined > scores[1] - 0.02
    assert min(gains) > 0.1


def test_a_known_mapping_brings_the_labels_together():
    data = overlapping_views(0, 3)
    links, _ = mapped_constraints(data.ids, data.ys, mapped=1.0, share=0.0, seed=0)
    labels = CMVNMF(3, beta=10, random_state=0).fit(data.Xs, must_links=links).labels_
    for (a, b), M in links.items():
        rows, columns = M.nonzero()
        assert (labels[a][rows] == labels[b][columns]).mean() > 0.98


def test_mapped_complete_views_without_constraints():
    Xs, y = make_blobs()
    labels = CMVNMF(3, random_state=0).fit_predict(Xs)
    assert [accuracy(y, found) for found in labels] == [1, 1, 1]
    (alone,) = CMVNMF(3, random_state=0).fit(Xs[:1]).labels_
    assert adjusted_rand_index(alone, labels[0]) == 1


def test_aligned_start_numbers_the_clusters_alike():
    Xs, y = make_blobs()
    data = unmap(Xs, y, seed=0)
    must, cannot = random_constraints(data.ys, 0.1, 0)
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


@pytest.mark.parametrize(
    ("links", "message"),
    [
        ([1], "must be a dict"),
        ({(0, 3): np.zeros((14, 17))}, r"key \(0, 3\), expected \(a, b\)"),
        ({(1, 1): np.zeros((17, 17))}, "two different view numbers"),
        ({"ab": np.zeros((14, 17))}, "has the key 'ab'"),
        ({(0, 1): np.zeros((17, 14))}, r"must_links\[0, 1\] has shape \(17, 14\)"),
        ({(0, 1): -np.ones((14, 17))}, "negative or infinite"),
        ({(0, 1): np.ones((14, 17)), (1, 0): np.ones((17, 14))}, "both .* join them"),
    ],
)
def test_bad_constraints_are_said(links, message):
    with pytest.raises(ValueError, match=message) as caught:
        CMVNMF(3).fit(random_problem(0)[0], must_links=links)
    assert "\n" not in str(caught.value)


def test_contradictory_constraints_are_said():
    Xs, _, _ = random_problem(0)
    must, cannot = np.zeros((2, 14, 11))
    must[3:5, 6], cannot[4:6, 6] = 1, 1
    with pytest.raises(ValueError, match="row 6 of view 2 and row 4 of view 0 are both") as caught:
        CMVNMF(3).fit(Xs, must_links={(0, 2): must}, cannot_links={(2, 0): cannot.T})
    assert "(1 such pairs" in str(caught.value)
