"""The commands and examples of README, CONTRIBUTING, docs and configuration work as printed."""

import hashlib
import re
import shlex
import shutil
import subprocess
import sys
from importlib.util import find_spec

import pandas as pd
import pytest
from helpers import ROOT, pages_of_docs
from sklearn.datasets import load_iris

from mvclust.bench.verify.doctor import EXECUTORS
from workflow.project import call, copy_project, environment, succeed

README = (ROOT / "README.md").read_text()
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text()
RUNNING = (ROOT / "docs/running.md").read_text()
TEXTS = ["README.md", "CONTRIBUTING.md", "config/README.md", "profiles/README.md"]
TEXTS = [*(ROOT / name for name in TEXTS), *pages_of_docs()]
HEADS = [ROOT / "workflow/Snakefile"]
HEADS += [path for part in ("config", "profiles") for path in sorted((ROOT / part).rglob("*.yaml"))]
PEERS = ("imml", "mvlearn", "polyview")

# Plan runs of which a command names the file alone, and keep what a first run would, so that not
# every call imports all classes and reads all code.
PLAN = """
import sys
from mvclust.bench.config.load import load_run
from mvclust.bench.plan.costs import Costs
from mvclust.bench.plan.plan import Plan
from mvclust.bench.record.syntax import KEPT

for file in sys.argv[1:]:
    print(file, file=sys.stderr)
    configuration = load_run(file, ".")
    assert Plan(configuration, ".", Costs({})).slices["report"]
    configuration.classes.save("resources/classes.json")
KEPT.save("resources")
"""
OWN_CLASS = """
class MyMethod:
    def __init__(self, n_clusters, weight=1):
        self.n_clusters, self.weight = n_clusters, weight
"""


def blocks(kind, section):
    """The fenced blocks of a kind in a section of README, CONTRIBUTING or the page on runs."""
    (text,) = (text for text in (README, RUNNING, CONTRIBUTING) if f"\n## {section}\n" in text)
    content = text.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    return re.findall(rf"```{kind}\n(.*?)```", content, re.DOTALL)


def block(kind, section):
    return blocks(kind, section)[0]


def commands_of(path):
    """The calls of Snakemake that a file prints: lines, comment lines, and code within a line."""
    text = path.read_text()
    whole_lines = re.findall(r"^(?:#\s+)?snakemake (.*)", text, re.MULTILINE)
    within = re.findall(r"`snakemake ([^`]+)`", text)
    return [
        tuple(shlex.split(re.split("  | [|] ", line)[0], comments=True))
        for line in whole_lines + within
    ]


def all_commands():
    """Each command once, whatever its number of cores, with the file that has it first."""
    found = {}
    for path in (*TEXTS, *HEADS):
        for words in commands_of(path):
            key = re.sub(r"(--cores \d+|^-n$) *", "", shlex.join(words)).strip()
            found.setdefault(key, (path.relative_to(ROOT).as_posix(), words))
    return found


COMMANDS = all_commands()
ALONE = [key for key in COMMANDS if re.fullmatch(r"--configfile config/runs/\w+\.yaml", key)]
OTHERS = {key: of for key, of in COMMANDS.items() if key not in ALONE}


@pytest.fixture(scope="module")
def shared_project(tmp_path_factory):
    """A copy with all that the examples add, for calls that change nothing; runs are planned."""
    folder = copy_project(tmp_path_factory.mktemp("readme") / "project")
    add_method(folder)
    (folder / "config/experiments/mine.yaml").write_text(block("yaml", "Add an experiment"))
    explained, kind, experiment = blocks("yaml", "Add a question")
    append(folder / "config/questions.yaml", explained)
    append(folder / "config/multiverse.yaml", kind)
    (folder / "config/experiments/my_protocols.yaml").write_text(experiment)
    (folder / "results/paper").mkdir(parents=True)  # of which old fits are made again
    shutil.copy(ROOT / "results/paper/runs.parquet", folder / "results/paper")
    files = [key.removeprefix("--configfile ") for key in ALONE]
    if not all(map(find_spec, PEERS)):
        files.remove("config/runs/peers.yaml")
    line = [sys.executable, "-c", PLAN, *files, "config/runs/default.yaml"]
    subprocess.run(line, env=environment(folder), cwd=folder, check=True)
    (folder / "mine.yaml").write_text(block("yaml", "A method of your own package"))
    (folder / "my_package").mkdir()
    (folder / "my_package/my_module.py").write_text(OWN_CLASS)
    return folder


def append(path, text):
    path.write_text(path.read_text() + "\n" + text)


def add_method(project):
    (project / "mvclust/estimators/last_view.py").write_text(block("python", "Add a method"))
    append(project / "config/methods.yaml", block("yaml", "Add a method"))


