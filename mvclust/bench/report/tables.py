"""Result tables: tidy csv, and wide Markdown and LaTeX for people."""

import itertools
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
import pandas as pd

from mvclust.bench.report import writing
from mvclust.bench.report.text import has_results, no_results_text, place_texts, scope_text
from mvclust.bench.score import names
from mvclust.bench.score.overall import LEVEL, unlike_own
from mvclust.bench.score.results import DECLARED
from mvclust.bench.score.significance import is_best
from mvclust.metrics import SCORES

CSV = (
    *("dataset", "setting", "method", "variant", "tuning", "metric", "mean", "std", "n_runs"),
    *("ci_low", "ci_high", "published", "published_std", "difference"),
    *DECLARED,
    *("params", "note", "source"),
)

MOST_NOTES = 4  # on failures, above LaTeX tables
NOTHING = "--"  # in LaTeX, if a number is missing
SYMBOLS = ("*", r"\dagger", r"\ddagger", r"\S", r"\P", r"\|")  # marks, one per metric


def write_tables(
    described: dict,
    results: pd.DataFrame,
    stem: Path | str,
    wide: pd.DataFrame | None = None,
    tests: Iterable[tuple[str, str, pd.DataFrame]] = (),
) -> None:
    """Write results as csv (tidy), md and tex (`wide`, or the results), followed by `tests`."""
    wide = results if wide is None else wide
    texts = {
        "csv": to_csv(results),
        "md": to_markdown(described, wide),
        "tex": to_latex(described, wide),
    }
    for title, remark, table in tests:
        texts["md"] += f"\n## {title}\n\n{remark}\n\n{writing.markdown_table(table.round(3))}\n"
        caption = f"{described['title']}: {title[0].lower()}{title[1:]}. {remark}"
        texts["tex"] += "\n" + writing.to_simple_latex(_equal_decimals(described, table), caption)
    writing.write_texts(stem, texts)


def to_csv(results: pd.DataFrame) -> str:
    """Tidy table with the columns `CSV`; six decimals, so that equal runs give equal bytes."""
    if results.empty:
        return ",".join(CSV) + "\n"
    counts = {name: pd.to_numeric(results[name]).astype("Int64") for name in ("n_runs", *DECLARED)}
    table = results.assign(
        setting=names.texts_of(results, names.setting_text),
        params=[names.params_text(points) for points in results["points"]],
        **counts,
    )
    return writing.csv_text(table[list(CSV)])


def to_markdown(described: dict, results: pd.DataFrame) -> str:
    """Wide tables in Markdown: mean ± std, the published number in brackets."""
    parts = [f"# {described['title']}", *remarks(described, results)]
    parts += [] if results.empty else _wide_tables(results, digits_of(described))
    return "\n\n".join(parts) + "\n"


def _wide_tables(results: pd.DataFrame, digits: int) -> Iterator[str]:
    """Yield the table of each metric and tuning under its title."""
    keys, line_names = names.row_names(results)
    table = results.assign(row_key=keys, column=names.column_names(results))
    table["column"] += _again(table[["metric", "tuning", "row_key", "column"]])
    for (metric, tuning), block in table.groupby(["metric", "tuning"], sort=False):
        columns = dict.fromkeys(block["column"])
        cells = {
            (row.row_key, row.column): cell_text((row.mean, row.std, row.published), digits)
            for row in block[["row_key", "column", "mean", "std", "published"]].itertuples()
        }
        rows = [["", *columns], ["---", *["---:"] * len(columns)]]
        for key in dict.fromkeys(block["row_key"]):
            rows.append([line_names[key], *(cells.get((key, column), "") for column in columns)])
        title = metric if tuning == names.FIXED else f"{metric}, tuning: {tuning}"
        yield f"## {title}\n\n{writing.markdown_lines(rows)}"


def _again(places: pd.DataFrame) -> list[str]:
    """Two data sets may have one name: the second gets a column of its own, ending in this."""
    counts = places.groupby(list(places), sort=False).cumcount()
    return [f" ({count + 1})" if count else "" for count in counts]


