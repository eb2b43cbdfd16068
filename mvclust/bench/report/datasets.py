"""Tables of the data sets: what is in the files beside what the papers say."""

from mvclust.bench.report.writing import csv_text, markdown_table, to_simple_latex, write_texts
from mvclust.bench.score.statements import overview, statements


def write_description(title, caption, paper, entries, prepared_files, stem):
    """Write a table of statistics of data sets as csv, md and tex.

    Parameters
    ----------
    title, caption : str
    paper : str
        One paper: what it says beside what the files hold; "beyond": an overview.
    entries : dict
        Name of a data set -> its entry, see `mvclust.bench.score.statements.overview`.
    prepared_files : dict
        Name of a prepared file -> path; those that are not in the run may be missing.
    stem : path without its ending
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
