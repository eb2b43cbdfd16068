"""Cells, structs and dictionaries as variables with a family."""

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.record import Variable

# A cell array with more cells than this, all alike, has one cell per sample.
MOST_VIEWS = 20


def unfold(name, value, shown, log, *, family, bound=False, from_one=False):
    """The variables in a value.

    Parameters
    ----------
    name : str
    value : object
        An array, a sparse matrix, a text, a list (cell array) or a dictionary (struct) of such.
    shown : str
        The file, for messages.
    log : Log
    family : str
        What lies the same way.
    bound : bool, default=False
        Whether the family is a cell array.
    from_one : bool, default=False
        Whether the format counts from 1.

    Returns
    -------
    list of Variable
    """
    common = {"file": shown, "family": family, "bound": bound, "from_one": from_one}
    if isinstance(value, dict):
        return [
            variable
            for key, item in value.items()
            for variable in unfold(
                f"{name}/{key}", item, shown, log, family=f"{family}/{name}", from_one=from_one
            )
        ]
    if isinstance(value, (list, tuple)):
        return _cells(name, value, shown, log, from_one)
    if isinstance(value, (str, bytes)):
        return [Variable(name, np.array(str(value)), role="facts", **common)]
    if sparse.issparse(value):
        return [Variable(name, sparse.csr_array(value, dtype=np.float64), **common)]
    array = np.asarray(value)
    if array.dtype.kind == "O":
        return _cells(name, array.ravel(order="F").tolist(), shown, log, from_one)
    if array.dtype.kind == "S":
        array = np.char.decode(array, "latin-1")
    if array.dtype.kind == "c" and np.isreal(array).all():
        array = array.real
    if array.dtype.kind not in "biufU":
        say = log.ask if array.dtype.kind == "c" else log.note
        say(f"{name} holds neither real numbers nor texts and is left out; --role {name}=ignore")
        return [Variable(name, np.array(str(array.dtype)), role="facts", **common)]
    if array.ndim > 2:
        array = array.reshape([side for side in array.shape if side != 1] or [1])
    return [Variable(name, array, **common)]


def _cells(name, cells, shown, log, from_one):
    """The cells of a cell array: texts, numbers or rows are one variable, else each is its own."""
    cells = [cell for cell in cells if not _is_empty(cell)] if any(
        isinstance(cell, str) for cell in cells
    ) is False else list(cells)  # fmt: skip
    while len(cells) == 1 and isinstance(cells[0], (list, tuple)):
        cells = list(cells[0])
    single = [cell[0] if isinstance(cell, list) and len(cell) == 1 else cell for cell in cells]
    common = {"file": shown, "from_one": from_one}
    if not cells:
        return [Variable(name, np.array("empty"), family=name, role="facts", **common)]
    texts = [isinstance(cell, str) or _is_empty(cell) for cell in single]
    if all(texts):
        entries = np.array([cell if isinstance(cell, str) else "" for cell in single])
        return [Variable(name, entries, family=name, **common)]
    shapes = {np.shape(cell) for cell in cells if not isinstance(cell, (dict, list, str))}
    plain = all(isinstance(cell, (np.ndarray, int, float, np.number)) for cell in cells)
    if plain and len(shapes) == 1 and all(np.asarray(c).dtype.kind in "biuf" for c in cells):
        (shape,) = shapes
        size = int(np.prod(shape))
        if size == 1 or (len(cells) > MOST_VIEWS and size > 1):
            if size > 1:
                log.note(f"{name}: {len(cells)} cells of {size} values each are one matrix")
            entries = np.array([np.asarray(cell, dtype=float).ravel() for cell in cells])
            return [Variable(name, entries if size > 1 else entries.ravel(), family=name, **common)]
    found = []
    for n, cell in enumerate(cells, 1):
        if isinstance(cell, dict):
            for key, item in cell.items():
                found += unfold(
                    f"{name}{n}/{key}", item, shown, log, family=f"{name}/{key}", bound=True,
                    from_one=from_one,
                )  # fmt: skip
        else:
            found += unfold(
                f"{name}{n}", cell, shown, log, family=name, bound=True, from_one=from_one
            )
    return found


def _is_empty(cell):
    return getattr(cell, "size", None) == 0 and not sparse.issparse(cell)
