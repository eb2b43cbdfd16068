"""The ledger as tables and a figure."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.patches
import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from mvclust.bench.claims.ledger import Ledger
from mvclust.bench.claims.probing import COLUMNS, probe
from mvclust.bench.claims.verdicts import OPEN, VERDICTS
from mvclust.bench.report import style, writing
from mvclust.bench.score.runs import read_runs

COLOURS: dict[str, str] = dict(
    zip(VERDICTS, ("#009E73", "#E69F00", "#D55E00", "#777777", "#BBBBBB", "#BBBBBB"), strict=True)
)
SHORT = ("id", "claim", "verdict", "in_print", "effect", "ci_low", "ci_high", "open_because")
ON_PAGE = ("id", "paper", "place", "claim", "verdict", "why", "in_print", "effect", "interval")
ON_PAGE += ("data", "experiments")
LINKS = {"experiments": "[{0}]({0}.md) [figure](../figures/{0}.svg)", "probes": "[{0}](probes.md)"}
ROW, AROUND = 0.55, 1.1  # inches per paper, and for the axis, the legend and the note
REACH = 10.0  # margins that the axis of effects shows


def make_claims(used: dict) -> None:
    """Judge the claims on the scores and on what was measured, and write the ledger."""
    inputs, folder = used["inputs"], writing.results_folder(used)
    measured = {n: pd.read_csv(inputs[n][0]) for n in ("growth", "probes") if n in inputs}
    runs = {name: read_runs(path) for name, path in inputs["scores"].items()}
    ledger = Ledger(used, runs, measured)
    table = ledger.table()
    rounded = _rounded(table)
    counts = table["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
    counted = ", ".join(f"{name} {number}" for name, number in counts.items() if number)
    linked = rounded.assign(**{
        name: [", ".join(map(link.format, cell.split())) for cell in rounded[name]]
        for name, link in LINKS.items()
    })  # fmt: skip
    other = table.loc[table["data"].str.contains("rebuilt|stand-in"), "data"].value_counts()
    rests = ", ".join(f"{number} on {name} data" for name, number in other.items())
    counted = f"{len(table)} claims: {counted}." + (f" Of these {rests}." if rests else "")
    title, about, *_ = writing.TITLES["claims"]
    first, *rest = [name for name in linked if name not in ("turns", "margin")]
    columns = [first, *rest[:4], "turns", *rest[4:]]  # what turns the verdict is beside it
    parts = [f"# {title}", about, counted, linked[columns]]
    writing.write_product(folder, "claims", table, parts, [(rounded[list(SHORT)], title)])
    _write_table(folder, "claims_units", ledger.units())
    _write_table(folder, "directions", ledger.directions())
    _write_table(folder, "printed_rows", ledger.rows())
    style.write_figure(folder, "claims", draw_claims, table, used["labels"])


def make_probe(used: dict) -> None:
    """Measure a probe."""
    text = writing.csv_text(probe(used, used["inputs"]["data"]))
    writing.write_texts(used["outputs"][0].removesuffix(".csv"), {"csv": text})


def make_probes(used: dict) -> None:
    """Make the table of all probes."""
    tables = {name: pd.read_csv(path) for name, path in used["inputs"]["measured"].items()}
    write_probes(used["probes"], tables, writing.results_folder(used))


def write_growth(table: pd.DataFrame, folder: Path | str) -> None:
    """Write the table of `claims.growth` for claims about cost."""
    cells = [f"{row.size}: {row.cpu_seconds:.3f}" for row in table.itertuples(index=False)]
    by_row = table.assign(cells=cells).groupby(["method", "grows"], sort=False)["cells"]
    shown = by_row.agg(", ".join).rename("size: CPU seconds").reset_index()
    _write_table(folder, "growth", table, writing.TITLES["growth"].about, shown)


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
    _write_table(folder, "probes", table, "\n\n".join(about), shown)


def _write_table(
    folder: Path | str, name: str, table: pd.DataFrame, about: str = "", shown: Any = None
) -> None:
    """Write a table as csv, and as shown, by default rounded, in Markdown and LaTeX."""
    title, shown = writing.TITLES[name].title, _rounded(table) if shown is None else shown
    writing.write_product(folder, name, table, [f"# {title}", about, shown], [(shown, title)])


def for_page(table: pd.DataFrame) -> pd.DataFrame:
    """The ledger for the page; what turns a verdict or leaves it open is one column."""
    power = table["power"].where(table["verdict"] == OPEN)
    why = pd.concat([table["turns"], table["open_because"], power], axis=1).astype(object)
    ends = zip(table["ci_low"], table["ci_high"], strict=True)
    return table.assign(
        why=["; ".join(row.dropna()) for _, row in why.iterrows()],
        interval=[f"[{low:.2f}, {high:.2f}]" if low == low else "" for low, high in ends],
        experiments=table["experiments"].fillna(""),
    )[list(ON_PAGE)]


def _rounded(table: pd.DataFrame) -> pd.DataFrame:
    numbers = table.select_dtypes("float").columns
    texts = {n: [f"{x:.2f}" if np.isfinite(x) else "" for x in table[n]] for n in numbers}
    return table.assign(**texts)


def draw_claims(table: pd.DataFrame, labels: Mapping[str, str]) -> Figure:
    """Draw a row per paper: how many claims have each verdict, and effects on scores in margins."""
    if table.empty:
        return style.draw_nothing("No claim was tested in this run.")
    papers = list(dict.fromkeys(table["paper"]))
    figure = style.new_figure(style.PAGE, AROUND + ROW * len(papers))
    bars, effects = figure.subplots(1, 2, sharey=True, width_ratios=(1, 1.4))
    bars.set_yticks(range(len(papers)), [labels.get(p, p).replace(" (", "\n(") for p in papers])
    bars.invert_yaxis()
    for place, paper in enumerate(papers):
        of_paper, left = table[table["paper"] == paper], 0
        for verdict in VERDICTS:
            number = int((of_paper["verdict"] == verdict).sum())
            bars.barh(place, number, left=left, color=COLOURS[verdict], height=0.6)
            if number:
                bars.text(left + number / 2, place, str(number), ha="center", va="center")
            left += number
        _draw_effects(effects, place, of_paper)
    bars.set_xlabel("number of claims")
    bars.grid(visible=False)
    effects.axvline(0, color="#999999", lw=0.6)
    effects.axvline(1, color="#999999", lw=0.6, ls=":")
    effects.set_xlim(-REACH - 0.3, REACH + 0.3)
    effects.set_xlabel("effect, in margins of the claim")
    shown = [verdict for verdict in VERDICTS if (table["verdict"] == verdict).any()]
    handles = [mpl.patches.Patch(color=COLOURS[verdict], label=verdict) for verdict in shown]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(shown), frameon=False)
    notes = ["Right: claims on scores, with 95 % intervals; dotted: the margin of the claim."]
    notes.append(f"Effects beyond {REACH:g} margins are drawn at the end of the axis.")
    style.add_note(figure, notes)
    return figure


def _draw_effects(axes: Axes, place: int, of_paper: pd.DataFrame) -> None:
    """Draw the effects of a paper's claims below each other within its row."""
    known = of_paper.dropna(subset=["effect", "margin"])
    offsets = np.linspace(-0.32, 0.32, len(known)) if len(known) > 1 else np.zeros(len(known))
    for offset, row in zip(offsets, known.to_dict("records"), strict=True):
        numbers = np.array([row["ci_low"], row["effect"], row["ci_high"]]) / row["margin"]
        low, effect, high = numbers.clip(-REACH, REACH)
        axes.plot([low, high], [place + offset] * 2, color=COLOURS[row["verdict"]], lw=1)
        axes.plot([effect], [place + offset], "o", color=COLOURS[row["verdict"]], ms=3)
