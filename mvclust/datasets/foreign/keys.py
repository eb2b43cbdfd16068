"""Columns of numbers that name the samples of several tables, whatever they are called."""

from dataclasses import dataclass, replace
from itertools import combinations
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.alignment import no_zeros
from mvclust.datasets.foreign.columns import whole
from mvclust.datasets.foreign.texts import is_number
from mvclust.datasets.foreign.words import plain

FEWEST = 5  # samples of a table; fewer numbers agree by chance
DISTINCT = 0.9  # of the numbers of a key; one that is there twice is refused later
SHARED = 0.5  # of the numbers of the smaller table
SPREAD = 3  # numbers that lie so much wider than they are many agree by no chance
RANKS = 2  # columns that agree, each in another order; more of them are rather ranks
SURE, OPEN = 2, 1  # how surely columns name the same samples


class Column(NamedTuple):
    """A column that may be a key.

    Attributes
    ----------
    title : str
        That of the table; its place where there is none.
    place : int
        -1 for the names that a table has already.
    numbers, distinct : ndarray
    ordered : bool
        Whether the rows of the table are numbered besides.
    """

    title: str
    place: int
    numbers: np.ndarray
    distinct: np.ndarray
    ordered: bool = False


@dataclass(frozen=True, eq=False)
class Key:
    """Columns of several tables that name the same samples: table -> column, and how surely."""

    columns: dict
    level: int

    def order(self):
        """The tables, and for each row of them the row of the first table with its number."""
        tables = sorted(self.columns)
        first = self.columns[tables[0]].numbers.tolist()
        rows = {number: row for row, number in enumerate(first)}
        return tuple(
            (table, tuple(rows.get(x, -1) for x in self.columns[table].numbers.tolist()))
            for table in tables
        )


def with_shared_keys(variables, log):
    """Tables without names of samples, with those that a column of numbers gives in several.

    A column is a key if its numbers are distinct and another table has the same ones: in a column
    of the same title, or in one of another if the numbers are no even steps. If several columns
    agree, those count that put the rows in the same order. All that a table holds gets the names.
    Texts that name the rows of a table give way to a key where no other table has these names.

    Parameters
    ----------
    variables : list of Variable
    log : Log

    Returns
    -------
    list of Variable
    """
    tables, fixed = {}, set()
    alone = _named_alone(variables)
    for v in variables:
        named = v.table and v.rows is not None and _table_of(v) not in tables
        named &= _table_of(v) not in alone
        if named and not v.numbered:
            fixed.add(_table_of(v))
        if named and (v.corner or not v.numbered):
            tables[_table_of(v)] = _names(v)
    for v in variables:
        if _is_open(v, alone) and _table_of(v) not in fixed:
            tables[_table_of(v)] = [*tables.get(_table_of(v), []), *_columns(v)]
    found, keys = _candidates(tables, fixed), {}
    while found:
        key = _best(found)
        if key is None:
            break
        _say(key, fixed, log)
        keys |= {table: c for table, c in key.columns.items() if table not in fixed}
        found = [k for k in found if not set(k.columns) & set(keys)]
    return [w for v in variables for w in _named(v, keys.get(_table_of(v)), alone)]


def _named_alone(variables):
    """The tables whose rows have names that no other table has."""
    names = {}
    for v in variables:
        if v.table and v.rows is not None and not v.numbered:
            names.setdefault(_table_of(v), {no_zeros(str(row)) for row in v.rows})
    texts = {table for table, rows in names.items() if not any(map(is_number, rows))}
    return {
        table
        for table in texts
        if all(names[table].isdisjoint(rows) for t, rows in names.items() if t != table)
    }


def _table_of(v):
    """What tells the sheets of a workbook apart, and holds a table and its labels together."""
    return v.file, v.name.partition("/")[0]


def _is_open(v, alone):
    """Whether a variable is a table of numbers whose rows have no names, or only of their own."""
    unnamed = v.rows is None or v.numbered or _table_of(v) in alone
    plainly = v.table and v.role in (None, "facts") and unnamed
    return plainly and len(v.shape) == 2 and not v.is_text and not sparse.issparse(v.values)


def _names(v):
    """The names that a table has, as a column, if they are whole numbers."""
    texts = [str(name).strip() for name in v.rows]
    numbers = np.array([float(text) for text in texts if is_number(text)])
    if len(numbers) < len(texts) or not np.isfinite(numbers).all() or not whole(numbers):
        return []
    return [Column(v.corner, -1, numbers, np.unique(numbers), v.numbered)]


def _columns(v):
    """The columns that may be keys."""
    found = []
    for place, numbers in enumerate(v.values.T):
        if len(numbers) < FEWEST or not np.isfinite(numbers).all() or not whole(numbers):
            continue
        distinct = np.unique(numbers)
        if len(distinct) >= DISTINCT * len(numbers):
            title = v.columns[place] if v.columns is not None else str(place)
            found.append(Column(title, place, numbers, distinct, v.numbered))
    return found


