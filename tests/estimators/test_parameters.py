"""What every class says of its parameters: documented, constrained, refused in a sentence."""

import inspect
import warnings

import numpy as np
import pytest
from estimators.shared_cases import ALL, of
from sklearn.exceptions import ConvergenceWarning

import mvclust
from mvclust.estimators.base import MultiViewClusterer
from mvclust.masking import apply_mask, paired_mask
from mvclust.testing import make_blobs, views_for

ONES = np.ones((45, 45))
APART = apply_mask(make_blobs()[0][:2], paired_mask(45, 0, 0))
SKEW = [np.random.default_rng(0).random((45, 45))]


@of(ALL)
def test_every_parameter_is_constrained_and_documented(estimator):
    names = set(estimator(3).get_params())
    assert issubclass(estimator, MultiViewClusterer)
    assert names == set(estimator._parameter_constraints)
    for name in names:
        assert f"\n{name} : " in inspect.getdoc(estimator), name


@of(ALL)
def test_nonsense_is_refused_by_the_name_of_the_parameter(estimator):
    Xs, _ = views_for(estimator)
    for name in estimator(3).get_params():
        model = estimator(**{"n_clusters": 3} | {name: object()})  # checked in fit, not before
        with pytest.raises((ValueError, TypeError), match=name):
            model.fit(Xs)


# Values just beyond what the mathematics allows.
BEYOND = [
    ("AMGL", "n_neighbors", 0), ("AMGL", "scale", "view_range"), ("AMGL", "tol", -1),
    ("CMVNMF", "variant", "author"), ("ConstraintPropagation", "threshold", 0.0),
    ("EEIMVC", "q", 1), ("IMVCCBG", "lam", -1), ("LMVSC", "alpha", 0), ("LSIMVC", "r", 1),
    ("MVSC", "lambda1", 0), ("MultiNMF", "lam", 0), ("OPIMC", "alpha", -1), ("PIMVC", "lam", 0),
    ("RMKMC", "gamma", 0.5), ("UEAF", "r", 1.0), ("UEAF", "variant", "best"),
]  # fmt: skip


MESSAGES = [
    *((name, {parameter: value}, parameter) for name, parameter, value in BEYOND),
    ("CLR", {"init": {"A0": 0 * ONES}}, "init A0 needs non-negative entries and an edge in every"),
    *((name, {"kernel": "precomputed"}, r"symmetric matrix .* view 0 of shape \(45, 5\) is not")
      for name in ("EEIMVC", "MVKKM", "MVSpec")),
    *((name, {"n_anchors": 46}, "n_anchors=46 is more than the 45 samples")
      for name in ("EOMSCCA", "FIMVCVIA", "IMVCCBG", "SIMVCSA", "SMVSC")),
    ("EEIMVC", {"init": {"HP": [ONES[:, :3]] * 3, "H0": ONES[:3]}}, r"H0 has shape \(3, 45\), exp"),
    ("EOMSCCA", {"n_anchors": 2}, "n_anchors=2 is less than n_clusters=3"),
    ("FIMVCVIA", {"init": {"Z": ONES[:, :4]}}, r"Z has shape \(45, 4\), expected \(45, 6\)"),
    ("IMVCCBG", {"init": {"Z": ONES[:, :3], "A": ONES[:3, :5]}}, r"A has shape \(3, 5\), exp"),
    ("LMVSC", {"init": {"H": [ONES[:4, :5]] * 2}}, "2 arrays H, expected one for each of the 3"),
    ("LSIMVC", {"init": {"U": [ONES[:3, :5]] * 3}}, r"U has shape \(3, 5\), expected \(5, 3\)"),
    ("MIC", {"alpha": [0.1, 0.1]}, "MIC: alpha must be a number from 0"),
    ("MIC", {"beta": [0.1, 0.1, -1]}, "MIC: beta must be a number from 0"),
    *(("MultiNMF", {"lam": lam}, "lam") for lam in ([0.1], [0.1, -1, 0.1], [0, 0, 0])),
    ("OMVC", {"alpha": [0.1, 0.1]}, "OMVC: alpha must be a number from 0"),
    ("OPIMC", {"block_size": 20, "init": {"V": ONES[:, :3]}}, r"\(45, 3\), expected \(20, 3\)"),
    ("OPIMC", {"init": {"V": -ONES[:, :3]}}, "init V needs non-negative memberships"),
    ("PIMVC", {"init": {"P": [ONES[:3, :5]] * 3}}, r"P has shape \(3, 5\), expected \(5, 3\)"),
    ("PVC", {"init": {"U": [ONES[:3, :9]] * 2, "P": ONES[:, :3]}}, r"init U has shape \(3, 9\)"),
    ("RMKMC", {"init": {"G": ONES[1:, :3]}}, r"G has shape \(44, 3\), expected \(45, 3\)"),
    ("SIMVCSA", {"init": {"A": [ONES[:d, :6] for d in (5, 4, 6)]}}, "init lacks 'F', it gives A"),
    ("SMVSC", {"init": {"Z": ONES[:, :2], "A": ONES[:3, :3]}}, r"Z has shape \(45, 2\), expected"),
    ("SwMC", {"init": {"alpha": [0, 1, 1]}}, "init alpha needs positive weights"),
    ("UEAF", {"n_clusters": 5}, r"view 1 has 4 feature\(s\), but its basis needs n_clusters=5"),
    ("UEAF", {"lambda2": 0}, "lambda3=0.01 needs lambda2 above 0"),
    ("UEAF", {"n_clusters": 1}, "at least 2 are needed", [np.ones((1, 2))]),
    *((name, {"kernel": "precomputed"}, r"view 0 of shape \(45, 45\) is not", SKEW)
      for name in ("MVKKM", "MVSpec")),
    *((name, {}, "no sample is present in both views", APART) for name in ("IMG", "PVC")),
]  # fmt: skip


@pytest.mark.parametrize(
    ("name", "parameters", "message", "Xs"), [(*m, None)[:4] for m in MESSAGES]
)
def test_what_parameters_and_views_cannot_be_is_a_sentence(name, parameters, message, Xs):
    estimator = getattr(mvclust, name)
    with pytest.raises(ValueError, match=message):
        estimator(**{"n_clusters": 3} | parameters).fit(Xs or views_for(estimator)[0])


@of([e for e in ALL if "max_iter" in e(3).get_params()])
def test_the_limit_of_iterations_is_said(estimator):
    rng = np.random.default_rng(0)
    Xs = [(X + 2 * rng.random(X.shape)) * (rng.random(X.shape) > 0.25) for X in make_blobs()[0]]
    Xs = Xs[: estimator.view_tags.n_views]
    tol = {"tol": 0} if "tol" in estimator(3).get_params() else {}
    said = f"{estimator.__name__} stopped at max_iter=1"
    if estimator is mvclust.CLR:  # which says what is missing
        said = "CLR: the learned graph has . components, not the 3"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        with pytest.warns(ConvergenceWarning, match=said):
            model = estimator(3, max_iter=1, random_state=0, **tol).fit(Xs)
    assert estimator is not mvclust.CLR or set(model.labels_) == {0, 1, 2}  # by k-means
