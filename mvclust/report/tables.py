"""Result tables: tidy csv, and wide Markdown and LaTeX for people."""

from pathlib import Path

import numpy as np
import pandas as pd

from mvclust.datasets.files import completed
from mvclust.metrics import SCORES
from mvclust.pipeline.score.names import (
    column_names,
    cut_text,
    params_text,
    row_names,
    setting_text,
    texts_of,
)
from mvclust.pipeline.score.results import DECLARED
from mvclust.pipeline.score.significance import is_best
from mvclust.pipeline.score.tuning import FIXED
from mvclust.report.text import has_results, no_results_text, scope_text

CSV = (
    *("dataset", "setting", "method", "variant", "tuning", "metric", "mean", "std", "n_runs"),
    *("ci_low", "ci_high", "published", "published_std", "difference"),
    *DECLARED,
    *("params", "note", "source"),
)

PAGE_LINES, PAGE_CHARACTERS = 38, 62  # of a page of LaTeX's article class
MOST_NOTES = 4  # on failures, in a caption
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


def write_tables(described, results, stem, wide=None, tests=()):
    """Write one experiment's results as csv (tidy), md and tex (wide).

    Parameters
    ----------
    described : dict
        The experiment.
    results : DataFrame
        Its results table.
    stem : path without its ending
    wide : DataFrame, default=None
        What md and tex show, where it is not the same.
    tests : list of (title, remark, table)
        As `mvclust.report.ranks.rank_tests` makes it, to append to md and tex.
    """
    wide = results if wide is None else wide
    texts = {
        "csv": to_csv(results),
        "md": to_markdown(described, wide),
        "tex": to_latex(described, wide),
    }
    for title, remark, table in tests:
        table = table.round(3)
        texts["md"] += f"\n## {title}\n\n{remark}\n\n{markdown_table(table)}\n"
        caption = f"{described['title']}: {title[0].lower()}{title[1:]}. {remark}"
        texts["tex"] += "\n" + to_simple_latex(table, caption)
    write_texts(stem, texts)


