"""One look for all figures: sizes, colours for colour-blind readers, file formats."""

import re
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib as mpl
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_pdf import FigureCanvasPdf
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.ticker import LogFormatterSciNotation

from mvclust.datasets.files import completed

COLUMN = 3.4  # inches, one column of a paper
PAGE = 7.0  # inches, both columns: no figure is wider
TALLEST = 9.0  # inches, a page of a paper: no figure is taller
ROUNDING = 1e-6  # inches
SMALLEST = 6  # points, the least size of text
LEADING = 1.18  # distance of lines, in sizes of their text
POINTS = 72  # per inch
LINE = SMALLEST * LEADING / POINTS  # inches of a line of the smallest text
LEGEND_SIZES = [7, SMALLEST]  # points
LEGEND_SPACING = {"columnspacing": 1.2, "handletextpad": 0.6, "labelspacing": 0.25}
BESIDE_NAMES = 4.5  # in a column of a legend, in sizes of its text
MOST_LINES = 5  # of the reason in an empty figure
UNIT_SIGN = {"percent": " (%)"}

# Okabe & Ito, then Tol's muted colours; a method has one colour and marker everywhere, by its
# place in the catalogue. Those that only serve as a reference are grey.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#8A7B00"]
COLOURS += ["#332288", "#44AA99", "#882255", "#999933", "#AA4499", "#117733", "#CC6677", "#DDCC77"]
GREYS = ["#444444", "#777777", "#999999", "#BBBBBB"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h"]

RC: dict = {
    "font.size": 8,
    "axes.titlesize": 8,
    "axes.labelsize": 8,
    "legend.fontsize": 7,
    "xtick.labelsize": 7,
    "ytick.labelsize": 7,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#dddddd",
    "grid.linewidth": 0.5,
    "axes.formatter.limits": [-3, 5],
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "mvclust",  # the same figure gives the same bytes
    "pdf.fonttype": 42,
    "text.hinting": "none",  # a text is as wide in the file as in the layout
    "savefig.dpi": 130,
    "text.parse_math": False,  # names are anybody's: $ and \\ are characters as others
}

FORMATS = {"svg": FigureCanvasSVG, "pdf": FigureCanvasPdf, "png": FigureCanvasAgg}
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Powers(LogFormatterSciNotation):
    """Powers of ten on a logarithmic axis, without formulas."""

    def __call__(self, x: float, pos: int | None = None) -> str:
        text = re.sub(r"[$]|\\mathdefault", "", super().__call__(x, pos))
        text = text.replace(r"\times", "×")
        return re.sub(r"\^\{(.*?)\}", _raised, text).strip("{}")


def _raised(power: re.Match) -> str:
    return power[1].translate(RAISED)


def log_scale(axes: Axes, *names: str) -> None:
    """Make the axes "x" and "y" logarithmic."""
    for name in names:
        getattr(axes, f"set_{name}scale")("log")
        axis = getattr(axes, f"{name}axis")
        axis.set_major_formatter(Powers())
        axis.set_minor_formatter(Powers(labelOnlyBase=False))


def look_of(methods: list[dict]) -> dict[str, dict]:
    """Colour and marker of methods by label, as keyword arguments for `Axes.plot`."""
    looks = {}
    for method in methods:
        reference, i = method["reference"], method["place"]
        colours = GREYS if reference else COLOURS
        looks[method["label"]] = {
            "color": colours[i % len(colours)],
            "marker": MARKERS[i % len(MARKERS)],
            "linestyle": ":" if reference else "-" if i < len(colours) else "--",
        }
    return looks


def number_look(i: int) -> dict:
    """Colour and marker of the i-th of things that are no methods."""
    return {"color": COLOURS[i % len(COLOURS)], "marker": MARKERS[i % len(MARKERS)]}


@cache
def text_width(text: str, size: float) -> float:
    """Width in inches of the longest line of a text of a size in points."""
    font = FontProperties(size=size)
    measure = text_to_path.get_text_width_height_descent
    return max(measure(line, font, ismath=False)[0] for line in text.split("\n")) / POINTS


def wrapped(text: str, width: float, size: float, most: int | None = None) -> str:
    """Break a text into lines that fit a width in inches; more than `most` end in "…"."""
    if text_width(text, size) <= width:
        return text
    text = text.replace(" (", "\u00a0(")  # a unit stays with its name
    characters = max(4, int(0.95 * width * len(text) / text_width(text, size)))
    lines = textwrap.wrap(text, characters)
    if most and len(lines) > most:
        lines[most - 1] = f"{lines[most - 1][: characters - 1]}…"
    return "\n".join(lines[:most])


def widest(texts: Iterable[str], size: float) -> float:
    """Width in inches of the widest of some texts."""
    return max((text_width(text, size) for text in texts), default=0.0)


def say(axes: Axes, text: str, width: float) -> None:
    """Write why a panel is empty, within a width in inches."""
    place = {"ha": "center", "va": "center", "transform": axes.transAxes}
    axes.text(0.5, 0.5, wrapped(text, width, SMALLEST), fontsize=SMALLEST, **place)


def size_for(inches: float) -> float:
    """Text size in points for lines at a distance; at most that of ticks."""
    return float(min(RC["ytick.labelsize"], max(SMALLEST, inches * POINTS / LEADING)))


def every_other(number: int, room: int) -> int:
    """Step at which ticks are labelled; `room` is the number of labels that fit."""
    return max(1, -(-number // max(1, room)))


def new_figure(width: float, height: float) -> Figure:
    """Empty figure of a size in inches, with a layout without overlaps."""
    return Figure(figsize=(width, height), layout="constrained")


def draw_nothing(reason: str) -> Figure:
    """Figure that gives the reason for its emptiness."""
    figure = new_figure(COLUMN, 1.0)
    lines = wrapped(" ".join(reason.split()), 0.9 * COLUMN, RC["font.size"], MOST_LINES)
    figure.text(0.5, 0.5, lines, ha="center", va="center")
    return figure


def legend_shape(names: Sequence[str], width: float) -> tuple[float, int, float]:
    """Text size in points, columns and height in inches of a legend below a figure."""
    names = [_legend_name(name, width) for name in names]
    lines = max((name.count("\n") + 1 for name in names), default=1)
    for size in LEGEND_SIZES:
        column = widest(names, size) + BESIDE_NAMES * size / POINTS
        columns = max(1, min(len(names), int(0.97 * width / column)))
        rows = -(-len(names) // columns)
        if rows <= MOST_LINES and column <= width:
            break
    return size, columns, rows * size * (LEADING * lines + 0.25) / POINTS + 0.1


def _legend_name(name: str, width: float) -> str:
    """Break a name into lines that fit a legend of one column."""
    return wrapped(name, 0.95 * width - BESIDE_NAMES * SMALLEST / POINTS, SMALLEST)


def add_legend(figure: Figure, handles: Mapping[str, Artist], title: str | None = None) -> None:
    """Put a legend below a figure, in as many columns as its width allows."""
    width = figure.get_figwidth()
    names = [_legend_name(name, width) for name in handles]
    size, columns, _ = legend_shape(list(handles), width)
    place = {"loc": "outside lower center", "ncols": columns, "fontsize": size}
    look = {"title": title or None, "title_fontsize": size}
    figure.legend(handles.values(), names, **place, **look, **LEGEND_SPACING)  # pyright: ignore[reportArgumentType]


def add_note(figure: Figure, lines: Iterable[str]) -> None:
    """Write lines of small text above a figure, below earlier ones; empty ones are left out."""
    width = 0.97 * figure.get_figwidth()
    texts = [figure.get_suptitle(), *(wrapped(line, width, SMALLEST) for line in lines)]
    text = "\n".join(filter(None, texts))
    if text:
        figure.suptitle(text, x=0.01, ha="left", fontsize=SMALLEST, color="#555555")


def write_figure(
    folder: Path | str, name: str, draw: Callable[..., Figure], *of: Any, source: str = ""
) -> None:
    """Draw a figure in the common style, and write it under a results folder."""
    with mpl.rc_context(RC):
        save_figure(draw(*of), Path(folder, "figures", name), source or f"mvclust {name}")


def save_figure(figure: Figure, stem: Path | str, source: str) -> None:
    """Write a figure as svg, pdf and png with its source; ValueError if it does not fit a page."""
    if mpl.rcParams["svg.hashsalt"] != RC["svg.hashsalt"]:
        raise ValueError(f"The figure {stem} is drawn outside mpl.rc_context(RC).")
    width, height = figure.get_size_inches()
    if width > PAGE + ROUNDING or height > TALLEST + ROUNDING:
        size = f"{width:.1f} x {height:.1f} inches; at most {PAGE:g} x {TALLEST:g}"
        raise ValueError(f"The figure {stem} is {size} fit a page.")
    if figure.axes:
        figure.get_layout_engine().execute(figure)
    figure.set_layout_engine("none")  # laid out once, for all formats
    metadata = {
        "svg": {"Date": None, "Source": source},
        "pdf": {"CreationDate": None, "Keywords": source},
        "png": {"Source": source},
    }
    Path(stem).parent.mkdir(parents=True, exist_ok=True)
    for suffix, canvas in FORMATS.items():
        figure.dpi = mpl.rcParams["savefig.dpi"]
        # Figure.savefig draws twice, in case that the layout is still to be made.
        write = getattr(canvas(figure), f"print_{suffix}")
        with completed(f"{stem}.{suffix}") as unfinished:
            write(unfinished, metadata=metadata[suffix])
