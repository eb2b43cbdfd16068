"""What may be something else than it looks like: refused, asked about or said."""

import re
from collections import Counter
from itertools import combinations

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.columns import whole
from mvclust.datasets.foreign.orientation import side_of_corner
from mvclust.datasets.foreign.record import NotUnderstood
from mvclust.datasets.foreign.texts import is_number
from mvclust.datasets.foreign.words import (
    GROUPS,
    IDS,
    LINKS,
    last,
    names_labels,
    names_one_of,
    parts_of,
    plain,
    without_number,
)

MANY = 6  # tables of the same columns: more than data sets have views of one kind


def refuse_a_file_per_sample(found):
    """Many files with one value for each of the same names are more likely one per sample."""
    views = found.views
    tables = [v for v in views if v.table and v.shape[1] == 1 and v.rows and not v.numbered]
    files = {v.file for v in tables if v.role is None and set(v.rows) == set(tables[0].rows)}
    known = {name for v in found.labels for name in v.rows or ()}
    if len(files) > 2 and len(files) == len(views) and not known & set(tables[0].rows):
        raise NotUnderstood(
            f"{len(files)} files have one value for each of the same {len(tables[0].rows)} names "
            f"({tables[0].rows[0]}, ...): one file per sample? Put them side by side into one "
            f"table per view; --role {tables[0].name}=view, and so on, makes each a view."
        )


def refuse_a_table_per_sample(found, samples):
    """Tables without names of rows that are called as samples, or many with the same titles."""
    tables = [v for v in found.views if v.role is None and (not v.rows or v.numbered)]
    names = [last(v.name) for v in tables]
    if samples is not None or len({v.file for v in tables}) < max(3, len(found.views)):
        return
    of_samples = len({without_number(name) for name in names}) == 1 and names_one_of(names[0], IDS)
    labelled = any(set(names) <= set(v.rows or ()) for v in found.labels)
    titles = tables[0].columns
    same = titles is not None and all(v.columns == titles for v in tables)
    told = same and any(without_number(t) == t and not is_number(t) for t in titles)
    if of_samples or labelled or (told and len(tables) >= MANY):
        why = f"have the same columns ({', '.join(titles[:3])}, ...)" if same else "are called so"
        raise NotUnderstood(
            f"{len(tables)} files ({tables[0].file}, ...) {why} and name no samples: one file per "
            "sample? Make one table per view with a row for each sample of what the files tell; "
            f"--role {tables[0].name}=view says that they are views of the same samples."
        )


def refuse_parts_of_a_view(found, samples):
    """Tables with the same titles, of samples of their own, are parts of one view.

    Samples are a table's own where it says that its first column names them, and no other has one
    of these names; or where rows have no names, and each table has another number of them.
    """
    tables = [v for v in found.views if v.role is None and v.table]
    if samples is not None or len(tables) < max(2, len(found.views)):
        return
    titles = tables[0].columns
    if titles is None or len(titles) < 2 or any(v.columns != titles for v in tables):
        return
    others = (*found.labels, *found.facts, *found.masks)
    if any(set(titles) & set(v.rows or ()) for v in others):
        return
    if all(v.rows is None or v.numbered for v in tables):
        own = len({v.shape[0] for v in tables}) > 1
    else:
        rows = [row for v in tables for row in v.rows or ()]
        own = all(v.rows and side_of_corner(v) == 0 for v in tables) and len(set(rows)) == len(rows)
    if own:
        raise NotUnderstood(
            f"{', '.join(v.shown() for v in tables[:8])} have the same columns, and each has "
            "samples of its own: parts of one view? Put them into one file, with a column for what "
            "the files are; --samples columns says that samples are the columns."
        )


def refuse_links(views):
    """A table of two columns of whole numbers that is called one of links is no view."""
    for v in views:
        unnamed = v.role is None and (v.rows is None or v.numbered)
        pairs = v.shape[1] == 2 and not sparse.issparse(v.values) and whole(v.values)
        if unnamed and pairs and LINKS & set(parts_of(last(v.name))):
            raise NotUnderstood(
                f"{v.shown()} may have one line per link; a matrix of samples x samples is read, "
                f"--role {v.name}=view says that each line is a sample."
            )


