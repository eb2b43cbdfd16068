"""Tables of the data sets: what is in the files beside what the papers say."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvclust.bench.report.writing import csv_text, markdown_table, to_simple_latex, write_texts
from mvclust.bench.score.statements import overview, statements

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


def write_description(
    title: str,
    caption: str,
    paper: str,
    entries: dict[str, dict],
    prepared_files: Mapping[str, str | None],
    stem: Path | str,
) -> None:
    """Write a table of statistics of data sets as csv, md and tex.

    `paper` is one paper, whose statements are compared with the files, or "beyond" for an overview;
    entries as in `score.statements.overview`. Files that are not in the run may be missing.
    """
    if paper == "beyond":
        table = overview(entries, prepared_files)
    else:
        table = statements(entries, paper, prepared_files)
    caption = f"{title}. {caption.strip()}".strip()
    texts = {
        "csv": csv_text(table, digits=None),
        "md": f"# {caption}\n\n{markdown_table(table)}\n",
        "tex": to_simple_latex(table.drop(columns=["notes", "licence"], errors="ignore"), caption),
    }
    write_texts(stem, texts)
