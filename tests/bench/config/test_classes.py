"""What classes take follows from the classes, and is learned once."""

import json
from dataclasses import asdict

import pytest
import yaml
from helpers import ROOT
from sklearn.utils._param_validation import make_constraint

from mvclust.bench.config import classes as module
from mvclust.bench.config.classes import Classes
from mvclust.bench.config.finding import find_class
from mvclust.bench.config.load import load
from mvclust.numerics.features import STEPS

METHODS = yaml.safe_load((ROOT / "config/methods.yaml").read_text(encoding="utf-8"))
ESTIMATORS = sorted({entry["estimator"] for entry in METHODS.values()})
VALUES = [-1, 0, 0.5, 1, 1.5, 3, None, "no such option"]
KNOWN = Classes()
PVC = "mvclust.estimators.pvc.PVC"


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_constraints_defaults_and_tags_are_those_of_the_class(estimator):
    declared, model = find_class(estimator)._parameter_constraints, find_class(estimator)(2)
    assert KNOWN.tags(estimator) == asdict(find_class(estimator).view_tags)
    for parameter in KNOWN.parameters(estimator):
        value = getattr(model, parameter)
        if parameter != "n_clusters" and isinstance(value, str | int | float):
            assert KNOWN.default(estimator, parameter) == value
    for parameter in sorted(set(declared) - {"n_clusters", "random_state"}):
        checks = [make_constraint(c) for c in declared[parameter]]
        options = [v for c in checks for v in sorted(getattr(c, "options", ()), key=str)]
        truths = [True, False] if "boolean" in declared[parameter] else []
        for value in [*VALUES, *options, *truths]:
            right = any(check.is_satisfied_by(value) for check in checks)
            answer = KNOWN.why_not(estimator, parameter, value)
            assert (answer is None) == right, (parameter, value)


@pytest.mark.parametrize(
    ("parameter", "value", "sentence"),
    [
        ("lam", -1, "expected a number from 0, got -1"),
        ("lam", True, "expected a number from 0, got true"),
        ("lam", float("inf"), "expected a number from 0, got inf"),
        ("lam", "1e-3", "expected a number from 0, got '1e-3'; write 0.001"),
        ("max_iter", 1.5, "expected a whole number from 1, got 1.5"),
        ("max_iter", 2.0, None),
        ("variant", "exactly", "expected 'author' or 'exact' or 'paper', got 'exactly'"),
        ("no such parameter", 1, None),
        # What the pipeline does to the views.
        *[("features", step, None) for step in (None, *STEPS)],
        ("fill", "mean", None),
        ("fill", "median", "unknown value 'median'; did you mean 'mean'?"),
        ("each_view", None, "expected true or false, got null"),
    ],
)
def test_a_value_is_refused_in_words(parameter, value, sentence):
    assert KNOWN.why_not(PVC, parameter, value) == sentence


def learned(classes):
    of_lam = [classes.why_not(PVC, "lam", value) for value in (0.1, -1)]
    return of_lam, classes.parameters(PVC), classes.tags(PVC)


def test_what_was_learned_is_not_learned_again_unless_damaged_or_of_other_code(
    tmp_path, monkeypatch
):
    path, first = tmp_path / "classes.json", Classes(tmp_path / "classes.json")
    facts = learned(first)
    first.save(path)
    known = json.loads(path.read_text())
    with monkeypatch.context() as patch:
        patch.setattr(module, "ask", lambda *_: pytest.fail("imported again"))
        assert learned(Classes(path)) == facts
    other = {PVC: known[PVC] | {"code": "other", "parameters": ["wrong"]}}
    for content in ("", "[]", *map(json.dumps, ({"a": 1}, {PVC: {}}, other))):
        path.write_text(content)
        assert learned(Classes(path)) == facts


def test_no_entry_loosens_the_stopping_rule_of_its_class():
    """Neither its tolerances nor its iterations; what is reconstructed decides no claim."""
    configuration = load({"experiments": ["ueaf_table1"]}, ROOT)
    rules = {}
    for name, method in configuration.methods.items():
        if method.reconstructed:
            continue
        for key, value in (method.default | method.fixed).items():
            default = configuration.classes.default(method.estimator, key)
            if key.endswith("tol"):
                assert value <= default, name
            if key == "max_iter":
                assert value >= default, name
        kept = {k: v for k, v in method.fixed.items() if k.endswith("tol") or k == "max_iter"}
        assert rules.setdefault(method.estimator, kept) == kept, name
