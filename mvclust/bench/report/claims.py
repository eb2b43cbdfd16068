"""The ledger as tables and a figure."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import matplotlib as mpl
import numpy as np
import pandas as pd

from mvclust.bench.claims.ledger import Ledger
from mvclust.bench.claims.probing import COLUMNS, probe
from mvclust.bench.claims.verdicts import (
    FAILS,
    HOLDS,
    NO_DATA,
    OPEN,
    OUT_OF_SCOPE,
    PARTLY,
    VERDICTS,
)
from mvclust.bench.report.style import (
    PAGE,
    RC,
    SMALLEST,
    TALLEST,
    add_note,
    draw_nothing,
    new_figure,
    save_figure,
)
from mvclust.bench.report.writing import (
    csv_text,
    markdown_table,
    results_folder,
    to_simple_latex,
    write_texts,
)
from mvclust.bench.score.runs import read_runs

if TYPE_CHECKING:
    from collections.abc import Mapping

    from matplotlib.figure import Figure

    from mvclust.bench.claims.ledger import Ledger

TITLE = "Claims of the papers, and which of them hold"
ABOUT = (
    "One row per claim. The verdict comes from our runs, in_print from the papers' own numbers by "
    "the same comparisons. Effects and detectable differences are in points, intervals are 95 % "
    "and paired by mask. What is open says why; turns says under which other choice the verdict is "
    "another one."
)
OTHERS = {
    "claims_units": "Claims, unit by unit",
    "directions": "Directions of the printed differences in our runs",
    "printed_rows": "Printed rows against ours, all their numbers at once",
}
PROBES = "What was measured beside the scores"
GROWTH = "CPU seconds of a fit against the size of the data"
ABOUT_GROWTH = (
    "Synthetic views, five iterations with start and labels, one BLAS thread, the fastest of three "
    "fits."
)
COLOURS = {
    HOLDS: "#009E73",
    PARTLY: "#E69F00",
    FAILS: "#D55E00",
    OPEN: "#777777",
    NO_DATA: "#BBBBBB",
    OUT_OF_SCOPE: "#BBBBBB",
}
SHORT = ("id", "claim", "verdict", "in_print", "effect", "ci_low", "ci_high", "open_because")
ON_PAGE = ("id", "paper", "claim", "verdict", "in_print", "printed_cells", "effect", "ci_low")
ON_PAGE += ("ci_high", "detectable", "open_because", "turns", "needs")
ROW, LEAST_ROW = 0.105, 0.09  # inches per line of the figure: wanted, and least
AROUND = 0.7  # inches for the axis and the note


def make_claims(used: dict) -> None:
    """Judge the claims on the scores and on what was measured, and write the ledger."""
    inputs = used["inputs"]
    tables = [name for name in ("growth", "probes") if name in inputs]
    measured = {name: pd.read_csv(inputs[name][0]) for name in tables}
    runs = {name: read_runs(path) for name, path in inputs["scores"].items()}
    write_claims(Ledger(used, runs, measured), results_folder(used))


def make_probe(used: dict) -> None:
    """Measure a probe."""
    text = csv_text(probe(used, used["inputs"]["data"]))
    write_texts(used["outputs"][0].removesuffix(".csv"), {"csv": text})


def make_probes(used: dict) -> None:
    """Make the table of all probes."""
    tables = {name: pd.read_csv(path) for name, path in used["inputs"]["measured"].items()}
    write_probes(used["probes"], tables, results_folder(used))


def write_claims(ledger: Ledger, folder: Path | str) -> None:
    """Write the ledger under a results folder, and the comparisons that share its tests."""
    table, folder = ledger.table(), Path(folder)
    tables = folder / "tables"
    rounded = _rounded(table)
    counts = table["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
    counted = ", ".join(f"{name} {number}" for name, number in counts.items() if number)
    linked = rounded.assign(
        experiments=[_links(cell) for cell in rounded["experiments"]],
        probes=[", ".join(f"[{n}](probes.md)" for n in cell.split()) for cell in rounded["probes"]],
    )
    parts = [f"# {TITLE}", f"{ABOUT}", f"{len(table)} claims: {counted}.", markdown_table(linked)]
    texts = {
        "csv": csv_text(table),
        "md": "\n\n".join(parts) + "\n",
        "tex": to_simple_latex(rounded[list(SHORT)], TITLE),
    }
    write_texts(tables / "claims", texts)
    for name, each in (
        ("claims_units", ledger.units()),
        ("directions", ledger.directions()),
        ("printed_rows", ledger.rows()),
    ):
        _write_table(tables / name, each, _rounded(each), OTHERS[name])
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(RC):
        save_figure(draw_claims(table), folder / "figures" / "claims", "mvclust claims")


def write_growth(table: pd.DataFrame, folder: Path | str) -> None:
    """Write the table of `claims.growth` for claims about cost."""
    cells = [f"{row.size}: {row.cpu_seconds:.3f}" for row in table.itertuples(index=False)]
    by_row = table.assign(cells=cells).groupby(["method", "grows"], sort=False)["cells"]
    shown = by_row.agg(", ".join).rename("size: CPU seconds").reset_index()
    _write_table(Path(folder, "tables", "growth"), table, shown, GROWTH, ABOUT_GROWTH)


def write_probes(
    described: Mapping[str, dict], tables: Mapping[str, pd.DataFrame], folder: Path | str
) -> None:
    """Write the tables of all probes (see `claims.probing`) with their title and unit, by name."""
    known = [each.assign(probe=name) for name, each in tables.items() if len(each)]
    columns = ["probe", *COLUMNS]
    table = pd.concat(known)[columns] if known else pd.DataFrame(columns=columns)
    shown = table.groupby(["probe", "dataset", "arm"], sort=False)["value"]
    shown = _rounded(shown.agg(["mean", "std", "count"]).reset_index())
    about = [f"`{name}`: {each['title']}; {each['unit']}." for name, each in described.items()]
    _write_table(Path(folder, "tables", "probes"), table, shown, PROBES, "\n\n".join(about))


def _write_table(
    stem: Path | str, table: pd.DataFrame, shown: pd.DataFrame, title: str, about: str = ""
) -> None:
    """Write a table as csv, and in its display form as Markdown and LaTeX."""
    parts = [f"# {title}", about, markdown_table(shown)]
    texts = {
        "csv": csv_text(table),
        "md": "\n\n".join(filter(None, parts)) + "\n",
        "tex": to_simple_latex(shown, title),
    }
    write_texts(stem, texts)


def for_page(table: pd.DataFrame) -> pd.DataFrame:
    """The ledger for the page; each claim links to the first of its experiments."""
    first = table["experiments"].fillna("").str.partition(" ")[0]
    return table[list(ON_PAGE)].assign(experiment=first)


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    numbers = table.select_dtypes("float").columns
    texts = {name: [_number(value) for value in table[name]] for name in numbers}
    return table.assign(**texts)


def _number(value: float) -> str:
    return "" if not np.isfinite(value) else f"{value:.2f}"


def _links(experiments: str) -> str:
    """Links to the table and figure of each experiment of a claim."""
    return ", ".join(
        f"[{name}]({name}.md) [figure](../figures/{name}.svg)" for name in experiments.split()
    )


def draw_claims(table: pd.DataFrame) -> Figure:
    """Draw one line per claim: the printed effect, ours with its interval, the verdict as colour.

    Effects beyond the axis are drawn at its end.
    """
    if table.empty:
        return draw_nothing("No claim was tested in this run.")
    number, room = len(table), TALLEST - AROUND
    table = table.head(int(room / LEAST_ROW))
    figure = new_figure(PAGE, AROUND + min(room, ROW * len(table)))
    figure.get_layout_engine().set(w_pad=0.12)  # inches: the names of the lines are long
    axes = figure.subplots()
    places = np.arange(len(table))[::-1]
    values = table[["effect", "ci_low", "ci_high", "printed_effect"]].to_numpy(dtype=float)
    reach = np.nanquantile(np.abs(values), 0.95) if np.isfinite(values).any() else 1.0
    for place, row, (effect, low, high, printed) in zip(
        places, table.to_dict("records"), values.clip(-reach, reach), strict=True
    ):
        colour = COLOURS[row["verdict"]]
        if np.isfinite(low) and np.isfinite(high):
            axes.plot([low, high], [place, place], color=colour, lw=1)
        if np.isfinite(effect):
            axes.plot([effect], [place], "o", color=colour, ms=3)
        if np.isfinite(printed):
            axes.plot([printed], [place], "|", color="black", ms=6, mew=1)
    axes.axvline(0, color="#999999", lw=0.6)
    axes.set_yticks(places, [f"{row.id}  {row.verdict}" for row in table.itertuples()])
    axes.tick_params(axis="y", labelsize=SMALLEST)
    for label, verdict in zip(axes.get_yticklabels(), table["verdict"], strict=True):
        label.set_color(COLOURS[verdict])
    axes.set_ylim(-1, len(table))
    axes.set_xlim(-1.05 * reach, 1.05 * reach)
    axes.set_xlabel("effect (points, or what the kind of test measures)")
    notes = ["Dot and line: ours with its 95 % interval. Black bar: mean printed effect."]
    if len(table) < number:
        notes.append(f"Drawn: {len(table)} of {number} claims; tables/claims.csv has all.")
    add_note(figure, notes)
    return figure
