"""Eigenvectors at either end of the spectrum, in bases that follow from the eigenspaces alone.

`laplacian_eigenvectors` and `smallest_eigenpairs` both go block by block. The former is for
Laplacians, whose smallest eigenvalues it knows, and may factor them; the latter takes any sparse
symmetric matrix and products alone. `top_eigenvectors` is for dense matrices. All ask for pairs
beyond those wanted that have the last eigenvalue, and end with `canonical_basis`.
"""

import inspect
from itertools import pairwise

import numpy as np
from scipy import linalg, sparse
from scipy.linalg import blas
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, splu

from mvclust.numerics.distances import squared_row_norms
from mvclust.numerics.graphs import connected_components, laplacian

RESTARTS_AT_RANDOM = "rng" in inspect.signature(eigsh).parameters  # newer SciPy
# Up to these sizes a full reduction is faster than Lanczos: of a sparse or dense Laplacian, of
# another sparse matrix, and for the largest eigenvalues.
SPARSE_LAPLACIAN, DENSE_LAPLACIAN, SPARSE, TOP = 400, 700, 600, 200
SPARSE_DENSE = 5000  # size of a sparse matrix up to which it is reduced where Lanczos fails
MOST_RESTARTS = 300  # of Lanczos for the largest eigenvalues; then all of the matrix is reduced
EQUAL = 1e-10  # share of the norm up to which neighbouring eigenvalues count as equal
SAME_LENGTH = 1e-6  # share of the longest row of a basis up to which rows count as equally long


def laplacian_eigenvectors(W, n_vectors):
    """Eigenvectors of the n_vectors smallest eigenvalues of the Laplacian D - W.

    W of shape (n, n) is symmetric and non-negative, dense or sparse. Returns the eigenvalues,
    ascending, and the eigenvectors, orthonormal columns of shape (n, n_vectors).

    Each connected component is solved on its own: its smallest eigenvalue is exactly 0, and a graph
    in many pieces costs little. If there are more components than vectors wanted, the largest are
    taken. Bases are those of `canonical_basis`.

    >>> W = np.array([[0, 1, 0], [1, 0, 0], [0, 0, 0]])
    >>> eigenvalues, vectors = laplacian_eigenvectors(W, 2)
    >>> eigenvalues.tolist(), vectors.round(2).tolist()
    ([0.0, 0.0], [[0.71, 0.0], [0.71, 0.0], [0.0, 1.0]])
    """
    n = W.shape[0]
    labels = connected_components(W)
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return _smallest_of_connected_graph(W, n_vectors)
    found = []  # (eigenvalue, members, vector)
    for component in np.argsort(-sizes, kind="stable")[:n_vectors]:
        members = np.flatnonzero(labels == component)
        wanted = min(n_vectors, len(members)) if len(sizes) < n_vectors else 1
        if wanted == 1:
            values, vectors = np.zeros(1), np.full((len(members), 1), len(members) ** -0.5)
        else:
            values, vectors = _smallest_of_connected_graph(W[np.ix_(members, members)], wanted)
        found += [(value, members, v) for value, v in zip(values, vectors.T, strict=True)]
    return _side_by_side(found, n, n_vectors, 2 * W.sum(axis=0).max())


