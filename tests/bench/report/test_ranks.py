"""Ranks over data sets, from made-up scores."""

import re

import numpy as np
import pytest
from bench.report.made_up import describe, grid_of, methods_of, scores_of

from mvclust.bench.report.findings import finding
from mvclust.bench.report.ranks import draw_ranks, rank_tests
from mvclust.bench.report.tables import write_tables
from mvclust.bench.score.overall import blocks_of, rank_table, reference_table
from mvclust.metrics import SCORES, Metric

METHODS = {"A": 80.0, "B": 60.0, "C": 59.0, "D": 20.0}
DESCRIBED = describe("ranks", METHODS, metrics={"ACC": "acc"})


@pytest.fixture
def results():
    rng = np.random.default_rng(0)
    rows = grid_of(
        dataset=["one", "two", "three", "four"], missing_rate=[0.0, 0.3],
        tuning=["oracle", "default", "label-free"], method=list(METHODS),
    )  # fmt: skip
    return scores_of([row | {"mean": METHODS[row["method"]] + rng.normal()} for row in rows])


def test_methods_without_enough_data_sets_are_named(results, tmp_path):
    results.loc[(results["method"] == "B") & (results["dataset"] != "one"), "mean"] = np.nan
    table = rank_table(DESCRIBED, results)
    assert set(table["method"]) == {"A", "C", "D"}
    assert table["left_out"].tolist() == [["B"]] * len(table)
    write_tables(DESCRIBED, results, tmp_path / "ranks", tests=rank_tests(DESCRIBED, results))
    assert "left out: B." in (tmp_path / "ranks.md").read_text()


def test_too_few_blocks_give_a_figure_that_says_so(results):
    few = results[(results["dataset"] == "one") & (results["missing_rate"] == 0)]
    (text,) = draw_ranks(DESCRIBED, few).texts
    assert "Too few data sets" in text.get_text().replace("\n", " ")
    assert rank_table(DESCRIBED, few).empty


def test_the_best_of_a_metric_may_be_its_lowest_value(results, tmp_path, monkeypatch):
    loss = Metric("loss", "a loss", len, bounds=(0.0, 100.0), higher_is_better=False)
    monkeypatch.setitem(SCORES, "loss", loss)
    methods = methods_of(*METHODS)
    methods[1]["reference"] = True
    changes = {"blocks": "datasets", "methods": methods, "metrics": {"ACC": "loss"}}
    described = DESCRIBED | changes
    wide = blocks_of(described, results)
    table, beside = rank_table(described, wide), reference_table(described, wide)
    for each in (table, beside):
        assert each.groupby("tuning")["method"].first().tolist() == ["D", "D", "D"]
    assert table.groupby("method")["wins"].first()["D"] == 4 * 3
    assert beside.groupby("method")["above"].first().to_dict() == {"A": 0, "C": 0, "D": 4}
    write_tables(described, results, tmp_path / "ranks", wide)
    assert set(re.findall(r"^(\w+).*textbf", (tmp_path / "ranks.tex").read_text(), re.M)) == {"D"}
    grouped = DESCRIBED | {"render": "groups", "metrics": {"ACC": "loss"}}
    assert "D: 8" in finding(grouped, results, None)
