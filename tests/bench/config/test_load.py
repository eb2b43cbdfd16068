"""Every mistake in the configuration is found, at once, with its place and the nearest name."""

import importlib.util
import json
import os
import re

import pytest
import yaml
from bench.planned import mistakes_in
from helpers import ROOT
from pydantic import TypeAdapter

from mvclust.bench.config.document import RECORDS
from mvclust.bench.config.experiments import RENDERS
from mvclust.bench.config.load import load, load_folders, load_run
from mvclust.bench.config.messages import PATTERNS
from mvclust.bench.config.models import Preparation


def problems_of(project, config=None, **options):
    return mistakes_in(load, config or {}, project, **options)


def edit(project, file, old, new):
    """Replace a text once; return the number of its line."""
    path = project / "config" / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return text[: text.index(old)].count("\n") + 1


# Ten values that aliases make a million: 10, 100, 1000, ...
LAUGHS = "seed: 0\na0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]" + "".join(
    f"\na{n}: &a{n} [{', '.join(10 * [f'*a{n - 1}'])}]" for n in range(1, 6)
)
RUNS = sorted((ROOT / "config/runs").glob("*.yaml"))
PEERS = ("imml", "mvlearn", "polyview")  # see config/peers


@pytest.mark.parametrize("path", RUNS, ids=lambda path: path.stem)
def test_the_shipped_configurations_are_right(path):
    if path.stem == "peers":
        pytest.importorskip("imml", reason="the extra peers is not installed")
    science = load_run(path, ROOT)
    assert (science.run.run, science.warnings) == (path.stem, [])
    assert science.published


@pytest.mark.skipif(
    any(importlib.util.find_spec(name) for name in PEERS), reason="peers are installed"
)
def test_peers_that_are_not_installed_are_named_and_nothing_else_is_wrong():
    problems = mistakes_in(load_run, ROOT / "config/runs/peers.yaml", ROOT)
    assert problems
    sentence = r"config/peers/methods\.yaml:.*is its package installed, or on PYTHONPATH"
    assert all(re.search(sentence, problem) for problem in problems)


def test_keys_that_are_left_out_come_from_the_default_run(project):
    small = project / "config/runs/small.yaml"
    run = load_run(small, project).run
    assert (run.run, run.experiments) == ("small", ["rates", "weights"])
    budget = {"repetitions": 1, "samples_per_class": 8, "rates": None, "grid_points": 2}
    assert run.budget.model_dump() == budget | {"sweep_points": 3, "pairs": 1}


def test_published_numbers_are_typed(project):
    first, *_, last = load({}, project).published
    assert first == {
        "paper": "ueaf", "item": "table2", "dataset": "Digits", "missing_rate": None,
        "paired_rate": 0.1, "view": None, "method": "BSV", "metric": "acc", "mean": 43.1,
        "std": None, "unit": "percent",
    }  # fmt: skip
    assert (last["view"], last["std"]) == (2, 0.0)


def test_all_mistakes_are_reported_at_once_with_file_line_and_nearest_name(project):
    path = project / "config/runs/small.yaml"
    line = edit(project, "runs/small.yaml", "run: small", "run: small\nsead: 0")
    edit(project, "runs/small.yaml", "repetitions: 1", "repetitions: none")
    other = edit(project, CURVES, "repetitions: 5", "repetitions: 0")
    text = "\n".join(problems_of(project, yaml.safe_load(path.read_text()), config_files=[path]))
    assert f"small.yaml:{line + 1}: sead: unknown key 'sead'; did you mean 'seed'?" in text
    assert f"small.yaml:{line + 4}: budget.repetitions: expected a whole number or null" in text
    assert f"curves.yaml:{other}: rates.repetitions: 0 is out of range" in text


CURVES, TABLES = "experiments/curves.yaml", "experiments/tables.yaml"
KINDS, PVC = "multiverse.yaml", "factors:\n  questions: {features: [null, feature_minmax]}"
NMI = "  definitions: {NMI: [nmi_max, nmi_arithmetic]}\n\nsingle_view"
FORM = "  form: {draw: curves, metrics: [ACC]}\n"
DAIMC_GRID = "grids: {DAIMC: {alpha: [0.1, 1, 10]}}"