def to_latex(described: dict, results: pd.DataFrame) -> str:
    """Tables in LaTeX, one or more per tuning: places above, metrics below; best means are bold."""
    about = "".join(f"\n% {line}" for line in _about_data(results, MOST_NOTES))
    parts = [f"{writing.NEEDS}{about}"]
    if results.empty:
        caption = writing.escape_latex(f"{described['title']}. {no_results_text(results)}")
        parts += writing.latex_tables(caption, "l", [writing.latex_row([""])], [])
        return "\n\n".join(parts) + "\n"
    keys, _ = names.row_names(results)
    table = results.assign(row_key=keys, place=_places(results, keys))
    unlike = unlike_own(described, results)
    for tuning, block in table.groupby("tuning", sort=False):
        marks, meanings = _marks(unlike[unlike["tuning"] == tuning])
        parts += _grouped_tables(described, block, marks, meanings)
    return "\n\n".join(parts) + "\n"


def _places(results: pd.DataFrame, keys: list[tuple]) -> list[tuple]:
    """Data set, number of views, rate and view of every result, as far as any result has them."""
    places = place_texts(results)
    of_cell = places.assign(row=keys, metric=results["metric"], tuning=results["tuning"])
    places["dataset"] += _again(of_cell)
    named = [name for name in places if places[name].any()]
    return list(places[named].itertuples(index=False, name=None))


def _marks(unlike: pd.DataFrame) -> tuple[dict[str, str], list[str]]:
    """Marks of each method that differs from the paper's own, and their meaning."""
    tests = list(zip(SYMBOLS, unlike.groupby("metric", sort=False), strict=False))
    symbols = {}
    for symbol, (_, tested) in tests:
        for method in tested.loc[tested["differs"], "method"]:
            symbols[method] = symbols.get(method, "") + symbol
    marks = {method: f"$^{{{text}}}$" for method, text in symbols.items()}
    if not tests:
        return marks, []
    named = [f"$^{{{symbol}}}$ {writing.escape_latex(metric)}" for symbol, (metric, _) in tests]
    meaning = (
        f"{', '.join(named)}: differs from {writing.escape_latex(unlike['own'].iloc[0])} over "
        f"{names.range_text(unlike['n_blocks'])} settings (Wilcoxon's signed-rank test, "
        f"$p < {LEVEL}$ by Holm's correction for {unlike['method'].nunique()} methods)"
    )
    return marks, [meaning]


def _grouped_tables(
    described: dict, block: pd.DataFrame, marks: Mapping[str, str], meanings: Iterable[str]
) -> list[str]:
    """Tables of one tuning: a line per method, columns by place and metric."""
    cells = {
        (row.row_key, (row.place, row.metric)): (row.mean, row.std)
        for row in block[["row_key", "place", "metric", "mean", "std"]].itertuples()
    }
    filled, places = {column for _, column in cells}, dict.fromkeys(block["place"])
    columns = itertools.product(places, dict.fromkeys(block["metric"]))
    columns = [column for column in columns if column in filled]
    _, line_names = names.row_names(block)
    references = {method["key"] for method in described["methods"] if method["reference"]}
    below = [key for key in line_names if key[0] in references]
    lines = [*[key for key in line_names if key not in below], *below]
    rule = len(lines) - len(below) if 0 < len(below) < len(lines) else None
    best, digits = _best(described, lines, columns, cells), digits_of(described)
    texts = {
        (*place, metric): [
            latex_number(cells.get((key, (place, metric))), digits, bold)
            for key, bold in zip(lines, best[:, j], strict=True)
        ]
        for j, (place, metric) in enumerate(columns)
    }
    labels = [line_names[key] for key in lines]
    labels = [writing.escape_latex(label) + marks.get(label, "") for label in labels]
    legend = ["bold: the best of each column, with ties"] if best.any() else []
    legend += [] if rule is None else ["below the line: references"]
    legend += [f"{NOTHING}: no number"] if any(NOTHING in t for t in texts.values()) else []
    caption = _latex_caption(described, block, [*legend, *meanings])
    return writing.grouped_tables(caption, labels, texts, rule)


def _best(
    described: dict, lines: list[tuple], columns: list[tuple], cells: dict[tuple, tuple]
) -> np.ndarray:
    """Whether each number is the best of its column, or equal to it; controls do not count."""
    controls = [m["key"] for m in described["methods"] if m["label"] in described["controls"]]
    means = np.full((len(lines), len(columns)), np.nan)
    for i, j in np.ndindex(means.shape):
        if lines[i][0] not in controls and (lines[i], columns[j]) in cells:
            means[i, j], _ = cells[lines[i], columns[j]]
    signs = [SCORES[described["metrics"][metric]].sign for _, metric in columns]
    return is_best(np.array(signs) * means) & (len(lines) > 1)


