"""Every kind of figure and form of the papers, from results with gaps, failures and nothing."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import FAILED, describe, grid_of, methods_of, result, scores_of, table_of
from matplotlib.text import Text

from mvclust.bench.config.experiments import Form
from mvclust.bench.report.curves import draw_curves
from mvclust.bench.report.findings import finding
from mvclust.bench.report.forms import FRAMED, MARKED, as_printed, draw_form
from mvclust.bench.report.render import DRAWINGS, Drawing, draw, render, render_extended
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
RUNS = pd.DataFrame({
    "key": ["run1", "run2", "run5", "other"], "n_iter": pd.array([1, 2, 5, 9], dtype="Int64"),
    "objective": [[9.0], [9.0, 8.0], [9.0, 8.0, 7.5, 7.0, 6.5], [1.0] * 9],
})  # fmt: skip


def curves():
    rates = [0.0, 0.3, 0.5]
    return describe(), grid_of(tuning=TUNINGS, missing_rate=rates, method=["A", "B"], metric=BOTH)


def curves_by_view():
    shares = [[{"constraints": share}] for share in (0.01, 0.05, 0.1)]
    place = {"tuning": ["fixed"], "missing_rate": [None], "protocol": ["unmapped"]}
    rows = grid_of(**place, method=["A"], points=shares, metric=BOTH, view=[1, 2, 3])
    rows += grid_of(**place, method=["B"], points=[[{}]], metric=BOTH, view=[1, 2])
    return describe(x="parameter", sweep=True, axes=["constraints"], protocol="unmapped"), rows


def curves_over_views():
    rows = grid_of(tuning=["fixed"], n_views=[2, 3, 4], metric=BOTH)
    rows = [row | {"dataset": f"toy ({row['n_views']} views)"} for row in rows]
    return describe(x="views", sweep=True, methods=["A"]), rows


def groups():
    axes = {"tuning": TUNINGS, "missing_rate": [0.0, 0.3], "method": ["A", "B"], "metric": BOTH}
    rows = grid_of(**axes, published=[55.0])
    return describe("groups"), rows


def surfaces():
    points = [[point] for point in grid_of(alpha=[0.01, 1, 100.0], beta=[0.1, 10])]
    rows = grid_of(tuning=["fixed"], missing_rate=[0.3, 0.5], points=points, metric=BOTH)
    return describe("surfaces", sweep=True, axes=["alpha", "beta"], methods=["A"]), rows


def convergence():
    points = [[{"max_iter": n}] for n in (1, 2, 5)]
    rows = grid_of(tuning=["fixed"], points=points, metric=[*BOTH, "purity"], dataset=["toy"])
    metrics = {"ACC": "acc", "NMI": "nmi_max", "purity": "purity"}
    about = {"axes": ["max_iter"], "cases": [CASE], "metrics": metrics}
    return describe("convergence", sweep=True, methods=["A"], **about), rows


def ranks():
    axes = {"tuning": TUNINGS, "dataset": [*"abcd"], "missing_rate": [0.0, 0.3]}
    return describe("ranks", methods="ABCD"), grid_of(**axes, method=[*"ABCD"], metric=BOTH)


def formed(draw, described=None, **form):
    """An experiment with a form."""
    return (described or describe(methods="ABC")) | {"form": Form(draw=draw, **form).model_dump()}


def form_of_curves():
    rows = grid_of(
        tuning=TUNINGS, dataset=["one", "two", "three"], missing_rate=[0.0, 0.3, 0.5],
        method=["A", "B", "C"], metric=BOTH,
    )  # fmt: skip
    form = {"rows": ["metric"], "columns": ["dataset"], "methods": ["key-C", "key-A"]}
    return formed("curves", **form), rows


def sweep(draw, axes, values, **form):
    points = [[dict(zip(axes, value, strict=True))] for value in values]
    rows = grid_of(tuning=["fixed"], points=points, metric=BOTH)
    about = describe(draw, methods=["A"], axes=axes, sweep=True, x="parameter", cases=[CASE])
    return formed(draw, about, metrics=["ACC"], **form), rows


def form_of_surface():
    values = [(a, b) for a in (0.1, 1, 10) for b in (0.1, 1, 10)]
    window = {"alpha": [1, 10], "beta": [0.1, 1]}
    mark = {"alpha": [10], "beta": [1]}
    return sweep("surfaces", ["alpha", "beta"], values, window=window, mark=mark)


def form_of_convergence():
    return sweep("convergence", ["max_iter"], [(1,), (2,), (5,)], mark={"max_iter": [2]})


def form_of_bars():
    return formed("bars", columns=["dataset"], metrics=["ACC"]), form_of_curves()[1]


def form_of_table():
    rows = [
        row | {"published": 40.0 + i, "mean": 50.0 + i, "std": 1.5}
        for i, row in enumerate(form_of_curves()[1])
    ]
    form = {"rows": ["dataset", "method"], "columns": ["metric", "rate"]}
    return formed("table", methods=["key-C", "key-A"], **form), rows


FORMS = [*(form_of_curves, form_of_surface, form_of_convergence, form_of_bars, form_of_table)]
KINDS = [*(curves, curves_by_view, curves_over_views, groups, surfaces, convergence, ranks)]


def rendered(described, results, runs, folder):
    """The sources of the figure and of the table in Markdown."""
    render(described, results, runs, folder)
    files = [folder / f"tables/toy.{suffix}" for suffix in ("csv", "tex", "md")]
    texts = [file.read_text() for file in (*files, folder / "figures/toy.svg")]
    assert all(texts)
    return texts[2:]


@pytest.mark.parametrize("kind", [*KINDS, *FORMS])
def test_gaps_and_failures_and_the_finding(kind, tmp_path):
    described, rows = kind()
    results = scores_of(rows)
    results = results.drop(index=results.index[1::5]).reset_index(drop=True)
    results.loc[results.index[::4], ["mean", "std", "ci_low", "ci_high"]] = np.nan
    results.loc[results.index[::4], "note"] = "5 of 5 fits failed: singular matrix"
    assert len(rendered(described, results, RUNS.iloc[:0], tmp_path)[1]) > 1000
    said = finding(described, scores_of(rows), RUNS)
    assert said.endswith(".")
    assert "nan" not in said


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("kind", [*KINDS, *FORMS])
def test_no_results_at_all(kind, tmp_path):
    described, rows = kind()
    absent = FAILED | ({"published": None} if "form" in described else {})  # forms show it alone
    failed = table_of([result(**row | absent) for row in rows])
    for results, said in (failed, "No results: data not available."), (table_of([]), "No results."):
        texts = rendered(described, results, RUNS.iloc[:0], tmp_path)
        assert all("No results" in text for text in texts)
        assert finding(described, results, RUNS.iloc[:0]) == said


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
    assert len({look["color"] for look in look_of(every).values()}) == 3


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
    rows = [result(**row) for row in rows]
    rows = [row | {name: new(row[name]) for name in ("method", "dataset")} for row in rows]
    return described | {"methods": methods, "cases": cases}, rows


def test_no_cell_of_a_csv_is_a_formula(tmp_path):
    described, rows = renamed(*curves(), "={}+1")
    rows = [row | {"note": "+1 lost"} for row in rows]
    render(described, scores_of(rows), RUNS, tmp_path)
    table = pd.read_csv(tmp_path / "tables/toy.csv", dtype={"mean": float})
    assert set(table["method"]) == {"'=A+1", "'=B+1"}
    assert (set(table["dataset"]), set(table["note"])) == ({"'=toy+1"}, {"'+1 lost"})


@pytest.mark.parametrize(
    ("window", "mark"),
    [({"alpha": [50, 60], "beta": [1, 1]}, {}), ({}, {"alpha": [5], "beta": [1]})],
)
def test_a_reduced_grid_has_the_marks_that_are_on_it(window, mark):
    described, rows = form_of_surface()
    described["form"] |= {"window": window, "mark": mark}
    with mpl.rc_context(RC):
        figure = draw_form([(described, as_printed(described, scores_of(rows)))], RUNS)
        figure.draw_without_rendering()
    legend = [text.get_text() for legend in figure.legends for text in legend.get_texts()]
    assert {FRAMED, MARKED}.isdisjoint(legend)


@pytest.mark.parametrize("kind", FORMS)
def test_each_form_is_written_with_all_results_beside_it(kind, tmp_path):
    described, rows = kind()
    results = scores_of(rows)
    render(described, results, RUNS, tmp_path)
    render_extended(described, results, RUNS, tmp_path)
    shown, full = (pd.read_csv(tmp_path / f"tables/{n}.csv") for n in ("toy", "toy_extended"))
    assert set(full["tuning"]) == set(results["tuning"])
    assert set(shown["tuning"]) in ({"oracle"}, {"fixed"})
    assert len(shown.merge(full)) == len(shown) < len(full)
    for name in ("toy", "toy_extended"):
        assert (tmp_path / f"figures/{name}.svg").stat().st_size
    assert "all methods and tunings" in (tmp_path / "tables/toy_extended.md").read_text()
