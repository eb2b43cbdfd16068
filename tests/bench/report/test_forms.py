"""The forms of the papers: what `<id>` has, and where; `<id>_extended` has all results."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import FAILED, describe, grid_of, result, scores_of, table_of
from bench.report.test_render import BOTH, CASE, RUNS, TUNINGS

from mvclust.bench.config.experiments import Form
from mvclust.bench.report.forms import FRAMED, MARKED, as_printed, draw_form
from mvclust.bench.report.render import render, render_extended
from mvclust.bench.report.style import RC

pytestmark = pytest.mark.usefixtures("svg_alone")


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


def test_a_reduced_grid_has_the_marks_that_are_on_it():
    described, rows = surface()
    for form in (
        {"window": {"alpha": [50, 60], "beta": [1, 1]}},
        {"mark": {"alpha": [5], "beta": [1]}},
    ):
        changed = described | {"form": described["form"] | {"window": {}, "mark": {}} | form}
        assert {FRAMED, MARKED}.isdisjoint(legend_of(drawn(parts_of(changed, rows))))


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


@pytest.mark.parametrize("kind", FORMS)
def test_forms_of_gaps_and_of_nothing(kind, tmp_path):
    described, rows = kind()
    gaps = scores_of(rows)
    gaps.loc[gaps.index[::4], ["mean", "std", "ci_low", "ci_high"]] = np.nan
    nothing = table_of([result(**row | FAILED | {"published": None}) for row in rows])
    for results in (gaps, nothing, table_of([])):
        render(described, results, RUNS.iloc[:0], tmp_path)
    assert "No results" in (tmp_path / "figures/toy.svg").read_text()