def refuse_a_line_per_value(v):
    """Refuse a table that may have one line per value."""
    X = v.values
    if v.role == "view" or v.columns is not None or sparse.issparse(X):
        return
    if len(v.shape) != 2 or 3 not in v.shape:
        return
    X = X if v.shape[1] == 3 else X.T
    n = len(X)
    if n < 20 or not whole(X[:, :2]):
        return
    for column in X[:, :2].T:
        distinct = np.unique(column)
        if len(distinct) > n / 2 or distinct[0] not in (0, 1):
            return
        if distinct[-1] - distinct[0] != len(distinct) - 1:
            return
    pairs = np.unique(X[:, :2], axis=0)
    if len(pairs) == n and any((np.diff(X[:, c]) >= 0).all() for c in (0, 1)):
        raise NotUnderstood(
            f"{v.shown()} may have one line per value (row, column, value); a header sample,"
            f"feature,value says so, --role {v.name}=view says that each line is a sample."
        )


def ask_if_weak(found, laid, samples, log):
    """One matrix that lies down only because an unnamed vector has that length."""
    if samples is not None or len(laid.views) != 1 or laid.n is None:
        return
    (v,) = laid.views
    sure = [w for w in found.labels if w.role == "labels" or names_labels(w.name)]
    if not sure and not found.masks and not found.indexes and v.rows is None and not v.table:
        before = next(w for w in found.views if w.name == v.name)
        if before.shape != v.shape:
            log.ask(f"samples are columns ({laid.n}) in {v.name} only as a vector has that length; "
                    "--samples rows or --samples columns decides")  # fmt: skip


def ask_if_other_samples(before, after, log):
    """Tables with the same titles, whose rows are called alike, may be of other samples."""
    laid = {v.name: v for v in after}
    turned = [v for v in before if v.rows and v.columns and laid[v.name].rows == v.columns]
    turned = [v for v in turned if side_of_corner(v) != 1]
    for one, two in combinations(turned, 2):
        alike = _patterns(one.rows) == _patterns(two.rows) != _patterns(one.columns)
        if alike and one.columns == two.columns and not set(one.rows) & set(two.rows):
            log.ask(
                f"{one.name} and {two.name} have the same columns, and rows that are called alike "
                f"({one.rows[0]}, {two.rows[0]}): other samples of one view, which belong into one "
                "file, or other features of the samples in their columns? --samples rows or "
                "--samples columns decides"
            )


def _patterns(names):
    """The most frequent form of names: each number as 0."""
    return Counter(re.sub(r"\d+", "0", name) for name in names).most_common(1)[0][0]


def ask_for_other_orders(facts, log):
    """Rows without names may not be the same samples where tables disagree on what they tell."""
    first = {}
    for v in facts:
        title = last(v.name)
        if not (v.table and v.is_vector and v.is_text and title != v.name) or v.role == "ignore":
            continue
        other = first.setdefault(title, v)
        one, two = (np.asarray(each.vector()) for each in (other, v))
        same = len(one) == len(two) and np.array_equal(np.sort(one), np.sort(two))
        if same and not np.array_equal(one, two):
            log.ask(
                f"{other.name} and {v.name} hold the same texts in another order, and no column "
                "names the samples: name them in a column 'id', or, if the rows are the same "
                f"samples, --role {v.name}=ignore"
            )


def ask_for_parts(views, presence, log):
    """Two tables with the same titles and no common sample may be parts of one view."""
    for v, w in combinations(range(len(views)), 2):
        first, second = views[v], views[w]
        if first.columns is None or first.columns != second.columns or len(first.columns) < 2:
            continue
        given = first.role == second.role == "view"
        if not given and not (presence[:, v] & presence[:, w]).any():
            log.ask(
                f"{first.name} and {second.name} have the same columns and no sample in common: "
                f"parts of one view? Put them into one file, or --role {first.name}=view and "
                f"--role {second.name}=view keep two"
            )


def say_groups(views, n, log):
    """Say which columns of few whole numbers are called as groups of samples are."""
    for v in views:
        if v.role == "view" or v.columns is None or sparse.issparse(v.values):
            continue
        for c, title in enumerate(v.columns[: v.shape[1]]):
            column = v.values[:, c]
            codes = np.unique(column[np.isfinite(column)])
            if GROUPS & {plain(title), *parts_of(title)} and whole(codes) and len(codes) <= n / 4:
                log.note(
                    f"the column {title} of {v.name} holds {len(codes)} whole numbers and is taken "
                    f"as a feature; --role {v.name}/{title}=labels takes it as labels, =ignore "
                    "leaves it out"
                )
