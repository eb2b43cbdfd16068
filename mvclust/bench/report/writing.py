"""Any table as csv, Markdown and LaTeX, each written completely or not at all."""

import re
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pandas as pd

from mvclust.bench.score.formulas import without_formulas
from mvclust.datasets.files import completed

PAGE_LINES, PAGE_CHARACTERS = 36, 62  # of a page of LaTeX's article class
TO_PAGE = "\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi"  # a narrow part stays as it is
WIDEST = 112  # characters of a table that is scaled to this page, so that it can be read
RULE = "\\midrule"
NEEDS = "% needs \\usepackage{booktabs,graphicx}"
MOST_FLOATS = 16  # between two page breaks; LaTeX keeps 18 at least


def with_page_breaks(text):
    """A text of LaTeX with a page break wherever more floats would wait than it can keep."""
    end = "\\end{table}\n"
    *tables, rest = text.split(end)
    pages = [tables[i : i + MOST_FLOATS] for i in range(0, len(tables), MOST_FLOATS)]
    ended = ["".join(table + end for table in page) for page in pages]
    return "\n\\clearpage\n".join(ended) + rest


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
        text = with_page_breaks(text) if suffix == "tex" else text
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
    wide = printed_width([heads, *body]) > PAGE_CHARACTERS
    tables = latex_tables(
        escape_latex(caption), "l" * len(heads), [latex_row(heads)], map(latex_row, body), wide
    )
    return "\n\n".join([NEEDS, *tables]) + "\n"


def latex_row(cells):
    """Cells as a line of a LaTeX table."""
    return " & ".join(cells) + " \\\\"


def grouped_heads(columns):
    """The lines that head the columns of a LaTeX table: one per part of their names.

    Parameters
    ----------
    columns : list of tuple of str
        LaTeX, tuples of equal length. Neighbours that begin with the same parts share the cells of
        these; a rule joins what is below such a cell.

    Returns
    -------
    list of str

    Examples
    --------
    >>> print("\\n".join(grouped_heads([("toy", "ACC"), ("toy", "NMI")])))
     & \\multicolumn{2}{c}{toy} \\\\
    \\cmidrule(lr){2-3}
     & ACC & NMI \\\\
    """
    lines = []
    for level in range(len(columns[0]) - 1):
        cells, rules, first = [""], [], 2
        for name, group in groupby(columns, itemgetter(slice(level + 1))):
            last = first + len(list(group)) - 1
            cells.append(f"\\multicolumn{{{last - first + 1}}}{{c}}{{{name[-1]}}}")
            rules.append(f"\\cmidrule(lr){{{first}-{last}}}")
            first = last + 1
        lines += [latex_row(cells), " ".join(rules)]
    return [*lines, latex_row(["", *[column[-1] for column in columns]])]


def grouped_tables(caption, labels, columns, rule=None):
    """A LaTeX table with grouped columns, or several if these do not fit a page.

    Parameters
    ----------
    caption : str
        LaTeX.
    labels : list of str
        LaTeX, the first cell of each line.
    columns : dict
        Name, a tuple of texts as `grouped_heads` takes them -> the cells in LaTeX.
    rule : int, default=None
        The line that a rule comes before.

    Returns
    -------
    list of str
    """
    columns = {tuple(map(escape_latex, name)): cells for name, cells in columns.items()}
    widths = {
        name: printed_width([[c] for c in [name[-1], *cells]]) for name, cells in columns.items()
    }
    first = printed_width([[label] for label in labels])
    parts = _fitting(list(columns), widths, WIDEST - first)
    tables = []
    for number, names in enumerate(parts, start=1):
        cells = zip(labels, *[columns[name] for name in names], strict=True)
        body = list(map(latex_row, cells))
        if rule is not None:
            body[rule] = f"{RULE}\n{body[rule]}"
        more = f" Part {number} of {len(parts)}." if len(parts) > 1 else ""
        wide = first + sum(widths[name] for name in names) > PAGE_CHARACTERS
        heads = grouped_heads(names)
        tables += latex_tables(caption + more, "l" + "r" * len(names), heads, body, wide)
    return tables


def _fitting(columns, widths, room, level=0):
    """Split columns into parts that fit, within a group only if the group does not fit."""
    if len(columns) == 1 or sum(widths[name] for name in columns) <= room:
        return [columns]
    parts = []
    for _, group in groupby(columns, itemgetter(slice(level + 1))):
        for part in _fitting(list(group), widths, room, level + 1):
            if parts and sum(widths[name] for name in [*parts[-1], *part]) <= room:
                parts[-1] += part
            else:
                parts.append(part)
    return parts


def latex_tables(caption, columns, heads, body, wide=False):
    """A table, or several if it is longer than a page.

    Parameters
    ----------
    caption : str
        LaTeX, as all texts here.
    columns : str
        As the environment tabular takes it.
    heads, body : iterable of str
        Lines.
    wide : bool, default=False
        Whether the table is scaled to the width of the text.

    Returns
    -------
    list of str
    """
    heads, body, parts = "\n".join(heads), list(body), []
    for first in range(0, max(1, len(body)), PAGE_LINES):
        lines = "\n".join(body[first : first + PAGE_LINES]).removeprefix(f"{RULE}\n")
        text = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{heads}\n{RULE}\n"
        text += f"{lines}\n\\bottomrule\n\\end{{tabular}}"
        if wide:
            text = f"\\resizebox{{{TO_PAGE}}}{{!}}{{%\n{text}}}"
        more = " (continued)" if first else ""
        parts.append(
            f"\\begin{{table}}\n\\centering\n\\caption{{{caption}{more}}}\n{text}\n\\end{{table}}"
        )
    return parts


def printed_width(rows):
    """About how many characters wide a LaTeX table is in print.

    Parameters
    ----------
    rows : list of list of str
        The cells of its lines.

    Returns
    -------
    int
    """
    return sum(max(len(_bare(cell)) + 2 for cell in column) for column in zip(*rows, strict=True))


def _bare(cell):
    """A cell, about as long as it is in print."""
    cell = cell.replace("$\\pm$", "±").replace("\\textbf{", "")
    return re.sub(r"\$\^\{.*?\}\$", "*", cell).replace("\\", "")


def _texts(table):
    return [["" if pd.isna(cell) else str(cell) for cell in row] for row in table.values.tolist()]


def escape_latex(text):
    """A text as LaTeX prints it."""
    replace = {"\\": r"\textbackslash{}", "–": "--", "±": r"$\pm$"}
    replace |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    replace |= {c: f"${c}$" for c in "<>|"}
    replace |= {c: f"\\{c}" for c in "&%$#_{}"}
    return "".join(replace.get(c, c) for c in text)
