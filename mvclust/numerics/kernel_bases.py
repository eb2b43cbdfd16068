"""Bases of relaxed kernel k-means, one per view, of the samples that it has."""

import numpy as np

from mvclust.numerics.distances import mutual_squared_distances
from mvclust.numerics.eigen import top_eigenvectors
from mvclust.numerics.gram_svd import left_singular_vectors

NULL = 1e-10  # share of the largest eigenvalue, or singular value, of directions without data
SAME = 1e-12  # share of the largest entry of a view below which differences are rounding errors
SQUARABLE = 1e-5  # share of the largest eigenvalue of S'S above which squaring costs few digits


def polar(A):
    """Maximise tr(M'A) over matrices with orthonormal columns, or rows if these are fewer.

    Directions in which A, of shape (n, k), has no data stay zero in M, instead of any completion
    that an algorithm happens to choose. A well conditioned tall A needs its Gram matrix alone.
    """
    if len(A) >= A.shape[1]:
        squares, Q = np.linalg.eigh(A.T @ A)
        if squares[0] > SQUARABLE * squares[-1]:
            return A @ ((Q / np.sqrt(squares)) @ Q.T)
    left, sigma, right = np.linalg.svd(A, full_matrices=False)
    kept = sigma > NULL * sigma[0]
    return left[:, kept] @ right[kept]


def start_from_kernels(Ks, rows, n, k):
    """H_p and H0: leading eigenvectors of each kernel, and of their sum.

    The kernels, (n_p, n_p), are between the samples that the views have; `rows` says where these
    are among all n. Returns a dict with HP, a list of arrays of shape (n, k), and H0 (n, k).
    """
    total, HP = np.zeros((n, n)), []
    for K, of_view in zip(Ks, rows, strict=True):
        total[np.ix_(of_view, of_view)] += K
        HP.append(_lifted(_leading(K, k), of_view, n, k))
    return {"HP": HP, "H0": _lifted(_leading(total, k), np.arange(n), n, k)}


def start_from_features(Xs, rows, n, k):
    """The same for linear kernels X X', in time and memory linear in n.

    The views X have shape (n_p, n_features_p).
    """
    HP, lifted = [], []
    for X, of_view in zip(Xs, rows, strict=True):
        U, sigma, _ = left_singular_vectors([X], k)
        HP.append(_lifted((U, sigma**2), of_view, n, k))
        whole = np.zeros((n, X.shape[1]))
        whole[of_view] = X
        lifted.append(whole)
    U, sigma, _ = left_singular_vectors(lifted, k)
    return {"HP": HP, "H0": _lifted((U, sigma**2), np.arange(n), n, k)}


def _leading(K, k):
    if not K.any():
        return np.empty((len(K), 0)), np.empty(0)
    return top_eigenvectors(K, min(k, len(K)))


def _lifted(pairs, rows, n, k):
    """Eigenvectors among all samples; zero columns for eigenvalues that are zero."""
    vectors, eigenvalues = pairs
    kept = np.flatnonzero(eigenvalues > NULL * max(eigenvalues.max(initial=0.0), 0.0))
    H = np.zeros((n, k))
    H[np.ix_(rows, np.arange(len(kept)))] = vectors[:, kept]
    return H


def centred(X):
    """X without the mean of its rows; zero if they are all the same but for rounding."""
    ranges = np.ptp(X, axis=0).max()
    return X - X.mean(axis=0) if ranges > SAME * np.abs(X).max() else np.zeros_like(X)


def centred_kernel(K):
    """A symmetric kernel centred in its feature space, with samples of unit length there.

    A sample at the mean of all gets zeros.
    """
    mean = K.mean(axis=0)
    K = K - mean - mean[:, None] + mean.mean()
    squares = K.diagonal().copy()
    inside = squares > NULL * squares.max()
    lengths = np.sqrt(np.where(inside, squares, np.inf))
    K /= lengths
    K /= lengths[:, None]
    return K


def rbf_kernel(X):
    """exp(-d^2 / (2 mean d^2)), the mean over all pairs of rows, those of a row with itself too."""
    squared = mutual_squared_distances(X)
    np.fill_diagonal(squared, 0.0)
    squared = np.minimum(squared, squared.T)
    squared /= -2 * (squared.mean() or 1.0)
    return np.exp(squared, out=squared)
