"""Tables of the data sets: what is in the files beside what the papers say."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from mvclust.bench.report.writing import csv_text, markdown_table, to_simple_latex, write_texts
from mvclust.bench.score.statements import overview, statements

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd

# What quantities are called in a table as printed.
NAMES = {"n_samples": "instances", "n_views": "views", "n_clusters": "clusters"}
NAMES |= {"dimensions": "features of each view"}


def write_description(
    title: str,
    caption: str,
    paper: str,
    entries: dict[str, dict],
    prepared_files: Mapping[str, str | None],
    stem: Path | str,
    order: Sequence[str] = (),
) -> None:
    """Write a table of statistics of data sets as csv, md and tex.

    `paper` is one paper, whose statements are compared with the files, or "beyond" for an overview;
    entries as in `score.statements.overview`. Files that are not in the run may be missing. `order`
    are the data sets as the paper calls them; md and tex then have a line for each.
    """
    if paper == "beyond":
        table = overview(entries, prepared_files)
    else:
        table = statements(entries, paper, prepared_files)
    caption = f"{title}. {caption.strip()}".strip()
    shown = _as_printed(table, order) if order else table
    latex = shown.drop(columns=["notes", "licence"], errors="ignore")
    texts = {
        "csv": csv_text(table, digits=None),
        "md": f"# {caption}\n\n{markdown_table(shown)}\n",
        "tex": to_simple_latex(latex, caption, Path(stem).name),
    }
    write_texts(stem, texts)


def _as_printed(table: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """One line per data set, in an order: each quantity in the files, and as published."""
    number = table["prepared"].replace("", "–") + " [" + table["published"] + "]"
    lines = table.assign(number=number).pivot_table(
        index=["called", "dataset", "source"], columns="quantity", values="number", aggfunc="first",
        sort=False,
    )  # fmt: skip
    lines = lines[[name for name in NAMES if name in lines]].rename(columns=NAMES).reset_index()
    places = lines["called"].map({name: place for place, name in enumerate(order)})
    return lines.iloc[places.argsort(kind="stable")].rename(columns={"called": "data [published]"})