def smallest_eigenpairs(M, n_pairs, *, is_laplacian=False, start=None):
    """Eigenvectors of the n_pairs smallest eigenvalues of a sparse symmetric matrix.

    Returns the eigenvalues, ascending, and the eigenvectors, orthonormal columns of shape
    (n, n_pairs).

    Lanczos with products alone, for matrices whose inverse would fill up. A matrix that falls into
    blocks is solved block by block, so that eigenvalues they share are all found; among equal ones
    those of larger blocks come first. Whether a copy of a multiple eigenvalue was overlooked within
    a block is looked up by a second, short search beside the pairs found. Bases within a block are
    those of `canonical_basis`.

    If M is the Laplacian of a graph (`is_laplacian`), each block has the eigenvalue 0, its
    smallest, so that fewer pairs of each are looked for. The vector of the last pair is then any of
    its eigenspace. The columns of `start`, with n rows, span a space near the solution; they change
    the work, not the result.

    >>> M = sparse.csr_array(np.array([[2.0, -1.0, 0.0], [-1.0, 2.0, 0.0], [0.0, 0.0, 0.5]]))
    >>> eigenvalues, vectors = smallest_eigenpairs(M, 2)
    >>> eigenvalues.round(6).tolist(), np.abs(vectors).round(2).tolist()
    ([0.5, 1.0], [[0.0, 0.71], [0.0, 0.71], [1.0, 0.0]])
    """
    M = sparse.csr_array(M)
    n = M.shape[0]
    labels = connected_components(M)
    sizes = np.bincount(labels)
    if len(sizes) == 1:
        return _smallest_of_block(M, n_pairs, is_laplacian, start)
    wanted = max(n_pairs - len(sizes) + 1, 1) if is_laplacian else n_pairs
    found = []  # (eigenvalue, members, vector)
    for block in np.argsort(-sizes, kind="stable"):
        members = np.flatnonzero(labels == block)
        if is_laplacian and wanted == 1:
            pairs = np.zeros(1), np.full((len(members), 1), len(members) ** -0.5)
        else:
            part = M[members][:, members]
            near = None if start is None else start[members]
            pairs = _smallest_of_block(part, min(wanted, len(members)), is_laplacian, near)
        found += [(value, members, v) for value, v in zip(pairs[0], pairs[1].T, strict=True)]
    return _side_by_side(found, n, n_pairs, abs(M).sum(axis=1).max())


def top_eigenvectors(M, n_vectors, *, plus=None, weight=1.0, start=None):
    """Eigenvectors of the algebraically largest eigenvalues of M + weight * plus @ plus.T.

    M of shape (n, n) is symmetric, `plus` has shape (n, m); this low-rank term is never formed.
    Returns the eigenvectors, orthonormal columns of shape (n, n_vectors), largest eigenvalue first,
    and the eigenvalues.

    Lanczos from a fixed start, or near the span of the columns of `start`, which change the work,
    not the result. Bases are those of `canonical_basis`.

    >>> vectors, eigenvalues = top_eigenvectors(np.diag([1.0, 5.0, -9.0]), 2)
    >>> eigenvalues.round(6).tolist(), vectors.round(6).T.tolist()
    ([5.0, 1.0], [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
    """
    n = len(M)

    def solve(n_pairs):
        pairs = None
        if n > max(TOP, 5 * n_pairs):
            pairs = _top_by_lanczos(M, n_pairs, plus, weight, start)
        if pairs is None:
            full = M if plus is None else M + weight * (plus @ plus.T)
            pairs = linalg.eigh(full, subset_by_index=[n - n_pairs, n - 1])
        order = np.argsort(-pairs[0], kind="stable")
        return pairs[0][order], pairs[1][:, order]

    eigenvalues, vectors = _through_ties(solve, n, n_vectors)
    return vectors, eigenvalues


def _top_by_lanczos(M, n_vectors, plus, weight, start):
    """Eigenvalues and vectors in no order; None where more eigenvalues than wanted are equal."""
    n = len(M)
    triangle = np.asfortranarray(M.T)  # dsymv reads half of M, which is what takes the time

    def multiply(x):
        y = blas.dsymv(1.0, triangle, x)
        return y if plus is None else y + weight * (plus @ (plus.T @ x))

    search = _search_near(start, n)
    search |= {"ncv": min(n - 1, max(2 * n_vectors + 4, 12)), "maxiter": MOST_RESTARTS}
    try:
        return eigsh(_symmetric_operator(n, multiply), k=n_vectors, which="LA", **search)
    except ArpackError:
        return None