def test_commands_are_found():
    assert {"README.md", "config/README.md"} <= {path for path, _ in COMMANDS.values()}
    assert "ueaf --configfile config/runs/paper.yaml" in COMMANDS
    assert "--workflow-profile profiles/slurm" in COMMANDS
    for path in TEXTS:  # none hides where the patterns do not look
        calls = re.findall(r"\bsnakemake -|\bsnakemake \w+ -", path.read_text())
        assert len(calls) == len(commands_of(path)), path


@pytest.mark.parametrize(
    ("place", "words"), OTHERS.values(), ids=[f"{p}: {key}" for key, (p, _) in OTHERS.items()]
)
def test_command_plans_its_jobs(shared_project, tmp_path, place, words):
    plugin, _ = EXECUTORS.get(words[-1].removeprefix("profiles/"), (None, None))
    if plugin and find_spec(f"snakemake_executor_plugin_{plugin}") is None:
        pytest.skip(f"snakemake_executor_plugin_{plugin} is not installed")
    places = {"PATH/Snakefile": str(shared_project / "Snakefile"), "FOLDER": str(tmp_path)}
    done = call(shared_project, "-n", *[places.get(word, word) for word in words])
    assert done.returncode == 0, f"{place}: {done.stdout[-4000:]}"
    assert ("digraph" if "--dag" in words else "Job stats:") in done.stdout


def test_workflow_is_a_module_of_another(shared_project, tmp_path):
    text = block("text", "Use it from elsewhere")
    text = text.replace("PATH/Snakefile", str(shared_project / "Snakefile"))
    (tmp_path / "Snakefile").write_text('configfile: "config.yaml"\n\n' + text)
    (tmp_path / "config.yaml").write_text("mvclust: {run: tiny, experiments: [tiny]}\n")
    done = call(tmp_path, "-n", "mvclust_all", "--cores", "2", code=shared_project)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "mvclust_fit" in done.stdout
    done = call(tmp_path, "mvclust_data", "--cores", "2", code=shared_project)  # jobs need a plan
    assert done.returncode == 0, done.stdout[-4000:]
    assert list(tmp_path.glob("resources/datasets/*.h5"))


def test_adding_a_method_a_data_set_and_an_experiment(tmp_path, monkeypatch):
    project = copy_project(tmp_path / "project")
    add_method(project)
    check = blocks("python", "Add a method")[1]
    assert "check_estimator(LastView)" in check
    subprocess.run([sys.executable, "-c", check], env=environment(project), cwd=project, check=True)
    (project / "mvclust/datasets/readers/iris.py").write_text(block("python", "Add a data set"))

    mirror = tmp_path / "mirror"
    (mirror / "iris").mkdir(parents=True)
    iris = load_iris()
    table = pd.DataFrame(iris.data).assign(y=iris.target)
    table.to_csv(mirror / "iris/iris.csv", index=False)
    checksum = hashlib.sha256((mirror / "iris/iris.csv").read_bytes()).hexdigest()
    entry = re.sub(r"sha256: \w+", f"sha256: {checksum}", block("yaml", "Add a data set"))
    append(project / "config/datasets.yaml", entry)

    (project / "config/experiments/mine.yaml").write_text(
        block("yaml", "Add an experiment")
        .replace("dataset: handwritten", "dataset: iris")
        .replace("views: [kar, pix, zer]", "views: [sepal, petal]")
        .replace("missing_rates: [0.6]", "missing_rates: [0.1]")
        .replace("[DAIMC, ConcatKMeans-knn]", "[LastView, ConcatKMeans-knn]")
    )
    (project / "tiny.yaml").write_text(
        "run: tiny\nexperiments: [digits_at_60_percent]\ndatasets: [iris]\n"
    )
    monkeypatch.setattr("workflow.project.find_mirror", lambda: mirror)
    succeed(project, "results/tiny/tables/digits_at_60_percent.csv")
    results = pd.read_csv(project / "results/tiny/tables/digits_at_60_percent.csv")
    assert set(results["method"]) == {"LastView", "k-means, kNN-filled"}
    assert set(results["tuning"]) == {"oracle", "default", "label-free"}
    assert (project / "results/tiny/figures/digits_at_60_percent.svg").stat().st_size > 1000
    assert results.loc[results["metric"] == "ACC", "mean"].between(50, 100).all()


def test_python_example_runs(mirror, tmp_path, monkeypatch):
    monkeypatch.setenv("MVCLUST_CACHE", str(tmp_path))
    names = {}
    exec(block("python", "The estimators"), names)
    assert names["model"].labels_.shape == names["data"].y.shape
