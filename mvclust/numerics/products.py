"""Products of a view with thin matrices."""

import numpy as np
from scipy import sparse
from scipy.linalg.blas import dgemm

AT_ONCE = 16  # rows that `repeat_row` writes as one
SPARSE = 0.15  # share of non-zero entries below which a sparse product is faster than a dense one
REPEATED = 0.02  # least share of equal rows that are multiplied apart,
WORTH = 40  # and the entries thus saved per row of a dense X, for other rows are copied then


def for_products(X):
    """X and X' in the forms whose products with a thin matrix are fastest.

    scipy multiplies a sparse matrix that is stored by columns in two thirds of the time that it
    takes for one stored by rows, and needs up to a seventh less with indices of 64 bits than with
    those of 32. So a sparse X is kept twice, which takes two to three times the memory; X' shares
    the values of the given X.

    Of a dense X the row that occurs most often, such as the mean in the place of missing instances,
    is multiplied once, and the other rows are kept sparse if most entries are zero. Each of the two
    is an ndarray, a csc_array or an object with ``@`` alone.

    >>> X, X_transposed = for_products(sparse.csr_array(np.array([[0.0, 1.0], [2.0, 3.0]])))
    >>> X.format, X_transposed.format, (X_transposed @ np.ones(2)).tolist()
    ('csc', 'csc', [2.0, 4.0])
    """
    if sparse.issparse(X):
        indices, starts = (part.astype(np.int64, copy=False) for part in (X.indices, X.indptr))
        X = sparse.csr_array((X.data, indices, starts), shape=X.shape)
        return sparse.csc_array(X), X.T
    repeated, saved = _repeated_row(X)
    left = np.count_nonzero(X) - saved
    if left < SPARSE * X.size:
        return _apart(X, repeated, True) if saved else for_products(sparse.csr_array(X))
    return _apart(X, repeated, False) if saved >= WORTH * len(X) else (X, X.T)


def _repeated_row(X):
    """Where the row is whose copies have most non-zero entries, and how many these are.

    Without enough copies, 0.
    """
    sums, sizes = X.sum(axis=1), np.count_nonzero(X, axis=1)
    _, firsts, counts = np.unique(sums, return_index=True, return_counts=True)
    first = firsts[(counts * sizes[firsts]).argmax()]
    repeated = sums == sums[first]
    repeated[repeated] = (X[repeated] == X[first]).all(axis=1)
    count = np.count_nonzero(repeated)
    return repeated, count * sizes[first] if count >= REPEATED * len(X) else 0


def _apart(X, repeated, make_sparse):
    """`for_products` of X whose marked rows are equal."""
    n, others, repeated = len(X), np.flatnonzero(~repeated), np.flatnonzero(repeated)
    row, rest = X[repeated[0]], X[others]
    rest, rest_transposed = for_products(sparse.csr_array(rest)) if make_sparse else (rest, rest.T)

    def times(U):
        product = np.empty((n, *U.shape[1:]))
        product[others] = rest @ U
        product[repeated] = row @ U
        return product

    def transposed_times(V):
        product = rest_transposed @ V[others]
        product += np.multiply.outer(row, V[repeated].sum(axis=0))
        return product

    return _Product(times), _Product(transposed_times)


def side_by_side(Xs):
    """`for_products` of the concatenation of views, each multiplied in its own fastest form.

    Returns X and X', objects with ``@`` alone.

    >>> X, X_transposed = side_by_side([np.array([[1.0, 2.0]]), np.array([[3.0]])])
    >>> (X @ np.ones((3, 1))).tolist(), (X_transposed @ np.ones((1, 1))).tolist()
    ([[6.0]], [[1.0], [2.0], [3.0]])
    """
    pairs = [for_products(X) for X in Xs]
    bounds = np.cumsum([X.shape[1] for X in Xs])[:-1]

    def times(U):
        parts = zip(pairs, np.split(U, bounds), strict=True)
        return sum(X @ part for (X, _), part in parts)

    def transposed_times(V):
        return np.concatenate([X_transposed @ V for _, X_transposed in pairs])

    return _Product(times), _Product(transposed_times)


class _Product:
    """A matrix that is known by its products alone."""

    def __init__(self, times):
        self.times = times

    def __matmul__(self, B):
        return self.times(B)


def frequent_first(X):
    """The order of the features of a sparse X by how many samples have them, most first.

    The columns of X then follow each other by length, and a product X U takes up to a seventh less
    time, for the processor foresees where each ends. For a dense X, where it makes no difference,
    it is the slice of all.

    >>> X = sparse.csr_array([[0.0, 1.0, 2.0], [0.0, 0.0, 3.0]])
    >>> X[:, frequent_first(X)].toarray().tolist()
    [[2.0, 1.0, 0.0], [3.0, 0.0, 0.0]]
    """
    if not sparse.issparse(X):
        return slice(None)
    return np.argsort(-np.bincount(X.indices, minlength=X.shape[1]), kind="stable")


def repeat_row(row, n):
    """A row n times below itself; adding this is faster than adding a short row by broadcasting.

    NumPy starts anew at every row of a broadcast sum, so that short rows cost it most of their
    time: here several rows are one. The result is contiguous.

    >>> repeat_row(np.array([1.0, 2.0]), 3).tolist()
    [[1.0, 2.0], [1.0, 2.0], [1.0, 2.0]]
    """
    wide = np.empty((-(-n // AT_ONCE), AT_ONCE, len(row)))
    wide[0] = row
    wide[1:] = wide[0]
    return wide.reshape(-1, len(row))[:n]


def times_plus_row(U, A, row):
    """U A plus a row to every row of it, U being tall: the product starts from the rows.

    U of shape (n, k) is contiguous, and so is the result.

    >>> times_plus_row(np.eye(2), np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([5.0, 6.0])).tolist()
    [[6.0, 6.0], [5.0, 8.0]]
    """
    rows = repeat_row(row, len(U))
    return dgemm(1.0, A.T, U.T, beta=1.0, c=rows.T, overwrite_c=True).T


def column_sums(U, total=1.0):
    """Sums of the columns of a tall matrix over a total; 1 for columns that sum to 0.

    Several times faster than `U.sum(axis=0)`.

    >>> column_sums(np.array([[1.0, 0.0], [3.0, 0.0]])).tolist()
    [4.0, 1.0]
    """
    sums = np.ones(len(U)) @ U / total
    sums[sums == 0] = 1.0
    return sums


def column_products(A, B):
    """Inner products of the columns of A with those of B, both tall.

    Several times faster than a sum over the rows.

    >>> column_products(np.array([[1.0, 2.0], [3.0, 4.0]]), np.ones((2, 2))).tolist()
    [4.0, 6.0]
    """
    return np.ones(len(A)) @ (A * B)


def dense(X):
    """X as a dense array, itself if it is one.

    >>> dense(sparse.csr_array([[0.0, 2.0]])).tolist()
    [[0.0, 2.0]]
    """
    return X.toarray() if sparse.issparse(X) else X
