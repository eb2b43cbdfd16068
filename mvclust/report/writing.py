"""Any table as csv, Markdown and LaTeX, each written completely or not at all."""

from pathlib import Path

import pandas as pd

from mvclust.datasets.files import completed
from mvclust.pipeline.score.formulas import without_formulas

PAGE_LINES, PAGE_CHARACTERS = 38, 62  # of a page of LaTeX's article class
NEEDS = "% needs \\usepackage{booktabs,graphicx}"


def write_texts(stem, texts):
    """Write texts under one name, each completely or not at all.

    Parameters
    ----------
    stem : path without its ending
    texts : dict
        Ending of the file name -> text.
    """
    Path(stem).parent.mkdir(parents=True, exist_ok=True)
    for suffix, text in texts.items():
        with completed(f"{stem}.{suffix}") as unfinished:
            unfinished.write_text(text, encoding="utf-8")


def csv_text(table, digits=6):
    """Any table as csv.

    Parameters
    ----------
    table : DataFrame
    digits : int or None, default=6
        Decimals of numbers; None for as many as they have.

    Returns
    -------
    str
        Without formulas, as `without_formulas` makes it.

    Examples
    --------
    >>> print(csv_text(pd.DataFrame({"note": ["=1+1", "a"], "x": [-0.5, None]}), 1))
    note,x
    '=1+1,-0.5
    a,
    <BLANKLINE>
    """
    form = None if digits is None else f"%.{digits}f"
    return without_formulas(table).to_csv(index=False, float_format=form, lineterminator="\n")


def markdown_table(table):
    """Any table in Markdown; missing numbers stay empty."""
    return markdown_lines([list(table.columns), ["---"] * len(table.columns), *_texts(table)])


def markdown_lines(rows):
    """Cells as lines of a Markdown table."""
    rows = [[one_line(cell).replace("|", "/") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def one_line(text):
    return " ".join(text.split())


def to_simple_latex(table, caption):
    """Any table in LaTeX with booktabs; missing numbers stay empty.

    Parameters
    ----------
    table : DataFrame
    caption : str

    Returns
    -------
    str
    """
    heads = list(map(escape_latex, table.columns))
    body = [list(map(escape_latex, row)) for row in _texts(table)]
    return "\n\n".join([NEEDS, *latex_tables(caption, "l" * len(heads), heads, body)]) + "\n"


def latex_tables(caption, columns, heads, body):
    """A table, or several if it is longer than a page; a wide one is scaled to the page."""
    width = sum(
        max(len(_bare(cell)) for cell in column) + 2 for column in zip(heads, *body, strict=True)
    )
    parts = []
    for first in range(0, max(1, len(body)), PAGE_LINES):
        lines = [" & ".join(row) + " \\\\" for row in body[first : first + PAGE_LINES]]
        text = (
            f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{' & '.join(heads)} \\\\\n\\midrule\n"
            + "\n".join([*lines, "\\bottomrule\n\\end{tabular}"])
        )
        if width > PAGE_CHARACTERS:
            text = f"\\resizebox{{\\linewidth}}{{!}}{{%\n{text}}}"
        more = " (continued)" if first else ""
        parts.append(
            f"\\begin{{table}}\n\\centering\n\\caption{{{escape_latex(caption + more)}}}\n{text}\n"
            "\\end{table}"
        )
    return parts


def _bare(cell):
    """A cell, about as long as it is in print."""
    return cell.replace("$\\pm$", "±").replace("\\textbf{", "").replace("\\", "")


def _texts(table):
    return [["" if pd.isna(cell) else str(cell) for cell in row] for row in table.values.tolist()]


def escape_latex(text):
    """A text as LaTeX prints it."""
    replace = {"\\": r"\textbackslash{}", "–": "--", "±": r"$\pm$"}
    replace |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    replace |= {c: f"${c}$" for c in "<>|"}
    replace |= {c: f"\\{c}" for c in "&%$#_{}"}
    return "".join(replace.get(c, c) for c in text)
