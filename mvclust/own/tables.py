"""What can be seen in one table: its header, the kinds of its columns, what names its rows."""

import copy
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy import sparse

from mvclust.own import words
from mvclust.own.pieces import Piece
from mvclust.own.read import frame, joined
from mvclust.own.texts import is_number, number, numbers
from mvclust.own.views import line

TEXT = ("words", "text", "names", "same", "date")
NUMBERS = ("num", "whole", "few", "index", "const", "odd")
KINDS = (*TEXT, *NUMBERS, "empty")
GROUPED = re.compile(r"-?[1-9]\d{0,2}([.,]\d{3})+")  # 1.234 or 1,234
LARGE = 50_000_000  # cells of a sparse matrix that are still looked at


@dataclass(eq=False)
class Table:
    """A piece with what can be seen in it."""

    piece: Piece
    header: int | None
    columns: list | None
    values: np.ndarray  # numbers, NaN for gaps and texts
    texts: np.ndarray | None  # the cells, of a table
    kinds: list
    names: int | None = None  # the column that names the rows
    key: list = field(default_factory=list)  # columns that name them together
    spare: list = field(default_factory=list)  # other columns that number or name the rows
    unsure_header: bool = False
    match: dict = field(default_factory=dict)  # what makes its names those of the others
    linked: bool = False  # its header names what another table names too
    keyed: bool = False  # its rows have numbers that another table has too
    side: str | None = None  # that of the samples
    half: bool = False  # a symmetric matrix of which one half is empty

    @property
    def name(self) -> str:
        return self.piece.name

    @property
    def row_names(self) -> list | None:
        if self.key and self.texts is not None:
            return joined(self.texts, self.key)
        if self.names is None:
            return self.piece.rows
        return [str(c).strip('" ') for c in self.texts[:, self.names]]

    def data(self, *kinds: str) -> list:
        """Return the columns, of some kinds, that neither name nor number the rows."""
        aside = {self.names, *self.spare, *self.key}
        return self.of((j for j in range(len(self.kinds)) if j not in aside), *kinds or KINDS)

    def of(self, js: Iterable[int], *kinds: str) -> list:
        """Return those of some columns that are of some kinds."""
        return [j for j in js if self.kinds[j] in kinds]

    def measured(self) -> list:
        """Return the columns of numbers."""
        return self.data(*NUMBERS, "empty")

    def title(self, j: int) -> str:
        return self.columns[j] if self.columns else str(j + 1)

    def titles(self, js) -> list:
        return [self.title(j) for j in js]

    def side_names(self, side: str) -> list | None:
        """Return the names on a side; None where they are numbers of rows or columns only."""
        if side == "rows":
            j = self.names
            only_numbers = j is not None and self.kinds[j] == "index" and not self.keyed
            named = j is not None and words.names_samples(self.title(j))
            return None if only_numbers and not named else self.row_names
        names = self.titles(self.measured()) if self.columns else None
        numbered = names and all(n.strip("VXx").replace(".0", "").isdigit() for n in names)
        return None if numbered and self.piece.samples != "columns" else names

    def size(self, side: str) -> int:
        return len(self.values) if side == "rows" else len(self.measured())

    @cached_property
    def upright(self) -> np.ndarray:
        """Its values with samples in rows, once the side of the samples is known."""
        data = self.data()
        values = self.values if len(data) == len(self.kinds) else self.values[:, data]
        return values if self.side == "rows" else values.T

    def cells(self, j: int) -> list:
        """Return a column as texts."""
        return [str(c) for c in (self.texts if self.texts is not None else self.values)[:, j]]

    def is_class(self, j: int) -> bool:
        """Whether a column is called as labels are; y beside x is a coordinate."""
        title = self.title(j)
        beside = title.lower() == "y" and any(c.lower() == "x" for c in self.columns or ())
        return bool(words.LABEL.match(title)) and not beside

    def known(self, j: int) -> set:
        """Return the distinct numbers of a column."""
        return set(self.values[:, j][~np.isnan(self.values[:, j])].tolist())

    def distinct(self, j: int) -> int:
        return len(set(self.cells(j)))

    def spec(self, **more) -> dict:
        """Return what views.yaml says of its place, with more keys; None says nothing."""
        ids = self.titles(self.key) or (None if self.names is None else self.title(self.names))
        spec = {**self.piece.place(self.header), "ids": ids, **self.match, **more}
        return copy.deepcopy({k: v for k, v in spec.items() if v is not None})

    def beside(self, **more) -> dict:
        """Return what views.yaml says of it beside the views: by order if its rows only count."""
        counted = self.side_names("rows") is None and self.row_names
        return self.spec(**more, by_order=True if counted else None)

    def as_view(self, **more) -> str:
        """Return the line of views.yaml that makes it a view."""
        return line(f"views.{self.name}", self.spec(**more))

    def set(self, key: str, value) -> str:
        """Return the line of views.yaml that gives its view a key."""
        return line(f"views.{self.name}.{key}", value)

    def drop(self) -> str:
        """Return the line of views.yaml that takes its view away."""
        return f"views.{self.name}: null"


