"""`methods: all`: which methods the data and the protocol of an experiment allow."""

import pytest
import yaml
from bench.planned import plan_of
from helpers import ROOT

from mvclust.bench.config.applying import applicable as applicable_to
from mvclust.bench.config.classes import Classes
from mvclust.bench.config.experiments import Experiment, Groups
from mvclust.bench.config.load import ConfigError, load, load_run
from mvclust.bench.config.models import DataSet, Method
from mvclust.bench.record.records import without_where

VIEWS = [{"name": name, "dimension": 5, "kind": "real"} for name in ("a", "b", "c")]
FACTS = {"n_samples": 9, "classes": {"0": 9}, "views": VIEWS, "reader": "a", "title": "Three"}
FACTS |= {"files": {"a.txt": None}, "sources": [{"kind": "mirror"}]}
FACTS |= {"default_subset": "all", "subsets": {"all": None}}
DATASETS = {"three": DataSet.model_validate(FACTS)}
METHODS = {
    "UEAF": {"estimator": "mvclust.estimators.ueaf.UEAF"},
    "CLR": {"estimator": "mvclust.estimators.clr.CLR"},
    "CLR-filled": {"estimator": "mvclust.estimators.clr.CLR", "fixed": {"fill": "mean"}},
    "IMG": {"estimator": "mvclust.estimators.img.IMG"},
    "IMG-pairs": {"estimator": "mvclust.estimators.img.IMG", "grid": {"views": "per_pair"}},
    "CMVNMF": {"estimator": "mvclust.estimators.cmvnmf.CMVNMF"},
    "XRAY-each": {"estimator": "mvclust.estimators.xray.XRAY", "fixed": {"each_view": True}},
    "KMeans": {"estimator": "sklearn.cluster.KMeans"},
    "UEAF-1": {"estimator": "mvclust.estimators.ueaf.UEAF", "in_all": False},
}
MISSING = {"estimator": "no_such_package.Method"}
REST = {"title": "", "render": "groups", "repetitions": 1, "methods": "all"}
REST |= {"metrics": {"ACC": "acc"}, "unit": "percent"}


def applicable(experiment, methods, datasets):
    """The same with what no choice depends on filled in."""
    data = [{"label": str(number)} | each for number, each in enumerate(experiment["data"])]
    record = Groups.model_validate(REST | experiment | {"data": data})
    records = {name: Method.model_validate(entry) for name, entry in methods.items()}
    return applicable_to(record, records, datasets, Classes())


@pytest.mark.parametrize(
    ("protocol", "views", "chosen"),
    [
        ("random", None, ["UEAF", "CLR-filled", "IMG-pairs", "KMeans"]),
        ("complete", None, ["UEAF", "CLR", "CLR-filled", "IMG-pairs", "KMeans"]),
        ("paired", ["a", "c"], ["UEAF", "CLR-filled", "IMG", "IMG-pairs", "KMeans"]),
        ("natural", ["a"], ["UEAF", "CLR-filled", "KMeans"]),
        ("mapped", None, ["CMVNMF", "XRAY-each"]),
        ("unmapped", ["a", "b"], ["CMVNMF", "XRAY-each"]),
    ],
)
def test_what_applies(protocol, views, chosen):
    data = [{"dataset": "three"} | ({"views": views} if views else {})]
    experiment = {"protocol": protocol, "data": data}
    assert applicable(experiment, METHODS, DATASETS) == chosen


def test_what_the_experiment_sets_for_a_method_counts():
    experiment = {"protocol": "random", "data": [{"dataset": "three"}]}
    experiment |= {"fixed": {"CLR": {"fill": "mean"}}, "grids": {"IMG": {"views": "per_pair"}}}
    assert {"CLR", "IMG"} <= set(applicable(experiment, METHODS, DATASETS))


def test_a_class_that_is_not_installed_is_left_to_the_check_of_the_catalogue():
    experiment = {"protocol": "random", "data": [{"dataset": "three"}]}
    assert applicable(experiment, {"Method": MISSING}, DATASETS) == ["Method"]