def to_csv(results):
    """The tidy table of an experiment as csv.

    Parameters
    ----------
    results : DataFrame

    Returns
    -------
    str
        The columns `CSV`; numbers with six decimals, so that equal runs give equal bytes.
    """
    if results.empty:
        return ",".join(CSV) + "\n"
    counts = {name: pd.to_numeric(results[name]).astype("Int64") for name in ("n_runs", *DECLARED)}
    table = results.assign(
        setting=texts_of(results, setting_text),
        params=[params_text(points) for points in results["points"]],
        **counts,
    )
    return csv_text(table[list(CSV)])


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
        Names and remarks may be anybody's, and programs for tables take what begins with = + - or
        @ for a formula, which may send data away: such texts begin with an apostrophe.

    Examples
    --------
    >>> print(csv_text(pd.DataFrame({"note": ["=1+1", "-", "-0.5", "a-b"], "x": -0.5}), 1))
    note,x
    '=1+1,-0.5
    -,-0.5
    -0.5,-0.5
    a-b,-0.5
    <BLANKLINE>
    """
    texts = table.select_dtypes(exclude=["number", "bool"]).columns
    harmless = table.assign(**{name: table[name].map(_no_formula) for name in texts})
    harmless = harmless.rename(columns=_no_formula)
    form = None if digits is None else f"%.{digits}f"
    return harmless.to_csv(index=False, float_format=form, lineterminator="\n")


def _no_formula(value):
    if not isinstance(value, str) or len(value) < 2 or value[0] not in "=+-@\t\r":
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def wide_blocks(results):
    """Split results for print: one block per metric and tuning.

    Parameters
    ----------
    results : DataFrame

    Yields
    ------
    metric, title : str
    columns : list of str
    lines : list of (name, cells)
        A cell is (mean, std, published), or None where the table has no such result.
    """
    if results.empty:
        return
    keys, names = row_names(results)
    table = results.assign(row_key=keys, column=column_names(results))
    # Two data sets may have one name: the second gets a column of its own.
    place = ["metric", "tuning", "row_key", "column"]
    again = table.groupby(place, sort=False).cumcount()
    table["column"] += [f" ({count + 1})" if count else "" for count in again]
    for (metric, tuning), block in table.groupby(["metric", "tuning"], sort=False):
        columns = list(dict.fromkeys(block["column"]))
        cells = {
            (row.row_key, row.column): (row.mean, row.std, row.published)
            for row in block[["row_key", "column", "mean", "std", "published"]].itertuples()
        }
        lines = [
            (names[key], [cells.get((key, column)) for column in columns])
            for key in dict.fromkeys(block["row_key"])
        ]
        title = metric if tuning == FIXED else f"{metric}, tuning: {tuning}"
        yield metric, title, columns, lines


def to_markdown(described, results):
    """Wide tables in Markdown: mean ± std, the published number in brackets.

    Parameters
    ----------
    described : dict
    results : DataFrame

    Returns
    -------
    str
    """
    digits = _digits(described)
    parts = [f"# {described['title']}", *remarks(described, results)]
    for _, title, columns, lines in wide_blocks(results):
        rows = [["", *columns], ["---", *["---:"] * len(columns)]]
        rows += [[name, *(_cell(c, digits, "±") for c in cells)] for name, cells in lines]
        parts.append(f"## {title}\n\n{_markdown(rows)}")
    return "\n\n".join(parts) + "\n"


def to_latex(described, results):
    """Wide tables in LaTeX with booktabs; the best mean of a column is bold.

    Parameters
    ----------
    described : dict
    results : DataFrame

    Returns
    -------
    str
    """
    digits = _digits(described)
    parts = [NEEDS]
    about = " ".join(remarks(described, results, MOST_NOTES))
    if results.empty:
        parts += _latex_tables(f"{described['title']}. {about}", "l", [""], [])
    for metric, title, columns, lines in wide_blocks(results):
        means = [[np.nan if cell is None else cell[0] for cell in cells] for _, cells in lines]
        best = is_best(SCORES[described["metrics"][metric]].sign * np.array(means))
        body = []
        for row, (name, cells) in enumerate(lines):
            texts = [
                _cell(cell, digits, "$\\pm$", bold=len(lines) > 1 and best[row, i])
                for i, cell in enumerate(cells)
            ]
            body.append([escape_latex(name), *texts])
        heads = ["", *map(escape_latex, columns)]
        caption = f"{described['title']}. {title}. {about}"
        parts += _latex_tables(caption, "l" + "r" * len(columns), heads, body)
    return "\n\n".join(parts) + "\n"


def markdown_table(table):
    """Any table in Markdown; missing numbers stay empty."""
    return _markdown([list(table.columns), ["---"] * len(table.columns), *_texts(table)])


def _markdown(rows):
    """Cells as lines of a Markdown table."""
    rows = [[_one_line(cell).replace("|", "/") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _one_line(text):
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
    return "\n\n".join([NEEDS, *_latex_tables(caption, "l" * len(heads), heads, body)]) + "\n"


def _latex_tables(caption, columns, heads, body):
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


def remarks(described, results, most_notes=None):
    """Remarks below a title: runs, units, samples, tuning, cuts, sources of the data, failures.

    Parameters
    ----------
    described : dict
    results : DataFrame
    most_notes : int, default=None
        How many different notes on the numbers are listed; by default all.

    Returns
    -------
    list of str
    """
    texts = [(described.get("caption") or "").strip()]
    if has_results(results):
        runs = results.loc[results["n_runs"] > 0, "n_runs"]
        number = f"{runs.min()}" if runs.min() == runs.max() else f"{runs.min()} to {runs.max()}"
        unit = "Numbers in percent" if described["unit"] == "percent" else "Numbers from 0 to 1"
        texts.append(
            f"{unit}: mean ± standard deviation over {number} runs (masks or starts)."
            if runs.max() > 1
            else f"{unit}, from one run."
        )
        if results["published"].notna().any():
            texts.append("In brackets what the paper prints.")
    else:
        texts.append(no_results_text(results))
    texts += [scope_text(results), cut_text(results)]
    if not results.empty:
        sources = sorted(set(results["source"]) - {""})
        texts += [f"Data from: {'; '.join(sources)}."] if sources else []
        notes = sorted(set(results["note"]) - {""}) if has_results(results) else []
        more = len(notes[most_notes:]) if most_notes else 0
        texts += notes[:most_notes]
        texts += [f"{more} more notes are in the csv table."] if more else []
    return [_one_line(remark) for remark in texts if remark]


def _digits(described):
    return 2 if described["unit"] == "percent" else 4


def _cell(cell, digits, sign, bold=False):
    if cell is None:
        return ""
    mean, std, published = cell
    text = "–" if np.isnan(mean) else f"{mean:.{digits}f}"
    if bold:
        text = f"\\textbf{{{text}}}"
    if not np.isnan(std):
        text += f" {sign} {std:.{digits}f}"
    return text if np.isnan(published) else f"{text} [{published:.{digits}f}]"


def escape_latex(text):
    """A text as LaTeX prints it."""
    replace = {"\\": r"\textbackslash{}", "–": "--", "±": r"$\pm$"}
    replace |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    replace |= {c: f"${c}$" for c in "<>|"}
    replace |= {c: f"\\{c}" for c in "&%$#_{}"}
    return "".join(replace.get(c, c) for c in text)
