"""Result tables: tidy csv, and wide Markdown and LaTeX for people."""

import io

import numpy as np
import pandas as pd

from mvclust.datasets.files import completed

PAGE_LINES, PAGE_CHARACTERS = 38, 62  # of a page of LaTeX's article class
NEEDS = "% needs \\usepackage{booktabs,graphicx}"


def write_tables(results, experiment, stem, ranks=None):
    """Write one experiment's results as csv (tidy), md and tex (wide), a table of ranks first."""
    texts = {
        "csv": to_csv(results),
        "md": to_markdown(results, experiment),
        "tex": to_latex(results, experiment),
    }
    if ranks is not None:
        title = f"{experiment['title']}: mean ranks"
        left_out = sorted({name for text in ranks["left_out"] for name in text.split(", ") if name})
        remark = "Methods that lack more than a fifth of the data sets and rates are left out: "
        remark += f"{', '.join(left_out) or 'none'}."
        ranks = ranks.drop(columns="left_out").round(3)
        texts["md"] += f"\n## Mean ranks\n\n{remark}\n\n{markdown_table(ranks)}\n"
        texts["tex"] += "\n" + to_simple_latex(ranks, f"{title}. {remark}")
    for suffix, text in texts.items():
        with completed(f"{stem}.{suffix}") as unfinished:
            unfinished.write_text(text, encoding="utf-8")


def to_csv(results):
    """The tidy table; numbers with six decimals, so that equal runs give equal bytes."""
    buffer = io.StringIO()
    results.to_csv(buffer, index=False, float_format="%.6f", lineterminator="\n")
    return buffer.getvalue()


def read_csv(path):
    """Read what `to_csv` wrote; empty texts stay texts."""
    texts = ["variant", "params", "note", "source"]
    return pd.read_csv(path, dtype=dict.fromkeys(texts, str)).fillna(dict.fromkeys(texts, ""))


def wide_blocks(results):
    """Split results for print: one block a data set, metric and tuning.

    Yields
    ------
    title : str
    columns : list of str, the settings
    lines : list of (name, cells); a cell is (mean, std, published)
    """
    keys = ["metric", "tuning"] if results["tuning"].iloc[0] != "fixed" else ["metric"]
    for names, block in results.groupby(keys, sort=False):
        title = str(names[0]) if len(names) == 1 else f"{names[0]}, tuning: {names[1]}"
        fixed = len(names) == 1
        names = [name for name in ("dataset", "setting") if block[name].nunique() > 1]
        column = block[names or ["setting"]].agg(", ".join, axis=1)
        line = block["params" if block["params"].ne("").any() and fixed else "method"]
        lines = []
        for name, part in block.groupby(line, sort=False):
            by_column = part.set_index(column[part.index])
            cells = [
                tuple(by_column.loc[c, ["mean", "std", "published"]])
                for c in dict.fromkeys(column)
                if c in by_column.index
            ]
            lines.append((name, cells))
        yield title, list(dict.fromkeys(column)), lines


def to_markdown(results, experiment):
    """Wide tables in Markdown: mean ± std, the published number in brackets."""
    digits = _digits(experiment)
    parts = [f"# {experiment['title']}", *_remarks(results, experiment)]
    for title, columns, lines in wide_blocks(results):
        rows = [["", *columns], ["---", *["---:"] * len(columns)]]
        rows += [[name, *(_cell(c, digits, "±") for c in cells)] for name, cells in lines]
        body = "\n".join(f"| {' | '.join(row)} |" for row in rows)
        parts.append(f"## {title}\n\n{body}")
    return "\n\n".join(parts) + "\n"


def to_latex(results, experiment):
    """Wide tables in LaTeX with booktabs; the best mean of a column is bold."""
    digits = _digits(experiment)
    parts = [NEEDS]
    for title, columns, lines in wide_blocks(results):
        means = np.array([[cell[0] for cell in cells] for _, cells in lines], dtype=float)
        best = np.full(means.shape[1], -1)
        has = ~np.isnan(means).all(axis=0)
        best[has] = np.nanargmax(means[:, has], axis=0)
        body = []
        for row, (name, cells) in enumerate(lines):
            texts = [
                _cell(cell, digits, "$\\pm$", bold=len(lines) > 1 and best[i] == row)
                for i, cell in enumerate(cells)
            ]
            body.append([escape_latex(name), *texts])
        heads = ["", *map(escape_latex, columns)]
        caption = f"{experiment['title']}. {title}. {' '.join(_remarks(results, experiment))}"
        parts += _latex_tables(caption, "l" + "r" * len(columns), heads, body)
    return "\n\n".join(parts) + "\n"


def markdown_table(table):
    """Any table in Markdown; missing numbers stay empty."""
    rows = [list(table.columns), ["---"] * len(table.columns), *_texts(table)]
    return "\n".join(f"| {' | '.join(cell.replace('|', '/') for cell in row)} |" for row in rows)


def to_simple_latex(table, caption):
    """Any table in LaTeX with booktabs; missing numbers stay empty."""
    heads = list(map(escape_latex, table.columns))
    body = [list(map(escape_latex, row)) for row in _texts(table)]
    return "\n\n".join([NEEDS, *_latex_tables(caption, "l" * len(heads), heads, body)]) + "\n"


def _latex_tables(caption, columns, heads, body):
    """A table, or several where it is longer than a page; a wide one is made to fit the page."""
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
    """A cell about as long as it prints."""
    return cell.replace("$\\pm$", "±").replace("\\textbf{", "").replace("\\", "")


def _texts(table):
    return [["" if pd.isna(cell) else str(cell) for cell in row] for row in table.values.tolist()]


def _remarks(results, experiment):
    """What a reader must know: runs, units, where the data came from, failures."""
    n = results["n_runs"]
    runs = f"{n.min()}" if n.min() == n.max() else f"{n.min()} to {n.max()}"
    unit = "Numbers in percent" if experiment["unit"] == "percent" else "Numbers from 0 to 1"
    remarks = [
        experiment.get("caption", "").strip(),
        f"{unit}: mean ± standard deviation over {runs} runs (masks or starts)."
        if n.max() > 1
        else f"{unit}, from one run.",
    ]
    if results["published"].notna().any():
        remarks.append("In brackets what the paper prints.")
    sources = sorted(set(results["source"]) - {""})
    remarks += [f"Data from: {'; '.join(sources)}."] if sources else []
    remarks += sorted({note for note in results["note"] if note})
    return [remark for remark in remarks if remark]


def _digits(experiment):
    return 2 if experiment["unit"] == "percent" else 4


def _cell(cell, digits, sign, bold=False):
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
    replace |= {c: f"\\{c}" for c in "&%$#_{}"}
    return "".join(replace.get(c, c) for c in text)
