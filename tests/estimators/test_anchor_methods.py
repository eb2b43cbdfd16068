"""The methods with an anchor graph: runs of the released code, descent, constraints, transform."""

import numpy as np
import pytest
from estimators import shared_cases
from helpers import assert_equal_to_oracle, relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import io, sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

import mvclust
from mvclust import EOMSCCA, FIMVCVIA, IMVCCBG, SIMVCSA, SMVSC
from mvclust.datasets import make_multiview
from mvclust.estimators.eomscca import affinities, eomscca
from mvclust.estimators.fimvcvia import fimvcvia
from mvclust.estimators.imvccbg import imvccbg
from mvclust.estimators.simvcsa import simvcsa, start_at_random, start_from_samples
from mvclust.estimators.smvsc import smvsc
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics import bipartite
from mvclust.numerics.anchors import consensus_start, sample_products
from mvclust.numerics.bipartite import connected_graph
from mvclust.numerics.scaled_views import ScaledView
from mvclust.numerics.scaling import unit_samples

EXACT = ["FIMVCVIA", "IMVCCBG", "SIMVCSA", "SMVSC"]
METHODS = [*EXACT, "IMVCCBG, released", "SMVSC, released", "EOMSCCA"]
LETTERS = {"FIMVCVIA": "Z alpha A", "IMVCCBG": "A Z alpha W", "SIMVCSA": "F gamma A P Z"}
LETTERS |= {"SMVSC": "A Z alpha W"}
RUNS = [(name, f"c{n}") for name in LETTERS for n in (1, 2, 3) if (name, n) != ("IMVCCBG", 3)]


@pytest.mark.parametrize(("name", "case"), RUNS)
def test_equals_oracle(oracle, name, case):
    """In c2 of IMVCCBG and SMVSC there are more anchors than components."""
    z = oracle(f"modern_{name.lower()}")
    options = {"n_anchors": int(z[f"{case}_m"]), "lam": float(z.get(f"{case}_lambda", 0))}
    options["init"] = "first"
    if name == "SIMVCSA":  # whose first A and F are not determined by the method
        A, F = [z[f"{case}_A{v}_start"] for v in shared_cases.VIEWS], z[f"{case}_F_start"].T.copy()
        options |= {"mu": float(z[f"{case}_mu"]), "init": {"A": A, "F": F}}
    elif name != "FIMVCVIA":
        options["variant"] = "author"
    model = getattr(mvclust, name)(4, **options, random_state=0)
    Xs = shared_cases.digits()[0] if name == "SMVSC" else shared_cases.incomplete_digits()
    model = shared_cases.fit_states(model, Xs, z, case, LETTERS[name])
    rows = model.embedding_
    if name == "IMVCCBG":
        values = np.linalg.svd(model.Z_, compute_uv=False)
        np.testing.assert_allclose(values, z[f"{case}_sv_Z_final"], atol=1e-9)
    if name == "SMVSC":
        rank = 5 if case == "c2" else 4  # singular vectors that mean something
        assert rows.shape == (100, rank)
        assert rank == 5 or adjusted_rand_index(z[f"{case}_labels_km20"], model.labels_) > 0.95
        return
    last = f"{case}_F_it{model.n_iter_}"
    U = unit_samples(z[last].T if name == "SIMVCSA" else z[f"{case}_UU_final"])
    if U.shape[1] == 4 or name != "SIMVCSA":  # else the rows of the released code are arbitrary
        assert relative(rows @ rows.T, U @ U.T) < 1e-8  # columns are determined up to signs


def run(name, views, presence, samples, d, first, *, lam=0.3, mu=0.2, **limits):
    """The steps from some samples; consensus anchors from the first features or these samples."""
    C = sample_products(views, samples)
    A = np.zeros((d, len(samples))) if first else consensus_start(C, d)
    variant = {"variant": "author" if "released" in name else "exact"}
    if name == "FIMVCVIA":
        return fimvcvia(views, presence, [C], lam=lam, **limits)
    if name == "EOMSCCA":
        return eomscca(views, [(samples, C, A)], 3, **limits)
    if name == "SIMVCSA":
        start = start_from_samples(views, presence, samples)
        start = start if first else start_at_random(views, len(samples), d)
        return simvcsa(views, presence, [start], lam=lam, mu=mu, **limits)
    if name.startswith("SMVSC"):
        return smvsc(views, [(C, A)], lam=lam, **variant, **limits)
    return imvccbg(views, presence, [(C, A)], lam=lam, **variant, **limits)


