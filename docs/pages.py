"""What the scripts of docs/ share: blocks of pages, tables, and what a page is made from.

Blocks are between <!-- begin: NAME --> and <!-- end: NAME -->. A page that follows from results has
a digest of them in its last line, so that `make pages`, which calls `python -m docs.pages PAGE`,
makes it again when they change.
"""

import hashlib
import importlib
import json
import re
import string
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
import yaml

DOCS = Path(__file__).parent
ROOT = DOCS.parent
STAMP = re.compile(r"<!-- made from: (\w+) -->\n\Z")
MADE_FROM = yaml.safe_load((DOCS / "made_from.yaml").read_text(encoding="utf-8"))
SENTENCES = yaml.safe_load((DOCS / "sentences.yaml").read_text(encoding="utf-8"))

# The methods since 2019, by their keys.
LATER = ("OPIMC", "LMVSC", "SMVSC", "IMVCCBG", "FIMVCVIA")
LATER += ("EOMSCCA", "SIMVCSA", "PIMVC", "LSIMVC", "EEIMVC", "NEMO", "IMSCAGL", "LFIMVC")


def inputs_of(page: str) -> list[str]:
    """The files that a page is made from, with its script; a pattern without a file is kept."""
    patterns = (*MADE_FROM[page], f"docs/make_{page}.py")
    files = [sorted(ROOT.glob(pattern)) or [ROOT / pattern] for pattern in patterns]
    return [path.relative_to(ROOT).as_posix() for paths in files for path in paths]


def digest_of(page: str) -> str:
    """SHA-256 of the names and contents of what a page is made from."""
    contents = {name: (ROOT / name).read_bytes() for name in inputs_of(page)}
    contents["sentences"] = json.dumps(SENTENCES).encode()  # pages show texts of one another
    digests = [
        f"{name} {hashlib.sha256(content).hexdigest()}" for name, content in contents.items()
    ]
    return hashlib.sha256("\n".join(digests).encode()).hexdigest()


def is_current(page: str) -> bool:
    """Whether a page says that it was made from its inputs as they are."""
    stamp = STAMP.search((DOCS / f"{page}.md").read_text(encoding="utf-8"))
    missing = [name for name in inputs_of(page) if not (ROOT / name).is_file()]
    return bool(stamp) and not missing and stamp[1] == digest_of(page)


def write(page: str) -> None:
    """Fill the blocks of a page of `MADE_FROM`, draw its figure, and write the digest below."""
    script = importlib.import_module(f"docs.make_{page}")
    for name, text in script.blocks().items():
        fill(*place_of(page, name), text)
    if hasattr(script, "draw"):
        script.draw()
    path = DOCS / f"{page}.md"
    text = STAMP.sub("", path.read_text(encoding="utf-8"))
    path.write_text(f"{text}<!-- made from: {digest_of(page)} -->\n", encoding="utf-8")


def place_of(page: str, name: str) -> tuple[str, str]:
    """Where a block of a page is: the page; the block "README" is that of its name in README."""
    return ("../README.md", page) if name == "README" else (f"{page}.md", name)


def fill(page: str, name: str, text: str) -> None:
    """Replace the block of a name in a page, a path from docs/, by Markdown."""
    path = DOCS / page
    block = rf"(<!-- begin: {re.escape(name)} -->\n).*?(<!-- end: {re.escape(name)} -->)"
    filled, n_blocks = re.subn(
        block,
        lambda match: f"{match[1]}{text.strip()}\n{match[2]}",
        path.read_text(encoding="utf-8"),
        flags=re.DOTALL,
    )
    if n_blocks != 1:
        raise ValueError(f"{path} has {n_blocks} blocks '{name}', expected 1.")
    path.write_text(filled, encoding="utf-8")


def words(arguments: list[str]) -> list[str]:
    """The arguments of a command that are no options."""
    return [word for word in arguments if not word.startswith("--")]


def tell(page: str, name: str, text: str) -> None:
    """Print what a script measured; with --write on its command line, fill a block with it."""
    print(f"{name}\n{text}", flush=True)
    if "--write" in sys.argv:
        fill(page, name, text)


@contextmanager
def figure(name: str, height: float) -> Iterator:
    """A figure as wide as a page, of a height in inches, that becomes docs/figures/NAME.png."""
    import matplotlib as mpl

    from mvclust.bench.report.style import PAGE, RC, new_figure

    with mpl.rc_context(RC):
        drawn = new_figure(PAGE, height)
        yield drawn
        drawn.savefig(DOCS / "figures" / f"{name}.png")