def top_eigenvectors_of_products(A, B, n_vectors):
    """Leading eigenvectors of (A B' + B A') / 2 from a matrix of the size of [A, B]'s columns.

    A and B have shape (n, m); n_vectors is at most the number of positive eigenvalues, m in
    general. Returns the eigenvectors, orthonormal columns of shape (n, n_vectors), largest
    eigenvalue first, and the eigenvalues.

    >>> A, B = np.array([[1.0], [2.0], [0.0]]), np.array([[1.0], [0.0], [0.0]])
    >>> vectors, eigenvalues = top_eigenvectors_of_products(A, B, 1)
    >>> M = (A @ B.T + B @ A.T) / 2
    >>> bool(np.allclose(M @ vectors, vectors * eigenvalues))
    True
    """
    Q, R = linalg.qr(np.hstack([A, B]), mode="economic")
    m = A.shape[1]
    product = R[:, :m] @ R[:, m:].T
    eigenvalues, vectors = linalg.eigh((product + product.T) / 2)
    eigenvalues, vectors = eigenvalues[::-1], Q @ vectors[:, ::-1]
    return canonical_basis(eigenvalues, vectors, n_vectors), eigenvalues[:n_vectors]


def canonical_basis(eigenvalues, vectors, n_vectors=None, *, norm=None):
    """Eigenvectors that follow from the eigenspaces, whichever basis of them was found.

    Neighbouring eigenvalues that are equal but for rounding have one eigenspace. Its basis is that
    of the pivoted QR decomposition of its projector: the longest column of the projector (the first
    of equals), then the longest one of what is left, and so on. A single vector is settled by that
    in its sign: its largest entry is positive.

    The eigenvalues, of shape (m,), ascend or descend, and the vectors, of shape (n, m), are
    orthonormal columns, of which the first n_vectors are returned, or all. The last eigenspace may
    be cut where all of it is given. `norm` is that of the matrix; None: the largest magnitude among
    the eigenvalues.

    >>> turn = np.array([[0.6, -0.8], [0.8, 0.6]])
    >>> np.abs(canonical_basis(np.array([1.0, 1.0]), turn)).round(6).tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """
    n_vectors = len(eigenvalues) if n_vectors is None else n_vectors
    norm = np.abs(eigenvalues).max(initial=0.0) if norm is None else norm
    basis = settle_signs(vectors[:, :n_vectors])
    starts = np.flatnonzero(~(np.abs(np.diff(eigenvalues, prepend=np.inf)) <= EQUAL * norm))
    for first, last in pairwise([*starts, len(eigenvalues)]):
        if last - first > 1 and first < n_vectors:
            space = vectors[:, first:last]
            basis[:, first:last] = space @ pivoted_rows(space, min(last, n_vectors) - first)[1]
    return basis


def pivoted_rows(V, n_rows):
    """Rows of V by pivoted QR, the first of equally long ones, and their directions.

    V has shape (n, m) and at least the rank n_rows. The directions are orthonormal columns, of
    shape (m, n_rows): of each row, what is left of it beside those before.

    >>> pivoted_rows(np.array([[0.0, 1.0], [2.0, 0.0], [2.0, 0.0]]), 2)[0]
    [1, 0]
    """
    rows, directions, rest = [], np.zeros((V.shape[1], n_rows)), V.copy()
    for j in range(n_rows):
        squared = squared_row_norms(rest)
        rows.append(int(np.argmax(squared > (1 - SAME_LENGTH) * squared.max())))
        direction = rest[rows[-1]] - directions @ (directions.T @ rest[rows[-1]])
        directions[:, j] = direction / np.linalg.norm(direction)
        rest -= np.outer(rest @ directions[:, j], directions[:, j])
    return rows, directions


def settle_signs(vectors):
    """Flip columns so that the entry of largest magnitude (the first of equals) is positive.

    >>> settle_signs(np.array([[1.0, 0.0], [-2.0, 3.0]])).tolist()
    [[-1.0, 0.0], [2.0, 3.0]]
    """
    magnitude = np.abs(vectors)
    largest = np.argmax(magnitude > (1 - SAME_LENGTH) * magnitude.max(axis=0), axis=0)
    return vectors * np.where(vectors[largest, np.arange(vectors.shape[1])] < 0, -1.0, 1.0)


