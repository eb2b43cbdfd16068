"""What passes between the steps: variables of files, and the result."""

from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np
from scipy import sparse


class NotUnderstood(ValueError):
    """The data cannot be read, or only by a guess; the message says what is open."""


class CannotRead(NotUnderstood):
    """One file cannot be read; `reason` is for the list of files that were not."""

    def __init__(self, shown, reason):
        super().__init__(f"{shown}: {reason}.")
        self.reason = reason


def reason_of(error):
    """An error of a library in one short line.

    Examples
    --------
    >>> reason_of(ValueError("no\\n such thing")), reason_of(KeyError())
    ('no such thing', 'KeyError')
    """
    return " ".join(str(error).split())[:120] or type(error).__name__


@dataclass(frozen=True, eq=False)
class Variable:
    """Something in a file that has a name.

    Attributes
    ----------
    name : str
        Unique among the variables of one reading.
    values : ndarray of numbers or of texts, or csr_array
        Up to three dimensions.
    file : str
        The file, as messages name it.
    family : str
        Variables of one family lie the same way: the cells of a cell array, the files of a folder.
    bound : bool
        Whether the family is one by construction (a cell array), so that its members are alike.
    rows, columns : list of str, or None
        Names along the first and second axis.
    numbered : bool
        Whether `rows` only number the rows.
    corner : str
        What a table calls its first column.
    role : str or None
        A role that the file itself or the user gives.
    header_open : bool
        Whether the first entry may be a header: texts under a text.
    table : bool
        Whether the values come from a table, which has one sample per row by convention.
    from_one : bool
        Whether the format counts from 1.
    """

    name: str
    values: object
    file: str = ""
    family: str = ""
    bound: bool = False
    rows: list | None = None
    columns: list | None = None
    numbered: bool = False
    corner: str = ""
    role: str | None = None
    header_open: bool = False
    table: bool = False
    from_one: bool = False

    @property
    def shape(self):
        """The shape of the values."""
        return self.values.shape

    @property
    def is_text(self):
        """Whether the values are texts."""
        return not sparse.issparse(self.values) and self.values.dtype.kind in "US"

    @property
    def is_vector(self):
        """Whether the values have one axis with more than one entry."""
        return not sparse.issparse(self.values) and max(self.shape, default=0) == self.values.size

    @property
    def length(self):
        """The number of entries of a vector."""
        return int(self.values.size)

    def vector(self):
        """The entries of a vector."""
        return np.asarray(self.values).ravel()

    def turned(self):
        """The same with rows and columns exchanged."""
        values = self.values.T
        values = sparse.csr_array(values) if sparse.issparse(values) else values
        return replace(self, values=values, rows=self.columns, columns=self.rows, numbered=False)

    def shown(self):
        """The name and the shape, for messages."""
        return f"{self.name} ({' x '.join(map(str, self.shape))})"


class Survival(NamedTuple):
    """How long each sample was observed, and whether the event came.

    Attributes
    ----------
    time : ndarray of shape (n_samples,)
        NaN where it is not known.
    event : ndarray of shape (n_samples,)
        1 if the event ended the time, 0 if observation did, NaN where it is not known.
    columns : list of str
        Where they were read.
    """

    time: np.ndarray
    event: np.ndarray
    columns: list


class Found(NamedTuple):
    """What a folder or file holds.

    Attributes
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v)
        Missing instances are rows of NaN, empty rows in a sparse view.
    view_names : list of str
    y : ndarray of int of shape (n_samples,), or None
        Classes from 0; None without labels, or if only some of them are known.
    label_names : list of str
        Names of the classes.
    presence : ndarray of bool of shape (n_samples, n_views)
    files : list of Path
        What was read.
    notes : list of str
        What was decided, and what would decide otherwise.
    kinds : list of str
        What each view is: ``features``, ``kernel``, ``distances`` or ``graph``.
    roles : dict
        Variable to role: every variable has exactly one.
    not_read : list of str
        Files of the folder that were not read; `notes` says why.
    open : list of str
        Questions without whose answers a run does not start.
    ids : list of str, or None
        Names of the samples.
    feature_names : list
        For each view the names of the features, or None.
    survival : Survival, or None
    """

    Xs: list
    view_names: list
    y: np.ndarray
    label_names: list
    presence: np.ndarray
    files: list
    notes: list
    kinds: list = ()
    roles: dict = {}
    not_read: list = ()
    open: list = ()
    ids: list = None
    feature_names: list = ()
    survival: Survival | None = None


@dataclass
class Log:
    """What is said while reading: decisions, open questions, roles, files that were not read."""

    notes: list = field(default_factory=list)
    open: list = field(default_factory=list)
    roles: dict = field(default_factory=dict)
    not_read: list = field(default_factory=list)
    ignored: set = field(default_factory=set)

    def note(self, text):
        """Say a decision, once."""
        if text not in self.notes:
            self.notes.append(text)

    def ask(self, text):
        """Say a decision that a run needs confirmed."""
        self.note(text)
        if text not in self.open:
            self.open.append(text)

    def give(self, variable, role, why=None):
        """Give a variable its role."""
        self.roles[variable.name] = role
        if why:
            self.note(why)

    def leave_out(self, file, reason, matters=False):
        """Name a file that is not read."""
        self.not_read.append(str(file))
        text = f"not read: {file} ({reason})"
        if matters and str(file) not in self.ignored:
            self.ask(f"{text}; --role {file}=ignore goes on without it")
        else:
            self.note(text)
