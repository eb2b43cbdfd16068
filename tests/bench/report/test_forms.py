"""The forms of the papers: what `<id>` has, and where; `<id>_extended` has all results."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import FAILED, describe, grid_of, result, scores_of, table_of
from bench.report.test_latex import problems_of, rows_of
from bench.report.test_render import BOTH, CASE, RUNS, TUNINGS

from mvclust.bench.config.experiments import Form
from mvclust.bench.report.forms import FRAMED, MARKED, SHADED, as_printed, draw_form
from mvclust.bench.report.groups import draw_groups
from mvclust.bench.report.render import render, render_extended
from mvclust.bench.report.style import RC


def formed(draw, described=None, beside=(), **form):
    """An experiment with a form."""
    record = Form(draw=draw, **form).model_dump() | {"beside": list(beside)}
    return (described or describe(methods="ABC")) | {"form": record}


def parts_of(described, rows):
    return [(described, as_printed(described, scores_of(rows)))]


def drawn(parts, runs=RUNS):
    with mpl.rc_context(RC):
        figure = draw_form(parts, runs)
        figure.draw_without_rendering()
    return figure


def panels_of(figure):
    return [axes for axes in figure.axes if axes.get_visible() and axes.get_title()]


def legend_of(figure):
    return [text.get_text() for legend in figure.legends for text in legend.get_texts()]


def curves(**changes):
    rows = grid_of(
        tuning=TUNINGS, dataset=["one", "two", "three"], missing_rate=[0.0, 0.3, 0.5],
        method=["A", "B", "C"], metric=BOTH,
    )  # fmt: skip
    form = {"rows": ["metric"], "columns": ["dataset"], "methods": ["key-C", "key-A"]} | changes
    return formed("curves", **form), rows


def sweep(draw, axes, values, **form):
    points = [[dict(zip(axes, value, strict=True))] for value in values]
    rows = grid_of(tuning=["fixed"], points=points, metric=BOTH)
    about = describe(draw, methods=["A"], axes=axes, sweep=True, x="parameter", cases=[CASE])
    return formed(draw, about, metrics=["ACC"], **form), rows


def surface():
    values = [(a, b) for a in (0.1, 1, 10) for b in (0.1, 1, 10)]
    window = {"alpha": [1, 10], "beta": [0.1, 1]}
    return sweep(
        "surfaces", ["alpha", "beta"], values, window=window, mark={"alpha": [10], "beta": [1]}
    )


def convergence():
    return sweep("convergence", ["max_iter"], [(1,), (2,), (5,)], mark={"max_iter": [2]})


def bars():
    return curves()[0] | {
        "form": Form(draw="bars", columns=["dataset"], metrics=["ACC"]).model_dump()
    }, curves()[1]


def table():
    rows = curves()[1]
    form = {
        "rows": ["dataset", "method"],
        "columns": ["metric", "rate"],
        "methods": ["key-C", "key-A"],
    }
    for i, row in enumerate(rows):
        row |= {"published": 40.0 + i, "mean": 50.0 + i, "std": 1.5}
    return formed("table", **form), rows


FORMS = [curves, surface, convergence, bars, table]


def test_a_figure_has_the_panels_curves_and_tuning_of_the_paper():
    described, rows = curves()
    figure = drawn(parts_of(described, rows))
    titles = [axes.get_title() for axes in panels_of(figure)]
    assert titles == [
        *("(a) one, ACC", "(b) two, ACC", "(c) three, ACC"),
        *("(d) one, NMI", "(e) two, NMI", "(f) three, NMI"),
    ]
    assert len({axes.get_position().y0.round(3) for axes in panels_of(figure)}) == 2
    assert legend_of(figure) == ["C", "A"]
    assert all(axes.get_ylabel() in ("ACC (%)", "NMI (%)") for axes in panels_of(figure))


def test_curves_may_be_views_or_scores():
    described, rows = curves(lines="metric", rows=[], methods=["key-A"])
    assert legend_of(drawn(parts_of(described, rows))) == BOTH
    about = describe(methods="ABC", cases=[CASE])
    rows = grid_of(method=["A"], view=[1, 2], missing_rate=[0.1, 0.5], protocol=["unmapped"])
    described = formed("curves", about, lines="view")
    assert legend_of(drawn(parts_of(described, rows))) == ["view 1 (a)", "view 2 (b)"]


def test_windows_are_shaded_and_values_of_the_paper_marked():
    assert {FRAMED, MARKED} <= set(legend_of(drawn(parts_of(*surface()))))
    assert MARKED in legend_of(drawn(parts_of(*convergence())))
    described, rows = sweep(
        "curves", ["r"], [(1,), (2,), (3,)], window={"r": [1, 2]}, mark={"r": [3]}
    )
    assert {SHADED, MARKED} <= set(legend_of(drawn(parts_of(described, rows))))


def test_a_reduced_grid_has_the_marks_that_are_on_it():
    described, rows = surface()
    for form in (
        {"window": {"alpha": [50, 60], "beta": [1, 1]}},
        {"mark": {"alpha": [5], "beta": [1]}},
    ):
        changed = described | {"form": described["form"] | {"window": {}, "mark": {}} | form}
        assert {FRAMED, MARKED}.isdisjoint(legend_of(drawn(parts_of(changed, rows))))


def test_every_number_of_a_surface_is_in_its_cell():
    figure = drawn(parts_of(*surface()))
    assert len(figure.axes[0].texts) == 9


def test_bars_are_in_groups_with_intervals():
    figure = drawn(parts_of(*bars()))
    first = figure.axes[0]
    assert len(first.patches) == 3 * 3
    assert first.get_ylim()[0] == 0
    assert len(first.containers) == 2 * 3  # bars, and their intervals


def test_experiments_beside_each_other_are_panels_of_one_figure():
    other = curves(rows=[])[0] | {"id": "other"}
    first = bars()
    parts = [*parts_of(*first), (other, as_printed(other, scores_of(curves()[1])))]
    titles = [axes.get_title() for axes in panels_of(drawn(parts))]
    assert [title[:3] for title in titles] == [f"({c})" for c in "abcdef"]


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
        assert all((tmp_path / f"figures/{name}.{kind}").stat().st_size for kind in ("svg", "pdf"))
    assert "all methods and tunings" in (tmp_path / "tables/toy_extended.md").read_text()


def test_dots_are_differences_from_the_first_value_and_tables_have_all(tmp_path):
    described, rows = sweep("dots", ["order"], [(0,), (1,), (2,)])
    for row in rows:
        row["mean"] = 60.0 if row["points"] == [{"order": 0}] else 50.0
    figure = drawn(parts_of(described, rows))
    assert [text.get_text() for text in figure.axes[0].texts] == ["10.0"]
    render(described, scores_of(rows), RUNS, tmp_path)
    assert len(pd.read_csv(tmp_path / "tables/toy.csv")) == len(rows)


@pytest.mark.parametrize("kind", FORMS)
def test_forms_of_gaps_and_of_nothing(kind, tmp_path):
    described, rows = kind()
    gaps = scores_of(rows)
    gaps.loc[gaps.index[::4], ["mean", "std", "ci_low", "ci_high"]] = np.nan
    nothing = table_of([result(**row | FAILED | {"published": None}) for row in rows])
    for results in (gaps, nothing, table_of([])):
        render(described, results, RUNS.iloc[:0], tmp_path)
    assert "No results" in (tmp_path / "figures/toy.svg").read_text()


def test_a_table_has_the_lines_and_columns_of_the_paper_and_published_numbers(tmp_path):
    described, rows = table()
    render(described, scores_of(rows), RUNS, tmp_path)
    lines = (tmp_path / "tables/toy.md").read_text().split("\n")
    head, _, *body = [line for line in lines if line.startswith("|")]
    assert head.split(" | ")[1] == "method / missing rate"
    assert [c.strip(" |") for c in head.split(" | ")[2:5]] == ["ACC 0", "ACC 0.3", "ACC 0.5"]
    places = [tuple(line.strip("| ").split(" | ")[:2]) for line in body]
    assert places == [(d, m) for d in ("one", "two", "three") for m in ("C", "A")]
    assert all(line.count(" [") == 6 for line in body)  # each with the published number
    text = (tmp_path / "tables/toy.tex").read_text()
    assert text.count("\\begin{table}") == text.count("\\label{tab:toy}") == 1
    assert text.count("\\quad published &") == 6  # below ours
    assert text.count("\\textbf") == 3 * 6  # the best of ours on each data set
    assert problems_of(text) == []
    assert "ACC" in rows_of(text)[0]


def test_panels_of_one_column_share_their_limits():
    axes = {"dataset": ["low", "high"], "view": [1, 2], "metric": BOTH, "method": ["A", "B"]}
    rows = grid_of(tuning=["oracle"], missing_rate=[None], protocol=["mapped"], **axes)
    for row in rows:
        mean = (20 if row["dataset"] == "low" else 80) + (row["metric"] == "NMI") * 5
        row |= {"mean": mean, "ci_low": mean - 1, "ci_high": mean + 1}
    with mpl.rc_context(RC):
        figure = draw_groups(describe("groups"), scores_of(rows))
    limits = {}
    for axes in figure.axes:
        limits.setdefault(axes.get_xlabel(), set()).add(axes.get_xlim())
    assert list(limits) == ["view 1", "view 2"]
    assert [len(of_column) for of_column in limits.values()] == [1, 1]