def _candidates(tables, fixed):
    """The keys that columns of equal titles, or with equal numbers, may be."""
    groups = {}
    for table, columns in tables.items():
        for column in columns:
            groups.setdefault(("title", plain(column.title)), {}).setdefault(table, column)
            if not _even(column):
                same = ("numbers", column.distinct.tobytes())
                groups.setdefault(same, {}).setdefault(table, column)
            elif column.place <= 0:
                same = ("first", column.distinct.tobytes())
                groups.setdefault(same, {}).setdefault(table, column)
    for table in fixed & tables.keys():  # names stand for themselves, also in part
        if not tables[table]:
            continue
        for other in set(tables) - fixed:
            for n, column in enumerate(tables[other]):
                if not _even(column):
                    groups[table, other, n] = {table: tables[table][0], other: column}
    found = {}
    for columns in groups.values():
        of = {pair: _level(*(columns[t] for t in pair)) for pair in combinations(columns, 2)}
        agreeing = {t for pair, level in of.items() if level for t in pair}
        if agreeing - fixed:
            places = frozenset((t, columns[t].place) for t in agreeing)
            found[places] = Key({t: columns[t] for t in agreeing}, max(of.values()))
    return list(found.values())


def _level(one, two):
    """How surely two columns name the same samples; 0 if they may agree by chance."""
    distinct = [len(c.distinct) == len(c.numbers) for c in (one, two)]
    same_length = len(one.numbers) == len(two.numbers)
    if same_length and np.array_equal(one.numbers, two.numbers):
        return SURE if all(distinct) else 0
    shared = len(np.intersect1d(one.distinct, two.distinct, assume_unique=True))
    if shared < SHARED * min(len(one.distinct), len(two.distinct)):
        return 0
    if not all(distinct):  # one name that is there twice is refused later
        alike = any(distinct) or shared == len(one.distinct) == len(two.distinct)
        return SURE if alike and shared >= DISTINCT * len(one.distinct) else 0
    # Row numbers beside them order the rows already.
    ordered = one.ordered and two.ordered and min(one.place, two.place) >= 0
    if shared == len(one.distinct) == len(two.distinct):
        if _even(one):  # as ranks are
            return 0 if ordered else OPEN
        return SURE
    if ordered or (_is_dense(one) and max(one.place, two.place) > 0):
        return 0
    in_place = np.sum(one.numbers == two.numbers) if same_length else 0
    if in_place > SHARED * shared:  # measured twice, unless they are in order
        return OPEN if all((np.diff(c.numbers) > 0).all() for c in (one, two)) else 0
    return SURE if not _is_dense(one) else OPEN


def _even(column):
    """Whether numbers are steps of one length, as those of rows and ranks are."""
    return len(set(np.diff(column.distinct).tolist())) == 1


def _is_dense(column):
    return column.distinct[-1] - column.distinct[0] < SPREAD * len(column.distinct)


def _best(found):
    """The key with the most columns in the same order; None if there are only ranks."""
    orders = {}
    for key in found:
        orders.setdefault(key.order(), []).append(key)
    several = max(orders.values(), key=_strength)
    level = max(key.level for key in several)
    if level == OPEN and len(several) == 1 and len(orders) > RANKS:
        return None
    best = min(several, key=lambda key: sum(column.place for column in key.columns.values()))
    rivals = any(other is not several and len(other) == len(several) and
                 other[0].level == level for other in orders.values())  # fmt: skip
    sure = len(several) > 1 or (level == SURE and not rivals)
    return Key(best.columns, SURE if sure else OPEN)


def _strength(keys):
    return len({tuple(c.title for c in key.columns.values()) for key in keys}), max(
        (key.level, len(key.columns)) for key in keys
    )


def _say(key, fixed, log):
    tables = sorted(key.columns)
    said = " and ".join(f"{key.columns[t].title or 'the first column'} of {t[1]}" for t in tables)
    kept = ", ".join(f"--role {t[1]}=view" for t in tables if t not in fixed)
    text = f"{said} hold the same numbers: they name the samples; {kept} keeps them as features"
    moved = any(list(rows) != list(range(len(rows))) for _, rows in key.order())
    (log.ask if key.level == OPEN and moved else log.note)(text)


def _named(v, key, alone):
    """A variable of a table with a key, without it."""
    if key is None or v.role == "view" or (v.shape and v.shape[0] != len(key.numbers)):
        return [v]
    rows = [f"{number:.0f}" for number in key.numbers]
    if not _is_open(v, alone) or key.place < 0:
        return [replace(v, rows=rows, numbered=False, corner="sample")]
    kept = [c for c in range(v.shape[1]) if c != key.place]
    if not kept:
        return []
    columns = None if v.columns is None else [v.columns[c] for c in kept]
    return [
        replace(
            v, values=v.values[:, kept], columns=columns, rows=rows, numbered=False, corner="sample"
        )
    ]
