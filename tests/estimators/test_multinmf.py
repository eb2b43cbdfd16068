"""MultiNMF against the released code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle

from mvclust.estimators import multinmf as module
from mvclust.estimators.multinmf import MultiNMF
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics.multiplicative import nmf, squared_norm
from mvclust.testing import make_blobs

VIEWS = (1, 2)
VARIANTS = ("paper", "author")


def views_of(z):
    return [z[f"X__v{v}"].T for v in VIEWS]


def start_of(z):
    return {"U": [z[f"Un__v{v}"] for v in VIEWS], "V": [z[f"Vn__v{v}"] for v in VIEWS]}


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.parametrize("rounds", [1, 5, 30])
def test_equals_oracle(oracle, variant, case, rounds):
    z, end = oracle("multinmf" if variant == "author" else "multinmf_paper"), f"c{case}_r{rounds}"
    model = MultiNMF(
        5, lam=z["alphas"][case - 1], variant=variant, init=start_of(z), n_init=20,
        max_iter=rounds, max_inner=200, tol=0, inner_tol=None, random_state=0,
    ).fit(views_of(z))  # fmt: skip
    assert_equal_to_oracle(z, f"{{}}_{end}", C=model.V_star_)
    assert_equal_to_oracle(z, f"{{}}_{end}__v{{}}", U=model.U_, V=model.V_)
    values = z[f"log_{end}"][1:] if variant == "author" else z[f"obj_c{case}"][:rounds]
    np.testing.assert_allclose(model.objective_, values, rtol=1e-8)
    if (variant, rounds) == ("author", 30):
        assert adjusted_rand_index(z[f"labels20_{end}"], model.labels_) == 1
        model.set_params(labels="argmax").relabel()
        np.testing.assert_array_equal(model.labels_, z[f"labelsmax_{end}"])


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("case", [1, 2])
@pytest.mark.parametrize("iterations", [1, 5, 200])
def test_inner_loop_equals_oracle(oracle, variant, case, iterations):
    z = oracle("multinmf" if variant == "author" else "multinmf_paper")
    U, V, _, objective = inner_loop(z, case, variant, iterations, tol=-np.inf)
    end = f"inner_c{case}_it{iterations}"
    assert_equal_to_oracle(z, f"{{}}_{end}", U=U, V=V)
    np.testing.assert_allclose(objective, z[f"obj_{end}"], rtol=1e-8)


@pytest.mark.parametrize("case", [1, 2])
def test_inner_stop_equals_oracle(oracle, case):
    z = oracle("multinmf")
    U, V, error, objective = inner_loop(z, case, "author", 1000, tol=1e-6)
    np.testing.assert_allclose(objective, z[f"obj_innerconv_c{case}"], rtol=1e-8)
    assert_equal_to_oracle(z, f"{{}}_innerconv_c{case}", U=U, V=V)
    np.testing.assert_allclose(error, np.sum((z["X__v1"] - U @ V.T) ** 2), rtol=1e-8)


def inner_loop(z, case, variant, iterations, tol):
    X, lam = z["X__v1"].T, z["alphas"][case - 1, 0]
    start, norm = start_of(z), squared_norm(X)
    return module.factorise_view(
        X, X.T, start["U"][0], start["V"][0], start["V"][1], lam, norm, variant, iterations, tol
    )


def test_start_equals_oracle(oracle):
    z = oracle("multinmf")
    for v in VIEWS:
        U, V = module.unit_sum(z[f"U0__v{v}"], z[f"V0__v{v}"])
        assert_equal_to_oracle(z, f"{{}}n__v{v}", U=U, V=V)
        start = z[f"U0__v{v}"], z[f"V0__v{v}"]
        U, V, objective, _ = nmf(z[f"X__v{v}"].T, *start, max_iter=200, tol=0)
        assert len(objective) == 200
        assert_equal_to_oracle(z, f"{{}}_nmf_v{v}", U=U, V=V)


def test_objective_is_that_of_the_residuals_and_consensus_minimises_it():
    Xs, _ = make_blobs()
    lam = np.array([0.02, 0.1, 0.03])
    model = MultiNMF(3, lam=lam, init="random", max_iter=5, random_state=0).fit(Xs)

    def objective(V_star):
        return sum(
            np.sum((X / X.sum() - V @ U.T) ** 2) + weight * np.sum((V - V_star) ** 2)
            for X, U, V, weight in zip(Xs, model.U_, model.V_, lam, strict=True)
        )

    np.testing.assert_allclose(model.objective_[-1], objective(model.V_star_), rtol=1e-8)
    rng = np.random.default_rng(0)
    for _ in range(10):
        moved = model.V_star_ + 1e-4 * rng.normal(size=model.V_star_.shape)
        assert objective(moved) > objective(model.V_star_)


def test_author_undoes_a_round_that_raises_the_objective(monkeypatch):
    Xs, _ = make_blobs()
    X, true_step, calls = Xs[0] / Xs[0].sum(), module.factorise_view, []

    def spoilt(*args):
        U, V, error, objective = true_step(*args)
        calls.append((args[2], args[3]))
        return (U, V, error + 1, objective) if len(calls) == 2 else (U, V, error, objective)

    monkeypatch.setattr(module, "factorise_view", spoilt)
    start = module.start_at_random([X], 3, 0)
    limits = {"max_iter": 4, "tol": 0, "max_inner": 3, "inner_tol": None}
    _, objective, _ = module.multinmf([X], **start, lam=np.array([0.1]), variant="author", **limits)
    assert objective[2] > objective[1]
    assert objective[3] < objective[1]
    # The round after the rise starts again from where the spoilt round started.
    np.testing.assert_array_equal(calls[2][0], calls[1][0])
    np.testing.assert_array_equal(calls[2][1], calls[1][1])
