"""Every mistake in the configuration is found, at once, with its place and the nearest name."""

import shutil

import pytest
import yaml
from helpers import ROOT

from mvclust.benchmark.config import ConfigError, check_config
from mvclust.benchmark.plan import Plan
from mvclust.metrics import METRICS


@pytest.fixture
def project(tmp_path):
    """A copy of what the check reads."""
    shutil.copytree(ROOT / "config", tmp_path / "config")
    shutil.copytree(ROOT / "workflow/schemas", tmp_path / "workflow/schemas")
    return tmp_path


def check(project, **changes):
    config = yaml.safe_load((project / "config/config.yaml").read_text())
    return check_config(config | changes, project, [project / "config/config.yaml"])


def problems_of(project, **changes):
    with pytest.raises(ConfigError) as caught:
        check(project, **changes)
    return caught.value.problems


def edit(project, file, old, new):
    path = project / "config" / file
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))
    return text[: text.index(old)].count("\n") + 1


def test_the_shipped_configurations_are_right(project):
    assert "daimc_fig1" in check(project)["experiments"]
    default = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    for name in ("smoke", "paper", "tables"):
        other = yaml.safe_load((ROOT / f"config/{name}.yaml").read_text())
        other["budget"] = default["budget"] | other["budget"]
        assert 10 < len(Plan(check(project, **other)).jobs) < 2000


def test_all_mistakes_are_told_at_once_with_file_line_and_nearest_name(project):
    line = edit(project, "config.yaml", "seed: 0 ", "sead: 0 ")
    other = edit(project, "config.yaml", "repetitions: 2 ", "repetitions: none ")
    with pytest.raises(ConfigError) as caught:
        config = yaml.safe_load((project / "config/config.yaml").read_text())
        check_config(config, project, [project / "config/config.yaml"])
    text = str(caught.value)
    assert f"config/config.yaml:{line}: sead: unknown key 'sead'; did you mean 'seed'?" in text
    assert f"config.yaml:{other}: budget.repetitions: expected a whole number or null" in text
    assert "lacks the key 'seed'" in text
    assert text.startswith("The configuration has 3 mistakes:")


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("experiments/daimc.yaml", "DAIMC, MIC", "DAIMK, MIC", "unknown method 'DAIMK'; did you mean 'DAIMC'?"),
        ("experiments/daimc.yaml", "dataset: handwritten", "dataset: handwriten", "unknown data set 'handwriten'; did you mean 'handwritten'?"),
        ("experiments/daimc.yaml", "views: [fou,", "views: [fau,", "unknown view 'fau'; did you mean 'fou'?"),
        ("experiments/daimc.yaml", "NMI: nmi_arithmetic", "NMI: nmi_aritmetic", "unknown value 'nmi_aritmetic'; did you mean 'nmi_arithmetic'?"),
        ("experiments/daimc.yaml", "rates: [0, 0.1", "rates: [0, 1.1", "1.1 is out of range, expected from 0 to 1"),
        ("experiments/daimc.yaml", "rates: [0, 0.1", "rates: [0, 0.9", "every sample keeps one only up to the rate 0.5; the rates go to 0.9"),
        ("experiments/daimc.yaml", "rates: [0.4]", "rates: []", "rates is empty; give at least one"),
        ("experiments/daimc.yaml", "repetitions: 5", "repetitions: five", "expected a whole number, got 'five'"),
        ("experiments/daimc.yaml", "  render: curves\n", "", "lacks the key 'render'"),
        ("experiments/daimc.yaml", "beta: 0.1, tol", "betta: 0.1, tol", "unknown parameter 'betta'; did you mean 'beta'?"),
        ("experiments/daimc.yaml", "daimc_fig2b:", "daimc_fig2a:", "the key 'daimc_fig2a' stands here and on line"),
        ("experiments/ueaf.yaml", "render: curves", "render: surfaces", "surfaces need 'sweep: true' and under grids.BSV a grid over two parameters, not nothing"),
        ("experiments/ueaf.yaml", "views: [pix, fou]", "views: [pix, fou, kar]", "has 3 views; the protocol 'paired' needs two"),
        ("experiments/ueaf.yaml", "ueaf_table2:", "daimc_fig1:", "the experiment 'daimc_fig1' stands also in"),
        ("algorithms.yaml", "beta: [0.1, 1, 10]", "beta: []", "DAIMC.grid.beta is empty; give at least one"),
        ("algorithms.yaml", "beta: [0.1, 1, 10]", "beta: 3", "DAIMC.grid.beta: expected a list of values, per_view or per_pair, got 3"),
        ("algorithms.yaml", "alpha: 10, beta", "alpa: 10, beta", "unknown parameter 'alpa'; did you mean 'alpha'?"),
        ("algorithms.yaml", "daimc.DAIMC", "daimc.DAIMK", "has no class 'DAIMK', only DAIMC"),
        ("algorithms.yaml", "daimc.DAIMC", "daimk.DAIMC", "there is no module 'mvclust.estimators.daimk'"),
        ("algorithms.yaml", "fixed: {variant: author}", "fixed: {n_clusters: 3}", "DAIMC.fixed.n_clusters is set by the pipeline"),
        ("algorithms.yaml", "default: {view: silhouette}", "default: {}", "BSV.default lacks 'view', which the grid varies"),
        ("datasets.yaml", "reader: handwritten", "reader: handwriten", "there is no module 'mvclust.datasets.readers.handwriten'"),
        ("datasets.yaml", "  title: UCI", "  titel: UCI", "unknown key 'titel'; did you mean 'title'?"),
        ("config.yaml", "seed: 0 ", "seed: -1 ", "seed: -1 is out of range, expected at least 0"),
        ("config.yaml", "- daimc_fig1\n", "- daimc_fig9\n", "unknown experiment 'daimc_fig9'; did you mean 'daimc_fig"),
        ("config.yaml", "seed: 0 ", "seed: [", "not valid YAML"),
    ],
)  # fmt: skip
def test_each_kind_of_mistake(project, file, old, new, message):
    line = edit(project, file, old, new)
    config = project / "config/config.yaml"
    try:
        merged = yaml.safe_load(config.read_text())
    except yaml.YAMLError:
        merged = {}
    with pytest.raises(ConfigError) as caught:
        check_config(merged, project, [config])
    told = [problem for problem in caught.value.problems if message in problem]
    assert told, caught.value
    if "lacks the key" not in message:
        near = [f"{file}:{number}: " for number in range(line - 2, line + 3)]
        assert any(place in told[0] for place in near), told[0]


def test_a_mistake_of_the_command_line_says_so(project):
    assert any(p.startswith("--config") for p in problems_of(project, extra=1))


def test_schema_knows_the_metrics():
    import json

    schema = json.loads((ROOT / "workflow/schemas/experiments.schema.json").read_text())
    metrics = schema["additionalProperties"]["properties"]["metrics"]
    assert set(metrics["additionalProperties"]["enum"]) == set(METRICS)
