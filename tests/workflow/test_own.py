"""Folders as users have them run with one command, to the report."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from helpers import ROOT

from mvclust import cli
from workflow.project import data_of_page, run_python

N = 24
Y = np.repeat([1, 2, 3], N // 3)
RNG = np.random.default_rng(0)
A, B = (5 * np.eye(3, d)[Y - 1] + RNG.random((N, d)) for d in (5, 4))
FEW = ["--methods", "DAIMC,BestSingleView,ConcatKMeans-knn", "--cores", "2"]


def mvclust(folder, *words):
    """Call the command in a folder."""
    return run_python(folder, "-m", "mvclust.cli", *words, code=ROOT)


def test_a_folder_to_the_report(tmp_path):
    (tmp_path / "mine").mkdir()
    ids = [f"s{n}" for n in range(N)]
    for name, X in (("first", A), ("second", B)):
        table = pd.DataFrame(X, ids)
        table.iloc[3, 1] = np.nan
        table = table.drop(index="s5") if name == "second" else table
        table = table.sample(frac=1, random_state=0)
        table.to_csv(tmp_path / f"mine/{name}.csv", index_label="id")
    pd.DataFrame({"label": Y}, ids).to_csv(tmp_path / "mine/labels.csv", index_label="id")
    done = mvclust(tmp_path, "run", "mine", *FEW)
    assert done.returncode == 0, done.stdout[-4000:]
    assert "mvclust: report: results/mine/report.html" in done.stdout
    table = pd.read_csv(tmp_path / "results/mine/tables/mine.csv")
    assert set(table["setting"]) == {"natural"}
    assert table.loc[table["metric"] == "ACC", "mean"].max() == 100
    assert set(table["tuning"]) == {"default", "label-free", "oracle"}
    assert set(table["metric"]) == {"Silhouette", "Stability", "ACC", "NMI", "ARI"}
    assert table["mean"].notna().all()
    page = tmp_path / "results/mine/report.html"
    shown = data_of_page(page)["experiments"]
    assert [experiment["title"] for experiment in shown] == ["mine, as in the files"]
    answer = pd.read_csv(tmp_path / "results/mine/labels.csv", index_col="sample")
    assert set(answer.index) == set(ids)
    assert (answer["class"] == [Y[int(name[1:])] for name in answer.index]).all()
    html = page.read_text(encoding="utf-8")
    assert html.index('id="answer"') < html.index("Methods compared")
    assert html.count("data:image/svg+xml;base64,") == 8  # all but survival
    files = list((tmp_path / "resources").rglob("*.h5"))
    assert len(files) == 2
    assert len({file.stat().st_ino for file in files}) == 1  # the data are on the disk once


WALKS = re.findall(
    r"```python\n(.*?)```\n\n```sh\nmvclust look (\w+)\n.*?```sh\nmvclust (run .*?)\n```",
    (ROOT / "docs" / "own_data.md").read_text(encoding="utf-8"),
    re.DOTALL,
)


@pytest.mark.parametrize(("code", "name", "command"), WALKS, ids=[walk[1] for walk in WALKS])
def test_a_walk_of_the_page_ends_with_an_answer(code, name, command, tmp_path, monkeypatch):
    """docs/own_data.md: the Python that makes the files, one look, one run."""
    monkeypatch.chdir(tmp_path)
    exec(code, {})
    assert cli.main(["look", name]) == 0
    done = mvclust(tmp_path, *shlex.split(command), "--cores", "2")
    assert done.returncode == 0, done.stdout[-4000:]
    assert f"report: results/{name}/report.html" in done.stdout
    labels = pd.read_csv(tmp_path / f"results/{name}/labels.csv", index_col="sample")
    content = json.loads((tmp_path / f"results/{name}/answer.json").read_text(encoding="utf-8"))
    assert [row["sample"] for row in content["labels"]] == labels.index.tolist()
    assert (content["survival"] is not None) == (name == "tumours")
    written = [tmp_path / place / "views.yaml" for place in (name, f"results/{name}")]
    assert written[0].read_text(encoding="utf-8") == written[1].read_text(encoding="utf-8")


def test_the_commands_of_the_readme(tmp_path):
    (tmp_path / "FOLDER").mkdir()
    np.savez(tmp_path / "FOLDER" / "a.npz", one=A, two=B, y=Y)
    lines = re.findall(
        r"^mvclust ((?:look|run) .*?)(?:  |$)", (ROOT / "README.md").read_text(), re.MULTILINE
    )
    assert len(lines) == 4
    for line in lines:
        words = shlex.split(line)
        dry = ["-n"] if words[0] == "run" and "-n" not in words else []
        done = mvclust(tmp_path, *words, *dry)
        assert done.returncode == 0, f"{line}: {done.stdout[-4000:]}"