CONSEQUENCES = [  # mistakes that bring others
    (CURVES, "methods: [DAIMC", "methods: [daimc", "unknown method 'daimc'; did you mean 'DAIMC'?"),
    (CURVES, "methods: [DAIMC", "survival: times.csv\n  methods: [DAIMC", "there is no file times.csv"),
    (CURVES, "missing_rates: [0, 0.3]", "paired_rates: [0, 0.3]", "the protocol 'random' takes 'missing_rates', not 'paired_rates'"),
    (CURVES, "fixed: {PVC: {lam: 0.01", "fixed: {PVC: {views: [fou, pox]", "unknown view of Stories 'fou'"),
    ("methods.yaml", "alpha: 10, beta", "alpa: 10, beta", "unknown parameter 'alpa'; did you mean 'alpha'?"),
    ("methods.yaml", "fixed: {variant: author}", "fixed: {beta: 1}", "DAIMC.default.beta is also under fixed; keep one"),
    ("methods.yaml", "BestSingleView:", "BSV:", "the key of a method is the name of its class, 'BestSingleView', or begins with 'BestSingleView-'"),
    (KINDS, PVC, PVC.replace("{features: [null", "{fill: [mean"), "config/questions.yaml does not explain 'fill'"),
    ("questions.yaml", "question: how the samples are scaled", "says: it", "question"),
    ("claims.yaml", "kind: above, exp", "kind: trend, quantifier: most, exp", "unknown kind of test of 'most' 'trend'"),
    ("claims.yaml", "kind: above, exp", "kind: trend, axis: views, measure: lead, exp", "'PVC' takes two views, so its lead says nothing"),
    ("published.csv", "Digits,,0.3,", "Digits,0.3,,", "missing_rate: ueaf table2 takes no missing_rate, got 0.3"),
    ("published.csv", "missing_rate,paired_rate,view", "setting,paired_rate,view", "unknown column 'setting'"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        *CONSEQUENCES,
        (CURVES, "methods: [DAIMC, PVC, BestSingleView, ConcatKMeans-mean]", "methods: al", "methods: expected all or a list of methods, got 'al'"),
        (CURVES, "dataset: digits", "dataset: digit", "unknown data set 'digit'; did you mean 'digits'?"),
        (CURVES, "label: Digits", "features: minmix, label: Digits", "expected feature_minmax, feature_symmetric, feature_standard, view_range, feature_unit, view_total, log, tf-idf, sample_unit, sample_degree, or a list of several of these, got 'minmix'"),
        (CURVES, "methods: [DAIMC", "perturbed_fits: 3\n  methods: [DAIMC", "is for one data set at one rate"),
        (CURVES, "views: [bbc,", "views: [bcc,", "unknown view 'bcc'; did you mean 'bbc'?"),
        (TABLES, 'subset: "50"', 'subset: "55"', "unknown version '55'; did you mean '50'?"),
        (TABLES, "paper: ueaf", "paper: ueef", "paired.paper: unknown paper with published numbers 'ueef'; did you mean 'ueaf'?"),
        (CURVES, "weights:", "rates:", "the key 'rates' is also on line 1; keep one"),
        (TABLES, "paired:", "rates:", "the experiment 'rates' is also in"),
        (CURVES, "weights:", "Weights:", "expected lower-case letters, digits and _, got 'Weights'"),
        (CURVES, "label: Stories", "label: Digits", "'Digits' is already the label of another data set"),
        (CURVES, "  render: curves\n", "", "lacks the key 'render'"),
        (CURVES, "grids: {DAIMC: {alpha", "grids: {PVC: {alpha", "unknown method of the experiment 'PVC'"),
        (CURVES, "repetitions: 5", "repetitions: five", "expected a whole number, got 'five'"),
        (TABLES, "samples: 40", "samples: 60", "60 is more than the 50 samples"),
        (CURVES, "missing_rates: [0, 0.3]", "missing_rates: [0, 1.1]", "1.1 is out of range, expected from 0 to 1"),
        (CURVES, "missing_rates: [0, 0.3]", "missing_rates: [0, 0.6]", "every sample keeps one only up to the rate 0.5; missing_rates go to 0.6"),
        (CURVES, "missing_rates: [0, 0.3]", "missing_rates: []", "missing_rates is empty; give at least one"),
        (CURVES, "  missing_rates: [0, 0.3]\n", "", "rates.protocol: 'random' needs 'missing_rates'"),
        (CURVES, "protocol: complete", "protocol: complete\n  mapped_rates: [1]", "the protocol 'complete' takes no rates, not 'mapped_rates'"),
        (CURVES, "protocol: complete", "protocol: complete\n  rates: [1]", "surface.rates: unknown key 'rates'; did you mean"),
        (CURVES, "  protocol: random\n", "  protocol: value\n", "rates.protocol: 'value' needs 'strength'"),
        (CURVES, "  protocol: random\n", "  protocol: random\n  strength: 0.5\n", "the protocol 'random' takes no strength"),
        (CURVES, "  protocol: random\n  missing_rates: [0, 0.3]", "  protocol: block\n  strength: 1\n  missing_rates: [0.6]", "every sample keeps one only up to the rate 0.5; missing_rates go to 0.6"),
        (TABLES, "views: [fou, pix]", "views: [fou, pix, zer]", "has 3 views; the protocol 'paired' needs two"),
        (CURVES, "missing_rates: [0.3]", "missing_rates: [0, 0.3]", "a figure against the parameter shows one rate; give one"),
        (CURVES, "  protocol: random\n  missing_rates: [0, 0.3]", "  protocol: complete", "curves against the rate need a protocol with rates, not 'complete'"),
        (CURVES, "render: surfaces", "render: convergence", "the renderer 'convergence' needs 'sweep: true' and under grids.DAIMC a grid over max_iter, not alpha and beta"),
        (CURVES, "      beta: [0.1, 1]\n", "", "a grid over two or three parameters, not alpha"),
        (CURVES, DAIMC_GRID, "grids: {DAIMC: {alpha: [0.1, 1], tol: [0, 1]}}", "'x: parameter' shows one parameter per method, not alpha and tol"),
        (CURVES, DAIMC_GRID, "grids: {DAIMC: {alpha: [0.1, 1]}, BestSingleView: {view: [0, 1]}}", "'parameter' shows the same parameter for all methods, not alpha and view"),
        (CURVES, DAIMC_GRID, "grids: {BestSingleView: {scale: [sample_unit, null]}}", "weights.grids.BestSingleView.scale: the axis of a figure needs numbers"),
        (CURVES, f"  {DAIMC_GRID}\n", "", "'parameter' needs 'sweep: true' and the parameter's values under grids"),
        (TABLES, "render: statistics", "render: statistics\n  protocol: complete", "the renderer 'statistics' takes no protocol; take it out"),
        (TABLES, "render: partitions\n  data:", "render: partitions\n  data:\n    - {dataset: stories, label: Stories}", "the renderer 'partitions' needs exactly one data set"),
        (CURVES, "render: curves", "render: statistic", "rates.render: unknown value 'statistic'; did you mean 'statistics'?"),
        (CURVES, "render: curves", "render: [curves]", "rates.render: unknown value '['curves']'; did you mean 'curves'?"),
        (CURVES, "fixed: {PVC: {lam:", "fixed: {PVC: {lan:", "unknown parameter 'lan'; did you mean 'lam'?"),
        (CURVES, "alpha: [0.1, 1, 10]", "alpha: [0.1, -1, 10]", "weights.grids.DAIMC.alpha.1: expected a number from 0, got -1"),
        (CURVES, "alpha: [0.1, 1, 10]", "beta: [0.1, 1, 10]", "weights.grids.DAIMC.beta is also under fixed; keep one"),
        (CURVES, "fixed: {PVC: {lam:", "leave_out: {DAIMK: [Stories]}\n  fixed: {PVC: {lam:", "rates.leave_out.DAIMK: unknown method of the experiment 'DAIMK'; did you mean 'DAIMC'?"),
        (CURVES, "fixed: {PVC: {lam:", "leave_out: {DAIMC: [Storys]}\n  fixed: {PVC: {lam:", "rates.leave_out.DAIMC.0: unknown label of the data 'Storys'; did you mean 'Stories'?"),
        (CURVES, "x: rate\n", "x: rate\n  form: {draw: curves, window: {gamma: [1, 2]}}\n", "form.window.gamma: there is no varied parameter, got 'gamma'"),
        (CURVES, "x: rate\n", "x: rate\n  form: {draw: curves, metrix: [ACC]}\n", "rates.form.metrix: unknown key 'metrix'; did you mean 'metrics'?"),
        (CURVES, "x: rate\n", "x: rate\n  form: {draw: curves, methods: [DAIMCC]}\n", "form.methods.0: unknown method of the experiment 'DAIMCC'"),
        (CURVES, "x: rate\n", "x: rate\n  form: {draw: curves, beside: [weights]}\n", "form.beside.0: unknown experiment with a form 'weights'"),
        (CURVES, "x: rate\n", "x: rate\n  form: {draw: curves, beside: [rates]}\n", "form.beside: leads back to 'rates' itself"),
        (CURVES, "x: rate\n", "x: rate\n  form: {draw: table, rows: [method]}\n", "form.columns: a table needs 'metric'"),
        (CURVES, "x: rate\n", "x: rate\n  form: {draw: pie}\n", "form.draw: unknown value 'pie'"),
        (CURVES, DAIMC_GRID, f"{DAIMC_GRID}\n  form: {{draw: curves, window: {{alpha: [2, 1]}}}}", "form.window.alpha: expected the smaller value first, got [2, 1]"),
        (CURVES, "fixed: {PVC: {lam: 0.01}}", "fixed: {PVC: {order: random}}", "order: expected a whole number from 0, sorted, interleaved, by_norm, reversed, or shuffle_1 and so on, got 'random'"),
        (CURVES, "weights:", "cost:", "'cost' is the name of a table, a page or a rule of a run"),
        ("papers.yaml", "daimc:", "report:", "'report' is the name of a table, a page or a rule of a run"),
        (CURVES, "weights:\n", "weights:\n  extends: weights\n", "weights.extends: leads back to 'weights' itself"),
        (CURVES, "weights:\n", f"{FORM}rates_extended: {{title: More, render: statistics}}\nweights:\n", "rates.form: 'rates_extended' is its table with all methods"),
        ("methods.yaml", "beta: [0.1, 1, 10]", "beta: [1, 1.0]", "DAIMC.grid.beta has the same entry twice"),
        ("methods.yaml", "beta: [0.1, 1, 10]", "beta: [[1]]", "DAIMC.grid.beta.0: expected a text or a number or true or false or null, or a list of texts, got [1]"),
        ("methods.yaml", "beta: [0.1, 1, 10]", "beta: 3", "DAIMC.grid.beta: expected a list of values, per_view or per_pair, got 3"),
        ("methods.yaml", "beta: [0.1, 1, 10]", "beta: per_view", "per_view is only for a parameter that takes the index of a view"),
        ("methods.yaml", "beta: [0.1, 1, 10]", "beta: per_pair", "per_pair is only for 'views'"),
        ("methods.yaml", "beta: [0.1, 1, 10]", "beta: [1e-3, 1]", "DAIMC.grid.beta.0: expected a number above 0, got '1e-3'; write 0.001"),
        ("methods.yaml", "pvc.PVC", "pvc.PVK", "PVC.estimator: module 'mvclust.estimators.pvc' has no class 'PVK'."),
        ("methods.yaml", "daimc.DAIMC", "daimk.DAIMC", "there is no module 'mvclust.estimators.daimk'"),
        ("methods.yaml", "fixed: {variant: author}", "fixed: {n_clusters: 3}", "DAIMC.fixed.n_clusters is set by the pipeline"),
        ("methods.yaml", "fixed: {scale: null, impute: mean}", "by_kind: {scale: {counts: sample_unit, tf-idf: sample_unit, links: l3, real: null}}", "ConcatKMeans-mean.by_kind.scale.links: expected 'sample_unit' or 'view_balanced'"),
        ("methods.yaml", "fixed: {scale: null, impute: mean}", "by_kind: {scala: {counts: sample_unit, tf-idf: sample_unit, links: sample_unit, real: null}}", "unknown parameter 'scala'; did you mean 'scale'?"),
        ("methods.yaml", "fixed: {scale: null, impute: mean}", "by_kind: {fill: {counts: mean, tf-idf: mean, links: mean, real: knn}}", "unknown parameter 'fill'"),
        ("methods.yaml", "shift: true}\n  default: {lam", "shift: 1}\n  default: {lam", "PVC.fixed.shift: expected true or false, got 1"),
        ("methods.yaml", "constraints: 0.05", "constraints: 5", "CMVNMF-5.fixed.constraints: 5 is out of range, expected from 0 to 1"),
        ("methods.yaml", "default: {view: silhouette}", "default: {}", "BestSingleView.default lacks 'view', which the grid varies"),
        ("methods.yaml", "label: BSV", "label: PVC", "'PVC' is also the label of PVC; tables and figures need different ones"),
        ("probes.yaml", "probes.ueaf.", "probes.uaef.", "there is no module 'mvclust.bench.claims.probes.uaef'"),
        ("probes.yaml", "label: Stories", "samples: 20, label: Stories", "a probe takes all samples"),
        ("claims.yaml", "probes: [weights]", "probes: [weight]", "unknown probe 'weight'; did you mean 'weights'?"),
        ("claims.yaml", "methods: [learnt]", "methods: [learned]", "unknown arm of weights 'learned'; did you mean 'learnt'?"),
        ("claims.yaml", "kind: above, probes", "kind: descent, probes", "unknown kind of test of probes 'descent'"),
        ("claims.yaml", "probes: [weights]", "probes: [weights], experiments: [rates]", "at experiments or at probes, not at both"),
        ("claims.yaml", "probes: [weights]", "probes: [weights], datasets: [Digit]", "unknown data set of weights 'Digit'; did you mean 'Digits'?"),
        (KINDS, PVC, PVC.replace("feature_minmax", "feature_unit"), "config/questions.yaml does not explain the value 'feature_unit'"),
        (TABLES, "{PVC: factors,", "{PVC: factor,", "kind of methods 'factor'; did you mean 'factors'"),
        (TABLES, "{PVC: factors, ", "{", "read.kinds lacks the kind of 'PVC'"),
        (TABLES, "{PVC: factors,", "{DAIMC: factors, PVC: factors,", "method of the experiment 'DAIMC'"),
        (KINDS, NMI, NMI.replace("nmi_arithmetic", "nmi_geometric"), "does not explain the value 'nmi_geometric'"),
        (KINDS, NMI, NMI.replace("NMI: [nmi_max, nmi_arithmetic]", "NMI: [nmi_max, [acc]]"), "factors.definitions.NMI.1: expected a metric, or names with the metric of each, got"),
        ("claims.yaml", "against: [PVC]", "against: [PVC, DAIMC]", "tests.0.against.1: 'DAIMC' is also under methods; keep one"),
        ("claims.yaml", "kind: above, exp", "kind: above, window: [.nan, 1], exp", "tests.0.window.0: expected a number, got nan"),
        ("claims.yaml", "kind: above, exp", "kind: above, window: [2, 1], exp", "window: expected the smaller value first, got [2, 1]"),
        ("claims.yaml", "kind: above, exp", "kind: trend, exp", "a trend needs 4 points, the axis has 2"),
        ("claims.yaml", "kind: above, exp", "kind: within, margin: 0.1, exp", "5 masks cannot show a margin of 0.1, at the least 0.67"),
        ("datasets.yaml", "reader: handwritten", "reader: handwriten", "there is no module 'mvclust.datasets.readers.handwriten'"),
        ("datasets.yaml", "default_subset: all", "default_subset: al", "digits.default_subset: unknown version 'al'; did you mean 'all'?"),
        ("datasets.yaml", "- kind: mirror", "- {kind: mirror, folder: ../x}", "folder: expected names of letters, digits, _, - and ., with / between them, got '../x'"),
        ("datasets.yaml", '"0": 20', "0: 20", "the key 0 is not a text; put it in quotes"),
        ("runs/default.yaml", "experiments: [rates,", "experiments: [rate,", "unknown experiment 'rate'; did you mean 'rates'?"),
        ("runs/default.yaml", "add_methods: []", "add_methods: [DIAMC]", "add_methods: unknown method 'DIAMC'; did you mean 'DAIMC'?"),
        ("runs/default.yaml", "datasets: [digits]", "datasets: [digit]", "unknown data set 'digit'; did you mean 'digits'?"),
        ("runs/default.yaml", "datasets: [digits]", "datasets: digits", "expected a list or null, got 'digits'. Write [digits]"),
        ("runs/default.yaml", "run: default", "run: My run", "run: expected lower-case letters, digits, - and _, got 'My run'"),
        ("runs/default.yaml", "bad_mirror: stop", "growth: 'true'", "expected true or false, got 'true'. Without quotes, and after --config: True."),
        ("runs/default.yaml", "results: results", "results: a/{x}", "results: 'a/{x}' holds a brace"),
        ("runs/default.yaml", "results: results", f"results: {__file__}/x", "test_load.py' is a file; choose another folder"),
        ("methods.yaml", "BestSingleView:", f"BestSingleView-{'a' * 300}:", "expected a name of at most 80 letters"),
        ("runs/default.yaml", "run: default", "run: 2020-99-99", "'2020-99-99' is no timestamp; put a text in quotes"),
        ("runs/default.yaml", "run: default", 'run: "a\\0b"', "the text holds a NUL character"),
        ("runs/default.yaml", "run: default", f"run: {10**400}", "expected a number of at most 64 bits"),
        ("runs/default.yaml", "run: default", f"run: {'a' * 300}", "expected at most 80 letters"),
        ("runs/default.yaml", "seed: 0", "seed: [", "not valid YAML"),
        ("runs/default.yaml", "  pairs: 1", "\tpairs: 1", "not valid YAML: a tab; indent with spaces"),
        (CURVES, "title: Scores", "title: Scores\x07", "not valid YAML: the control character '\\x07'"),
        ("runs/default.yaml", "seed: 0", "seed: &s [*s]", "the alias '*s' is within what it stands for"),
        ("runs/default.yaml", "seed: 0", f"seed: {'[' * 99999}{']' * 99999}", "more than 50 levels"),
        ("runs/default.yaml", "seed: 0", LAUGHS, "its aliases repeat more than 100000 values"),
        ("published.csv", "BSV,acc", "BVS,acc", "method: unknown published name of a method 'BVS'; did you mean 'BSV'?"),
        ("published.csv", "ueaf,table2,Digits,,0.1,,PVC", "ueaf,table2,Digit,,0.1,,PVC", "unknown data set of ueaf table2 'Digit'; did you mean 'Digits'?"),
        ("published.csv", "ueaf,table2,Digits,,0.1,,PVC", "uaef,table2,Digits,,0.1,,PVC", "unknown paper with published numbers 'uaef'; did you mean 'ueaf'?"),
        ("published.csv", "ueaf,table2,Digits,,0.1,,PVC", "ueaf,table3,Digits,,0.1,,PVC", "item: unknown item of ueaf 'table3'; did you mean 'table2'?"),
        ("published.csv", "acc,43.10", "acc,", "mean: expected a number, got nothing"),
        ("published.csv", "acc,43.10,,percent", "acc,43.10,,percents", "unit: unknown unit 'percents'; did you mean 'percent'?"),
        ("published.csv", "53.03,1.2", "53.03,-1", "std: expected a number from 0, got '-1'"),
        ("published.csv", "Digits,,0.3,", "Digits,,1.3,", "paired_rate: expected a number from 0 to 1, or nothing, got '1.3'"),
        ("published.csv", "Digits,,0.3,", "Digits,,,", "paired_rate: ueaf table2 needs a paired_rate"),
        ("published.csv", "Stories,,,2", "Stories,,,two", "view: expected a whole number from 1, got 'two'"),
        ("published.csv", "Stories,,,2", "Stories,,,1", "the same number is also on line 5; keep one"),
        ("published.csv", "acc,43.10,,", "acc,43.10,", "expected 11 values separated by commas"),
        ("published.csv", "paper,item,dataset,missing_rate,paired_rate,view,method,metric,mean,std,unit", "a: 1", "published.csv:1: expected the columns paper, item,"),
        ("published.csv", "missing_rate,paired_rate,view", "paired_rate,view", "the column 'missing_rate' is missing"),
    ],
)  # fmt: skip
def test_each_kind_of_mistake(project, file, old, new, message):
    line = edit(project, file, old, new)
    problems = problems_of(project)
    assert len(problems) == 1 or (file, old, new, message) in CONSEQUENCES
    (found, *_) = [problem for problem in problems if message in problem]
    assert f"{file}:" in found
    if "lacks the key" not in message:
        near = [f"{file}:{number}" for number in range(line - 10, line + 8)]
        assert any(place in found for place in near), found