def fixed_search(n, seed=0):
    """Options of `eigsh` that make it find the same each time, for a matrix of size n.

    They fix its start and, where that is exhausted (equal samples) and newer SciPy goes on from a
    random vector, that one.
    """
    start = {"v0": np.random.default_rng(seed).standard_normal(n)}
    return start | {"rng": 0} if RESTARTS_AT_RANDOM else start


def _search_near(start, n):
    """`fixed_search` that starts near known vectors, with some noise; None: anywhere."""
    search = fixed_search(n)
    if start is not None:
        noise = 1e-3 * np.linalg.norm(start) * search["v0"] / np.sqrt(n)
        search["v0"] = start.sum(axis=1) + noise
    return search


def _through_ties(solve, n, n_pairs, norm=None, *, may_cut_last=False):
    """The first pairs, of `solve` for numbers of pairs, so many more that no eigenspace is cut."""
    whole = max(n_pairs - 1, 1) if may_cut_last else n_pairs
    asked = min(whole + 1, n)
    while True:
        values, vectors = solve(asked)
        limit = EQUAL * (np.abs(values).max() if norm is None else norm)
        if asked == n or abs(values[-1] - values[whole - 1]) > limit:
            return values[:n_pairs], canonical_basis(values, vectors, n_pairs, norm=norm)
        asked = min(2 * asked, n)


def _side_by_side(found, n, n_pairs, norm):
    """The smallest pairs of all blocks, from triples of eigenvalue, members and vector.

    Among equal eigenvalues those of earlier blocks come first.
    """
    order = np.argsort([value for value, _, _ in found], kind="stable")
    steps = np.diff([found[i][0] for i in order], prepend=0.0) > EQUAL * norm
    rank = np.empty(len(found), dtype=int)
    rank[order] = np.cumsum(steps)
    eigenvalues, vectors = np.empty(n_pairs), np.zeros((n, n_pairs))
    for j, i in enumerate(np.argsort(rank, kind="stable")[:n_pairs]):
        eigenvalues[j], members, vector = found[i]
        vectors[members, j] = vector
    return eigenvalues, vectors


def _smallest_of_connected_graph(W, n_vectors):
    """Smallest eigenpairs of the Laplacian of a connected graph; the first eigenvalue is 0."""
    n = W.shape[0]

    def solve(n_pairs):
        pairs = None
        if sparse.issparse(W) and n > max(SPARSE_LAPLACIAN, 2 * n_pairs):
            pairs = _lanczos_by_inverse(laplacian(W), n_pairs)
        if pairs is None:
            A = W.toarray() if sparse.issparse(W) else W
            if n > max(DENSE_LAPLACIAN, 10 * n_pairs):
                pairs = _lanczos_by_dense_products(laplacian(A), n_pairs)
        if pairs is None:
            L = laplacian(A).T  # symmetric, and in the order of columns that LAPACK overwrites
            pairs = linalg.eigh(
                L, subset_by_index=[0, n_pairs - 1], overwrite_a=True, check_finite=False
            )
        return pairs

    values, vectors = _through_ties(solve, n, n_vectors, 2 * W.sum(axis=0).max())
    values[0] = 0.0
    return values, vectors


def _smallest_of_block(M, n_pairs, may_cut_last, start):
    """Smallest eigenpairs of a sparse matrix that is one block."""
    n = M.shape[0]
    sums = abs(M).sum(axis=1)  # no eigenvalue is larger

    def solve(n_pairs):
        pairs = None
        if n > max(SPARSE, 10 * n_pairs):
            pairs = _lanczos_by_sparse_products(M, n_pairs, start)
        if pairs is None and n > SPARSE_DENSE:
            lowest = (2 * M.diagonal() - sums).min()  # no eigenvalue is smaller
            pairs = _lanczos_by_inverse(M, n_pairs, min(lowest, 0.0))
        if pairs is None:
            pairs = linalg.eigh(M.toarray(), subset_by_index=[0, n_pairs - 1], check_finite=False)
        return pairs

    return _through_ties(solve, n, n_pairs, sums.max(), may_cut_last=may_cut_last)


