"""Check the published numbers, config/published.csv."""

import csv
import io
import math
from collections import defaultdict

from mvclust.pipeline.plan.located import read_text
from mvclust.pipeline.plan.schema import unknown
from mvclust.pipeline.plan.settings import RATE_OF

COLUMNS = (
    *("paper", "item", "dataset", "missing_rate", "paired_rate", "view"),
    *("method", "metric", "mean", "std"),
)
METRICS = ("acc", "nmi", "purity", "ari", "f_score", "precision", "recall")
KEYS = COLUMNS[:-2]


def read_published(path, methods, experiments):
    """Read the published numbers and check them.

    Parameters
    ----------
    path : path
    methods, experiments : dict
        The catalogues, after their own checks.

    Returns
    -------
    rows : list of dict
        One row per number, with `COLUMNS` as keys; an empty cell is None.
    problems : list of str
        A mistake that several lines share is named once, with the first line.
    """
    text, problems = read_text(path)
    if problems:
        return [], problems
    reader = csv.DictReader(io.StringIO(text, newline=""))
    problems = _check_header(reader.fieldnames or [], path)
    if problems:
        return [], problems
    names = _Names(methods, experiments)
    rows, found, seen = [], defaultdict(list), {}
    for cells in reader:
        line = reader.line_num
        if None in cells or None in cells.values():
            found[f"expected {len(COLUMNS)} values separated by commas."].append(line)
            continue
        row, mistakes = _typed(cells)
        mistakes += names.check(row) if not mistakes else []
        key = tuple(row.get(name) for name in KEYS)
        if not mistakes and key in seen:
            mistakes.append(f"the same number is also on line {seen[key]}; keep one.")
        seen.setdefault(key, line)
        for mistake in mistakes:
            found[mistake].append(line)
        rows.append(row)
    return rows, [f"{_place(path, lines)}: {mistake}" for mistake, lines in found.items()]


class _Names:
    """The names that the catalogues know."""

    def __init__(self, methods, experiments):
        published = [entry.get("published", []) for entry in methods.values()]
        listed = [[names] if isinstance(names, str) else names for names in published]
        self.methods = {name for names in listed for name in names}
        self.items = defaultdict(list)
        for experiment in experiments.values():
            if "item" in experiment:
                self.items[experiment["paper"], experiment["item"]].append(experiment)

    def check(self, row):
        """The mistakes in the names of one row."""
        paper, item = row["paper"], row["item"]
        papers = sorted({paper for paper, _ in self.items})
        if paper not in papers:
            return ["paper: " + unknown("paper with published numbers", paper, papers)]
        items = sorted(i for p, i in self.items if p == paper)
        if item not in items:
            return ["item: " + unknown(f"item of {paper}", item, items)]
        experiments = self.items[paper, item]
        known = {
            "dataset": sorted({d["label"] for e in experiments for d in e.get("data", [])}),
            "method": sorted(self.methods),
            "metric": METRICS,
        }
        mistakes = [
            f"{column}: " + unknown(kind, row[column], known[column])
            for column, kind in (
                ("dataset", f"data set of {paper} {item}"),
                ("method", "published name of a method"),
                ("metric", "metric"),
            )
            if row[column] not in known[column]
        ]
        return mistakes + _check_setting(row, experiments)


def _check_setting(row, experiments):
    """Which of the rates and the view a row has follows from the protocol of its item."""
    protocols = {experiment.get("protocol", "complete") for experiment in experiments}
    wanted = {_column(protocol) for protocol in protocols}
    if len(wanted) > 1:
        return []
    (wanted,) = wanted
    return [
        f"{column}: {row['paper']} {row['item']} "
        + (f"needs a {column}." if column == wanted else f"takes no {column}, got {row[column]}.")
        for column in ("missing_rate", "paired_rate", "view")
        if (row[column] is not None) != (column == wanted)
    ]


def _column(protocol):
    return "view" if protocol in ("unmapped", "mapped") else RATE_OF.get(protocol)


def _check_header(header, path):
    problems = []
    for name in header:
        if name not in COLUMNS:
            problems.append(f"{path}:1: " + unknown("column", name, COLUMNS))
        elif header.count(name) > 1:
            problems.append(f"{path}:1: the column '{name}' is there twice; keep one.")
    problems += [
        f"{path}:1: the column '{name}' is missing." for name in COLUMNS if name not in header
    ]
    return list(dict.fromkeys(problems))


def _typed(cells):
    """A row with numbers, and what is wrong with them."""
    row, mistakes = dict(cells), []
    for column in ("missing_rate", "paired_rate", "view", "mean", "std"):
        text = cells[column].strip()
        row[column] = None
        if not text:
            if column == "mean":
                mistakes.append("mean: expected a number, got nothing.")
            continue
        kind = int if column == "view" else float
        expected = {"view": "a whole number from 1", "mean": "a number", "std": "a number from 0"}
        try:
            row[column] = kind(text)
        except ValueError:
            row[column] = math.nan
        if not _in_range(column, row[column]):
            wanted = expected.get(column, "a number from 0 to 1, or nothing")
            mistakes.append(f"{column}: expected {wanted}, got '{text}'.")
    return row, mistakes


def _in_range(column, value):
    if column == "view":
        return value >= 1
    if column in ("missing_rate", "paired_rate"):
        return 0 <= value <= 1
    return math.isfinite(value) and (column == "mean" or value >= 0)


def _place(path, lines):
    more = f" (and {len(lines) - 1} more)" if len(lines) > 1 else ""
    return f"{path}:{lines[0]}{more}"