@pytest.mark.parametrize(
    ("file", "old", "new", "place", "message"),
    [
        (CURVES, "repetitions: 5\n  methods: [DAIMC, PVC, Best", "repetitions: 2\n  methods: [DAIMC, PVC, Best", "claims.yaml", "'above' needs 3 runs"),
        ("methods.yaml", "[PVC, Partial]", "[PVC, Partial]\n  reconstructed: true", "claims.yaml", "compare with its printed row"),
        (KINDS, PVC, PVC.replace("features", "feature"), TABLES, "unknown parameter 'feature'"),
        (KINDS, PVC, PVC.replace("minmax", "minmix"), TABLES, "expected feature_minmax"),
        (KINDS, PVC, PVC.replace("null, ", ""), TABLES, "read.kinds.PVC.features: the options lack None, which the experiment states for Digits"),
        (KINDS, NMI, NMI.replace("nmi_max", "nmi_geometric"), TABLES, "PVC.NMI: the options lack 'nmi_max', which the experiment states"),
    ],
)  # fmt: skip
def test_a_mistake_is_one_of_the_file_that_asks_for_more(project, file, old, new, place, message):
    edit(project, file, old, new)
    assert any(f"config/{place}:" in p and message in p for p in problems_of(project))


@pytest.mark.parametrize("file", ["runs/default.yaml", "methods.yaml", CURVES, "published.csv"])
def test_a_file_in_another_encoding_is_named_with_the_line(project, file):
    path = project / "config" / file
    content = path.read_bytes()
    path.write_bytes(content + "Müller".encode("latin-1"))
    (problem,) = problems_of(project)
    line = content.count(b"\n") + 1
    assert problem.endswith(f"{file}:{line}: not UTF-8 text (byte 0xfc); save the file as UTF-8.")