def problem(name, seed, **sizes):
    """Scaled views, and their presence; the methods for complete views get these."""
    complete = name.startswith(("SMVSC", "EOMSCCA"))
    Xs, presence = shared_cases.random_problem(seed, missing=0 if complete else 0.3, **sizes)
    scale = "feature_zscore" if complete else "sample_unit"
    return [ScaledView(X, scale) for X in Xs], presence


def parts_of(found, v):
    """Graph, basis and weight of a view: X_v is about Z_v B_v'."""
    weight = found.get("alpha", found.get("gamma"))[v]
    if "P" in found:
        return found["Z"][v], found["A"][v], weight
    return found["Z"], found["W"][v] @ found["A"] if "W" in found else found["A"][v], weight


@pytest.mark.parametrize("name", EXACT)
@given(
    seed=st.integers(0, 500), m=st.integers(1, 8), d=st.integers(1, 8), first=st.booleans(),
    lam=st.sampled_from([0.0, 0.1, 5.0]), mu=st.sampled_from([0.0, 0.3]),
)  # fmt: skip
@settings(max_examples=60, deadline=None)
def test_objective_never_rises_and_constraints_are_kept(name, seed, m, d, first, lam, mu):
    views, presence = problem(name, seed, low=2)  # also more anchors than features
    options = {"lam": lam, "mu": mu, "max_iter": 40, "tol": -np.inf}
    found, objective, _ = run(name, views, presence, np.arange(m), d, first, **options)
    objective = objective[name == "SIMVCSA" :]  # whose start need not be feasible
    assert (np.diff(objective) <= 1e-10 * objective[0]).all()
    parts = [parts_of(found, v) for v in range(len(views))]
    assert sum(weight for _, _, weight in parts) == pytest.approx(1)
    for Z, _, _ in parts:
        assert Z.min() >= 0
        np.testing.assert_allclose(Z.sum(axis=1), 1)
    for P in found.get("P", []):
        np.testing.assert_allclose(P.T @ P, np.eye(m), atol=1e-8)
    if "W" in found:
        A = found["A"] if m <= d else found["A"].T
        np.testing.assert_allclose(A.T @ A, np.eye(min(m, d)), atol=1e-8)
    isometries = found["W"] if "W" in found else found["A"]
    most = 1e-5 if "F" in found else 1e-8
    for basis in [*isometries, *([found["F"]] if "F" in found else [])]:
        values = np.linalg.svd(basis, compute_uv=False)
        assert np.minimum(abs(values), abs(values - 1)).max() < most


@pytest.mark.parametrize(("m", "d"), [(4, 4), (8, 4), (8, 3)])
@pytest.mark.parametrize("name", METHODS)
def test_objective_is_that_of_the_factors(name, m, d):
    views, presence = problem(name, 3, n=40, low=9, high=12)
    if name.startswith(("SMVSC", "EOMSCCA")):
        m, d = m + 1, min(m, d)  # whose maps have null directions with as many components
    found, objective, _ = run(name, views, presence, np.arange(m), d, True, max_iter=15, tol=0)
    expected = 0.05 * 3  # of EOMSCCA, for its components
    if name != "EOMSCCA":
        expected = 0.0 if name == "SIMVCSA" else 0.3 * np.sum(found["Z"] ** 2)
    for v, view in enumerate(views):
        Z, B, weight = parts_of(found, v)
        residual = view.take(np.arange(40)) - (Z * presence[:, [v]]) @ B.T
        expected += weight**2 * np.sum(residual**2)
        if name == "SIMVCSA":
            expected += 0.2 * np.sum(Z**2) + 0.3 * np.sum((Z @ found["P"][v].T - found["F"]) ** 2)
    assert objective[-1] == pytest.approx(expected, rel=1e-9)


TRANSFORMING = [
    (FIMVCVIA(4, tol=1e-9), 1e-4), (IMVCCBG(4, n_anchors=4, tol=1e-9), 1e-5),
    (IMVCCBG(4, n_anchors=9, variant="author", tol=1e-9), 1e-5), (SIMVCSA(4, tol=1e-10), 1e-3),
    (SMVSC(4, tol=1e-9), 1e-4), (EOMSCCA(4, n_anchors=8), None),
]  # fmt: skip


@pytest.mark.parametrize(("model", "error"), TRANSFORMING)
def test_transform_represents_the_samples_of_fit_as_they_are(model, error):
    missing = shared_cases.incomplete_digits()
    Xs = missing if model.view_tags.incomplete else shared_cases.digits()[0]
    model.set_params(max_iter=3000, random_state=0).fit(Xs)
    if error is not None:
        assert relative(model.transform(Xs), model.embedding_) < error
    assert (model.predict(Xs) == model.labels_).mean() > (0.95 if error else 0.9)
    assert (model.predict(missing) == model.labels_).mean() > 0.8


