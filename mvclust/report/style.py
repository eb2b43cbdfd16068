"""One look for all figures: sizes, colours that colour-blind readers tell apart, file formats."""

from matplotlib.figure import Figure

from mvclust.datasets.files import completed

COLUMN = 3.4  # inches, one column of a paper
PAGE = 7.0  # inches, both columns

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
    "savefig.dpi": 200,
}


def look_of(algorithms):
    """Colour and marker of every method: label -> dict for `Axes.plot`."""
    looks = {}
    for reference, colours in ((False, COLOURS), (True, GREYS)):
        names = [name for name, e in algorithms.items() if e.get("reference", False) == reference]
        for i, name in enumerate(names):
            looks[algorithms[name].get("label", name)] = {
                "color": colours[i % len(colours)],
                "marker": MARKERS[i % len(MARKERS)],
                "linestyle": ":" if reference else "-" if i < len(colours) else "--",
            }
    return looks


def new_figure(width, height):
    """An empty figure of the given size in inches, layout kept free of overlaps."""
    return Figure(figsize=(width, height), layout="constrained")


def draw_nothing(reason):
    """A figure that says why there is nothing to show."""
    figure = new_figure(COLUMN, 1.0)
    figure.text(0.5, 0.5, reason, ha="center", va="center", wrap=True)
    return figure


def save_figure(figure, stem, source):
    """Write a figure as svg, pdf and png; the data source goes into the files' metadata."""
    metadata = {
        "svg": {"Date": None, "Source": source},
        "pdf": {"CreationDate": None, "Keywords": source},
        "png": {"Source": source},
    }
    for suffix, entries in metadata.items():
        with completed(f"{stem}.{suffix}") as unfinished:
            figure.savefig(unfinished, format=suffix, metadata=entries)
