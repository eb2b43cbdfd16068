"""The cost of fits, from made-up runs."""

import itertools

import numpy as np
import pandas as pd
import pytest

from mvclust.bench.report.cost_table import draw_cost, write_cost
from mvclust.bench.score.cost import cost_table, seconds_table

METHODS = [{"key": "B", "label": "Bee"}, {"key": "A", "label": "A"}]


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


def compared(**methods):
    """A table of costs: label -> seconds, percent, on the data that all share; others' is None."""
    rows = [
        {"method": label, "dataset": "d", "cpu_seconds": seconds, "acc": percent}
        for label, (seconds, percent) in methods.items()
    ]
    return pd.DataFrame(rows).astype({"acc": float}).assign(n_samples=9, peak_mb=1.0)


def test_the_fastest_method_is_on_top_and_what_none_beats_is_filled():
    table = compared(Slow=(9, 80), Beaten=(5, 30), Best=(2, 90), Fast=(1, 40), Apart=(0.1, None),
                     Given=(0.01, 100))  # fmt: skip
    seconds, _, accuracy = draw_cost(table, ["Given", "not run"]).axes
    names = [label.get_text() for label in seconds.get_yticklabels()]
    assert names == ["Given", "Fast", "Best", "Beaten", "Slow", "Apart"]  # no control is compared
    low, high = seconds.get_ylim()
    assert low > high  # the first is on top
    for axes, shown in ((seconds, [0.01, 1, 2, 5, 9]), (accuracy, [100, 40, 90, 30, 80])):
        dots = axes.collections[-1]
        x, y = dots.get_offsets().T
        assert x.tolist() == [*shown, None]
        assert y.tolist() == [*range(5), None]
        filled = (dots.get_facecolors()[:, :3] < 0.5).all(axis=1)
        assert filled.tolist() == [False, True, True, False, False, False]


@pytest.mark.parametrize("number", [1, 2, 45, 80])
def test_names_of_methods_do_not_touch(number):
    label = "A method of a long name, 5 % (reconstructed)"
    figure = draw_cost(compared(**{f"{label} {i}": (i + 1, i) for i in range(number)}))
    figure.draw_without_rendering()
    names = [name.get_window_extent() for name in figure.axes[0].get_yticklabels()]
    assert len(names) == number
    assert all(lower.y1 < upper.y0 + 1 for upper, lower in itertools.pairwise(names))
    below = [axes.xaxis.label.get_window_extent() for axes in figure.axes]
    assert all(left.x1 < right.x0 for left, right in itertools.pairwise(below))


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
    write_cost(runs, METHODS, [], tmp_path)
    nothing = kind in ("failed", "none", "no columns")
    for file in ("tables/cost.md", "figures/cost.svg"):
        assert ("No run was fitted" in (tmp_path / file).read_text()) == nothing
    columns = pd.read_csv(tmp_path / "tables/cost.csv").columns
    assert list(columns)[:4] == ["method", "dataset", "views", "n_samples"]
    assert (tmp_path / "tables/cost.tex").read_text().count(r"\begin{tabular}") == 2
