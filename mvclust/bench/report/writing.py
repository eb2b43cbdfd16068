"""Any table as csv, Markdown and LaTeX, each written completely or not at all; their titles."""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

import pandas as pd
import yaml

from mvclust.datasets.files import completed

PAGE_LINES, PAGE_CHARACTERS = 36, 62  # of a page of LaTeX's article class
TO_PAGE = "\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi"  # a narrow part stays as it is
WIDEST = 112  # characters of a table that is scaled to this page, so that it can be read
RULE = "\\midrule"
NEEDS = "% needs \\usepackage{booktabs,graphicx}"
MOST_FLOATS = 16  # between two page breaks; LaTeX keeps 18 at least


class Title(NamedTuple):
    """What a table is called, its remark, and whether and as what the page shows it."""

    title: str
    about: str = ""
    page: bool = False
    figure: str = ""


# Of the products that follow from all fits.
TEXT = Path(__file__).with_name("titles.yaml").read_text(encoding="utf-8")
TITLES = {name: Title(**entry) for name, entry in yaml.safe_load(TEXT).items()}


def results_folder(used: dict) -> Path:
    """Folder of the results of a job that makes a table first."""
    return Path(used["outputs"][0]).parents[1]


def with_page_breaks(text: str) -> str:
    """Insert page breaks in LaTeX where more floats would wait than it can keep."""
    end = "\\end{table}\n"
    *tables, rest = text.split(end)
    pages = [tables[i : i + MOST_FLOATS] for i in range(0, len(tables), MOST_FLOATS)]
    ended = ["".join(table + end for table in page) for page in pages]
    return "\n\\clearpage\n".join(ended) + rest


def write_texts(stem: Path | str, texts: Mapping[str, str]) -> None:
    """Write texts (by file ending) under one name, each completely or not at all."""
    Path(stem).parent.mkdir(parents=True, exist_ok=True)
    for suffix, text in texts.items():
        text = with_page_breaks(text) if suffix == "tex" else text
        with completed(f"{stem}.{suffix}") as unfinished:
            unfinished.write_text(text, encoding="utf-8")


def write_product(
    folder: Path | str,
    name: str,
    table: pd.DataFrame,
    parts: Iterable[str | pd.DataFrame],
    latex: Iterable[tuple],
    digits: int | None = 6,
) -> None:
    """Write a table under a results folder as csv, Markdown and LaTeX.

    `parts` are paragraphs and tables of the Markdown, `latex` arguments of `to_simple_latex`.
    """
    shown = [markdown_table(p) if isinstance(p, pd.DataFrame) else p for p in parts]
    texts = {
        "csv": csv_text(table, digits),
        "md": "\n\n".join(filter(None, shown)) + "\n",
        "tex": "\n".join(to_simple_latex(*each) for each in latex),
    }
    write_texts(Path(folder, "tables", name), texts)


