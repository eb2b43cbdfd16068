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


def mvclust(folder, *words):
    """Call the command in a folder."""
    return run_python(folder, "-m", "mvclust.cli", *words, code=ROOT)


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
    if name == "news":  # labels may have another order
        topics = pd.read_csv("news/labels.csv", index_col="document")
        topics.sample(frac=1, random_state=0).to_csv("news/labels.csv")
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
    files = list((tmp_path / "resources").rglob("*.h5"))
    assert len(files) == 2
    assert len({file.stat().st_ino for file in files}) == 1  # the data are on the disk once

    page = tmp_path / f"results/{name}/report.html"
    html = page.read_text(encoding="utf-8")
    assert html.index('id="answer"') < html.index("Methods compared")
    assert html.count("data:image/svg+xml;base64,") == 8 + (name == "tumours")  # its survival
    table = pd.read_csv(tmp_path / f"results/{name}/tables/{name}.csv")
    assert table["mean"].notna().all()
    assert data_of_page(page)["experiments"][0]["title"] == f"{name}, as in the files"
    found = [set(table[column]) for column in ("setting", "tuning", "metric")]
    expected = [{"natural"}, {"default", "label-free"}, {"Silhouette", "Stability"}]
    if name == "news":  # it has labels, and lacks no instance
        expected = [{"complete"}, expected[1] | {"oracle"}, expected[2] | {"ACC", "NMI", "ARI"}]
        assert table.loc[table["metric"] == "ACC", "mean"].max() > 95
        assert labels["class"].to_dict() == topics["topic"].to_dict()
    assert found == expected


def test_the_commands_of_the_readme(tmp_path):
    (tmp_path / "FOLDER").mkdir()
    X, y = np.random.default_rng(0).random((24, 5)), np.repeat([1, 2, 3], 8)
    np.savez(tmp_path / "FOLDER" / "a.npz", one=X, two=X[:, ::2] ** 2, y=y)
    lines = re.findall(
        r"^mvclust ((?:look|run) .*?)(?:  |$)", (ROOT / "README.md").read_text(), re.MULTILINE
    )
    assert len(lines) == 4
    for line in lines:
        words = shlex.split(line)
        dry = ["-n"] if words[0] == "run" and "-n" not in words else []
        done = mvclust(tmp_path, *words, *dry)
        assert done.returncode == 0, f"{line}: {done.stdout[-4000:]}"
