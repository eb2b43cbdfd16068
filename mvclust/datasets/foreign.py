"""Files as users have them: find views, labels and missing instances in a folder or a file.

What is understood:

* ``.npz``: every two-dimensional array is a view; a three-dimensional one holds several.
* ``.mat`` of version 5 to 7.3: every matrix is a view, every cell of matrices several views. The
  layouts of the field are among them: ``X Y``, ``X y``, ``fea gt``, ``data truelabel index``.
* ``.csv``, ``.tsv``, ``.txt``, ``.npy``: one view per file. A column of texts that differ in every
  row names the samples, so that files may hold other samples, in another order.
* Labels are a vector under one of the names in `LABELS`, or a column or file of that name.

A row of NaN or of empty cells is a missing instance.
"""

import csv
import io
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy import sparse

from mvclust.datasets.readers.matlab import read_mat

LABELS = ("y", "gt", "truelabel", "truelabels", "truth", "label", "labels", "gnd", "class")
LABELS += ("classes", "target", "targets", "ground_truth")
INDEX = ("index", "presence")
IDS = ("id", "ids", "name", "names", "sample", "sample_id", "index")
TABLES = (".csv", ".tsv", ".txt", ".npy")
ENDINGS = (".npz", ".mat", *TABLES)
LAYOUTS = (
    "a .npz or .mat file with matrices of views (names such as X, fea or data; labels as "
    "y, gt or truelabel), or one .csv, .tsv, .txt or .npy file per view"
)


class NotUnderstood(ValueError):
    """A folder or file holds no views that can be recognised; the message says what was sought."""


class Found(NamedTuple):
    """What a folder or file holds.

    Attributes
    ----------
    Xs : list of ndarray or csr_array, each of shape (n_samples, n_features_v)
        Missing instances are rows of NaN, empty rows in a sparse view.
    view_names : list of str
    y : ndarray of int of shape (n_samples,), or None
        Classes from 0; None without labels.
    label_names : list of str
    presence : ndarray of bool of shape (n_samples, n_views)
    files : list of Path
        What was read.
    notes : list of str
        What was decided that could be otherwise.
    """

    Xs: list
    view_names: list
    y: np.ndarray
    label_names: list
    presence: np.ndarray
    files: list
    notes: list


class _Part(NamedTuple):
    """A matrix under its name, with the names of its rows if it gives any."""

    name: str
    values: object
    ids: list = None


def find_views(path):
    """Find views, labels and missing instances.

    Parameters
    ----------
    path : path-like
        A file, or a folder with one file or with one file per view.

    Returns
    -------
    Found

    Raises
    ------
    NotUnderstood
        If there are no views, or no number of samples that all of them have.
    DamagedFile
        If a file is cut.

    Examples
    --------
    >>> import tempfile, numpy as np
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp(), "mine.npz")
    >>> np.savez(file, pixels=np.eye(4, 3), words=np.ones((4, 2)), y=[1, 1, 2, 2])
    >>> found = find_views(file)
    >>> found.view_names, found.y.tolist(), found.label_names
    (['pixels', 'words'], [0, 0, 1, 1], ['1', '2'])
    """
    path = Path(path)
    files = _files_of(path)
    notes, views, labels, index = [], [], None, None
    parts = [part for file in files for part in _parts_of(file, notes)]
    for part in parts:
        key = part.name.lower()
        if key in LABELS and _is_vector(part.values):
            labels = labels if labels is not None else part
        elif key in INDEX and len(parts) > 1:
            index = part.values
        else:
            views += _views_of(part, notes)
    if not views:
        raise NotUnderstood(f"{path}: no views found; looked for {LAYOUTS}.")
    y = None if labels is None else _vector(labels.values)
    if any(view.ids is not None for view in views):
        views, y = _aligned(views, labels, y, notes, path)
    else:
        n_samples = _number_of_samples(views, y, index, path)
        views = [_upright(view, n_samples, index, v, path) for v, view in enumerate(views)]
    Xs, presence = zip(
        *(_filled(view, index, v, notes) for v, view in enumerate(views)), strict=True
    )
    presence = np.column_stack(presence)
    nowhere = ~presence.any(axis=1)
    if nowhere.any():
        notes.append(
            f"left out, as they are in no view: {int(nowhere.sum())} of {len(nowhere)} samples"
        )
        Xs, presence = [X[~nowhere] for X in Xs], presence[~nowhere]
        y = None if y is None else y[~nowhere]
    y, label_names = (None, []) if y is None else _classes(y)
    return Found(list(Xs), [v.name for v in views], y, label_names, presence, files, notes)


