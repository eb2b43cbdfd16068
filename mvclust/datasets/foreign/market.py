"""The Matrix Market format. SciPy's own reader ends the process for some damaged files."""

import numpy as np
from scipy import sparse

from mvclust.datasets.room import OF_TEXT, room_for

SYMMETRIES = {"general": 0, "symmetric": 1, "skew-symmetric": -1}


def read_market(path):
    """Read a matrix.

    Parameters
    ----------
    path : Path

    Returns
    -------
    ndarray or csr_array

    Raises
    ------
    ValueError
        If the file is cut, damaged or of complex numbers.
    """
    with open(path, "rb") as file:
        words = file.readline().decode("latin-1").lower().split()
        if len(words) != 5 or not words[0].startswith("%%matrixmarket"):
            raise ValueError("the first line is not that of Matrix Market")
        _, _, layout, field, symmetry = words
        if field not in ("real", "double", "integer", "pattern") or symmetry not in SYMMETRIES:
            raise ValueError(f"matrices of the kind {field} {symmetry} are not read")
        line = file.readline()
        while line.startswith(b"%") or (line and not line.strip()):
            line = file.readline()
        room_for(OF_TEXT * path.stat().st_size, path.name)
        body = file.read()
    sizes = [int(number) for number in line.split()]
    if len(sizes) != (3 if layout == "coordinate" else 2) or min(sizes) < 0:
        raise ValueError("no line of sizes")
    n_rows, n_columns = sizes[:2]
    if layout == "array":
        return _dense(body, n_rows, n_columns, SYMMETRIES[symmetry])
    width = 2 if field == "pattern" else 3
    if 2 * width * sizes[2] > len(body) + 1:
        raise ValueError(f"it declares {sizes[2]} entries, and ends before")
    room_for(24 * sizes[2] + 8 * (n_rows + n_columns), str(path))
    entries = np.array(body.split(), dtype=float)
    if entries.size != width * sizes[2]:
        raise ValueError(f"it has {entries.size} numbers, expected {width * sizes[2]}")
    entries = entries.reshape(-1, width)
    rows, columns = entries[:, 0].astype(np.int64) - 1, entries[:, 1].astype(np.int64) - 1
    if len(rows) and not (0 <= rows.min() <= rows.max() < n_rows
                          and 0 <= columns.min() <= columns.max() < n_columns):  # fmt: skip
        raise ValueError(f"an entry is outside of {n_rows} x {n_columns}")
    values = entries[:, 2] if width == 3 else np.ones(len(rows))
    X = sparse.csr_array((values, (rows, columns)), shape=(n_rows, n_columns))
    sign = SYMMETRIES[symmetry]
    return sparse.csr_array(X + sign * (X.T - sparse.diags_array(X.diagonal()))) if sign else X


def _dense(body, n_rows, n_columns, sign):
    """A matrix column by column; of a symmetric one the lower triangle."""
    values = np.array(body.split(), dtype=float)
    if not sign:
        if values.size != n_rows * n_columns:
            raise ValueError(f"it has {values.size} numbers, expected {n_rows * n_columns}")
        return values.reshape(n_columns, n_rows).T
    if n_rows != n_columns or values.size != n_rows * (n_rows + 1) // 2 + (min(sign, 0) * n_rows):
        raise ValueError(f"it has {values.size} numbers, expected half of {n_rows} x {n_columns}")
    places = [(r, c) for c in range(n_columns) for r in range(c + (sign < 0), n_rows)]
    X = np.zeros((n_rows, n_columns))
    for (r, c), value in zip(places, values, strict=True):
        X[r, c], X[c, r] = value, sign * value
    return X
