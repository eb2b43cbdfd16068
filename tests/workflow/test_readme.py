"""The README's examples work as they stand."""

import hashlib
import re

import pandas as pd
import pytest
from helpers import ROOT, find_mirror
from sklearn.datasets import load_iris

from workflow.project import copy_project, environment, succeed

README = (ROOT / "README.md").read_text()


def block(kind, after):
    """The first fenced block of a kind behind a piece of text."""
    start = README.index(after)
    return re.search(rf"```{kind}\n(.*?)```", README[start:], re.DOTALL).group(1)


@pytest.fixture
def project(tmp_path):
    return copy_project(tmp_path / "project")


def append(path, text):
    path.write_text(path.read_text() + "\n" + text)


def test_adding_a_method_and_a_data_set(project, tmp_path, monkeypatch):
    (project / "mvclust/estimators/last_view.py").write_text(block("python", "## Add a method"))
    append(project / "config/algorithms.yaml", block("yaml", "## Add a method"))
    (project / "mvclust/datasets/readers/iris.py").write_text(block("python", "## Add a data set"))

    mirror = tmp_path / "mirror"
    (mirror / "iris").mkdir(parents=True)
    iris = load_iris()
    table = pd.DataFrame(iris.data).assign(y=iris.target)
    table.to_csv(mirror / "iris/iris.csv", index=False)
    checksum = hashlib.sha256((mirror / "iris/iris.csv").read_bytes()).hexdigest()
    entry = re.sub(r"sha256: \w+", f"sha256: {checksum}", block("yaml", "## Add a data set"))
    append(project / "config/datasets.yaml", entry)

    tiny = project / "config/experiments/tiny.yaml"
    text = tiny.read_text().replace("dataset: handwritten", "dataset: iris")
    text = text.replace("views: [pix, fou]", "views: [sepal, petal]")
    tiny.write_text(text.replace("[DAIMC, BSV, KMeans-kNN]", "[LastView, KMeans-kNN]"))
    monkeypatch.setattr("workflow.project.find_mirror", lambda: mirror)
    succeed(project)
    results = pd.read_csv(project / "results/tables/tiny.csv")
    assert set(results["method"]) == {"LastView", "k-means, kNN-filled"}
    complete = results[(results["metric"] == "ACC") & (results["setting"] == "paired_rate=0.7")]
    assert complete["mean"].between(50, 100).all()


def test_adding_an_experiment(project):
    (project / "config/experiments/mine.yaml").write_text(block("yaml", "## Add an experiment"))
    (project / "tiny.yaml").write_text(
        "experiments: [digits_at_70_percent]\n"
        "budget: {repetitions: 2, samples_per_class: 15, grid_points: 2}\n"
    )
    succeed(project)
    results = pd.read_csv(project / "results/tables/digits_at_70_percent.csv")
    assert set(results["method"]) == {"DAIMC", "k-means, kNN-filled"}
    assert set(results["tuning"]) == {"oracle", "default", "label-free"}
    assert (project / "results/figures/digits_at_70_percent.svg").stat().st_size > 1000


def test_python_example_runs(tmp_path, monkeypatch):
    if find_mirror() is None:
        pytest.skip("no mirror of the data sets here (set MVCLUST_MIRROR)")
    monkeypatch.setenv("MVCLUST_MIRROR", environment(tmp_path)["MVCLUST_MIRROR"])
    monkeypatch.setenv("MVCLUST_CACHE", str(tmp_path))
    names = {}
    exec(block("python", "## The estimators"), names)
    assert names["model"].labels_.shape == names["data"].y.shape