def csv_text(table: pd.DataFrame, digits: int | None = 6) -> str:
    """Any table as csv without formulas; `digits` None keeps all decimals.

    >>> print(csv_text(pd.DataFrame({"note": ["=1+1", "a"], "x": [-0.5, None]}), 1))
    note,x
    '=1+1,-0.5
    a,
    <BLANKLINE>
    """
    form = None if digits is None else f"%.{digits}f"
    return without_formulas(table).to_csv(index=False, float_format=form, lineterminator="\n")


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Put an apostrophe before texts that spreadsheets would read as formulas.

    Names and notes may come from anyone, and a formula may send data away.

    >>> without_formulas(pd.DataFrame({"note": ["=1+1", "-", "-0.5", "a-b"]}))["note"].tolist()
    ["'=1+1", '-', '-0.5', 'a-b']
    """
    texts = table.select_dtypes(exclude=["number", "bool"]).columns
    harmless = table.assign(**{name: table[name].map(_no_formula) for name in texts})
    return harmless.rename(columns=_no_formula)


def _no_formula(value: Any) -> Any:
    if not isinstance(value, str) or len(value) < 2 or value[0] not in "=+-@\t\r":
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value


def markdown_table(table: pd.DataFrame) -> str:
    """Any table in Markdown; missing numbers stay empty."""
    return markdown_lines([list(table.columns), ["---"] * len(table.columns), *_texts(table)])


def markdown_lines(rows: Iterable[Sequence[str]]) -> str:
    """Cells as lines of a Markdown table."""
    rows = [[one_line(cell).replace("|", "/") for cell in row] for row in rows]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def one_line(text: str) -> str:
    return " ".join(text.split())


def to_simple_latex(table: pd.DataFrame, caption: str, label: str = "") -> str:
    """Any table in LaTeX with booktabs; missing numbers stay empty."""
    heads = list(map(escape_latex, table.columns))
    body = [list(map(escape_latex, row)) for row in _texts(table)]
    wide = printed_width([heads, *body]) > PAGE_CHARACTERS
    columns, lines = "l" * len(heads), map(latex_row, body)
    tables = latex_tables(escape_latex(caption), columns, [latex_row(heads)], lines, wide, label)
    return "\n\n".join([NEEDS, *tables]) + "\n"


def latex_row(cells: Iterable[str]) -> str:
    """Cells as a line of a LaTeX table."""
    return " & ".join(cells) + " \\\\"


def grouped_heads(columns: Sequence[tuple[str, ...]], before: Sequence[str] = ("",)) -> list[str]:
    r"""Head lines of a LaTeX table: neighbours that begin alike share cells with a rule below.

    >>> print("\n".join(grouped_heads([("toy", "ACC"), ("toy", "NMI")])))
     & \multicolumn{2}{c}{toy} \\
    \cmidrule(lr){2-3}
     & ACC & NMI \\
    """
    lines = []
    for level in range(len(columns[0]) - 1):
        cells, rules, first = [""] * len(before), [], len(before) + 1
        for name, group in groupby(columns, itemgetter(slice(level + 1))):
            last = first + len(list(group)) - 1
            cells.append(f"\\multicolumn{{{last - first + 1}}}{{c}}{{{name[-1]}}}")
            rules.append(f"\\cmidrule(lr){{{first}-{last}}}")
            first = last + 1
        lines += [latex_row(cells), " ".join(rules)]
    return [*lines, latex_row([*before, *[column[-1] for column in columns]])]


def grouped_tables(
    caption: str, labels: list[str], columns: dict[tuple[str, ...], list[str]], rule: int | None
) -> list[str]:
    """LaTeX table with grouped columns by name, or several; `rule` is the line after a rule."""
    columns = {tuple(map(escape_latex, name)): cells for name, cells in columns.items()}
    widths = {n: printed_width([[c] for c in [n[-1], *cells]]) for n, cells in columns.items()}
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


def _fitting(
    columns: list[tuple[str, ...]], widths: Mapping[tuple, int], room: int, level: int = 0
) -> list[list[tuple[str, ...]]]:
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


def latex_tables(
    caption: str,
    columns: str,
    heads: Iterable[str],
    body: Iterable[str],
    wide: bool = False,
    label: str = "",
) -> list[str]:
    """LaTeX table, or several if it is longer than a page; `wide` scales it to the text width."""
    heads, body, parts = "\n".join(heads), list(body), []
    for first in range(0, max(1, len(body)), PAGE_LINES):
        lines = "\n".join(body[first : first + PAGE_LINES]).removeprefix(f"{RULE}\n")
        text = f"\\begin{{tabular}}{{{columns}}}\n\\toprule\n{heads}\n{RULE}\n"
        text += f"{lines}\n\\bottomrule\n\\end{{tabular}}"
        if wide:
            text = f"\\resizebox{{{TO_PAGE}}}{{!}}{{%\n{text}}}"
        more = " (continued)" if first else ""
        named = f"\n\\label{{tab:{label}}}" if label and not first else ""
        head = f"\\begin{{table}}\n\\centering\n\\caption{{{caption}{more}}}{named}\n"
        parts.append(f"{head}{text}\n\\end{{table}}")
    return parts


def printed_width(rows: Sequence[Sequence[str]]) -> int:
    """Approximate width of a LaTeX table in printed characters."""
    return sum(max(len(_bare(cell)) + 2 for cell in column) for column in zip(*rows, strict=True))


def _bare(cell: str) -> str:
    """A cell with about its printed length."""
    cell = cell.replace("$\\pm$", "±").replace("\\textbf{", "")
    return re.sub(r"\$\^\{.*?\}\$", "*", cell).replace("\\", "")


def _texts(table: pd.DataFrame) -> list[list[str]]:
    return [["" if pd.isna(cell) else str(cell) for cell in row] for row in table.values.tolist()]


def escape_latex(text: str) -> str:
    """Escape a text for LaTeX."""
    replace = {"\\": r"\textbackslash{}", "–": "--", "±": r"$\pm$"}
    replace |= {"~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    replace |= {c: f"${c}$" for c in "<>|"}
    replace |= {c: f"\\{c}" for c in "&%$#_{}"}
    return "".join(replace.get(c, c) for c in text)
