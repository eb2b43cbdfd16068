"""Tables with the lines and columns in which the papers print them, their numbers next to ours."""

from itertools import groupby
from pathlib import Path

import numpy as np
import pandas as pd

from mvclust.bench.report import tables, writing
from mvclust.bench.report.text import in_words
from mvclust.bench.score.names import rate_of, view_text
from mvclust.bench.score.significance import is_best
from mvclust.metrics import SCORES

NAMES = {"dataset": "data", "view": "view", "metric": "score"}


def write_printed(described: dict, results: pd.DataFrame, stem: Path | str) -> None:
    """Write a table in the form of its experiment; in tex, published lines follow ours."""
    form = described["form"]
    cells = {}
    for row in results.to_dict("records"):
        place = _texts(row)
        line, column = (tuple(place[name] for name in form[key]) for key in ("rows", "columns"))
        cells[line, column] = row["mean"], row["std"], row["published"], row["published_std"]
    lines, columns = map(_in_groups, zip(*cells, strict=True))
    corner = [NAMES.get(name, str(name)) for name in form["rows"]]
    if "rate" in form["columns"] and (rate := rate_of(results.iloc[0].to_dict())):
        corner[-1] += f" / {rate[0].replace('_', ' ')}"
    digits = tables.digits_of(described)
    head = [[*corner, *map(" ".join, columns)], ["---"] * len(corner) + ["---:"] * len(columns)]
    rows = [
        [*line, *(tables.cell_text(cells.get((line, c), ())[:3], digits) for c in columns)]
        for line in lines
    ]
    about = tables.remarks(described, results)
    parts = [f"# {described['title']}", *about, writing.markdown_lines([*head, *rows])]
    texts = {
        "csv": tables.to_csv(results),
        "md": "\n\n".join(parts) + "\n",
        "tex": _latex(described, results, corner, lines, columns, cells),
    }
    writing.write_texts(stem, texts)


def _in_groups(places: tuple[tuple, ...]) -> list[tuple]:
    """Unique places, by the order in which each of their parts appears."""
    orders = [list(dict.fromkeys(part)) for part in zip(*places, strict=True)]
    return sorted(
        set(places), key=lambda place: [o.index(p) for o, p in zip(orders, place, strict=True)]
    )


def _texts(row: dict) -> dict[str, str]:
    """What lines and columns may differ in, as short texts."""
    rate = rate_of(row)
    return {
        "dataset": row["dataset"],
        "method": row["method"],
        "metric": row["metric"],
        "view": in_words(view_text(row)),
        "rate": f"{rate[1]:g}" if rate else "",
    }


def _latex(
    described: dict,
    results: pd.DataFrame,
    corner: list[str],
    lines: list,
    columns: list,
    cells: dict,
) -> str:
    """One table in LaTeX; the best of ours among the methods on the same data are bold."""
    body, digits = [], tables.digits_of(described)
    with_std = bool(results["published_std"].notna().any())
    at = described["form"]["columns"].index("metric")
    signs = [SCORES[described["metrics"][column[at]]].sign for column in columns]
    empty = (np.nan,) * 4
    for _, group in groupby(lines, lambda line: line[:-1]):
        group = list(group)
        means = [[cells.get((line, c), empty)[0] for c in columns] for line in group]
        best = is_best(np.array(signs) * np.array(means, dtype=float)) & (len(group) > 1)
        for i, line in enumerate(group):
            given = [cells.get((line, column), empty) for column in columns]
            names = line if i == 0 else [*[""] * (len(line) - 1), line[-1]]
            ours = [
                tables.latex_number((mean, std if with_std else np.nan), digits, bold)
                for (mean, std, *_), bold in zip(given, best[i], strict=True)
            ]
            rule = f"{writing.RULE}\n" if body and i == 0 else ""
            body.append(rule + writing.latex_row([*map(writing.escape_latex, names), *ours]))
            if not np.isnan([cell[2] for cell in given]).all():
                theirs = [tables.latex_number(cell[2:], digits, False) for cell in given]
                head = [*[""] * (len(line) - 1), "\\quad published"]
                body.append(writing.latex_row([*head, *theirs]))
    escaped = [tuple(map(writing.escape_latex, column)) for column in columns]
    heads = writing.grouped_heads(escaped, [*map(writing.escape_latex, corner)])
    texts = [line.removeprefix(f"{writing.RULE}\n").split(" & ") for line in body]
    wide = writing.printed_width(texts) > writing.PAGE_CHARACTERS
    runs = results.loc[results["n_runs"] > 0, "n_runs"]
    sentence = "Ours above the published numbers"
    sentence += ", mean ± standard deviation" if with_std else ", means"
    sentence += f" over {runs.max()} runs" if len(runs) and runs.max() > 1 else ""
    unit = tables.unit_of(described)
    sentence += f", {unit}; bold: the best of ours; {tables.NOTHING}: no number."
    caption = [f"{described['title']}.", writing.one_line(described["caption"]), sentence]
    caption = writing.escape_latex(" ".join(caption))
    layout = "l" * len(corner) + "r" * len(columns)
    parts = writing.latex_tables(caption, layout, heads, body, wide, described["id"])
    return "\n\n".join([writing.NEEDS, *parts]) + "\n"