def test_views_that_are_mapped_completely_are_aligned():
    experiment = {"protocol": "mapped", "data": [{"dataset": "three"}], "mapped_rates": [1]}
    assert {"UEAF", "CMVNMF"} <= set(applicable(experiment, METHODS, DATASETS))
    assert "UEAF" not in applicable(experiment | {"mapped_rates": [0.5, 1]}, METHODS, DATASETS)


def test_a_method_must_apply_to_all_data():
    data = [{"dataset": "three", "views": ["a", "b"]}, {"dataset": "three"}]
    assert "IMG" not in applicable({"protocol": "random", "data": data}, METHODS, DATASETS)


def test_what_the_shipped_experiments_compare_applies():
    shipped = load_run(ROOT / "config/runs/paper.yaml", ROOT)
    methods = {n: m.model_copy(update={"in_all": True}) for n, m in shipped.methods.items()}
    drawn = [e for e in shipped.experiments.values() if isinstance(e, Experiment)]
    assert drawn
    for experiment in drawn:
        every = applicable_to(experiment, methods, shipped.datasets, shipped.classes)
        assert set(experiment.methods) <= set(every), experiment.title


OWN = """
mine:
  title: All that applies
  render: groups
  data: [{dataset: digits, label: Digits}]
  protocol: random
  missing_rates: [0.3]
  repetitions: 2
  methods: all
  metrics: {ACC: acc}
  unit: percent
"""
HIS = "KMeans:\n  estimator: sklearn.cluster.KMeans\n"


def science_with(project, text, **changes):
    (project / "own.yaml").write_text(text)
    files = {"experiments_files": [str(project / "own.yaml")]}
    return load({"experiments": ["mine"], "datasets": None} | files | changes, project)


def test_all_is_every_method_with_ones_own(project):
    (project / "methods.yaml").write_text(HIS)
    science = science_with(project, OWN, methods_files=[str(project / "methods.yaml")])
    shown = plan_of(science).slices["experiment"]["mine"]["methods"]
    known = ["DAIMC", "PVC", "BestSingleView", "ConcatKMeans-mean", "KMeans"]
    assert [method["key"] for method in shown] == known


def test_where_nothing_applies_it_is_said(project):
    methods = yaml.safe_load((project / "config/methods.yaml").read_text())
    methods["CMVNMF-5"]["in_all"] = False
    (project / "config/methods.yaml").write_text(yaml.safe_dump(methods))
    text = OWN.replace("protocol: random\n  missing_rates: [0.3]", "protocol: unmapped")
    with pytest.raises(ConfigError, match=r"mine\.methods: no method of the catalogue applies"):
        science_with(project, text)


@pytest.mark.parametrize("line", ["", "  paper: Doe and Roe (2026)\n"])
def test_an_experiment_needs_no_paper_that_we_know(project, line):
    text = OWN.replace("  render", f"{line}  render", 1)
    plan = plan_of(science_with(project, text))
    paper = line.strip().removeprefix("paper: ") or "beyond"
    assert plan.papers == {"mine": paper}
    assert plan.slices["experiment"]["mine"]["published"] == []
    assert [use["id"] for use in plan.slices["report"]["report"]["experiments"]] == ["mine"]
    assert set(plan.slices["paper"]) == ({"beyond"} if not line else set())


def test_a_file_without_a_checksum_is_known_by_its_bytes(project, tmp_path):
    path = project / "config/datasets.yaml"
    text = path.read_text()
    assert text.count('digits.txt: {sha256: "0", bytes: 1}') == 1
    path.write_text(text.replace('digits.txt: {sha256: "0", bytes: 1}', "digits.txt:"))
    mirror = tmp_path / "mirror"
    (mirror / "digits").mkdir(parents=True)

    def digests():
        plan = plan_of(science_with(project, OWN, mirror=str(mirror)))
        return {
            rule: without_where(plan.slices[rule]["digits"]) for rule in ("download", "prepare")
        }

    without = digests()
    (mirror / "digits" / "digits.txt").write_text("1 2")
    first = digests()
    assert first == digests()
    (mirror / "digits" / "digits.txt").write_text("1 3")
    assert without["download"] != first["download"] != digests()["download"]
    assert first["prepare"] != digests()["prepare"]