def table(head: list, rows: Iterable, align: str = "---:") -> str:
    """A Markdown table with its first column to the left, by default numbers in the others."""
    lines = [head, ["---", *[align] * (len(head) - 1)], *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


class Form(string.Formatter):
    """Formats of sentences and cells: nothing for a missing number, and shares as in "12 %"."""

    def format_field(self, value, format_spec):
        if pd.isna(value):
            return ""
        text = format(value, format_spec)
        return text.replace("%", " %") if format_spec.endswith("%") else text


FORM = Form()


def texts_of(rows: pd.DataFrame, form: str) -> list[str]:
    """Each row as a text, by a form as "{lowest:.1f} ({dataset})"."""
    return [FORM.format(form, **row) for row in rows.to_dict("records")]


def table_of(page: str, name: str, rows: pd.DataFrame, **values) -> str:
    """A table of sentences.yaml: the head with its values, and its last line for each row."""
    *head, form = SENTENCES[page][name].splitlines()
    return "\n".join([*(FORM.format(line, **values) for line in head), *texts_of(rows, form)])


def said(page: str, name: str, /, **values) -> str:
    """A sentence of sentences.yaml with its values."""
    return FORM.format(SENTENCES[page][name], **values)


def listed(words: Iterable[str]) -> str:
    """Words one after another, the last after "and"."""
    *first, last = words
    return f"{', '.join(first)} and {last}" if first else last


def number(value: float | None, form: str = "z.1f") -> str:
    """A number as pages show it, by default points; blank if there is none."""
    return "" if pd.isna(value) else format(value, form)


def lines_of(numbers: pd.DataFrame, form: str = "z.1f") -> np.ndarray:
    """The lines of a table of numbers, each after the name, or names, of its row."""
    return numbers.map(number, form=form).reset_index().to_numpy()


def with_interval(mean: float, low: float, high: float) -> str:
    """A difference in points with its interval, as in "+1.2 [-0.5, 3.0]"."""
    return f"{mean:+.1f} [{low:.1f}, {high:.1f}]"


def mean_of(differences: pd.Series) -> tuple[float, float, float]:
    """The mean of differences, and its 95 % interval."""
    from mvclust.bench.score.significance import bootstrap_interval

    return differences.mean(), *bootstrap_interval(differences)


def mean_with_interval(differences: pd.Series) -> str:
    """The mean of differences as text, with its interval; blank if there are none."""
    differences = differences.dropna()
    return with_interval(*mean_of(differences)) if len(differences) else ""


def read_table(path: Path, **chosen) -> pd.DataFrame:
    """The rows of a table of a run that have the chosen value in each of some columns."""
    rows = pd.read_csv(path, dtype={"note": str, "params": str})
    for column, value in chosen.items():
        rows = rows[rows[column] == value]
    return rows


def numbers_in(texts: pd.Series, name: str) -> pd.Series:
    """The numbers that stand behind a name, as 0.3 in "missing_rate=0.3"."""
    return texts.str.extract(rf"{name}=([\d.]+)")[0].astype(float)


def read_config(name: str) -> dict:
    """The content of a YAML file in config/."""
    return yaml.safe_load((ROOT / "config" / name).read_text(encoding="utf-8"))


def label_of_paper(paper: str) -> str:
    """What pages call a paper of config/papers.yaml; the key of an unknown one."""
    return read_config("papers.yaml").get(paper, {"label": paper})["label"]


def labels_of_methods() -> tuple[dict[str, str], list[str]]:
    """Key of a method -> its label, and the labels of the references."""
    entries = read_config("methods.yaml")
    labels = {key: entry.get("label", key) for key, entry in entries.items()}
    return labels, [labels[key] for key, entry in entries.items() if entry.get("reference")]


def read_manifest(folder: Path) -> dict:
    """What a run says of itself: commit, machine, fits, cost."""
    return json.loads((folder / "manifest.json").read_text(encoding="utf-8"))


def provenance(folder: Path) -> str:
    """What made a run, and what it took, in a sentence."""
    manifest = read_manifest(folder)
    minutes = manifest["cost"]["cpu_seconds"] / 60
    return said("all pages", "provenance", **manifest, minutes=minutes)


def estimators() -> dict[str, type]:
    """The classes of all methods by name."""
    import mvclust

    return {name: getattr(mvclust, name) for name in sorted(mvclust.__all__) if name[0].isupper()}


def pages_of_methods() -> dict[str, list[str]]:
    """Page in docs/methods -> the names of the classes that it is about."""
    pages = {}
    for path in sorted((DOCS / "methods").glob("*.md")):
        line = re.search(r"\bClass(?:es)?\s(.*?)\.\n", path.read_text(encoding="utf-8"), re.DOTALL)
        pages[path.stem] = re.findall(r"`mvclust\.(\w+)`", line[1])
    return pages


if __name__ == "__main__":
    write(sys.argv[1])
