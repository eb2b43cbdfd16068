"""Read the papers' numbers from their texts, and compare them with config/published.csv.

    python docs/read_papers.py FOLDER

The folder has ueaf.txt, daimc.txt, mpac.txt, cmvnmf.txt. The exit code is 0 if all is the same, 1
if not, 2 if it cannot be checked.
"""

import csv
import re
import sys
from pathlib import Path

from mvclust.bench.config.messages import counted
from mvclust.bench.config.published import KEYS
from mvclust.bench.config.yaml_lines import read_text
from mvclust.bench.verify.finished import NotChecked
from mvclust.cli import checked

# Lines up to an empty one, with a caption above, after an empty line, or directly below.
TABLE = re.compile(
    r"(?:^Table (?P<above>\d+): (?P<title>.*)\n\n)?"
    r"(?P<lines>^(?:Database|Dataset|Methods?)\b.*\n(?:(?!Table \d).+\n?)+)"
    r"(?:^Table (?P<below>\d+): (?P<caption>.*))?",
    re.MULTILINE | re.IGNORECASE,
)
OF_DATA = re.compile(r"\bon (\w+)[^.]* data\.?$")  # in a caption, of the only data set
METRICS = {"NMI": "nmi", "AC": "acc", "ACC": "acc", "Purity": "purity", "F-score": "f_score"}
METRICS |= {"Precision": "precision", "Recall": "recall", "ARI": "ari"}
METRIC = re.compile(rf"(?<![\w-])({'|'.join(METRICS)})(?![\w-])")
NUMBER = r"(?<![\w.])\d*\.\d+(?!\w)"
CELL = re.compile(rf"({NUMBER})(?:\s*±\s*({NUMBER})|\(({NUMBER})\))?|[–—]|\\+backslash")
COLUMN = re.compile(r"(paired|missing) rate|(view) \d", re.IGNORECASE)


def check(folder: Path | str, root: Path | str) -> tuple[list[str], bool]:
    """Read the papers' numbers again, and compare all digits with config/published.csv.

    `folder` has the text of each paper, named as in published.csv (``ueaf.txt``). Returns lines of
    text and whether all agree; raises NotChecked without such a text, or if a row cannot be read.
    """
    committed = {}
    for row in csv.DictReader(_text(Path(root, "config/published.csv")).splitlines()):
        numbers = committed.setdefault(row["paper"], {})
        numbers[tuple(row[name] for name in KEYS)] = row["mean"], row["std"], row["unit"]
    texts = {paper: Path(folder, f"{paper}.txt") for paper in committed}
    found = {paper: numbers_of(_text(path), path) for paper, path in texts.items() if path.exists()}
    if not found:
        names = ", ".join(path.name for path in texts.values())
        raise NotChecked(f"{folder} has none of the papers' texts {names}.")
    lines, n_same, n_all = [], 0, 0
    for paper, here in found.items():
        keys = list(committed[paper] | here)
        differing = [key for key in keys if here.get(key) != committed[paper].get(key)]
        n_same, n_all = n_same + len(keys) - len(differing), n_all + len(keys)
        lines.append(f"{paper}: {len(keys) - len(differing)} of {counted(len(keys), 'number')}")
        for key in differing:
            sides = (committed[paper].get(key), here.get(key))
            then, now = (" ".join(filter(None, side)) if side else "nothing" for side in sides)
            lines.append(f"  {', '.join(filter(None, key))}: {then} in published.csv, {now} here")
    lines += [f"{paper}: not checked, no {paper}.txt" for paper in texts if paper not in found]
    return [*lines, f"the same digits: {n_same} of {n_all}"], n_same == n_all


def numbers_of(text: str, path: Path | str) -> dict[tuple[str, ...], tuple[str, str, str]]:
    """Numbers in the tables of a paper: values of `KEYS` -> mean, std (or "") and unit, as texts.

    Rows are lines. Cells are separated by tabs, with the data set first and the method second; or
    by spaces, with the method first. The name of the file is that of the paper.
    """
    numbers = {}
    for table in TABLE.finditer(re.sub(r"</?b>", "", text)):
        lines = table["lines"].splitlines()
        caption, item = table["caption"] or table["title"] or "", table["below"] or table["above"]
        has_numbers = [not line.startswith("\t\t") and bool(CELL.search(line)) for line in lines]
        n_above = [*has_numbers, True].index(True)
        columns = _columns(lines[:n_above], caption)
        unit = "percent" if "%" in caption + "".join(lines[:n_above]) else "fraction"
        dataset = ""
        for line in lines[n_above:] if columns and item else []:
            first = CELL.search(line)
            *names, method = line[: first.start() if first else None].rstrip().split("\t")
            dataset = (names[0] if names else "") or dataset
            cells = list(CELL.finditer(line))
            if len(cells) != len(columns):
                raise NotChecked(
                    f"{path}: expected {counted(len(columns), 'number')} in the row '{method}' of "
                    f"table {item}, got {len(cells)}."
                )
            for cell, column in zip(cells, columns, strict=True):
                about = {"paper": Path(path).stem, "item": f"table{item}", "dataset": dataset}
                about |= {"method": method.removeprefix("Our ")} | column
                if cell[1]:
                    key = tuple(about.get(name, "") for name in KEYS)
                    numbers[key] = cell[1], cell[2] or cell[3] or "", unit
    return numbers


def _columns(header: list[str], caption: str) -> list[dict[str, str]]:
    """Keys of the columns of a table, by name of `KEYS`; empty if they are not scores."""
    text = "\n".join(header)
    metrics = [{"metric": METRICS[name]} for name in METRIC.findall(text)]
    kinds = [next(filter(None, kind.groups())).lower() for kind in COLUMN.finditer(text)]
    if kinds and len(header) == 2:  # the second line divides the columns of each metric
        name = "view" if "view" in kinds else f"{kinds[0]}_rate"
        cells = [{name: cell.removeprefix("VIEW ")} for cell in header[1].split("\t") if cell]
        return _side_by_side(metrics, cells)
    datasets = [word for line in header if not METRIC.search(line) for word in line.split()[1:]]
    return _side_by_side([{"dataset": d} for d in datasets or OF_DATA.findall(caption)], metrics)


def _side_by_side(wide: list[dict[str, str]], narrow: list[dict[str, str]]) -> list[dict[str, str]]:
    """Join each narrow column with the wide one above it; empty if they do not fit."""
    n, rest = divmod(len(narrow), len(wide) or 1)
    return [wide[i // n] | column for i, column in enumerate(narrow)] if wide and not rest else []


def _text(path: Path) -> str:
    text, problems = read_text(path)
    if problems:
        raise NotChecked(problems[0])
    return text


if __name__ == "__main__":
    sys.exit(checked(check, sys.argv[1], Path(__file__).parents[1]))
