"""Paths and distances that many tests use."""

import inspect
import os
import re
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[1]
ORACLES = Path(__file__).parent / "oracles"


def find_mirror():
    """Folder with the original data files, or None."""
    folder = os.environ.get("MVCLUST_MIRROR")
    return Path(folder) if folder and Path(folder, "handwritten").is_dir() else None


def pages_of_docs():
    """The Markdown pages of docs/, without those that `make site` copies and fills."""
    docs = ROOT / "docs"
    made = {docs / "_build", docs / "site"}
    return [path for path in sorted(docs.rglob("*.md")) if not made & {*path.parents}]


def write_package(folder, modules):
    """Write a package: name of each module -> its code."""
    folder.mkdir(parents=True)
    for name, code in {"__init__": "", **modules}.items():
        (folder / f"{name}.py").write_text(code)
    return folder


def relative(A, B):
    return np.linalg.norm(A - B) / np.linalg.norm(B)


def assert_equal_to_oracle(z, name, tolerance=1e-8, *, some=False, **arrays):
    """Compare arrays, or lists with one per view, with those of an oracle; return their number.

    In `name` the first {} stands for the letter of an array, the second for the number of a view.
    With `some` the oracle may lack a few.
    """
    compared = 0
    for letter, ours in arrays.items():
        by_view = isinstance(ours, list | tuple)
        for v, one in enumerate(ours, 1) if by_view else [("", ours)]:
            place = name.format(letter, v)
            if place in z or not some:
                assert relative(one, z[place]) < tolerance, place
                compared += 1
    return compared


def references_of(estimator):
    """The references of an estimator's docstring, each on one line."""
    text = inspect.getdoc(estimator)
    section = re.search(r"\nReferences\n-+\n(.*?)(?:\n\n|\Z)", text, re.DOTALL)
    parts = re.split(r"\.\. \[\d\]", section[1])[1:] if section else []
    return [" ".join(part.split()) for part in parts]
