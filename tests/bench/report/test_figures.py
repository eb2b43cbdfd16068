"""Every figure fits a page, with all that belongs to it, and says what it has no room for."""

import matplotlib as mpl
import numpy as np
import pytest
from bench.report.made_up import describe, grid_of, scores_of
from bench.report.test_render import BOTH, CASE, RUNS, TUNINGS
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text

from mvclust.bench.report import style
from mvclust.bench.report.render import draw
from mvclust.bench.report.text import scope_text
from mvclust.bench.score.names import cut_text, digits_text

MANY = [f"Method {i}" for i in range(80)]
SETTINGS = [f"data set {i}" for i in range(40)]
TENTHS = grid_of(alpha=[i / 10 for i in range(30)])
NAMES = grid_of(scale=[f"scale number {i}" for i in range(30)])


def drawn(described, results):
    """The figure of an experiment and its renderer, after checks of size, text and boxes."""
    with mpl.rc_context(style.RC):
        figure = draw(described, results, RUNS)
        style.add_note(figure, [scope_text(results), cut_text(results), digits_text(results)])
        figure.get_layout_engine().execute(figure)
        box = figure.get_tightbbox(FigureCanvasAgg(figure).get_renderer())
    size = figure.get_size_inches()
    assert (size <= [style.PAGE + 1e-6, style.TALLEST + 1e-6]).all()
    assert (box.min > -0.01).all()
    assert (box.max < size + 0.01).all()
    assert min(text.get_fontsize() for text in figure.findobj(Text)) >= style.SMALLEST
    return figure


def sweep(render, points, rows=None, **changes):
    """A sweep over points of parameters, with other axes of rows."""
    described = describe(render, sweep=True, axes=[*points[0]], methods=["A", "B"], **changes)
    points = [[point] for point in points]
    return described, grid_of(tuning=["fixed"], points=points, **(rows or {}))


ONE = grid_of(tuning=TUNINGS, dataset=SETTINGS[:3], missing_rate=[0.0, 0.5], metric=BOTH)
ONE[1:] = [row | dict.fromkeys(("mean", "ci_low", "ci_high"), np.nan) for row in ONE[1:]]
FITTING = {
    "curves, 80 methods": (
        describe(methods=MANY),
        grid_of(tuning=TUNINGS, missing_rate=[0.0, 0.5], method=MANY, published=[55.0]), 3),
    "curves, 40 settings": (describe(), grid_of(dataset=SETTINGS, missing_rate=[0.0, 0.5]), 40),
    "curves, 30 values of a number": (*sweep("curves", TENTHS, x="parameter"), 1),
    "curves, 30 names": (*sweep("curves", NAMES, {"metric": BOTH}, x="parameter"), 2),
    "curves, 30 settings of one method": (
        *sweep("curves", TENTHS, {"missing_rate": [0.0, 0.5]}), 1),
    "curves, one row": (describe(), [{}], 1),
    "curves, one row that counted": (describe(), ONE, 6),
    "groups, 80 methods": (
        describe("groups", methods=MANY),
        grid_of(tuning=TUNINGS, missing_rate=[0.0, 0.5], method=MANY), 2),
    "groups, 40 settings": (
        describe("groups"), grid_of(dataset=SETTINGS, method=["A", "B"], published=[55.0]), 40),
    "groups, 30 settings of two methods": (
        *sweep("groups", TENTHS, {"method": ["A", "B"], "metric": BOTH}), 2),
    "groups, one row": (describe("groups"), [{}], 1),
    "groups, one row that counted": (describe("groups"), ONE, 12),
    "surfaces, 30 values": (
        *sweep("surfaces", grid_of(alpha=2.0 ** (np.arange(30) / 3), lambda1=range(30))), 1),
    "surfaces, 40 settings": (
        *sweep("surfaces", grid_of(alpha=[1, 2], beta=[1, 2]), {"dataset": SETTINGS}), 40),
    "ranks, 80 methods": (
        describe("ranks", methods=MANY, metrics={"ACC": "acc"}),
        grid_of(tuning=TUNINGS, dataset=SETTINGS[:4], method=MANY), 4),
    "convergence, 12 settings": (  # each has two axes
        *sweep("convergence", grid_of(max_iter=[1, 2, 5]),
               {"dataset": [*SETTINGS[:11], "toy"], "metric": BOTH}, cases=[CASE]), 24),
}  # fmt: skip