@pytest.mark.fault("a pipe in place of a file of the configuration")
@pytest.mark.parametrize("file", ["methods.yaml", "published.csv"])
def test_a_missing_file_and_a_pipe_in_its_place_are_named(project, file):
    path = project / "config" / file
    path.unlink()
    (problem,) = problems_of(project)
    assert problem.endswith(f"{file}: there is no such file.")
    os.mkfifo(path)
    (problem,) = problems_of(project)
    assert problem.endswith(f"{file}: it is no regular file.")


def test_a_mistake_that_lines_share_is_reported_once(project):
    path = project / "config/published.csv"
    path.write_text(path.read_text().replace("PVC", "PCV"))
    (problem,) = problems_of(project)
    assert "published.csv:3 (and 1 more): method: unknown" in problem


def test_a_mistake_of_the_command_line_is_not_blamed_on_a_file(project):
    overrides = {"seed": -1, "budget": {"pairs": 0}}
    problems = problems_of(project, overrides | {"run": "small"}, overrides=overrides)
    assert [problem.partition(":")[0] for problem in problems] == ["--config"] * 2
    (problem,) = problems_of(project, {"seed": -1})  # of no file
    assert problem.startswith("--config: seed")


@pytest.mark.parametrize("key", ["methods_files", "papers_files", "claims_files"])
def test_a_file_of_another_kind_is_one_mistake(project, key):
    (problem,) = problems_of(project, {key: [str(project / "config/datasets.yaml")]})
    assert "the file: expected the entries of a " in problem
    assert "most are those of a data set; see the key 'datasets_files'" in problem