def test_start_samples_without_a_view_leave_no_arbitrary_anchor():
    """The anchor of such a sample is zero in that view at first; the graph then gives it one."""
    Xs = shared_cases.incomplete_digits()
    Xs[1][:3] = np.nan
    model = FIMVCVIA(4, n_anchors=4, lam=0.1, init="first", max_iter=1, random_state=0).fit(Xs)
    assert (np.linalg.norm(model.A_[1], axis=0) < 1e-12).sum() == 3
    model.set_params(max_iter=50).fit(Xs)
    np.testing.assert_allclose(model.A_[1].T @ model.A_[1], np.eye(4), atol=1e-10)


@pytest.mark.parametrize("share", ["per07", "per08"])
def test_original_version_equals_the_results_that_the_authors_stored(oracle, mirror, share):
    """MATLAB's Z and singular vectors of BDGP, every 25th sample; 70 and 80 % paired samples."""
    file = mirror / "bdgp" / "BDGP_fea_Per1.mat"
    if not file.is_file():
        pytest.skip("the mirror has no BDGP")
    z, data = oracle("modern_imvccbg_bdgp"), io.loadmat(file)["data"].ravel()
    presence = np.unpackbits(z[f"{share}_mask"], axis=0)[:2500].astype(bool)
    Xs = [np.where(there[:, None], X.T, np.nan) for X, there in zip(data, presence.T, strict=True)]
    options = {"lam": float(z[f"{share}_lambda"]), "variant": "author", "embedding": "all"}
    model = IMVCCBG(5, **options, init="first", n_init=1, random_state=0).fit(Xs)
    np.testing.assert_allclose(model.Z_[::25].T, z[f"{share}_Z"], atol=1e-12)
    np.testing.assert_allclose(np.abs(model.embedding_[::25]), np.abs(z[f"{share}_F"]), atol=1e-11)


def test_with_as_many_components_as_anchors_imvccbg_is_fimvcvia():
    """A stays, and so views have their own anchors."""
    Xs, Z, A = shared_cases.incomplete_digits(), np.eye(100, 4), np.eye(4)
    a = IMVCCBG(4, variant="exact", init={"Z": Z, "A": A}, random_state=0).fit(Xs)
    b = FIMVCVIA(4, n_anchors=4, init={"Z": Z}, random_state=0).fit(Xs)
    np.testing.assert_allclose(a.objective_, b.objective_, rtol=1e-10)
    assert relative(a.Z_, b.Z_) < 1e-9
    assert (a.labels_ == b.labels_).all()


def test_the_original_version_clusters_all_singular_vectors():
    """Those of unit length are in the oracle."""
    plain = IMVCCBG(4, n_anchors=8, embedding="all", init="first", random_state=0)
    plain.fit(shared_cases.incomplete_digits())
    rank = np.linalg.matrix_rank(plain.Z_, tol=1e-6)
    assert plain.embedding_.shape == (100, rank)
    np.testing.assert_allclose(plain.embedding_.T @ plain.embedding_, np.eye(rank), atol=1e-8)


def test_best_of_several_starts_is_kept():
    Xs = shared_cases.incomplete_digits()
    ends = [
        IMVCCBG(4, lam=0, n_starts=n, random_state=1).fit(Xs).objective_[-1] for n in (1, 3, 10)
    ]
    assert ends[2] <= ends[1] <= ends[0]
    assert ends[2] < ends[0]


def test_drawn_starts_are_orthonormal_completions_of_one_anchor():
    views = [ScaledView(np.nan_to_num(X), "sample_unit") for X in shared_cases.incomplete_digits()]
    A, F = start_at_random(views, 5, 3)
    for Q in (*A, F):
        np.testing.assert_allclose(Q.T @ Q, np.eye(5), atol=1e-12)
    assert F[:, 0] == pytest.approx(0.1)
    mean = views[0].take(np.arange(100)).sum(axis=0)
    np.testing.assert_allclose(A[0][:, 0], mean / np.linalg.norm(mean), atol=1e-12)
    assert relative(start_at_random(views, 5, 3)[1], F) == 0
    assert relative(start_at_random(views, 5, 4)[1], F) > 0.1


@pytest.mark.parametrize("init", ["k-means++", "random", "first", "completion"])
def test_every_start_groups_clear_clusters(init, blobs):
    model = SIMVCSA(3, init=init, n_starts=3, random_state=0).fit(blobs[0])
    assert adjusted_rand_index(blobs[1], model.labels_) == 1


