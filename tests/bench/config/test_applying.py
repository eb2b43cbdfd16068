"""`methods: all`: which methods the data and the protocol of an experiment allow."""

from dataclasses import replace
from types import SimpleNamespace

import pytest
import yaml
from bench.planned import digests, plan_of
from helpers import ROOT

from mvclust.bench.config.applying import applicable as applicable_to
from mvclust.bench.config.classes import Classes
from mvclust.bench.config.experiments import Experiment, Groups
from mvclust.bench.config.load import ConfigError, load, load_run
from mvclust.bench.config.models import DataSet, Method

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
THREE = {"dataset": "three"}


def applicable(protocol, data=(THREE,), methods=METHODS, **keys):
    """The methods that apply to an experiment."""
    data = [{"label": str(number)} | each for number, each in enumerate(data)]
    record = Groups(
        title="", render="groups", repetitions=1, methods="all", metrics={"ACC": "acc"},
        unit="percent", protocol=protocol, data=data, **keys,
    )  # fmt: skip
    records = {name: Method.model_validate(entry) for name, entry in methods.items()}
    catalogues = SimpleNamespace(methods=records, datasets=DATASETS, classes=Classes())
    return applicable_to(record, catalogues)


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
    data = {"dataset": "three"} | ({"views": views} if views else {})
    assert applicable(protocol, [data]) == chosen


def test_what_the_experiment_sets_for_a_method_counts():
    fixed, grids = {"CLR": {"fill": "mean"}}, {"IMG": {"views": "per_pair"}}
    assert {"CLR", "IMG"} <= set(applicable("random", fixed=fixed, grids=grids))


def test_a_class_that_is_not_installed_is_left_to_the_check_of_the_catalogue():
    missing = {"Method": {"estimator": "no_such_package.Method"}}
    assert applicable("random", methods=missing) == ["Method"]


def test_views_that_are_mapped_completely_are_aligned():
    assert {"UEAF", "CMVNMF"} <= set(applicable("mapped", mapped_rates=[1]))
    assert "UEAF" not in applicable("mapped", mapped_rates=[0.5, 1])


def test_a_method_must_apply_to_all_data():
    assert "IMG" not in applicable("random", [THREE | {"views": ["a", "b"]}, THREE])


def test_what_the_shipped_experiments_compare_applies():
    shipped = load_run(ROOT / "config/runs/paper.yaml", ROOT)
    methods = {n: m.model_copy(update={"in_all": True}) for n, m in shipped.methods.items()}
    drawn = [e for e in shipped.experiments.values() if isinstance(e, Experiment)]
    assert drawn
    for experiment in drawn:
        every = applicable_to(experiment, replace(shipped, methods=methods))
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
    every = ["DAIMC", "PVC", "BestSingleView", "ConcatKMeans-mean", "KMeans"]
    assert [method["key"] for method in shown] == every


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
    (tmp_path / "mirror/digits").mkdir(parents=True)

    def plan():
        return plan_of(science_with(project, OWN, mirror=str(tmp_path / "mirror")))

    plans = [plan()]
    for content in ("1 2", "1 2", "1 3"):
        (tmp_path / "mirror/digits/digits.txt").write_text(content)
        plans.append(plan())
    for rule in ("download", "prepare"):
        without, first, same, other = (digests(each, rule)["digits"] for each in plans)
        assert first == same != other
        assert without != first