def describe(found):
    """What was understood, as lines of text.

    Parameters
    ----------
    found : Found

    Returns
    -------
    list of str

    Examples
    --------
    >>> import numpy as np
    >>> present = np.array([[True], [False]])
    >>> found = Found([np.array([[1.0], [np.nan]])], ["a"], None, [], present, [], [])
    >>> print("\\n".join(describe(found)))
    view  features  missing  values
    a            1   1 of 2  1 to 1
    2 samples, no labels
    """
    rows = [("view", "features", "missing", "values")]
    for name, X, present in zip(found.view_names, found.Xs, found.presence.T, strict=True):
        values = X.data if sparse.issparse(X) else X[present]
        low, high = (values.min(), values.max()) if values.size else (0, 0)
        low = min(low, 0) if sparse.issparse(X) else low
        missing = int((~present).sum())
        shown = f"{missing} of {len(present)}" if missing else "none"
        rows.append((name, str(X.shape[1]), shown, f"{low:.4g} to {high:.4g}"))
    widths = [max(len(row[c]) for row in rows) for c in range(4)]
    lines = [
        f"{row[0]:<{widths[0]}}  {row[1]:>{widths[1]}}  {row[2]:>{widths[2]}}  {row[3]}"
        for row in rows
    ]
    n_samples = len(found.presence)
    if found.y is None:
        return [*lines, f"{n_samples} samples, no labels", *found.notes]
    counts = np.bincount(found.y)
    shown = ", ".join(f"{name} ({n})" for name, n in zip(found.label_names, counts, strict=True))
    shown = shown if len(shown) < 300 else f"{counts.min()} to {counts.max()} samples each"
    return [*lines, f"{n_samples} samples, {len(counts)} classes: {shown}", *found.notes]


def _files_of(path):
    if path.is_file():
        if path.suffix.lower() not in ENDINGS:
            raise NotUnderstood(f"{path}: unknown ending '{path.suffix}'; looked for {LAYOUTS}.")
        return [path]
    if not path.is_dir():
        raise NotUnderstood(f"{path}: there is no such file or folder.")
    files = sorted(f for f in path.iterdir() if f.suffix.lower() in ENDINGS and f.is_file())
    whole = [f for f in files if f.suffix.lower() in (".npz", ".mat")]
    if len(whole) > 1:
        names = ", ".join(f.name for f in whole)
        raise NotUnderstood(f"{path}: {len(whole)} files may hold the views ({names}); name one.")
    if not files:
        raise NotUnderstood(f"{path}: no file to read; looked for {LAYOUTS}.")
    return whole or files


def _parts_of(file, notes):
    """Everything in a file, by name."""
    ending = file.suffix.lower()
    if ending == ".npz":
        return [_Part(name, value) for name, value in _read_npz(file).items()]
    if ending == ".mat":
        return [_Part(name, value) for name, value in read_mat(file).items()]
    if ending == ".npy":
        return [_Part(file.stem, _without_objects(lambda: np.load(file, allow_pickle=False), file))]
    return _read_table(file, notes)


def _read_npz(file):
    with np.load(file, allow_pickle=False) as archive:
        return {name: _without_objects(lambda n=name: archive[n], file) for name in archive.files}


def _without_objects(read, file):
    try:
        return read()
    except ValueError as error:
        if "allow_pickle" in str(error):
            raise NotUnderstood(
                f"{file}: holds Python objects, which are never loaded; save each view as an array "
                "of its own."
            ) from error
        raise


