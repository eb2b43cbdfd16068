"""One look for all figures: sizes, colours for colour-blind readers, file formats."""

import re
import textwrap

from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatterSciNotation

from mvclust.datasets.files import completed

COLUMN = 3.4  # inches, one column of a paper
PAGE = 7.0  # inches, both columns
CHARACTERS_PER_INCH = 24  # of a note in small print
MOST_LINES = 5  # of the reason in an empty figure
UNIT_SIGN = {"percent": " (%)"}

# Okabe & Ito, then Tol's muted colours; a method has one colour and marker everywhere, by its
# place in the catalogue. Those that only serve as a reference are grey.
COLOURS = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#000000", "#8A7B00"]
COLOURS += ["#332288", "#44AA99", "#882255", "#999933", "#AA4499", "#117733", "#CC6677", "#DDCC77"]
GREYS = ["#444444", "#777777", "#999999", "#BBBBBB"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "<", ">", "*", "h"]

RC = {
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
    "lines.linewidth": 1.2,
    "lines.markersize": 3.5,
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "mvclust",  # the same figure gives the same bytes
    "pdf.fonttype": 42,
    "savefig.dpi": 130,
    "text.parse_math": False,  # names are anybody's: $ and \\ are characters as others
}

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


class Powers(LogFormatterSciNotation):
    """Powers of ten on a logarithmic axis, without the formulas that figures do not read."""

    def __call__(self, x, pos=None):
        text = re.sub(r"[$]|\\mathdefault", "", super().__call__(x, pos))
        text = text.replace(r"\times", "×")
        return re.sub(r"\^\{(.*?)\}", _raised, text).strip("{}")


def _raised(power):
    return power[1].translate(RAISED)


def log_scale(axes, *names):
    """Make axes logarithmic.

    Parameters
    ----------
    axes : Axes
    *names : {"x", "y"}
    """
    for name in names:
        getattr(axes, f"set_{name}scale")("log")
        axis = getattr(axes, f"{name}axis")
        axis.set_major_formatter(Powers())
        axis.set_minor_formatter(Powers(labelOnlyBase=False))


def look_of(methods):
    """Colour and marker of methods.

    Parameters
    ----------
    methods : list of dict
        With "label", "reference" and "place", its place among the reference methods or among the
        others of the whole catalogue: a method looks the same in all figures.

    Returns
    -------
    dict
        Label -> keyword arguments for `Axes.plot`.
    """
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


def new_figure(width, height):
    """An empty figure, layout kept free of overlaps.

    Parameters
    ----------
    width, height : float
        In inches.

    Returns
    -------
    Figure
    """
    return Figure(figsize=(width, height), layout="constrained")


def draw_nothing(reason):
    """A figure that says why there is nothing to show."""
    figure = new_figure(COLUMN, 1.0)
    lines = textwrap.wrap(" ".join(reason.split()), int(CHARACTERS_PER_INCH * 0.7 * COLUMN))
    figure.text(0.5, 0.5, "\n".join(lines[:MOST_LINES]), ha="center", va="center")
    return figure


def draw_agreement(axes, near):
    """Axes in percent on which equal numbers lie on a line, and near ones in a band around it.

    Parameters
    ----------
    axes : Axes
    near : float
        Half the width of the band.
    """
    axes.plot([0, 100], [0, 100], color="black", lw=0.6)
    axes.fill_between([0, 100], [-near, 100 - near], [near, 100 + near], color="#bbbbbb", lw=0)
    axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")


def add_note(figure, lines):
    """Write lines of small text above a figure; empty ones are left out.

    Parameters
    ----------
    figure : Figure
    lines : list of str
    """
    width = int(CHARACTERS_PER_INCH * figure.get_figwidth())
    text = "\n".join("\n".join(textwrap.wrap(line, width)) for line in lines if line)
    if text:
        figure.suptitle(text, x=0.01, ha="left", fontsize=5.5, color="#555555")


def save_figure(figure, stem, source):
    """Write a figure as svg, pdf and png; the data source goes into the files' metadata.

    Parameters
    ----------
    figure : Figure
    stem : path without its ending
    source : str
    """
    figure.draw_without_rendering()
    figure.set_layout_engine("none")  # laid out once, for all formats
    metadata = {
        "svg": {"Date": None, "Source": source},
        "pdf": {"CreationDate": None, "Keywords": source},
        "png": {"Source": source},
    }
    for suffix, entries in metadata.items():
        with completed(f"{stem}.{suffix}") as unfinished:
            figure.savefig(unfinished, format=suffix, metadata=entries)