@pytest.mark.parametrize("name", FITTING)
def test_all_of_it_fits_a_page(name):
    described, rows, n_panels = FITTING[name]
    figure = drawn(described, scores_of(rows))
    panels = [axes for axes in figure.axes if axes.get_visible() and axes.get_label() == ""]
    assert len(panels) == n_panels
    assert "Not drawn" not in figure.get_suptitle()


@pytest.mark.parametrize(
    ("described", "rows", "what"),
    [
        (describe(), grid_of(dataset=SETTINGS[:24], tuning=TUNINGS, metric=BOTH), "NMI"),
        (*sweep("groups", grid_of(alpha=range(99))), "19 of 99 lines"),
    ],
)  # fmt: skip
def test_what_has_no_room_is_named_with_its_table(described, rows, what):
    note = drawn(described, scores_of(rows)).get_suptitle()
    assert f"Not drawn for lack of room: {what}; tables/toy.csv has all." in note


def test_a_figure_larger_than_a_page_or_in_another_style_is_refused(tmp_path):
    for size in ((style.PAGE + 0.1, 2), (2, style.TALLEST + 0.1)):
        with mpl.rc_context(style.RC), pytest.raises(ValueError, match="at most 7 x 9 fit a page"):
            style.save_figure(style.new_figure(*size), tmp_path / "large", "")
    with pytest.raises(ValueError, match=r"drawn outside mpl.rc_context\(RC\)"):
        style.save_figure(style.new_figure(2, 2), tmp_path / "other", "")
    assert not list(tmp_path.iterdir())
    assert (style.PAGE * style.POINTS, style.TALLEST * style.POINTS) == (504, 648)


@pytest.mark.parametrize("axis", ["scale", "order"])
def test_no_line_joins_values_that_only_name_something(axis):
    values = ["none", "unit", "range"] if axis == "scale" else [0, 1, 2]
    described, rows = sweep(
        "curves", grid_of(**{axis: values}), {"method": ["A", "B"]}, x="parameter"
    )
    (axes,) = drawn(described, scores_of(rows)).axes
    assert [line.get_linestyle() for line in axes.lines] == ["None", "None"]
    labels = [text.get_text() for text in axes.get_xticklabels()]
    assert labels[: len(values)] == [str(value) for value in values]  # in the order of the grid
    places = [list(line.get_xdata()) for line in axes.lines]
    assert places[0] < places[1]  # beside each other


def test_long_texts_are_broken_or_end_in_dots():
    long = "one word and another one, then more of them (%)"
    lines = style.wrapped(long, 1.0, 7).split("\n")
    assert max(style.text_width(line, 7) for line in lines) <= 1.1
    assert "".join(lines).replace("\xa0", "").replace(" ", "") == long.replace(" ", "")
    assert style.wrapped(long, 1.0, 7, 1).endswith("…")


def test_a_legend_of_long_names_is_within_its_figure():
    with mpl.rc_context(style.RC):
        figure = style.new_figure(3.4, 3.0)
        (line,) = figure.subplots().plot([0, 1])
        style.add_legend(figure, {f"{i} {'long name ' * 12}": line for i in range(3)})
        canvas = FigureCanvasAgg(figure)
        canvas.draw()
        box = figure.legends[0].get_window_extent(canvas.get_renderer())
    assert 0 <= box.x0 < box.x1 <= figure.bbox.width
