"""One table that holds all views, told apart by how the names of its columns begin."""

import re
from dataclasses import replace
from itertools import groupby

from mvclust.datasets.foreign.unfold import MOST_VIEWS

FEWEST = 3  # columns of each view; with fewer the beginnings are rather words of one measurement


def split_by_beginnings(v, log):
    """The views of a table whose columns are called like ``rna_1, rna_2, ..., protein_1, ...``.

    Parameters
    ----------
    v : Variable
    log : Log

    Returns
    -------
    list of Variable
        The table alone if its columns lie in no such blocks, or if it is said to be one view.
    """
    if v.role == "view" or not v.table or not v.columns or len(v.shape) != 2:
        return [v]
    blocks = [(name, list(of)) for name, of in groupby(range(v.shape[1]), _beginning_in(v.columns))]
    names = [name for name, _ in blocks]
    fewest = 1 if v.role == "views" or all(map(_says_view, v.columns)) else FEWEST
    told = 1 < len(blocks) <= MOST_VIEWS and all(names) and len(set(names)) == len(names)
    if not told or min(len(of) for _, of in blocks) < fewest:
        large = [name for name, of in blocks if name and len(of) >= FEWEST]
        if len(large) > 1 and len(blocks) <= MOST_VIEWS:
            log.note(
                f"many columns of {v.name} begin alike ({', '.join(large)}), but not all: it is "
                f"taken as one view; --role {v.name}=views makes each beginning one"
            )
        return [v]
    log.note(f"{v.name} holds {len(blocks)} views, by how its columns begin: {', '.join(names)}; "
             f"--role {v.name}=view makes it one")  # fmt: skip
    return [
        replace(v, name=name, values=v.values[:, of], columns=[v.columns[c] for c in of])
        for name, of in blocks
    ]


def _says_view(title):
    """Whether a colon or bar follows a word, which names no place on a chromosome."""
    return bool(re.match(r"[^\W\d]+[:|]", title)) and not re.match(r"(chr)?[XYM][:|]", title)


def _beginning_in(columns):
    """What gives the part of a column's name before its first mark; "" where there is none."""

    def of(place):
        found = re.match(r"(.+?)[_.:|\-]", columns[place])
        return found[1] if found else ""

    return of
