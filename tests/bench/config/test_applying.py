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
AC = THREE | {"views": ["a", "c"]}


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


FILLED = ["UEAF", "CLR-filled", "IMG-pairs", "KMeans"]
EACH = ["CMVNMF", "XRAY-each"]


@pytest.mark.parametrize(
    ("protocol", "keys", "chosen"),
    [
        ("random", {}, FILLED),
        ("complete", {}, ["UEAF", "CLR", *FILLED[1:]]),
        ("paired", {"data": [AC]}, ["UEAF", "CLR-filled", "IMG", "IMG-pairs", "KMeans"]),
        ("random", {"data": [AC, THREE]}, FILLED),  # it must apply to all data
        ("natural", {"data": [THREE | {"views": ["a"]}]}, ["UEAF", "CLR-filled", "KMeans"]),
        ("mapped", {}, EACH),
        ("mapped", {"mapped_rates": [0.5, 1]}, EACH),
        ("mapped", {"mapped_rates": [1]}, [*FILLED[:1], "CLR", *FILLED[1:3], *EACH, "KMeans"]),
        ("unmapped", {"data": [AC]}, EACH),
        # What the experiment sets for a method counts.
        ("random", {"fixed": {"CLR": {"fill": "mean"}}}, ["UEAF", "CLR", *FILLED[1:]]),
        ("random", {"grids": {"IMG": {"views": "per_pair"}}}, [*FILLED[:2], "IMG", *FILLED[2:]]),
        # Left to the check of the catalogue.
        ("random", {"methods": {"Method": {"estimator": "no_such_package.Method"}}}, ["Method"]),
    ],
)
def test_what_applies(protocol, keys, chosen):
    assert applicable(protocol, **keys) == chosen


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
  {title: All that applies, render: groups, data: [{dataset: digits, label: Digits}],
   protocol: random, missing_rates: [0.3], repetitions: 2, methods: all, metrics: {ACC: acc},
   unit: percent}
"""


def science_with(project, text, **changes):
    (project / "own.yaml").write_text(text)
    files = {"experiments_files": [str(project / "own.yaml")]}
    return load({"experiments": ["mine"], "datasets": None} | files | changes, project)


def test_all_is_every_method_with_ones_own(project):
    (project / "methods.yaml").write_text("KMeans: {estimator: sklearn.cluster.KMeans}\n")
    science = science_with(project, OWN, methods_files=[str(project / "methods.yaml")])
    shown = plan_of(science).slices["experiment"]["mine"]["methods"]
    every = ["DAIMC", "PVC", "BestSingleView", "ConcatKMeans-mean", "KMeans"]
    assert [method["key"] for method in shown] == every


def test_where_nothing_applies_it_is_said(project):
    methods = yaml.safe_load((project / "config/methods.yaml").read_text())
    methods["CMVNMF-5"]["in_all"] = False
    (project / "config/methods.yaml").write_text(yaml.safe_dump(methods))
    text = OWN.replace("protocol: random, missing_rates: [0.3]", "protocol: unmapped")
    with pytest.raises(ConfigError, match=r"mine\.methods: no method of the catalogue applies"):
        science_with(project, text)


@pytest.mark.parametrize("paper", ["beyond", "Doe and Roe (2026)"])
def test_an_experiment_needs_no_paper_that_we_know(project, paper):
    stated = "" if paper == "beyond" else f"paper: {paper}, "
    plan = plan_of(science_with(project, OWN.replace("render", f"{stated}render", 1)))
    assert plan.papers == {"mine": paper}
    assert plan.slices["experiment"]["mine"]["published"] == []
    assert [use["id"] for use in plan.slices["report"]["report"]["experiments"]] == ["mine"]
    assert set(plan.slices["paper"]) == (set() if stated else {"beyond"})


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