def latex_number(cell: tuple[float, float] | None, digits: int, bold: bool) -> str:
    """Mean and standard deviation; empty without a result, a dash without a number."""
    if cell is None:
        return ""
    mean, std = cell
    if np.isnan(mean):
        return NOTHING
    text = f"\\textbf{{{mean:.{digits}f}}}" if bold else f"{mean:.{digits}f}"
    return text if np.isnan(std) else f"{text} $\\pm$ {std:.{digits}f}"


def _latex_caption(described: dict, block: pd.DataFrame, legend: Iterable[str]) -> str:
    """Caption of a table, with one sentence on its numbers and marks."""
    tuning, runs = block["tuning"].iloc[0], block.loc[block["n_runs"] > 0, "n_runs"]
    title = f"{described['title']}{'' if tuning == names.FIXED else f', tuning: {tuning}'}."
    if runs.empty:
        numbers = f"none. {no_results_text(block)}"
    elif runs.max() > 1:
        over = f"{names.range_text(runs)} {names.repetitions_name(block)}"
        numbers = f"mean ± standard deviation over {over}"
    else:
        numbers = "one run"
    numbers = writing.escape_latex(f"Numbers {unit_of(described)}: {numbers}")
    texts = title, writing.one_line(described.get("caption") or ""), names.cut_text(block)
    title, about, cut = map(writing.escape_latex, texts)
    sentence = "; ".join([numbers, *legend]) + "."
    return " ".join(filter(None, [title, about, sentence, cut]))


def unit_of(described: dict) -> str:
    """Unit of the scores of an experiment in words."""
    return "in percent" if described["unit"] == "percent" else "from 0 to 1"


def remarks(described: dict, results: pd.DataFrame) -> list[str]:
    """Remarks below a title: runs, units, samples, tuning, reductions, data sources, failures."""
    texts = [(described.get("caption") or "").strip()]
    if has_results(results):
        runs = results.loc[results["n_runs"] > 0, "n_runs"]
        over = f": mean ± standard deviation over {names.range_text(runs)} runs (masks or starts)."
        texts.append(f"Numbers {unit_of(described)}{over if runs.max() > 1 else ', from one run.'}")
        if results["published"].notna().any():
            texts.append("In brackets what the paper prints.")
    else:
        texts.append(no_results_text(results))
    return [writing.one_line(remark) for remark in texts if remark] + _about_data(results)


def _about_data(results: pd.DataFrame, most_notes: int | None = None) -> list[str]:
    """Samples, tuning, reductions, data sources and failures, with at most some of the notes."""
    texts = [scope_text(results), names.cut_text(results), names.digits_text(results)]
    if not results.empty:
        sources = sorted(set(results["source"]) - {""})
        texts += [f"Data from: {'; '.join(sources)}."] if sources else []
        notes = sorted(set(results["note"]) - {""}) if has_results(results) else []
        more = len(notes[most_notes:]) if most_notes else 0
        texts += notes[:most_notes]
        texts += [f"{more} more notes are in the csv table."] if more else []
    return [writing.one_line(remark) for remark in texts if remark]


def _equal_decimals(described: dict, table: pd.DataFrame) -> pd.DataFrame:
    """Format the numbers of tests with equal decimals in every line."""
    digits = {"rank": 2, "p_holm": 3, "friedman_p": 3}
    for name in table.select_dtypes("float"):
        form = f"{{:.{digits.get(name, digits_of(described))}f}}".format
        table = table.assign(**{name: table[name].map(form, na_action="ignore")})
    return table


def digits_of(described: dict) -> int:
    """Decimals of the scores of an experiment."""
    return 2 if described["unit"] == "percent" else 4


def cell_text(cell: tuple[float, ...] | None, digits: int) -> str:
    """Mean, standard deviation and, in brackets, the published number; empty without a result."""
    if not cell:
        return ""
    mean, std, published = cell
    text = "–" if np.isnan(mean) else f"{mean:.{digits}f}"
    if not np.isnan(std):
        text += f" ± {std:.{digits}f}"
    return text if np.isnan(published) else f"{text} [{published:.{digits}f}]"
