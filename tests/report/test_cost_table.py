"""The cost of fits, from made-up runs."""

import itertools

import numpy as np
import pandas as pd
import pytest

from mvclust.pipeline.score.cost import cost_table, seconds_table
from mvclust.report.cost_table import draw_cost, write_cost

METHODS = [
    {"key": "B", "label": "Bee", "reference": False, "place": 0},
    {"key": "A", "label": "A", "reference": False, "place": 1},
]


def runs_of():
    rows = [
        {
            "method": method, "dataset": "d", "views": ["a", "b"], "n_samples": n,
            "setting": f"d.{n}", "key": f"{method}{n}{point}", "error": None,
            "cpu_seconds": n / 100 + point, "peak_mb": 100.0, "acc": 0.5 + point / 10,
            "param_p": point, "param_max_iter": None,
        }
        for method in "AB"
        for n in (100, 200) if method == "A" or n == 100
        for point in (1, 2)
    ]  # fmt: skip
    cut = rows[0] | {"key": "cut", "param_max_iter": 1.0, "cpu_seconds": 0.001}
    failed = rows[0] | {"key": "failed", "error": "no", "cpu_seconds": None, "acc": None}
    return pd.DataFrame([*rows, cut, failed])


def test_cost_is_compared_on_what_most_methods_share():
    table = cost_table(runs_of(), METHODS)
    assert table["method"].tolist() == ["Bee", "A", "A"]
    assert table["views"].tolist() == ["a+b"] * 3
    assert table["n_fits"].tolist() == [2, 2, 2]
    np.testing.assert_allclose(table["acc"].tolist()[:2], [70.0, 70.0])  # the better point's
    assert np.isnan(table["acc"].iloc[2])


def test_seconds_stand_side_by_side_where_most_methods_ran():
    wide = seconds_table(cost_table(runs_of(), METHODS))
    assert wide.index.tolist() == ["Bee", "A"]
    assert wide.columns.tolist() == ["d, 100"]  # of 200 samples there is one method only
    np.testing.assert_allclose(wide["d, 100"], [2.5, 2.5])  # the median over the two points
    alone = seconds_table(cost_table(runs_of().query("n_samples == 200 or method == 'B'"), METHODS))
    assert alone.columns.tolist() == ["d, 200"]
    assert np.isnan(alone.loc["Bee", "d, 200"])


@pytest.mark.parametrize("sizes", [(90, 116, 169, 416, 2000, 2708), (100, 101), (100,)])
def test_sizes_on_the_axis_do_not_touch(sizes):
    table = cost_table(runs_of(), METHODS).iloc[[1] * len(sizes)].assign(n_samples=sizes)
    figure = draw_cost(table, METHODS)
    figure.draw_without_rendering()
    labels = [label.get_window_extent() for label in figure.axes[0].get_xticklabels()]
    assert labels
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(labels))


@pytest.mark.parametrize("kind", ["whole", "without sweeps", "failed", "none", "no columns"])
def test_files(kind, tmp_path):
    runs = runs_of()
    runs = {
        "whole": runs,
        "without sweeps": runs.drop(columns=["param_max_iter", "param_p"]),
        "failed": runs.assign(error="no"),
        "none": runs.iloc[:0],
        "no columns": pd.DataFrame(),
    }[kind]
    write_cost(runs, METHODS, tmp_path)
    nothing = kind in ("failed", "none", "no columns")
    for file in ("tables/cost.md", "figures/cost.svg"):
        assert ("No run was fitted" in (tmp_path / file).read_text()) == nothing
    columns = pd.read_csv(tmp_path / "tables/cost.csv").columns
    assert list(columns)[:4] == ["method", "dataset", "views", "n_samples"]
    assert (tmp_path / "tables/cost.tex").read_text().count(r"\begin{tabular}") == 2
