"""Every kind of figure, from made-up results with gaps, failures and nothing at all."""

import csv

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import FAILED, describe, grid_of, methods_of, result, scores_of, table_of
from matplotlib.figure import Figure
from matplotlib.text import Text

from mvclust.bench.report import style
from mvclust.bench.report.curves import draw_convergence, draw_curves
from mvclust.bench.report.findings import finding
from mvclust.bench.report.groups import draw_groups
from mvclust.bench.report.render import DRAWINGS, Drawing, draw, render
from mvclust.bench.report.style import RC, log_scale, look_of
from mvclust.bench.report.surfaces import draw_surfaces

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
    for suffix in ("svg", "pdf", "png"):
        assert (folder / "figures" / f"toy.{suffix}").stat().st_size > 1000


@pytest.mark.parametrize("kind", KINDS)
def test_complete_results(kind, tmp_path):
    described, rows = kind()
    render(described, scores_of(rows), RUNS, tmp_path)
    check_files(tmp_path)
    svg = (tmp_path / "figures/toy.svg").read_text()
    assert "toy: n = 100" in svg or "a, b, c, d: n = 100" in svg or "4 views): n = 100" in svg
    assert "Cut run" not in svg


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


@pytest.mark.parametrize("kind", KINDS)
def test_cut_runs_are_named_in_the_figure(kind, tmp_path, monkeypatch):
    monkeypatch.setattr(style, "FORMATS", {"svg": style.FORMATS["svg"]})
    described, rows = kind()
    cut = [row | {"n_samples": 80, "n_runs": 1, "repetitions": 1} for row in rows]
    render(described, scores_of(cut), RUNS, tmp_path)
    assert "Cut run: 80 of 100 samples, 1 of 5 masks." in (
        (tmp_path / "figures/toy.svg").read_text()
    )


def test_curves_of_two_runs_have_no_band():
    described, rows = curves()
    for n_runs, bands in ((5, 12), (2, 0)):
        results = scores_of([row | {"n_runs": n_runs} for row in rows])
        drawn = [c for axes in draw(described, results, RUNS).axes for c in axes.collections]
        assert sum(len(band.get_paths()) > 0 for band in drawn) == bands


def test_sets_of_views_of_one_size_have_a_line_through_their_means():
    sizes = {"a b": 2, "a c": 2, "b c": 2, "a b c": 3}
    rows = [
        {"dataset": name, "n_views": size, "tuning": "fixed", "mean": 10.0 * i}
        for i, (name, size) in enumerate(sizes.items())
    ]
    described = describe(x="views", sweep=True, methods=["A"])
    (axes,) = draw_curves(described, scores_of(rows)).axes
    points, line = axes.lines
    assert points.get_linestyle() == "None"
    assert list(points.get_ydata()) == [0, 10, 20, 30]
    assert [list(line.get_xdata()), list(line.get_ydata())] == [[2, 3], [10, 30]]


def test_a_second_swept_parameter_makes_curves_of_their_own():
    points = [[point] for point in grid_of(alpha=[0.1, 1], beta=[1, 2, 3])]
    results = scores_of(grid_of(tuning=["fixed"], points=points))
    described = describe(x="parameter", sweep=True, axes=["alpha", "beta"], methods=["A"])
    (axes,) = draw_curves(described, results).axes
    assert [len(line.get_xdata()) for line in axes.lines] == [2, 2, 2]


def test_what_is_not_swept_is_a_level_line():
    described, rows = curves_by_view()
    figure = draw_curves(described, scores_of(rows))
    level = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert len(level) == 1
    assert len(figure.axes) == 6
    assert len(figure.axes[2].lines) == 1  # the method without a third view


def test_all_metrics_of_a_convergence_are_drawn_also_without_an_objective():
    described, rows = convergence()
    figure = draw_convergence(described, scores_of(rows), RUNS)
    left, right = figure.axes
    (objective,) = left.lines
    assert list(objective.get_ydata()) == RUNS["objective"][2]  # of the experiment's longest run
    assert len(right.lines) == 3
    labels = [text.get_text() for text in figure.legends[0].get_texts()]
    assert labels == ["objective", "ACC", "NMI", "purity"]
    without = draw_convergence(described, scores_of(rows), RUNS.assign(objective=None))
    assert [len(axes.lines) for axes in without.axes] == [0, 3]


def test_best_point_of_a_surface_is_marked():
    described, rows = surfaces()
    results = scores_of(rows)
    results.loc[results["points"].map(lambda p: p[0] == {"alpha": 1, "beta": 10}), "mean"] = 99.0
    figure = draw_surfaces(described, results)
    stars = [axes.lines[0] for axes in figure.axes if axes.lines]
    assert len(stars) == 4
    assert {(round(star.get_xdata()[0]), round(star.get_ydata()[0])) for star in stars} == {(1, 1)}


def test_groups_have_a_line_for_each_point_of_a_sweep():
    points = [[{"lam": 0.1}], [{"lam": 1}]]
    results = scores_of(grid_of(tuning=["fixed"], method=["A", "B"], points=points))
    figure = draw_groups(describe("groups", sweep=True), results)
    labels = [text.get_text() for text in figure.axes[0].get_yticklabels()]
    assert labels == ["A, λ=0.1", "A, λ=1", "B, λ=0.1", "B, λ=1"]


@pytest.mark.parametrize("view", [None, 1])
def test_groups_have_a_panel_for_each_metric_or_view(view):
    rows = grid_of(dataset=["one", "two"], method=["A", "B"], metric=BOTH, tuning=TUNINGS)
    results = scores_of([row | {"view": view, "missing_rate": None} for row in rows])
    figure = draw_groups(describe("groups"), results)
    assert len(figure.axes) == 4
    titles = {axes.get_title(loc="left") for axes in figure.axes} - {""}
    by_metric = {f"{name}, {metric} (%)" for name in ("one", "two") for metric in BOTH}
    assert titles == ({"one", "two"} if view is None else by_metric)


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


def test_powers_on_logarithmic_axes_have_no_formulas():
    figure = Figure()
    with mpl.rc_context(RC):
        axes = figure.subplots()
        log_scale(axes, "x", "y")
        axes.plot([0.02, 300], [0.2, 0.7])
        figure.draw_without_rendering()
    labels = [label.get_text() for label in axes.get_xticklabels()]
    assert {"10⁻²", "10⁻¹", "10⁰", "10²"} <= set(labels)
    shown = {label.get_text() for label in axes.get_yticklabels(which="both")}
    assert "3×10⁻¹" in shown


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


def test_a_third_parameter_has_a_panel_for_each_value_on_one_colour_scale():
    described, _ = surfaces()
    grid = grid_of(points=[[{"alpha": a, "beta": b, "gamma": c}] for a in (1, 2) for b in (1, 2)
                           for c in (0, 5)], metric=["ACC"], tuning=["fixed"])  # fmt: skip
    described |= {"axes": ["alpha", "beta", "gamma"], "metrics": {"ACC": "acc"}}
    figure = draw_surfaces(described, scores_of(grid))
    panels = [axes for axes in figure.axes if axes.get_title()]
    assert [axes.get_title().split(", ")[-1] for axes in panels] == ["γ=0", "γ=5"]
    assert len({axes.images[0].get_clim() for axes in panels}) == 1
    text = finding(described, scores_of(grid), None)
    assert text.count("gamma=0: ACC from") == text.count("gamma=5: ACC from") == 1