def _views_of(part, notes):
    """The views that one variable holds."""
    value = part.values
    if isinstance(value, list):  # a cell array
        cells = [_Part(f"{part.name}{n}", cell) for n, cell in enumerate(value, 1)]
        return [view for cell in cells for view in _views_of(cell, notes)]
    if sparse.issparse(value):
        return [_Part(part.name, sparse.csr_array(value, dtype=np.float64), part.ids)]
    value = np.asarray(value)
    if value.dtype.kind not in "biuf":
        notes.append(f"{part.name} is not numeric and is left out")
        return []
    if value.ndim == 3:
        return [_Part(f"{part.name}{n}", X.astype(np.float64)) for n, X in enumerate(value, 1)]
    if value.ndim != 2 or min(value.shape) == 0 or value.size == 1:
        notes.append(f"{part.name} has the shape {value.shape} and is left out")
        return []
    return [_Part(part.name, value.astype(np.float64), part.ids)]


def _is_vector(value):
    value = value[0] if isinstance(value, list) and value else value
    return not sparse.issparse(value) and max(np.shape(value), default=0) == np.size(value) > 1


def _vector(value):
    return np.asarray(value[0] if isinstance(value, list) else value).ravel()


def _number_of_samples(views, y, index, path):
    """The number of samples: that of the labels, else what all views have."""
    shapes = ", ".join(f"{view.name} {view.values.shape}" for view in views)
    if y is not None:
        if not all(len(y) in view.values.shape for view in views) and index is None:
            raise NotUnderstood(f"{path}: {len(y)} labels, but the views have shapes {shapes}.")
        return len(y)
    for axis in (0, 1):
        numbers = {view.values.shape[axis] for view in views}
        if len(numbers) == 1:
            return numbers.pop()
    raise NotUnderstood(
        f"{path}: the views have shapes {shapes}, with no common number of samples; name the "
        "samples in a column 'id' where files hold different ones."
    )


def _upright(view, n_samples, index, v, path):
    """A view with one row per sample."""
    X, rows = view.values, None
    if X.shape[0] == n_samples:
        return view
    if X.shape[1] == n_samples:
        return view._replace(values=X.T)
    if index is not None:
        rows = _present(index, v, n_samples)
        for turned in (X, X.T):
            if rows is not None and turned.shape[0] == rows.sum():
                turned = turned.toarray() if sparse.issparse(turned) else turned
                whole = np.full((n_samples, turned.shape[1]), np.nan)
                whole[rows] = turned
                return view._replace(values=whole)
    raise NotUnderstood(
        f"{path}: the view {view.name} has the shape {X.shape}, which does not fit {n_samples} "
        "samples."
    )


def _present(index, v, n_samples):
    """Which samples the variable `index` says are in a view; None if it says nothing of it."""
    if isinstance(index, list):
        numbers = np.asarray(index[v]).ravel() if v < len(index) else None
        if numbers is None or not len(numbers):
            return None
        present = np.zeros(n_samples, dtype=bool)
        if len(numbers) == n_samples and set(np.unique(numbers)) <= {0, 1}:
            return numbers.astype(bool)
        present[numbers.astype(int) - 1] = True  # MATLAB counts from 1
        return present
    table = np.asarray(index)
    if table.ndim == 2 and table.shape[0] == n_samples and v < table.shape[1]:
        return table[:, v].astype(bool)
    return None


def _filled(view, index, v, notes):
    """A view with its missing instances as rows of NaN, and which samples it has."""
    X = view.values
    if sparse.issparse(X):
        rows = None if index is None else _present(index, v, X.shape[0])
        return X, np.ones(X.shape[0], dtype=bool) if rows is None else rows
    gaps = np.isnan(X)
    present = ~gaps.all(axis=1)
    rows = None if index is None else _present(index, v, X.shape[0])
    present = present if rows is None else present & rows
    single = gaps & present[:, None]
    X = np.where(present[:, None], X, np.nan)
    if single.any():
        empty = single[present].all(axis=0)
        means = np.zeros(X.shape[1])
        means[~empty] = np.nanmean(X[present][:, ~empty], axis=0)
        X = np.where(single, means, X)
        notes.append(
            f"{int(single.sum())} single gaps in the view {view.name} get the mean of their feature"
        )
    return X, present