def test_views_labelled_each_by_itself_is_refused_where_it_is_true_alone(project):
    edit(project, CURVES, "fixed: {PVC: {lam: 0.01}}", "fixed: {PVC: {each_view: false}}")
    load({}, project)
    edit(project, CURVES, "each_view: false", "each_view: true")
    assert "'PVC' labels every view apart" in problems_of(project)[0]


@pytest.mark.parametrize("key", ["methods_files", "published_files"])
def test_a_missing_file_is_named_with_the_key_that_names_it(project, key):
    (problem,) = problems_of(project, {key: ["no.yaml"]})
    assert problem == f"--config: {key}: no.yaml: there is no such file."


def test_every_pattern_has_a_meaning_in_words():
    records = *RENDERS.values(), *RECORDS.values(), Preparation
    text = json.dumps([TypeAdapter(record).json_schema() for record in records])
    patterns = re.findall(r'"pattern": ("(?:[^"\\\\]|\\\\.)*")', text)
    assert patterns
    assert set(map(json.loads, patterns)) <= set(PATTERNS)


def test_a_file_with_a_list_of_keys_is_a_mistake(project):
    path = project / "list.yaml"
    path.write_text("- run\n")
    (problem,) = problems_of(project, ["run"], config_files=[path])
    assert problem.endswith("list.yaml:1: the file: expected keys with values, got ['run'].")


