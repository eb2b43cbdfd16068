"""Non-negative matrix factorisation by multiplicative updates (Lee & Seung)."""

import numpy as np

from mvclust.numerics.distances import squared_norm
from mvclust.numerics.factors import unit_sums
from mvclust.numerics.products import for_products, side_by_side
from mvclust.numerics.runs import grams, inner_products, times_grams, times_wide

GUARD = 1e-10  # floor of the denominators, as in the authors' codes


def nmf(X, U, V, *, max_iter, tol):
    """Factorise X' into U V' by alternating multiplicative updates of V and U.

    The columns of U are scaled to sum 1 before the first and after the last iteration (V
    inversely). X is expected on the scale sum(X) = 1, to which the floor of the denominators
    belongs. The run ends after max_iter iterations, or when the objective lies less than tol,
    relatively, below its exponential mean (0.1 old + 0.9 new).

    X of shape (n_samples, n_features) is non-negative, dense or sparse; a list of such views is
    their concatenation. U of shape (n_features, n_clusters) and V of shape (n_samples, n_clusters),
    non-negative, are the start. Returns U, V, a list of the squared error ||X' - U V'||^2 after
    each iteration, and the last relative distance of this objective to its mean.
    """
    return _nmf_runs(prepared_view(X), [U], [V], max_iter, tol)[0]


def prepared_view(X):
    """X and X' for products, and ||X||^2; a list of views is their concatenation."""
    if isinstance(X, list) and len(X) > 1:
        return (*side_by_side(X), sum(map(squared_norm, X)))
    X = X[0] if isinstance(X, list) else X
    return (*for_products(X), squared_norm(X))


def _nmf_runs(prepared, U, V, max_iter, tol):
    """`nmf` from several starts at once, whose bases are side by side in the products with X.

    The starts are lists of U and V, the view is prepared by `prepared_view`. Returns a list of what
    `nmf` returns.
    """
    X, X_transposed, squared = prepared
    U, V = zip(*(unit_sums(*pair) for pair in zip(U, V, strict=True)), strict=True)
    U, V = np.stack(U, axis=1), np.stack(V, axis=1)  # (rows, runs, n_clusters)
    objective, mean, change = [[] for _ in range(U.shape[1])], {}, {}
    ended, going = {}, list(range(U.shape[1]))
    XU, UU = times_wide(X, U), grams(U)
    for iteration in range(max_iter):
        XU /= np.maximum(times_grams(V, UU), GUARD)
        V *= XU
        XV, VV = times_wide(X_transposed, V), grams(V)
        XV /= np.maximum(times_grams(U, VV), GUARD)
        U *= XV
        XU, UU = times_wide(X, U), grams(U)
        errors = squared - 2 * inner_products(XU, V) + np.sum(UU * VV, axis=(1, 2))
        for i, error in zip(going, errors, strict=True):
            objective[i].append(float(error))
            mean[i] = 0.1 * mean.get(i, 10 * error) + 0.9 * error
            change[i] = (mean[i] - error) / mean[i] if mean[i] > 0 else 0.0
        stay = [i for i in going if change[i] >= tol and iteration < max_iter - 1]
        if stay != going:
            for at, i in enumerate(going):
                if i not in stay:
                    ended[i] = unit_sums(U[:, at], V[:, at])
            if not stay:
                break
            kept = [going.index(i) for i in stay]
            U, V, XU, UU, going = U[:, kept], V[:, kept], XU[:, kept], UU[kept], stay
    return [(*ended[i], objective[i], change[i]) for i in range(len(objective))]


def _best_run(prepared, U, V, warm_up, max_iter, tol):
    """Continue the best of several runs of warm_up iterations; see `nmf`."""
    runs = _nmf_runs(prepared, U, V, warm_up, 0.0)
    U, V, objective, _ = min(runs, key=lambda run: run[2][-1])
    U, V, rest, change = _nmf_runs(prepared, [U], [V], max_iter, tol)[0]
    return U, V, objective + rest, change


def best_nmf(X, n_clusters, *, n_init, warm_up, max_iter, tol, seed):
    """Run `nmf` from the best of several short runs from random starts.

    X is that of `nmf`, with sum 1. The n_init starts run for warm_up iterations, the best of them
    for max_iter more at most. `seed` is anything that `numpy.random.default_rng` takes. Returns
    what `nmf` does; the objective begins with the short run.
    """
    views = X if isinstance(X, list) else [X]
    shape = views[0].shape[0], sum(view.shape[1] for view in views)
    U, V = random_starts(shape, n_clusters, n_init, seed)
    return _best_run(prepared_view(X), U, V, warm_up, max_iter, tol)


def random_starts(shape, n_clusters, n_init, seed):
    """Uniform random bases and coefficients for a matrix of shape (n_samples, n_features).

    Returns lists of n_init arrays U and V; `seed` is anything that `numpy.random.default_rng`
    takes.

    >>> U, V = random_starts((5, 3), 2, 4, seed=0)
    >>> len(U), U[0].shape, V[0].shape
    (4, (3, 2), (5, 2))
    """
    rng = np.random.default_rng(seed)
    U, V = [], []
    for _ in range(n_init):
        U.append(rng.random((shape[1], n_clusters)))
        V.append(rng.random((shape[0], n_clusters)))
    return U, V


def start_from_nmf(Xs, n_clusters, n_init, warm_up, max_iter, seed):
    """Factorise the views one by one, each begun with the V of the one before, as a start.

    Three passes over the views. In each the best of n_init random bases after warm_up iterations is
    continued for max_iter iterations, as in the released code. Each view has shape
    (n_samples, n_features_v) and sum 1, and is non-negative, dense or sparse. Returns a dict with
    the lists U and V of one array per view, (n_features_v, n_clusters) and (n_samples, n_clusters).
    """
    seeds = np.random.default_rng(seed).spawn(2)
    prepared = [prepared_view(X) for X in Xs]
    U, V = [None] * len(Xs), [None] * len(Xs)
    last = None
    for _ in range(3):
        for v, X in enumerate(Xs):
            if last is None:
                bases, coefficients = random_starts(X.shape, n_clusters, n_init, seeds[0])
            else:
                bases = list(seeds[1].random((n_init, X.shape[1], n_clusters)))
                coefficients = [last] * n_init
            U[v], last, *_ = _best_run(prepared[v], bases, coefficients, warm_up, max_iter, 0.0)
            V[v] = last
    return {"U": U, "V": V}
