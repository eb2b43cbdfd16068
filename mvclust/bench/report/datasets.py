"""Tables of the data sets: what is in the files beside what the papers say."""

from __future__ import annotations

from mvclust.bench.report.writing import (
    csv_text,
    markdown_table,
    results_folder,
    to_simple_latex,
    write_texts,
)
from mvclust.bench.score.statements import overview, statements


def make_description(used: dict) -> None:
    """Make a table of statistics of data sets.

    The statements of one paper are compared with the files; "beyond" gives an overview. Files that
    are not in the run may be missing.
    """
    entries, files = used["entries"], used["inputs"]["data"]
    if used["paper"] == "beyond":
        table = overview(entries, files)
    else:
        table = statements(entries, used["paper"], files)
    caption = f"{used['title']}. {used['caption'].strip()}".strip()
    texts = {
        "csv": csv_text(table, digits=None),
        "md": f"# {caption}\n\n{markdown_table(table)}\n",
        "tex": to_simple_latex(table.drop(columns=["notes", "licence"], errors="ignore"), caption),
    }
    write_texts(results_folder(used) / "tables" / used["id"], texts)
