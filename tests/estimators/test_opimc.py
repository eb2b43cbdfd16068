"""OPIMC against a run of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from helpers import assert_equal_to_oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust import OPIMC
from mvclust.estimators import opimc as module
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy
from mvclust.numerics.scaling import scale_views

VIEWS = (1, 2, 3)
FORMS = {"by features": 0, "by products of samples": 1000}


def views_of(z):
    """Views with missing rows set to zero, and the blocks of 30 samples."""
    presence = z["mask"].astype(bool)
    Xs = [np.where(presence[:, [v - 1]], z[f"X{v}"], 0.0) for v in VIEWS]
    return Xs, presence, [np.arange(first, min(first + 30, 100)) for first in range(0, 100, 30)]


def run(z, case, n_blocks=4, **options):
    Xs, presence, blocks = views_of(z)
    options = {"variant": "author", "max_iter": 30, "tol": 1e-6} | options
    options |= {"alpha": float(z[f"{case}_alpha"]), "scale": "sample_unit"}
    n_passes = int(z[f"{case}_passes"]) if n_blocks > 1 else 1
    return module.opimc(Xs, presence, blocks[:n_blocks], z["V0"], n_passes=n_passes, **options)


# With few enough samples in every cluster the exact variant does the same; only it has two forms.
RUNS = [("c1", "author", 0), ("c2", "author", 0), ("c2", "exact", 0), ("c2", "exact", 1000)]


@pytest.mark.parametrize(("case", "variant", "narrow"), RUNS)
def test_equals_oracle(oracle, monkeypatch, case, variant, narrow):
    z = oracle("modern_opimc")
    monkeypatch.setattr(module, "NARROW", narrow)
    factors, _, _ = run(z, case, variant=variant)
    assert (factors["labels"] == z[f"{case}_labels"]).all()
    U, R = ([part.T for part in factors[letter]] for letter in "UR")
    assert_equal_to_oracle(z, f"{case}_{{}}{{}}_final", U=U, R=R)
    for v in VIEWS:
        np.testing.assert_array_equal(factors["T"][v - 1], z[f"{case}_T{v}_final"])
    trace = z[f"{case}_trace"]
    blocks = [
        trace[(trace[:, :2] == place).all(axis=1), 3] for place in np.unique(trace[:, :2], axis=0)
    ]
    for found, expected in zip(factors["values"], blocks, strict=True):
        # The released code repeats an iteration after which no label changes.
        found = [*found, found[-1]][: len(expected)]
        np.testing.assert_allclose(found, expected, rtol=1e-8)


@pytest.mark.parametrize("n_iter", [1, 5])
@pytest.mark.parametrize(("case", "variant", "narrow"), RUNS)
def test_first_iterations_equal_oracle(oracle, monkeypatch, case, variant, narrow, n_iter):
    z = oracle("modern_opimc")
    monkeypatch.setattr(module, "NARROW", narrow)
    factors, _, _ = run(z, case, n_blocks=1, variant=variant, max_iter=n_iter, tol=0)
    U = [U_v.T for U_v in factors["U"]]
    assert_equal_to_oracle(z, f"{case}_{{}}{{}}_it{n_iter}", U=U)
    step = z[f"{case}_labels_trace"][n_iter - 1, :30]
    assert (factors["labels"][:30] == step).all()


def test_estimator_equals_oracle(oracle):
    z = oracle("modern_opimc")
    Xs = apply_mask([z[f"X{v}"] for v in VIEWS], z["mask"].astype(bool))
    options = {"alpha": 0.1, "block_size": 30, "shuffle": False, "init": {"V": z["V0"]}}
    for variant in ("author", "exact"):
        model = OPIMC(4, variant=variant, **options).fit(Xs)
        assert (model.labels_ == z["c2_labels"]).all()
        assert_equal_to_oracle(z, "c2_{}{}_final", U=[U.T for U in model.U_])


def noise(seed, n=80):
    rng = np.random.default_rng(seed)
    Xs = [rng.normal(size=(n, 6)), rng.normal(size=(n, 3))]
    return Xs, random_mask(n, 2, 0.3, seed)


@given(
    seed=st.integers(0, 1000),
    alpha=st.sampled_from([0.0, 0.1, 20.0]),
    init=st.sampled_from(["random", "kmeans"]),
    form=st.sampled_from(sorted(FORMS)),
)
@settings(max_examples=40, deadline=None)
def test_no_iteration_raises_the_value(seed, alpha, init, form):
    Xs, presence = noise(seed)
    Xs = scale_views(
        [np.where(p[:, None], X, 0.0) for X, p in zip(Xs, presence.T, strict=True)],
        None,
        "sample_unit",
    )
    rng = np.random.default_rng(seed)
    V = rng.random((20, 5)) if init == "random" else np.eye(5)[rng.integers(0, 5, 20)]
    blocks = np.split(np.arange(80), 4)
    narrow, module.NARROW = module.NARROW, FORMS[form]
    try:
        factors, objective, _ = module.opimc(
            Xs, presence, blocks, V,
            alpha=alpha, n_passes=3, variant="exact", scale=None, max_iter=30, tol=0,
        )  # fmt: skip
    finally:
        module.NARROW = narrow
    for values in factors["values"]:
        assert (np.diff(values) <= 1e-10).all()
    assert (np.diff(objective[3:]) <= 1e-10 * abs(objective[3])).all()  # all samples are seen
    value = 0.0
    for X, U, there in zip(Xs, factors["U"], presence.T, strict=True):
        value += ((X - U[factors["labels"]])[there] ** 2).sum() + alpha * (U**2).sum()
    np.testing.assert_allclose(objective[-1], value, rtol=1e-9)


@pytest.mark.parametrize("variant", ["exact", "author"])
def test_both_forms_are_the_same_and_many_blocks_cover_all(monkeypatch, blobs, variant):
    Xs = apply_mask(blobs[0], random_mask(45, 3, 0.3, 0))
    found = []
    for narrow in FORMS.values():
        monkeypatch.setattr(module, "NARROW", narrow)
        found.append(OPIMC(3, block_size=7, variant=variant, random_state=0).fit(Xs))
    one, other = found
    assert (one.labels_ == other.labels_).all()
    np.testing.assert_allclose(one.objective_, other.objective_, rtol=1e-10)
    assert one.n_iter_ == 2 * 7
    assert set(one.labels_) == {0, 1, 2}


def test_complete_samples_come_first(blobs):
    presence = random_mask(45, 3, 0.3, 0)
    blocks = OPIMC(3, block_size=10)._blocks(presence, 0)
    complete = presence.all(axis=1)
    order = np.concatenate(blocks)
    assert sorted(order) == list(range(45))
    assert (np.diff(complete[order].astype(int)) <= 0).all()
    assert not np.array_equal(order, np.argsort(~complete, kind="stable"))


def test_first_block_has_a_sample_for_every_cluster(blobs):
    model = OPIMC(3, block_size=1, random_state=0).fit(blobs[0])
    assert model.n_iter_ == 2 * 15
    assert accuracy(blobs[1], model.labels_) == 1