def test_without_weights_missing_samples_join_all_anchors_alike():
    """Nothing is known about their rows then; the released code divides 0 by 0."""
    Xs = shared_cases.incomplete_digits()
    with pytest.warns(ConvergenceWarning):
        model = SIMVCSA(4, lam=0, mu=0, max_iter=12, random_state=0).fit(Xs)
    missing = np.isnan(Xs[1]).all(axis=1)
    np.testing.assert_allclose(model.Z_[1][missing], 1 / 8)
    assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize(("case", "n_found"), [("c1", 7), ("c2", 4), ("c3", 4)])
def test_eomscca_equals_oracle(oracle, case, n_found):
    """From a given graph, and by name; also the weight of the Laplacian in each pass at first.

    Of c1 three samples join no anchor: the released code makes each a cluster.
    """
    z, Xs = oracle("modern_eomscca"), shared_cases.digits()[0]
    m, d = (int(z[f"{case}_{letter}"]) for letter in "md")
    last, iterations = shared_cases.states(z, case)
    init = {"Z": np.eye(100, m), "A": np.zeros((d, m))}
    own = EOMSCCA(4, n_anchors=m, n_components=d, init=init, random_state=0)
    for n_iter in iterations:
        own.set_params(isolated="own", max_iter=n_iter).fit(Xs)
        arrays = {"A": own.A_, "Z": own.Z_.T, "W": own.W_, "alpha": own.alpha_}
        name = f"{case}_{{}}{{}}_it{n_iter}"
        assert_equal_to_oracle(z, name, shared_cases.TOLERANCE, some=True, **arrays)
        assert adjusted_rand_index(own.labels_, z[f"{case}_labels_it{n_iter}"]) == 1
        if n_iter == 1:
            views = [ScaledView(X, "feature_zscore") for X in Xs]
            B = affinities(views, [W @ own.A_ for W in own.W_], np.full(3, 1 / 9))
            history = connected_graph(B, 1 / 3, np.arange(m), 4).history
            passes = z[f"{case}_inner_it_lambda_fn1_fn2"]
            first = passes[: np.flatnonzero(passes[:, 0] == 1)[1]]
            np.testing.assert_allclose([theta for theta, _, _ in history], first[:, 1])
    own.set_params(init="first", max_iter=50).fit(Xs)
    assert own.n_iter_ == last
    np.testing.assert_allclose(own.objective_, z[f"{case}_obj_iters"], rtol=shared_cases.TOLERANCE)
    assert adjusted_rand_index(own.labels_, z[f"{case}_labels"]) == 1
    assert len(np.unique(own.labels_)) == n_found
    attached, joined = clone(own).set_params(isolated="attach").fit(Xs), own.Z_.any(axis=1)
    assert set(attached.labels_) == {0, 1, 2, 3}
    assert (~joined).sum() == n_found - 4
    assert (attached.labels_[joined] == own.labels_[joined]).all()


def test_a_graph_in_other_pieces_gives_labels_by_kmeans_and_says_so(monkeypatch):
    monkeypatch.setattr(bipartite, "PASSES", 2)  # too few
    with pytest.warns(ConvergenceWarning, match="the graph has . components with samples, not"):
        model = EOMSCCA(4, init="first", random_state=0).fit(shared_cases.digits()[0])
    assert set(model.labels_) == {0, 1, 2, 3}
    assert set(model.anchor_labels_) <= {0, 1, 2, 3}


def test_of_many_samples_some_tell_the_best_start(monkeypatch):
    """Alone it runs on all; draws that all run on all give the same or a lower objective."""
    Xs, y = make_multiview(600, n_clusters=4, n_features=(8, 9), noise=0.8, random_state=0)
    alone = EOMSCCA(4, n_starts=4, random_state=3).fit(Xs)
    sizes = []

    def recorded(views, starts, *args, **kwargs):
        sizes.append((views[0].shape[0], len(starts)))
        return eomscca(views, starts, *args, **kwargs)

    monkeypatch.setattr("mvclust.estimators.eomscca.eomscca", recorded)
    monkeypatch.setattr("mvclust.estimators.eomscca.COMPARED", 200)
    model = EOMSCCA(4, n_starts=4, random_state=3).fit(Xs)
    assert [starts for _, starts in sizes] == [1] * 5
    assert all(200 <= n <= 216 for n, _ in sizes[:4])
    assert sizes[-1][0] == 600
    assert alone.objective_[-1] <= model.objective_[-1] * (1 + 1e-12)
    assert adjusted_rand_index(y, model.labels_) > 0.9
    again = EOMSCCA(4, n_starts=4, random_state=3).fit([sparse.csr_array(X) for X in Xs])
    assert adjusted_rand_index(model.labels_, again.labels_) > 0.98
