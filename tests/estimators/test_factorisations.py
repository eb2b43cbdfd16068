"""Factorisations: runs of the authors' code, and what their mathematics promises."""

import numpy as np
import pytest
from estimators.shared_cases import by_view, masked_views, oracle_views, zero_views
from helpers import assert_equal_to_oracle, relative
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust import DAIMC
from mvclust.estimators import mmnmf
from mvclust.estimators import multinmf as multinmf_steps
from mvclust.estimators import omvc as omvc_steps
from mvclust.estimators.gpmvc import gpmvc, unit_sums
from mvclust.estimators.mic import MIC, FilledView
from mvclust.estimators.mmnmf import MMNMF
from mvclust.estimators.multinmf import MultiNMF
from mvclust.estimators.omvc import OMVC, Stream
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics.graph_nmf import graph_nmf
from mvclust.numerics.graphs import neighbor_graph
from mvclust.numerics.multiplicative import squared_norm
from mvclust.testing import make_blobs


def multinmf_start(z):
    return {"U": by_view(z, "Un__v{}"), "V": by_view(z, "Vn__v{}")}


@pytest.mark.parametrize("variant", ["paper", "author"])
@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.parametrize("rounds", [1, 5, 30])
def test_multinmf_equals_oracle(oracle, variant, case, rounds):
    z, end = oracle("multinmf" if variant == "author" else "multinmf_paper"), f"c{case}_r{rounds}"
    model = MultiNMF(
        5, lam=z["alphas"][case - 1], variant=variant, init=multinmf_start(z), n_init=20,
        max_iter=rounds, max_inner=200, tol=0, inner_tol=None, random_state=0,
    ).fit(oracle_views(z))  # fmt: skip
    assert_equal_to_oracle(z, f"{{}}_{end}", C=model.V_star_)
    assert_equal_to_oracle(z, f"{{}}_{end}__v{{}}", U=model.U_, V=model.V_)
    values = z[f"log_{end}"][1:] if variant == "author" else z[f"obj_c{case}"][:rounds]
    np.testing.assert_allclose(model.objective_, values, rtol=1e-8)
    if (variant, rounds) == ("author", 30):
        assert adjusted_rand_index(z[f"labels20_{end}"], model.labels_) == 1
        model.set_params(labels="argmax").relabel()
        np.testing.assert_array_equal(model.labels_, z[f"labelsmax_{end}"])


@pytest.mark.parametrize("case", [1, 2])
def test_inner_loop_of_multinmf_ends_as_in_the_oracle(oracle, case):
    z, end = oracle("multinmf"), f"innerconv_c{case}"
    X, lam, start = z["X__v1"].T, z["alphas"][case - 1, 0], multinmf_start(z)
    args = X, X.T, start["U"][0], *start["V"][:2], lam, squared_norm(X), "author", 1000, 1e-6
    U, V, error, objective = multinmf_steps.factorise_view(*args)
    assert_equal_to_oracle(z, f"{{}}_{end}", U=U, V=V)
    np.testing.assert_allclose(objective, z[f"obj_{end}"], rtol=1e-8)
    np.testing.assert_allclose(error, np.sum((X - V @ U.T) ** 2), rtol=1e-8)


def test_start_of_multinmf_equals_oracle(oracle):
    z = oracle("multinmf")
    for v in (1, 2):
        U, V = multinmf_steps.unit_sum(z[f"U0__v{v}"], z[f"V0__v{v}"])
        assert_equal_to_oracle(z, f"{{}}n__v{v}", U=U, V=V)


def test_author_undoes_a_round_that_raises_the_objective(monkeypatch):
    Xs, _ = make_blobs()
    X, true_step, calls = Xs[0] / Xs[0].sum(), multinmf_steps.factorise_view, []

    def spoilt(*args):
        U, V, error, objective = true_step(*args)
        calls.append((args[2], args[3]))
        return (U, V, error + 1, objective) if len(calls) == 2 else (U, V, error, objective)

    monkeypatch.setattr(multinmf_steps, "factorise_view", spoilt)
    start = multinmf_steps.start_at_random([X], 3, 0)
    limits = {"max_iter": 4, "tol": 0, "max_inner": 3, "inner_tol": None}
    _, objective, _ = multinmf_steps.multinmf(
        [X], **start, lam=np.array([0.1]), variant="author", **limits
    )
    assert objective[2] > objective[1]
    assert objective[3] < objective[1]
    # The round after the rise starts again from where the spoilt round started.
    np.testing.assert_array_equal(calls[2][0], calls[1][0])
    np.testing.assert_array_equal(calls[2][1], calls[1][1])