def kind_of(values: np.ndarray, odd: list) -> str:
    """Return what the cells of a column are; `odd` are its texts that are no numbers.

    Numbers are num, whole, few (distinct whole values), index (they count the rows) or const;
    texts are words (that repeat), names (each once), text, same or date; odd is a column of
    numbers with single texts, empty one without values.
    """
    n, known = len(values), values[values == values]
    marks = odd and len(set(odd)) < 4 < len(np.unique(known))  # ND among measurements
    if (len(odd) > 0.05 * n and not marks) or (odd and not len(known)):
        distinct = len(set(odd))
        if sum(bool(words.DATE.match(t)) for t in odd) > 0.8 * len(odd):
            return "date"
        if distinct == 1 and n > 1:
            return "same"
        if distinct == len(odd) == n:
            return "names"
        return "words" if distinct <= max(2, len(odd) / 2) else "text"
    if not len(known):
        return "empty"
    if odd:
        return "odd"
    distinct = len(np.unique(known))
    if distinct == 1:
        return "const"
    parts = (known, 18000101, 21001231), (known // 100 % 100, 1, 12), (known % 100, 1, 31)
    if len(known) > 3 and all(((low <= v) & (v <= high)).all() for v, low, high in parts):
        return "date"  # days such as 20210315
    if not np.equal(known, np.round(known)).all():
        return "num"
    if distinct == n > 2 and len(set(np.diff(known))) == 1 and known[0] < known[1]:
        return "index"
    return "few" if distinct <= max(2, min(20, n // 3)) else "whole"


def understand(piece: Piece) -> Table:
    """Return a piece as a table."""
    values = piece.values
    if values.dtype == object:
        header, unsure = _header_of(values) if piece.raw else (None, False)
        return with_header(piece, header, unsure)
    if sparse.issparse(values):
        large = np.prod(values.shape) > LARGE
        values = np.broadcast_to(0.5, values.shape) if large else values.toarray()
        kinds = ["num"] * values.shape[1]
    else:
        values = values.astype(float)
        kinds = [kind_of(column, []) for column in values.T]
    return Table(piece, None, piece.columns, values, None, kinds)


def with_header(piece: Piece, header: int | None, unsure: bool = False) -> Table:
    """Return a table of texts under a header of a number of lines."""
    columns, cells = frame(piece, header or 0)
    values, odd = numbers(cells)
    piece.parsed = header or 0, values, odd
    columns_of = zip(values.T, cells.T, odd.T, strict=True)
    kinds = [kind_of(x, [str(c).strip() for c in column[of]]) for x, column, of in columns_of]
    titles = columns if header or piece.columns else None
    table = Table(piece, header, titles, values, cells, kinds, unsure_header=unsure)
    if piece.rows is None:
        name_rows(table)
    return table


def _header_of(values) -> tuple[int, bool]:
    """Return how many lines are a header, and whether that is doubtful."""
    first, rest = values[0], values[1:]
    M = np.isfinite(numbers(values[1 : max(20, min(400, LARGE // 100 // len(first)))])[0])
    of_numbers = np.flatnonzero(M.mean(axis=0) > 0.6)
    if not len(of_numbers):
        again = any(c == first[j] for j in range(len(first)) for c in rest[:, j])
        repeats = any(len(set(rest[:, j])) < len(rest) for j in range(len(first)))
        told = any(words.names_samples(c) or words.FEATURE_WORD.match(c) for c in first)
        return int(not again and (repeats or told)), False
    head = [number(first[j]) for j in of_numbers]
    texts_above = any(h is None for h in head)
    known = [h for h in head if h is not None and h == h]
    steps = np.diff(known)
    counts = len(steps) > 1 and len(set(np.round(steps, 9))) == 1 and steps[0] != 0
    corner = not first[0] and number(rest[0, 0]) is not None  # "", "x" over "1", "lin"
    corner = corner and all(number(c) is None for c in first[1:])
    if corner and not any(c in rest[:, j] for j, c in enumerate(first)):
        return 1, False
    if not texts_above and not counts:
        titles = [j for j, c in enumerate(first) if number(c) is None and c not in rest[:, j]]
        if len(titles) > 1 and titles[0] == 0 and words.names_samples(str(first[0])):
            return 1, False
        if not first[0] and all(h.is_integer() for h in known) and len({*known}) == len(known):
            return 1, True  # the short header of R
        codes = len(head) > 3 and of_numbers[0] > 0 and all(h.is_integer() for h in known)
        return 0, codes and len(set(first)) == len(first) and len({len(str(h)) for h in head}) == 1
    two_lines = len(rest) > 3 and texts_above and not M[0].any() and M[1:].mean() > 0.3
    unsure = not texts_above and abs(steps[0]) != 1
    return (2, False) if two_lines else (1, unsure)


def name_rows(t: Table, known=()) -> None:
    """Choose the column that names the rows, and others that only number or name them."""
    n = len(t.texts)  # pyright: ignore[reportArgumentType]
    if len(t.kinds) < 2:
        return
    said = [j for j in range(len(t.kinds)) if words.names_samples(t.title(j))]
    able = [j for j, k in enumerate(t.kinds) if k in (*TEXT, "index", "odd") or j in (0, *said)
            or (k == "whole" and len(np.unique(t.values[:, j])) == n)]  # fmt: skip
    cells = {j: set(map(str, t.texts[:, j])) for j in able}
    distinct = [j for j in able if len(cells[j]) == n]
    numbered = [j for j in distinct if t.title(j) in words.ROW_NUMBERS]
    first = 0 in numbered or cells[0] & set(known)
    whole = [j for j in t.of(distinct, "index", "whole") if j in said or (j == 0 and first)]
    texts = t.of(distinct, "names", "date")
    texts += [j for j in t.of(distinct, "text") if "" not in cells[j]]  # null is a word
    rising = t.of([0], "num", "whole", "index") if 0 in distinct and t.columns else []
    if rising and not words.FEATURE_WORD.match(t.title(0)):
        ordered = (np.diff(t.values[:, 0]) > 0).all()
        rising = rising if ordered and words.uniform(t.columns[1:]) else []
    mostly = t.of(said, "text", "names", "whole", "index", "num", "odd")
    mostly = [j for j in mostly if len(cells[j]) > 0.9 * n
              and (j == 0 or t.title(j).lower().startswith(("id", "sample")))]  # fmt: skip
    linked = [j for j in distinct if len(cells[j] & set(known)) > 0.5 * n
              and (t.kinds[j] != "index" or j in (0, *said))]  # fmt: skip
    order = [*linked, *rising, *[j for j in texts if j in said], *texts, *mostly]
    order += sorted(whole, key=lambda j: j in numbered)
    if order and t.kinds[order[0]] == "date" and (ids := [j for j in whole if j in said]):
        order = [*ids, *order]  # not when it was measured
    t.names = order[0] if order else None
    t.spare = [j for j in dict.fromkeys([*whole, *texts, *mostly]) if j != t.names]


def has_class_line(t: Table) -> float:
    """How surely a line of classes follows the names of the samples in the header: 0, .5 or 1."""
    if t.header != 2:
        return 0
    first, *rest = (str(c).strip() for c in t.piece.values[1])
    if words.LABEL.match(first) or words.SOFT_LABEL.match(first):
        return 1
    classes = 1 < len({*rest}) <= len(rest) / 3 and all(re.match(r"\w[\w -]{2,}$", c) for c in rest)
    return 0.5 if first and classes else 0


def spread(t: Table) -> dict:
    """Return which share of the squares the means of rows and of columns explain."""
    js = [j for j in t.measured() if t.kinds[j] != "empty"]
    X = t.values[:, js] if js else t.values
    known = np.isfinite(X)
    X = np.where(known, X, X[known].mean() if known.any() else 0)
    total = X.var() or 1.0
    return {"rows": X.mean(axis=1).var() / total, "columns": X.mean(axis=0).var() / total}


def thousands(t: Table) -> str | None:
    """Return a cell such as 1.234 of a column that else has whole numbers, if there is one."""
    for column in t.texts[:200, :200].T if t.piece.raw and t.texts is not None else ():
        marked = [c for c in column if re.search("[.,]", c) and is_number(c)]
        whole = sum(c.isdigit() and c != "0" for c in column)  # a mere 0 is no sign
        if min(len(marked), whole) > 2 and all(map(GROUPED.fullmatch, marked)):
            return marked[0]
    return None


def is_one_hot(X: np.ndarray) -> bool:
    """Whether each row has a single 1 among zeros."""
    return bool(np.isin(X, (0, 1)).all() and (X.sum(axis=1) == 1).all())