def _symmetric_operator(n, multiply):
    """The n x n matrix of a product with vectors, without the checks of a `LinearOperator`.

    They take longer than a product with a small sparse matrix.
    """
    operator = LinearOperator((n, n), matvec=multiply, dtype=np.float64)
    operator.matvec = multiply
    return operator


def _lanczos_by_dense_products(L, n_vectors):
    """Smallest eigenpairs of a dense L by Lanczos; None if it fails or overlooked one. Uses up L.

    A copy of a multiple eigenvalue may be overlooked. A Cholesky factorisation tells: with the
    pairs found moved up, no eigenvalue may lie below the largest of them.
    """
    n = len(L)
    L = L.T  # symmetric, and in the order of columns that BLAS and LAPACK take without a copy
    operator = _symmetric_operator(n, lambda x: blas.dsymv(1.0, L, x))
    size = max(2 * n_vectors + 20, 40)
    try:
        values, vectors = eigsh(
            operator, k=n_vectors, which="SA", ncv=size, maxiter=20, **fixed_search(n)
        )
    except ArpackError:
        return None
    order = np.argsort(values, kind="stable")
    values, vectors = values[order], vectors[:, order]
    height = 2 * L.diagonal().max()  # no eigenvalue is larger
    L = blas.dsyrk(height, vectors, beta=1.0, c=L, overwrite_c=True, lower=True)
    L.flat[:: n + 1] -= values[-1] - 1e-9 * height
    try:
        linalg.cholesky(L, lower=True, overwrite_a=True, check_finite=False)
    except linalg.LinAlgError:
        return None
    return values, vectors


def _lanczos_by_sparse_products(M, n_pairs, start):
    """Smallest eigenpairs by Lanczos; None if it does not converge soon or overlooked one."""
    n = M.shape[0]
    height = abs(M).sum(axis=1).max()  # no eigenvalue is larger
    size = max(2 * n_pairs + 20, 40)
    # More would take longer than a full reduction, or, of large matrices, than a factorisation.
    restarts = min(max(100, n // 50), n**2 // 30000 + 1)
    # Of height - M the largest are wanted: their accuracy is then relative to the norm.
    turned = sparse.csr_array(height * sparse.eye_array(n) - M)
    try:
        operator = _symmetric_operator(n, lambda x: turned @ x)
        values, vectors = eigsh(
            operator, k=n_pairs, which="LA", ncv=size, maxiter=restarts, tol=1e-12,
            **_search_near(start, n),
        )  # fmt: skip
        order = np.argsort(-values, kind="stable")
        values, vectors = values[order], vectors[:, order]
        beside = _symmetric_operator(n, lambda x: turned @ x - vectors @ (values * (vectors.T @ x)))
        rest = eigsh(
            beside, k=1, which="LA", maxiter=100, tol=1e-5,
            return_eigenvectors=False, **fixed_search(n, seed=1),
        )  # fmt: skip
    except ArpackError:
        return None
    if rest[0] > values[-1] + 1e-10 * height:
        return None
    return height - values, vectors


def _lanczos_by_inverse(L, n_vectors, lowest=0.0):
    """Smallest eigenpairs of a sparse L by Lanczos with its inverse; None if it fails.

    No eigenvalue of L is below `lowest`.
    """
    n = L.shape[0]
    shift = 1e-3 * np.abs(L.diagonal()).mean() - lowest
    factor = splu(
        (L + shift * sparse.eye_array(n)).tocsc(),
        permc_spec="MMD_AT_PLUS_A",
        diag_pivot_thresh=0.0,
        options={"SymmetricMode": True},
    )
    try:
        inverse = _symmetric_operator(n, factor.solve)
        values, vectors = eigsh(inverse, k=n_vectors, **fixed_search(n))
    except ArpackError:  # equal samples can exhaust the search
        return None
    order = np.argsort(-values, kind="stable")
    return 1 / values[order] - shift, vectors[:, order]