@pytest.mark.parametrize("variant", ["paper", "exact"])
def test_mmnmf_without_smoothness_is_multinmf(monkeypatch, variant):
    monkeypatch.setattr(mmnmf, "STEPS", 1)  # as MultiNMF
    rng = np.random.default_rng(2)
    Xs = [rng.random((25, d)) * (rng.random((25, d)) < 0.7) + 1e-3 for d in (6, 9)]
    start = {"U": [rng.random((d, 3)) for d in (6, 9)], "V": list(rng.random((2, 25, 3)))}
    limits = {"lam": 0.1, "init": start, "max_iter": 5, "max_inner": 10, "variant": variant}
    ours, other = (
        method(3, **limits, **more, random_state=0).fit(Xs)
        for method, more in ((MMNMF, {"mu": 0}), (MultiNMF, {}))
    )
    np.testing.assert_allclose(ours.V_star_, other.V_star_, rtol=1e-8, atol=1e-15)
    np.testing.assert_allclose(ours.objective_, other.objective_, rtol=1e-8)


GAMMA = {"equal": None, "weighted": 2.0}


def problem_of(z, form):
    """Views, the samples of their rows, and which samples are paired."""
    if form == "m":
        rows = [of_view.astype(int) for of_view in by_view(z, "m_idx{}")]
        first = max(map(np.max, rows)) == 150
        return by_view(z, "m_X{}"), [of_view - first for of_view in rows], np.ones(150, bool)
    # The authors' order is: first view alone, then paired; paired, then second view alone.
    Xs = [("t_X_only", "t_X_paired"), ("t_Y_paired", "t_Y_only")]
    rows = [np.r_[75:113, :75], np.r_[:75, 113:150]]
    return [np.vstack([z[name] for name in pair]) for pair in Xs], rows, np.arange(150) < 75


@pytest.mark.parametrize("form", ["m", "t"], ids=["multiview", "twoview"])
@pytest.mark.parametrize("run", ["equal", "weighted"])
@pytest.mark.parametrize("rounds", [1, 10])
def test_rounds_of_gpmvc_are_the_authors(oracle, form, run, rounds):
    z = oracle("baselines_gpmvc")
    Xs, rows, paired = problem_of(z, form)
    U, V, Ss = [], [], []
    for v, X in enumerate(Xs, 1):
        Ss.append(sparse.csr_array(z[f"{form}_W{v}"].astype(float)))
        start = z[f"{form}_U{v}_init"], z[f"{form}_V{v}_init"]
        U_v, V_v, _ = graph_nmf(X, Ss[-1], *start, max_iter=100)
        if form == "m":
            assert abs(neighbor_graph(X, 5) - Ss[-1]).sum() == 0
            assert_equal_to_oracle(z, f"m_{run}_{{}}{v}_after_gnmf", U=U_v, V=V_v)
        U_v, V_v = unit_sums(U_v, V_v)
        U, V = [*U, U_v], [*V, V_v]
    limits = {"delta": 0.1, "max_iter": rounds, "tol": 0, "max_inner": 100}
    limits |= {"floor": 1e-10} if form == "t" else {}
    factors, objective, _ = gpmvc(Xs, rows, paired, Ss, U, V, gamma=GAMMA[run], **limits)
    arrays = {"Vstar": factors["V_star"][paired], "U": factors["U"], "V": factors["V"]}
    assert_equal_to_oracle(z, f"{form}_{run}_{{}}{{}}_round{rounds}", **arrays)
    if (form, run) != ("t", "weighted"):
        assert relative(objective, z[f"{form}_{run}_obj_rounds"][:rounds]) < 1e-8
    if (form, run) == ("m", "equal"):
        np.testing.assert_allclose(factors["w"], 1 / 3)
    else:
        assert relative(factors["w"], z[f"{form}_{run}_weights_rounds"][rounds - 1]) < 1e-8


