"""The constraints that are read from code are those that the classes check."""

import importlib

import pytest
import yaml
from helpers import ROOT
from sklearn.utils._param_validation import make_constraint

from mvclust.estimators.base import ViewTags
from mvclust.numerics.features import STEPS
from mvclust.pipeline.plan import settings
from mvclust.pipeline.plan.allowed import (
    PREPARATION,
    SCALING,
    Interval,
    parameter_constraints,
    takes_whole_numbers,
    view_tags,
    why_not,
)

METHODS = yaml.safe_load((ROOT / "config/methods.yaml").read_text(encoding="utf-8"))
ESTIMATORS = sorted({entry["estimator"] for entry in METHODS.values()})
VALUES = [-1, 0, 0.5, 1, 1.5, 3, None, "no such option"]


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_constraints_agree_with_the_class(estimator):
    module, _, name = estimator.rpartition(".")
    declared = getattr(importlib.import_module(module), name)._parameter_constraints
    known = parameter_constraints(estimator)
    parameters = sorted(set(declared) - {"n_clusters", "random_state"})
    assert set(parameters) <= set(known)
    for parameter in parameters:
        checks = [make_constraint(c) for c in declared[parameter]]
        options = [v for c in checks for v in sorted(getattr(c, "options", ()), key=str)]
        for value in [
            *VALUES,
            *options,
            *([True, False] if "boolean" in declared[parameter] else []),
        ]:
            right = any(check.is_satisfied_by(value) for check in checks)
            assert (why_not(estimator, parameter, value) is None) == right, (parameter, value)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_tags_agree_with_the_class(estimator):
    module, _, name = estimator.rpartition(".")
    declared = vars(getattr(importlib.import_module(module), name).view_tags)
    usual = vars(ViewTags())
    assert usual | view_tags(estimator) == declared
    assert view_tags(estimator) or declared == usual


@pytest.mark.parametrize(
    ("interval", "inside", "outside", "shown"),
    [
        (Interval(False, 0, None, "left"), [0, 0.5, 3], [-1, "1", True, None], "a number from 0"),
        (Interval(False, 0, 1, "right"), [0.5, 1], [0, 1.5], "a number above 0 to 1"),
        (Interval(True, 1), [1, 2, 2.0], [0, 1.5, True], "a whole number from 1"),
        (Interval(False), [-1, 0.5], [float("nan"), float("inf")], "a number"),
    ],
)
def test_intervals(interval, inside, outside, shown):
    assert [value for value in [*inside, *outside] if value in interval] == inside
    assert str(interval) == shown


def test_what_the_pipeline_does_to_the_views_has_constraints_too():
    assert set(PREPARATION) == set(settings.PREPARATION)
    pvc = "mvclust.estimators.pvc.PVC"
    assert why_not(pvc, "fill", "mean") is None
    assert why_not(pvc, "fill", "median") == "expected 'mean' or 'knn', got 'median'"
    assert why_not(pvc, "each_view", None) == "expected true or false, got null"
    assert why_not(pvc, "features", ["tf-idf", "sample_unit"]) is None
    assert why_not(pvc, "features", ["tf-idf", "l3"]).startswith("expected feature_minmax, ")
    assert SCALING.words == STEPS


def test_a_number_with_an_exponent_that_yaml_reads_as_a_text():
    assert yaml.safe_load("1e-3") == "1e-3"
    assert why_not("mvclust.estimators.pvc.PVC", "lam", "1e-3").endswith("; write 0.001")


def test_only_some_parameters_take_the_index_of_a_view():
    best = "mvclust.estimators.best_single_view.BestSingleView"
    assert takes_whole_numbers(best, "view")
    assert not takes_whole_numbers(best, "scale")


def test_a_class_that_does_not_exist_has_no_constraints():
    assert parameter_constraints("mvclust.estimators.pvc.NoSuchClass") == {}
    assert parameter_constraints("mvclust.estimators.nothing.PVC") == {}
