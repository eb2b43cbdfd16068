"""The cost of fits, from made-up runs."""

import itertools

import pandas as pd
import pytest

from mvclust.bench.report.cost_table import draw_cost, write_cost

METHODS = [{"key": "B", "label": "Bee"}, {"key": "A", "label": "A"}]
ROWS = [
    {
        "method": method, "dataset": "d", "views": ["a", "b"], "n_samples": n,
        "setting": f"d.{n}", "key": f"{method}{n}{point}", "error": None,
        "cpu_seconds": n / 100 + point, "peak_mb": 100.0, "acc": 0.5 + point / 10,
        "param_p": point, "param_max_iter": None,
    }
    for method, n in (("A", 100), ("A", 200), ("B", 100)) for point in (1, 2)
]  # fmt: skip
CUT = ROWS[0] | {"key": "cut", "param_max_iter": 1.0, "cpu_seconds": 0.001}
FAILED = ROWS[0] | {"key": "failed", "error": "no", "cpu_seconds": None, "acc": None}
RUNS = pd.DataFrame([*ROWS, CUT, FAILED])
KINDS = {
    "whole": RUNS,
    "without sweeps": RUNS.drop(columns=["param_max_iter", "param_p"]),
    "failed": RUNS.assign(error="no"),
    "none": RUNS.iloc[:0],
    "no columns": pd.DataFrame(),
}


def compared(**methods):
    """A table of costs: label -> seconds, percent, on the data that all share; others' is None."""
    rows = [(label, "d", seconds, percent, 9, 1.0) for label, (seconds, percent) in methods.items()]
    columns = ["method", "dataset", "cpu_seconds", "acc", "n_samples", "peak_mb"]
    return pd.DataFrame(rows, columns=columns).astype({"acc": float})


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


@pytest.mark.parametrize("kind", KINDS)
def test_files(kind, tmp_path):
    write_cost(KINDS[kind], METHODS, [], tmp_path)
    nothing = kind in ("failed", "none", "no columns")
    for file in ("tables/cost.md", "figures/cost.svg"):
        assert ("No run was fitted" in (tmp_path / file).read_text()) == nothing
    columns = pd.read_csv(tmp_path / "tables/cost.csv").columns
    assert list(columns)[:4] == ["method", "dataset", "views", "n_samples"]
    assert (tmp_path / "tables/cost.tex").read_text().count(r"\begin{tabular}") == 2