ITERATIONS = [("author", n, f"it{n}") for n in (1, 5, 30)]
ITERATIONS += [("paper", 1, "it1"), ("paper", 5, "it5"), ("paper", 500, "itend")]


@pytest.mark.parametrize("case", [1, 2, 3])
@pytest.mark.parametrize(("variant", "iterations", "end"), ITERATIONS)
def test_daimc_equals_oracle(oracle, variant, case, iterations, end):
    z = oracle("daimc" if variant == "author" else "daimc_paper")
    alpha, beta = z["cfg"][case - 1]
    limits = {"max_iter": iterations, "tol": 1e-4, "max_inner": 30}
    limits |= {"tol": 0, "max_inner": 500} if variant == "paper" else {}
    start = {"V": z["V0"], "U": by_view(z, "U0__v{}"), "B": by_view(z, "B0__v{}")}
    options = {"variant": variant, "scale": None, "init": start, "n_init": 50} | limits
    model = DAIMC(5, alpha=alpha, beta=beta, **options, random_state=0).fit(masked_views(z))
    end = f"c{case}_{end}"
    assert_equal_to_oracle(z, f"{{}}_{end}", V=model.V_)
    assert_equal_to_oracle(z, f"{{}}_{end}__v{{}}", U=model.U_, B=model.B_)
    objective = z[f"F_{end}"] if variant == "author" else z[f"F_c{case}"][:iterations]
    np.testing.assert_allclose(model.objective_, objective, rtol=1e-8)
    if (variant, iterations) == ("author", 30):
        # Both take the best of many k-means starts on the same V, not the same starts.
        V, labels = z[f"V_{end}"], z[f"labels20_{end}"]
        assert within_cluster(V, model.labels_) <= within_cluster(V, labels) * 1.005


def within_cluster(V, labels):
    return sum(((V[labels == c] - V[labels == c].mean(axis=0)) ** 2).sum() for c in set(labels))


def filled(z):
    Xs, presence = zero_views(z)
    return [FilledView(X, there) for X, there in zip(Xs, presence.T, strict=True)]


def run_mic(z, rounds, inner):
    start = {"U": by_view(z, "U{}_init"), "B": by_view(z, "V{}_init")}
    beta = z["beta"] / [X.norm for X in filled(z)]
    model = MIC(5, alpha=z["alpha"], beta=beta, variant="author", scale=None, init=start)
    model.set_params(max_iter=rounds, tol=0, max_inner=inner, random_state=0)
    return model.fit(masked_views(z))


@pytest.mark.parametrize("inner", [1, 30])
@pytest.mark.parametrize("rounds", [1, 10])
def test_mic_equals_oracle(oracle, inner, rounds):
    z = oracle("baselines_mic")
    model = run_mic(z, rounds, inner)
    arrays = {"Ustar": model.U_star_, "U": model.U_, "V": model.B_}
    assert_equal_to_oracle(z, f"inner{inner}_{{}}{{}}_round{rounds}", **arrays)


