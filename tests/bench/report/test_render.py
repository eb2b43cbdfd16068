"""Every kind of figure, from made-up results with gaps, failures and nothing at all."""

import csv

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import FAILED, describe, grid_of, methods_of, result, scores_of, table_of
from matplotlib.text import Text

from mvclust.bench.report.curves import draw_curves
from mvclust.bench.report.findings import finding
from mvclust.bench.report.render import DRAWINGS, Drawing, draw, render
from mvclust.bench.report.style import RC, look_of

pytestmark = pytest.mark.usefixtures("svg_alone")
TUNINGS = ["oracle", "default", "label-free"]
BOTH = ["ACC", "NMI"]
CASE = {
    "label": "toy",
    "setting": {
        "dataset": "toy", "views": ["a", "b"], "protocol": "random", "rate": 0.3, "samples": 0,
        "scale": "",
    },
    "points": {"key-A": [{"values": {"max_iter": n}, "variant": "", "keys": [f"run{n}"]}
                         for n in (1, 2, 5)]},
}  # fmt: skip
RUNS = pd.DataFrame(
    {
        "key": ["run1", "run2", "run5", "other"],
        "n_iter": pd.array([1, 2, 5, 9], dtype="Int64"),
        "objective": [[9.0], [9.0, 8.0], [9.0, 8.0, 7.5, 7.0, 6.5], [1.0] * 9],
    }
)


def curves():
    return describe(), grid_of(
        tuning=TUNINGS, missing_rate=[0.0, 0.3, 0.5], method=["A", "B"], metric=BOTH
    )


def curves_by_view():
    shares = [[{"constraints": share}] for share in (0.01, 0.05, 0.1)]
    place = {"tuning": ["fixed"], "missing_rate": [None], "protocol": ["unmapped"]}
    rows = grid_of(**place, method=["A"], points=shares, metric=BOTH, view=[1, 2, 3])
    rows += grid_of(**place, method=["B"], points=[[{}]], metric=BOTH, view=[1, 2])
    return describe(x="parameter", sweep=True, axes=["constraints"], protocol="unmapped"), rows


def curves_over_views():
    rows = [
        row | {"dataset": f"toy ({row['n_views']} views)"}
        for row in grid_of(tuning=["fixed"], n_views=[2, 3, 4], metric=BOTH)
    ]
    return describe(x="views", sweep=True, methods=["A"]), rows


def groups():
    rows = grid_of(
        tuning=TUNINGS, missing_rate=[0.0, 0.3], method=["A", "B"], metric=BOTH, published=[55.0]
    )
    return describe("groups"), rows


def surfaces():
    points = [[point] for point in grid_of(alpha=[0.01, 1, 100.0], beta=[0.1, 10])]
    rows = grid_of(tuning=["fixed"], missing_rate=[0.3, 0.5], points=points, metric=BOTH)
    return describe("surfaces", sweep=True, axes=["alpha", "beta"], methods=["A"]), rows


def convergence():
    points = [[{"max_iter": n}] for n in (1, 2, 5)]
    rows = grid_of(tuning=["fixed"], points=points, metric=[*BOTH, "purity"], dataset=["toy"])
    metrics = {"ACC": "acc", "NMI": "nmi_max", "purity": "purity"}
    return describe(
        "convergence", sweep=True, axes=["max_iter"], methods=["A"], cases=[CASE], metrics=metrics
    ), rows


def ranks():
    rows = grid_of(
        tuning=TUNINGS, dataset=["a", "b", "c", "d"], missing_rate=[0.0, 0.3],
        method=["A", "B", "C", "D"], metric=BOTH,
    )  # fmt: skip
    return describe("ranks", methods=["A", "B", "C", "D"]), rows


KINDS = [*(curves, curves_by_view, curves_over_views, groups, surfaces, convergence, ranks)]


def check_files(folder):
    for suffix in ("csv", "md", "tex"):
        assert (folder / "tables" / f"toy.{suffix}").stat().st_size > 0
    assert (folder / "figures/toy.svg").stat().st_size > 1000


@pytest.mark.parametrize("kind", KINDS)
def test_gaps_and_failures(kind, tmp_path):
    described, rows = kind()
    results = scores_of(rows)
    results = results.drop(index=results.index[1::5]).reset_index(drop=True)
    results.loc[results.index[::4], ["mean", "std", "ci_low", "ci_high"]] = np.nan
    results.loc[results.index[::4], "note"] = "5 of 5 fits failed: singular matrix"
    render(described, results, RUNS.iloc[:0], tmp_path)
    check_files(tmp_path)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", KINDS)