def _classes(y):
    """Classes from 0 and their names."""
    names, numbers = np.unique(y, return_inverse=True)
    whole = names.dtype.kind == "f" and (names == np.round(names)).all()
    return numbers.ravel().astype(np.int64), [str(int(n)) if whole else str(n) for n in names]


def _aligned(views, labels, y, notes, path):
    """Views and labels of the same samples, by the names of the samples."""
    without = [view.name for view in views if view.ids is None]
    if without:
        raise NotUnderstood(f"{path}: some files name their samples, but not {', '.join(without)}.")
    ids = list(dict.fromkeys(name for view in views for name in view.ids))
    place = {name: row for row, name in enumerate(ids)}
    aligned = []
    for view in views:
        X = np.full((len(ids), view.values.shape[1]), np.nan)
        X[[place[name] for name in view.ids]] = view.values
        aligned.append(view._replace(values=X))
    if y is not None:
        if labels.ids is None and len(y) != len(ids):
            raise NotUnderstood(f"{path}: {len(y)} labels for {len(ids)} samples.")
        if labels.ids is not None:
            known = dict(zip(labels.ids, y, strict=True))
            lacking = [name for name in ids if name not in known]
            if lacking:
                raise NotUnderstood(
                    f"{path}: {len(lacking)} of {len(ids)} samples have no label, the first is "
                    f"'{lacking[0]}'."
                )
            y = np.array([known[name] for name in ids])
    notes.append("samples are matched by their names")
    return aligned, y


def _read_table(file, notes):
    """The view in a file of text, and its labels if a column holds them."""
    text = file.read_text(encoding="utf-8-sig", errors="replace")
    rows = [row for row in csv.reader(io.StringIO(text), delimiter=_delimiter(text)) if row]
    if not rows:
        raise NotUnderstood(f"{file}: the file is empty.")
    width = len(rows[0])
    for number, row in enumerate(rows, 1):
        if len(row) != width:
            raise NotUnderstood(
                f"{file}:{number}: {len(row)} columns, expected {width} as in the first line."
            )
    named = _names_columns(rows)
    header = [cell.strip() for cell in rows[0]] if named else [str(c) for c in range(width)]
    columns = list(zip(*rows[named:], strict=True))
    if not columns:
        raise NotUnderstood(f"{file}: there is no row below the names of the columns.")
    ids, labels, numbers = None, None, []
    for name, cells in zip(header, columns, strict=True):
        texts = not all(_is_number(cell) or not cell.strip() for cell in cells)
        distinct = len(set(cells)) == len(cells)
        if ids is None and distinct and (name.lower() in IDS or texts):
            ids = [cell.strip() for cell in cells]
        elif name.lower() in LABELS:
            labels = np.array([cell.strip() for cell in cells])
        elif texts:
            notes.append(f"the column {name} of {file.name} is not numeric and is left out")
        else:
            numbers.append([float(cell) if cell.strip() else np.nan for cell in cells])
    if file.stem.lower() in LABELS and labels is None and len(numbers) == 1:
        labels, numbers = np.array(numbers[0]), []
    if file.stem.lower() in LABELS and labels is None and not numbers and width <= 2:
        labels = np.array([cell.strip() for cell in columns[-1]])
        ids = ids if width == 2 else None
    parts = [] if labels is None else [_Part("labels", labels, ids)]
    return parts + ([_Part(file.stem, np.array(numbers).T, ids)] if numbers else [])


def _names_columns(rows):
    """Whether the first row holds names: known ones, or texts above numbers."""
    first, second = rows[0], rows[min(1, len(rows) - 1)]
    if any(cell.strip().lower() in (*LABELS, *IDS) for cell in first):
        return True
    return any(
        _is_number(below) and not _is_number(cell)
        for cell, below in zip(first, second, strict=True)
    )


def _delimiter(text):
    first = text.partition("\n")[0]
    counts = {mark: first.count(mark) for mark in ("\t", ";", ",")}
    best = max(counts, key=counts.get)
    return best if counts[best] else ("," if " " not in first.strip() else " ")


def _is_number(cell):
    try:
        float(cell)
    except ValueError:
        return False
    return True
