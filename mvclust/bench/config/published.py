"""Read and check the published numbers, config/published.csv."""

from __future__ import annotations

import csv
import io
import math
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from mvclust.bench.config.experiments import Fitted
from mvclust.bench.config.messages import unknown
from mvclust.bench.config.protocols import PER_VIEW, RATE_OF
from mvclust.bench.config.units import UNITS
from mvclust.bench.config.yaml_lines import read_text

if TYPE_CHECKING:
    from mvclust.bench.config.load import Configuration

COLUMNS = (
    *("paper", "item", "dataset", "missing_rate", "paired_rate", "view"),
    *("method", "metric", "mean", "std", "unit"),
)
RATE = (float, 0, 1, "a number from 0 to 1, or nothing")
NUMBERS = {  # column: type, least, most, in words
    "missing_rate": RATE,
    "paired_rate": RATE,
    "view": (int, 1, math.inf, "a whole number from 1"),
    "mean": (float, -math.inf, math.inf, "a number"),
    "std": (float, 0, math.inf, "a number from 0"),
}
METRICS = ("acc", "nmi", "purity", "ari", "f_score", "precision", "recall")
KEYS = COLUMNS[:-3]


def read_published(
    path: Path | str, configuration: Configuration, key: str = ""
) -> tuple[list[dict], list[str]]:
    """Read and check published numbers of a file that a key names; return rows and mistakes.

    Rows have the keys `COLUMNS`, None for an empty cell; a mistake of several lines is named once.
    """
    text, problems = read_text(path, key)
    if problems:
        return [], problems
    reader = csv.DictReader(io.StringIO(text, newline=""))
    try:
        problems = _check_header(reader.fieldnames or [], path)
        lines = [(reader.line_num, cells) for cells in reader]
    except csv.Error as error:
        return [], [f"{path}:{reader.line_num + 1}: {error}."]
    if problems:
        return [], problems
    names = _Names(configuration)
    rows, found = [], defaultdict(list)
    seen = dict.fromkeys(map(_key, configuration.published), "in another file")
    for line, cells in lines:
        if None in cells or None in cells.values():
            found[f"expected {len(COLUMNS)} values separated by commas."].append(line)
            continue
        row, mistakes = _typed(cells)
        mistakes = mistakes or names.check(row)
        if not mistakes and _key(row) in seen:
            mistakes.append(f"the same number is also {seen[_key(row)]}; keep one.")
        seen.setdefault(_key(row), f"on line {line}")
        for mistake in mistakes:
            found[mistake].append(line)
        rows.append(row)
    for mistake, of in found.items():
        more = f" (and {len(of) - 1} more)" if len(of) > 1 else ""
        problems.append(f"{path}:{of[0]}{more}: {mistake}")
    return rows, problems


class _Names:
    """The names in the catalogues."""

    def __init__(self, configuration: Configuration) -> None:
        methods = configuration.methods.values()
        self.methods = {name for method in methods for name in method.published}
        self.tables = {n: sorted(p.tables) for n, p in configuration.papers.items() if p.tables}
        self.experiments = defaultdict(list)
        for experiment in configuration.experiments.values():
            if isinstance(experiment, Fitted) and experiment.item is not None:
                self.experiments[experiment.paper, experiment.item].append(experiment)

    def check(self, row: dict) -> list:
        """Mistakes in the names of one row."""
        paper, item = row["paper"], row["item"]
        of_item = self.experiments[paper, item]
        labels = {label for experiment in of_item for label in experiment.labels}
        known = {
            "paper": ("paper with published numbers", self.tables),
            "item": (f"item of {paper}", self.tables.get(paper, ())),
            "dataset": (f"data set of {paper} {item}", labels),
            "method": ("published name of a method", self.methods),
            "metric": ("metric", METRICS),
        }
        mistakes = {
            column: f"{column}: " + unknown(kind, row[column], sorted(names))
            for column, (kind, names) in known.items()
            if row[column] not in names
        }
        for above in ("paper", "item"):
            if above in mistakes:
                return [mistakes[above]]
        return [*mistakes.values(), *_check_setting(row, of_item)]


def _check_setting(row: dict, experiments: list[Fitted]) -> list:
    """Check the rates and the view of a row against the protocol of its item."""
    protocols = {each.protocol for each in experiments}
    wanted = {"view" if name in PER_VIEW else RATE_OF.get(name) for name in protocols}
    if len(wanted) != 1:
        return []
    of = f"{row['paper']} {row['item']}"
    return [
        f"{column}: {of} "
        + (f"needs a {column}." if column in wanted else f"takes no {column}, got {row[column]}.")
        for column in ("missing_rate", "paired_rate", "view")
        if (row[column] is not None) != (column in wanted)
    ]


def _check_header(header: Sequence[str], path: Path | str) -> list:
    if not set(header) & set(COLUMNS):
        return [f"{path}:1: expected the columns {', '.join(COLUMNS)}."]
    problems = [unknown("column", name, COLUMNS) for name in header if name not in COLUMNS]
    twice = [name for name in COLUMNS if header.count(name) > 1]
    problems += [f"the column '{name}' is there twice; keep one." for name in twice]
    problems += [f"the column '{name}' is missing." for name in COLUMNS if name not in header]
    return [f"{path}:1: {problem}" for problem in dict.fromkeys(problems)]


def _key(row: dict) -> tuple:
    return tuple(row.get(name) for name in KEYS)


def _typed(cells: dict) -> tuple[dict, list]:
    """Row with numbers, and its mistakes."""
    row, mistakes = dict(cells), []
    for column, (kind, low, high, expected) in NUMBERS.items():
        text, number = cells[column].strip(), None
        with suppress(ValueError):
            number = kind(text)
        right = number is not None and low <= number <= high and math.isfinite(number)
        row[column] = number
        if not right and (text or column == "mean"):
            got = f"'{text}'" if text else "nothing"
            mistakes.append(f"{column}: expected {expected}, got {got}.")
    if row["unit"] not in UNITS:
        mistakes.append("unit: " + unknown("unit", row["unit"], UNITS))
    return row, mistakes