def test_no_results_at_all(kind, tmp_path):
    described, rows = kind()
    runs = pd.DataFrame(columns=["key", "n_iter", "objective"])
    for results in (table_of([result(**row | FAILED) for row in rows]), table_of([])):
        render(described, results, runs, tmp_path)
        check_files(tmp_path)
        assert "No results" in (tmp_path / "figures/toy.svg").read_text()
        assert "No results" in (tmp_path / "tables/toy.md").read_text()


def test_curves_of_two_runs_have_no_band():
    described, rows = curves()
    for n_runs, bands in ((5, 12), (2, 0)):
        results = scores_of([row | {"n_runs": n_runs} for row in rows])
        drawn = [c for axes in draw(described, results, RUNS).axes for c in axes.collections]
        assert sum(len(band.get_paths()) > 0 for band in drawn) == bands


def test_a_second_swept_parameter_makes_curves_of_their_own():
    points = [[point] for point in grid_of(alpha=[0.1, 1], beta=[1, 2, 3])]
    results = scores_of(grid_of(tuning=["fixed"], points=points))
    described = describe(x="parameter", sweep=True, axes=["alpha", "beta"], methods=["A"])
    (axes,) = draw_curves(described, results).axes
    assert [len(line.get_xdata()) for line in axes.lines] == [2, 2, 2]


def test_methods_look_the_same_in_all_figures():
    every = methods_of("A", "B", "C")
    assert look_of(every[2:])["C"] == look_of(every)["C"]
    colours = {look["color"] for look in look_of(every).values()}
    assert len(colours) == 3


def test_a_way_to_draw_that_is_added_to_the_list_is_used(tmp_path, monkeypatch):
    """So adding one touches the list, its own module and its test."""

    def draw_nothing_but_runs(described, results, runs):
        return draw_curves(described, results.assign(mean=float(len(runs))))

    def tests(described, results):
        return [("Of mine", "A remark.", results[["method"]].head(1))]

    monkeypatch.setitem(DRAWINGS, "mine", Drawing(draw_nothing_but_runs, True, tests))
    results = scores_of(grid_of(missing_rate=[0.0, 0.3], method=["A"]))
    render(describe("mine", methods=["A"]), results, RUNS, tmp_path)
    assert "## Of mine" in (tmp_path / "tables/toy.md").read_text()
    figure = draw(describe("mine", methods=["A"]), results, RUNS)
    assert figure.axes[0].lines[0].get_ydata().tolist() == [4.0, 4.0]


@pytest.mark.parametrize("kind", KINDS)
def test_dollars_and_backslashes_in_names_are_drawn_as_they_are(kind):
    name = r"US$ \frac{1$ $x^2$ C:\n"
    described, rows = renamed(*kind(), "{} " + name)
    with mpl.rc_context(RC):
        figure = draw(described, scores_of(rows), RUNS)
        figure.draw_without_rendering()
        assert not any(text.get_parse_math() for text in figure.findobj(Text))


def renamed(described, rows, pattern):
    """The same with other labels of methods and of data sets; "{}" is what they were."""

    def new(label):
        return pattern.replace("{}", label)

    methods = [m | {"label": new(m["label"])} for m in described["methods"]]
    cases = [c | {"label": new(c["label"])} for c in described["cases"]]
    rows = [
        row
        | {"method": new(row.get("method", "A")), "dataset": new(row.get("dataset", "toy"))}
        | {"method_key": f"key-{row.get('method', 'A')}"}
        for row in rows
    ]
    return described | {"methods": methods, "cases": cases}, rows


def test_no_cell_of_a_csv_is_a_formula(tmp_path):
    described, rows = renamed(*curves(), "={}+1")
    rows = [row | {"note": "+1 lost"} for row in rows]
    render(described, scores_of(rows), RUNS, tmp_path)
    with open(tmp_path / "tables/toy.csv", newline="") as file:
        table = list(csv.DictReader(file))
    assert {row["method"] for row in table} == {"'=A+1", "'=B+1"}
    assert {row["dataset"] for row in table} == {"'=toy+1"}
    assert {row["note"] for row in table} == {"'+1 lost"}
    assert {float(row["mean"]) for row in table}


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_finding(kind):
    described, rows = kind()
    said = finding(described, scores_of(rows), RUNS)
    assert said.endswith(".")
    assert "nan" not in said
    nothing = pd.DataFrame(columns=["key", "n_iter", "objective"])
    failed = table_of([result(**row | FAILED) for row in rows])
    assert finding(described, failed, nothing) == "No results: data not available."
    assert finding(described, table_of([]), nothing) == "No results."