def test_omvc_equals_oracle(oracle):
    z = oracle("baselines_omvc")
    Xs, presence = zero_views(z)
    streams = [Stream(X, there, 50) for X, there in zip(Xs, presence.T, strict=True)]
    by_block = zip(*(by_view(z, f"U{{}}_init_block{b}") for b in (1, 2, 3)), strict=True)
    start = {"U": [np.vstack(parts) for parts in by_block], "B": by_view(z, "V{}_init")}
    limits = {"block_size": 50, "n_passes": 2, "max_iter": 200, "tol": 1e-4}
    weights = {"alpha": z["alpha"], "beta": z["beta"], "variant": "author"}
    factors, _, _ = omvc_steps.omvc(streams, start["U"], start["B"], **weights, **limits)
    assert relative(factors["U_star"], z["Ustar_pass2"]) < 1e-6
    assert_equal_to_oracle(z, "{}{}_final", 1e-6, U=factors["U"])
    for i, block in enumerate(factors["blocks"]):
        end = f"pass{i // 3 + 1}_block{i % 3 + 1}"
        assert len(block["objective"]) == z["iters"][i // 3, i % 3]
        np.testing.assert_allclose(block["objective"], z[f"inner_obj_{end}"], rtol=1e-6)
        arrays = {"V": block["B"], "A": block["A"], "B": block["H"]}
        assert_equal_to_oracle(z, f"{{}}{{}}_{end}", 1e-6, some=True, **arrays)
    beta = z["beta"] / [stream.norm for stream in streams]
    options = {"alpha": z["alpha"], "beta": beta, "init": start, "variant": "author"}
    options |= {"scale": None, "shuffle": False, "random_state": 0}
    for n_passes in (1, 2):
        model = OMVC(5, n_passes=n_passes, **options).fit(masked_views(z))
        assert relative(model.U_star_, z[f"Ustar_pass{n_passes}"]) < 1e-6


@given(
    seed=st.integers(0, 1000), rate=st.sampled_from([0.0, 0.3]),
    alpha=st.sampled_from([0.0, 1e-2, 1.0]), block_size=st.sampled_from([1, 5, 11, 100]),
)  # fmt: skip
@settings(max_examples=20, deadline=None)
def test_objective_of_omvc_falls_within_blocks_and_from_pass_to_pass(seed, rate, alpha, block_size):
    Xs, _ = make_blobs(n_per_cluster=4, seed=seed)
    parts = zip(Xs, random_mask(12, 3, rate, seed).T, strict=True)
    streams = [Stream(np.where(m[:, None], X, 0), m, block_size) for X, m in parts]
    start, norms = omvc_steps.start_at_random(streams, 3, seed), np.array([s.norm for s in streams])
    options = {"alpha": np.full(3, alpha), "beta": 0.01 * norms, "variant": "exact"}
    options |= {"block_size": block_size, "n_passes": 4, "max_iter": 10, "tol": 1e-6}
    factors, objective, stop = omvc_steps.omvc(streams, start["U"], start["B"], **options)
    blocks, slack = factors["blocks"], 1e-9 * norms.sum()
    assert (np.diff(objective) <= slack).all()
    for block in blocks:
        assert (np.diff(block["objective"]) <= slack).all()
    last = [block["objective"] for block in blocks[-(len(blocks) // 4) :]]
    changes = [abs(f[-2] - f[-1]) / f[-2] if len(f) > 1 else np.inf for f in last]
    assert stop == max(changes)
    for U_v, B_v in zip(factors["U"], factors["B"], strict=True):
        assert min(U_v.min(), B_v.min()) >= 0
        np.testing.assert_allclose(B_v.sum(axis=0), 1, atol=1e-10)


@pytest.mark.parametrize("variant", ["exact", "author"])
def test_objective_of_omvc_is_that_of_the_filled_views(blobs, variant):
    presence = random_mask(45, 3, 0.3, 1)
    presence[0] = [False, True, True]  # a view may begin with a missing sample
    settings = {"shuffle": False, "scale": None, "variant": variant, "block_size": 10}
    model = OMVC(3, alpha=0.1, beta=0.1, random_state=0, **settings)
    model.fit(apply_mask(blobs[0], presence))
    total = 0
    for X, U, B, m in zip(blobs[0], model.U_, model.B_, presence.T, strict=True):
        X, w = np.where(m[:, None], X, 0), np.ones(45)
        for t in np.flatnonzero(~m):
            X[t] = X[:t][m[:t]].mean(axis=0) if m[:t].any() else X[np.argmax(m)]
            w[t] = max(m[:t].sum(), 1) / (t + 1)
        X, w = X / X.sum(), w[:, None]
        total += np.sum((w * (X - U @ B.T)) ** 2) + 0.1 * np.sum((w * (U - model.U_star_)) ** 2)
        total += 0.1 * np.sum((w * X) ** 2) * U.sum()
    np.testing.assert_allclose(model.objective_[-1], total, rtol=1e-8)
