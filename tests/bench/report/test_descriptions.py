"""Tables of what is in the data sets, and the figure of partitions."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from bench.blobs import make_dataset

from mvclust.bench.report.datasets import make_description, overview, statements
from mvclust.bench.report.partitions import draw_partitions, make_partitions
from mvclust.datasets.record import write_dataset, write_unavailable
from mvclust.testing import make_blobs

ENTRIES = {
    "blobs": {
        "paper_says": [
            {"paper": "one", "called": "Blobs", "n_samples": 45, "dimensions": [5, 4, 6]},
            {"paper": "two", "called": "B", "subset": "small", "n_samples": 99},
        ],
        "default_subset": "all", "prepared": {"": "blobs", "small": "blobs-small"},
        "notes": ["A note."], "licence": "CC0",
    },
    "lost": {"paper_says": [{"paper": "three", "called": "L", "n_views": 3}]},
    "elsewhere": {"paper_says": [{"paper": "one", "called": "E", "n_views": 2}]},
}  # fmt: skip
for name in ("lost", "elsewhere"):
    ENTRIES[name] |= {"default_subset": "all", "prepared": {"": name}}


def write_blobs(path, n):
    """Write a data set of so many samples per class."""
    Xs, y = make_blobs(n)
    write_dataset(replace(make_dataset(), Xs=Xs, y=y, presence=np.ones((len(y), 3), bool)), path)


@pytest.fixture
def files(tmp_path):
    """Prepared files: two versions of one data set, another without its data."""
    paths = {name: tmp_path / f"{name}.h5" for name in ("blobs", "blobs-small", "lost")}
    write_blobs(paths["blobs"], 15)
    write_blobs(paths["blobs-small"], 5)
    write_unavailable("lost", "no source", paths["lost"])
    return paths


def test_statements_beside_the_files(files):
    table = statements(ENTRIES, "beyond", files)
    assert table["agrees"].tolist() == ["yes", "yes", "no", "", ""]
    assert table["dataset"].tolist() == ["blobs", "blobs", "blobs-small", "lost", "elsewhere"]
    assert table["prepared"].tolist() == ["45", "5, 4, 6", "15", "", ""]
    assert table["source"].tolist()[3:] == ["data not available", "not in this run"]
    assert statements(ENTRIES, "two", files)["called"].tolist() == ["B"]


def test_overview_names_disagreements(files):
    table = overview(ENTRIES, files).set_index("dataset")
    sentence = "two states n_samples 99, the files hold 15"
    assert table.loc["blobs", ["disagreements", "n_samples"]].tolist() == [sentence, "45"]
    assert table.loc["lost", "source"] == "data not available"


def describe(paper, files, folder, order=()):
    make_description({
        "id": "sizes", "title": "Sizes", "caption": "As read.", "paper": paper, "order": order,
        "entries": ENTRIES, "inputs": {"data": files},
        "outputs": [str(folder / "tables/sizes.csv")],
    })  # fmt: skip


@pytest.mark.parametrize(("paper", "rows"), [("beyond", 3), ("none", 0)])
def test_description_files(paper, rows, files, tmp_path):
    describe(paper, files, tmp_path)
    assert len(pd.read_csv(tmp_path / "tables/sizes.csv")) == rows
    for suffix in ("md", "tex"):
        assert "Sizes. As read." in (tmp_path / f"tables/sizes.{suffix}").read_text()


def test_a_table_of_data_sets_has_a_line_for_each_in_the_papers_order(files, tmp_path):
    order = ["E", "Blobs"]
    describe("one", files, tmp_path, order)
    lines = (tmp_path / "tables/sizes.md").read_text().split("\n")
    head, _, *body = [line for line in lines if line.startswith("|")]
    assert "| instances | views | features of each view |" in head
    assert [line.split(" | ")[0].strip("| ") for line in body] == order
    assert "45 [45]" in body[1]
    assert "– [2]" in body[0]
    assert "\\label{tab:sizes}" in (tmp_path / "tables/sizes.tex").read_text()


def test_a_figure_of_partitions_has_the_views_of_the_paper():
    rows = [(name, 0, "0", 0.0, 0.0) for name in ("a", "b", "c", "consensus")]
    table = pd.DataFrame(rows, columns=["partition", "sample", "class", "x", "y"])
    titles = [axes.get_title() for axes in draw_partitions(table, ["c", "a"]).axes]
    assert titles == ["view 3: c", "view 1: a", "consensus", ""]


def partition(file, folder):
    make_partitions({
        "id": "toy", "title": "Partitions", "caption": "Made up.", "views": [],
        "inputs": {"data": [file]}, "outputs": [str(folder / "tables/toy.csv")],
    })  # fmt: skip


def test_partitions_without_data_say_so(files, tmp_path):
    partition(files["lost"], tmp_path)
    for file in ("tables/toy.md", "tables/toy.tex", "figures/toy.svg"):
        assert "data not available" in (tmp_path / file).read_text()


def test_partitions_of_blobs(files, tmp_path):
    partition(files["blobs"], tmp_path)
    table = pd.read_csv(tmp_path / "tables/toy.csv")
    sizes = dict.fromkeys(["a", "b", "c", "consensus"], 45)
    assert table.groupby("partition").size().to_dict() == sizes
    assert "* consensus: 45 samples" in (tmp_path / "tables/toy.md").read_text()
    figures = {path.name for path in (tmp_path / "figures").iterdir()}
    assert figures == {"toy.svg", "toy.pdf", "toy.png"}
    for file in ("tables/toy.md", "figures/toy.svg"):
        assert "blobs: n = 45" in (tmp_path / file).read_text()
