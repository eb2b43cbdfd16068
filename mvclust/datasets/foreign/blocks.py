"""One table that holds all views, told apart by how the names of its columns begin or end."""

import re
from dataclasses import replace
from itertools import groupby

from mvclust.datasets.foreign.unfold import MOST_VIEWS

FEWEST = 3  # columns of each view; with fewer the beginnings are rather words of one measurement


def split_by_titles(v, log):
    """The views of a table whose columns are called like ``rna_1, rna_2, ..., protein_1, ...``.

    Endings, as in ``TP53_rna, TP53_protein, ...``, are told, and are views where the user says that
    the table holds some.

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
    endings = _endings(v.columns)
    if endings and v.role == "views":
        return _parts(v, endings, "end", log)
    if endings:
        log.note(f"the same names end with {', '.join(endings)} in {v.name}: it is taken as one "
                 f"view; --role {v.name}=views makes each ending one")  # fmt: skip
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
    return _parts(v, dict(blocks), "begin", log)


def _parts(v, blocks, how, log):
    """The columns of a table as a view each."""
    log.note(f"{v.name} holds {len(blocks)} views, by how its columns {how}: {', '.join(blocks)}; "
             f"--role {v.name}=view makes it one")  # fmt: skip
    return [
        replace(v, name=name, values=v.values[:, of], columns=[v.columns[c] for c in of], role=None)
        for name, of in blocks.items()
    ]


def _endings(columns):
    """Ending -> columns, where several endings stand behind the same names; else empty."""
    pairs = [re.fullmatch(r"(.+)[_.:|\-]([^\W\d]\w*)", title) for title in columns]
    if not all(pairs):
        return {}
    found, names = {}, {}
    for place, pair in enumerate(pairs):
        found.setdefault(pair[2], []).append(place)
        names.setdefault(pair[2], set()).add(pair[1])
    common = set.intersection(*names.values())
    alike = all(len(common) > len(of) / 2 for of in names.values())
    return found if 1 < len(found) <= MOST_VIEWS and len(common) >= FEWEST and alike else {}


def _says_view(title):
    """Whether a colon or bar follows a word, which names no place on a chromosome."""
    return bool(re.match(r"[^\W\d]+[:|]", title)) and not re.match(r"(chr)?[XYM][:|]", title)


def _beginning_in(columns):
    """What gives the part of a column's name before its first mark; "" where there is none."""

    def of(place):
        found = re.match(r"(.+?)[_.:|\-]", columns[place])
        return found[1] if found else ""

    return of
