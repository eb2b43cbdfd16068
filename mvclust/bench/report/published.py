"""Published numbers beside ours: a table, counts of the verdicts, a scatter."""

from collections.abc import Mapping
from pathlib import Path

import pandas as pd
from matplotlib.figure import Figure

from mvclust.bench.claims.numbers import MARGIN, WORDS
from mvclust.bench.claims.published import PRINTED, compare, counts
from mvclust.bench.multiverse.consistency import check_printed
from mvclust.bench.report import style, writing
from mvclust.bench.report.panels import lowest
from mvclust.bench.score.results import read_results

MOST_BESIDE = 4  # papers beside each other
GROUPS = {"paper": ["paper", "role"], "method": ["method"]}


def make_comparison(used: dict) -> None:
    """Make the comparison of a run with the published numbers."""
    results = {name: read_results(path)[0] for name, path in used["inputs"]["results"].items()}
    write_comparison(comparison_of(used, results), writing.results_folder(used))


def comparison_of(used: dict, results: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Compare the results of a run with the published numbers (see `claims.published.compare`)."""
    checked = check_printed(used["published"], used["tables"])
    return compare(
        used["experiments"], results, used["published"], used["methods"], used["roles"], checked
    )


def write_comparison(comparison: pd.DataFrame, folder: Path | str) -> None:
    """Write published_vs_reproduced as tables and a figure under a results folder."""
    name = "published_vs_reproduced"
    title, about, *_ = writing.TITLES[name]
    grouped = {by: counts(comparison, columns) for by, columns in GROUPS.items()}
    printed = comparison[list(PRINTED)]
    parts = [f"# {title}", in_words(comparison), about.format(margin=MARGIN)]
    parts += [part for by, table in grouped.items() for part in (f"## By {by}", table)]
    parts += ["## All numbers", printed.round(2)]
    latex = [(table, f"{title}, by {by}") for by, table in grouped.items()]
    writing.write_product(folder, name, printed, parts, latex)
    style.write_figure(folder, name, draw_comparison, comparison)


def in_words(comparison: pd.DataFrame) -> str:
    """How many published numbers have each of the four `WORDS`, in all and by table."""
    parts = [f"Of {len(comparison)} published numbers {_counts(comparison)}."]
    for (paper, item), table in comparison.groupby(["paper", "item"], sort=False):
        parts.append(f"{paper}, {item}: of {len(table)}, {_counts(table)}.")
    return " ".join(parts)


def _counts(table: pd.DataFrame) -> str:
    words = [f"{(table['verdict'] == word).sum()} {word}" for word in WORDS]
    rest = len(table) - int(table["verdict"].isin(WORDS).sum())
    return ", ".join([*words, *([f"{rest} not compared"] if rest else [])])


def draw_comparison(comparison: pd.DataFrame) -> Figure:
    """Draw reproduced against published, a panel per paper; numbers without a verdict are pale."""
    numbers = comparison.groupby("paper", sort=False)["reproduced"].count()
    papers, without = list(numbers.index[numbers > 0]), list(numbers.index[numbers == 0])
    if not papers:
        return style.draw_nothing("No published number was reproduced in this run.")
    columns = min(len(papers), MOST_BESIDE)
    rows = -(-len(papers) // columns)
    width = max(style.COLUMN, min(style.PAGE, 1.75 * columns))
    figure = style.new_figure(width, min(style.TALLEST, 2.3 * rows))
    panels = figure.subplots(rows, columns, sharex=True, sharey=True, squeeze=False)
    for axes in panels.flat[len(papers) :]:
        axes.set_visible(False)
    for i, (axes, paper) in enumerate(zip(panels.flat, papers, strict=False)):
        part = comparison[comparison["paper"] == paper]
        reproduced = part.dropna(subset="reproduced")
        decided = reproduced["verdict"].isin(WORDS)
        axes.plot([0, 100], [0, 100], color="black", lw=0.6)
        band = [-MARGIN, 100 - MARGIN], [MARGIN, 100 + MARGIN]
        axes.fill_between([0, 100], *band, color="#bbbbbb", lw=0)
        axes.set(xlim=(0, 100), ylim=(0, 100), aspect="equal")
        look = style.number_look(i) | {"ms": 2.5, "mew": 0, "ls": ""}
        for chosen, alpha in ((reproduced[~decided], 0.25), (reproduced[decided], 0.7)):
            axes.plot(chosen["published"], chosen["reproduced"], alpha=alpha, **look)
        axes.set_title(f"{paper}: {len(reproduced)} of {len(part)},\n{decided.sum()} compared")
    for axes in lowest(panels):
        axes.set_xlabel("published (%)")
        axes.tick_params(labelbottom=True)
    for axes in panels[:, 0]:
        axes.set_ylabel("reproduced (%)")
    pale = not comparison.dropna(subset="reproduced")["verdict"].isin(WORDS).all()
    reasons = "the run was cut, has too few masks or starts, or has rebuilt features"
    notes = [f"Pale: not compared, since {reasons}."] if pale else []
    notes += [f"Nothing reproduced in this run: {', '.join(without)}."] if without else []
    style.add_note(figure, notes)
    return figure