def test_values_of_the_command_line_are_read_as_in_a_file(project):
    overrides = {"datasets": "null", "budget": {"pairs": "3", "samples_per_class": "null"}}
    run = load(overrides, project, overrides=overrides).run
    assert run.datasets is None
    budget = {"pairs": 3, "samples_per_class": None, "repetitions": 2}
    assert run.budget.model_dump(include=budget.keys()) == budget


def test_experiments_without_data_are_left_out_but_for_statistics_and_not_all_of_them(project):
    chosen = {"datasets": ["stories"], "experiments": ["rates", "weights", "shapes", "sizes"]}
    (warning,) = load(chosen, project).warnings
    assert "left out: weights, shapes." in warning
    assert load({"experiments": ["sizes"]}, project).warnings == []
    (problem,) = problems_of(project, chosen | {"experiments": ["weights"]})
    assert "no chosen experiment uses 'stories'; those that do: rates, mapped." in problem
    assert "The chosen ones use digits; null = all." in problem


def test_a_mirror_that_does_not_exist_is_named_unless_the_configuration_has_another(project):
    (problem,) = problems_of(project, {"mirror": "nowhere"}, overrides={"mirror": "nowhere"})
    assert problem.startswith("--config: mirror: there is no folder 'nowhere'")
    (problem,) = problems_of(project, mirror="nowhere")
    assert problem.startswith("MVCLUST_MIRROR: mirror: there is no folder 'nowhere'")
    assert load({"mirror": str(project)}, project, mirror="nowhere").warnings == []
    edit(project, "runs/default.yaml", "bad_mirror: stop", "bad_mirror: warn")
    line = edit(project, "runs/default.yaml", "mirror: null", "mirror: nowhere")
    (warning,) = load({}, project).warnings
    assert f"default.yaml:{line}: mirror: there is no folder 'nowhere'" in warning


def test_a_run_that_computes_something_else_does_not_take_the_name_of_the_default(project):
    for config in {}, {"missing_data": "skip"}:
        assert load(config, project).run.run == "default"
    assert load({"seed": 1}, project).run.run == load_folders({"seed": 1}, project).run == "custom"
    assert load({}, project, overrides={"budget": {"repetitions": 1}}).run.run == "custom"
    assert load({"seed": 1, "run": "mine"}, project).run.run == "mine"
