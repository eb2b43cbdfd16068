"""IMVCCBG against runs of the released code, and what its mathematics promises."""

import numpy as np
import pytest
from estimators.shared_cases import fit_states, incomplete_digits
from helpers import relative
from scipy import io

from mvclust import FIMVCVIA, IMVCCBG
from mvclust.numerics.scaling import unit_samples


@pytest.mark.parametrize("case", ["c1", "c2"])
def test_equals_oracle(oracle, case):
    """The improved version; c2 has more anchors than components."""
    z = oracle("modern_imvccbg")
    sizes = {"n_anchors": int(z[f"{case}_m"]), "lam": 0, "variant": "author"}
    model = IMVCCBG(4, **sizes, init="first", random_state=0)
    model = fit_states(model, incomplete_digits(), z, case, "A Z alpha W")
    values = np.linalg.svd(model.Z_, compute_uv=False)
    np.testing.assert_allclose(values, z[f"{case}_sv_Z_final"], atol=1e-9)
    U = unit_samples(z[f"{case}_UU_final"])  # columns are determined up to signs
    assert relative(model.embedding_ @ model.embedding_.T, U @ U.T) < 1e-8


@pytest.mark.parametrize("share", ["per07", "per08"])
def test_original_version_equals_the_results_that_the_authors_stored(oracle, mirror, share):
    """MATLAB's Z and singular vectors of BDGP, every 25th sample; 70 and 80 % paired samples."""
    file = mirror / "bdgp" / "BDGP_fea_Per1.mat"
    if not file.is_file():
        pytest.skip("the mirror has no BDGP")
    z, data = oracle("modern_imvccbg_bdgp"), io.loadmat(file)["data"].ravel()
    presence = np.unpackbits(z[f"{share}_mask"], axis=0)[:2500].astype(bool)
    Xs = [np.where(there[:, None], X.T, np.nan) for X, there in zip(data, presence.T, strict=True)]
    lam = float(z[f"{share}_lambda"])
    model = IMVCCBG(
        5, lam=lam, variant="author", embedding="all", init="first", n_init=1, random_state=0
    ).fit(Xs)
    np.testing.assert_allclose(model.Z_[::25].T, z[f"{share}_Z"], atol=1e-12)
    np.testing.assert_allclose(np.abs(model.embedding_[::25]), np.abs(z[f"{share}_F"]), atol=1e-11)


def test_with_as_many_components_as_anchors_it_is_fimvcvia():
    """A stays, and so views have their own anchors."""
    Xs, Z, A = incomplete_digits(), np.eye(100, 4), np.eye(4)
    a = IMVCCBG(4, variant="exact", init={"Z": Z, "A": A}, random_state=0).fit(Xs)
    b = FIMVCVIA(4, n_anchors=4, init={"Z": Z}, random_state=0).fit(Xs)
    np.testing.assert_allclose(a.objective_, b.objective_, rtol=1e-10)
    assert relative(a.Z_, b.Z_) < 1e-9
    assert (a.labels_ == b.labels_).all()


def test_original_and_improved_version_cluster_other_rows():
    Xs = incomplete_digits()
    unit, plain = (
        IMVCCBG(4, n_anchors=8, embedding=e, init="first", random_state=0).fit(Xs)
        for e in ("leading_unit", "all")
    )
    assert unit.embedding_.shape == (100, 4)
    np.testing.assert_allclose(np.linalg.norm(unit.embedding_, axis=1), 1)
    rank = np.linalg.matrix_rank(plain.Z_, tol=1e-6)
    assert plain.embedding_.shape == (100, rank)
    np.testing.assert_allclose(plain.embedding_.T @ plain.embedding_, np.eye(rank), atol=1e-8)


def test_best_of_several_starts_is_kept():
    Xs = incomplete_digits()
    ends = [
        IMVCCBG(4, lam=0, n_starts=n, random_state=1).fit(Xs).objective_[-1] for n in (1, 3, 10)
    ]
    assert ends[2] <= ends[1] <= ends[0]
    assert ends[2] < ends[0]
