"""What every estimator needs: checked views, seeds, and labels from a representation."""

import warnings
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import silhouette_score
from sklearn.utils._param_validation import Interval

TINY = float(np.finfo(np.float64).tiny)


class MultiViewClusterer(ClusterMixin, BaseEstimator):
    """Base of all estimators: declared parameter constraints and checked views.

    A subclass states with class attributes what its views may be.
    """

    _accepts_missing = True
    _accepts_sparse = False
    _needs_nonnegative = False

    _parameter_constraints: dict = {
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "random_state": [Integral, np.random.RandomState, np.random.Generator, None],
    }

    def _check_input(self, Xs):
        """Check parameters and views; return float64 views (missing rows zero) and presence."""
        self._validate_params()
        name = type(self).__name__
        Xs, presence = check_views(Xs, accept_sparse=self._accepts_sparse, name=name)
        n_samples = len(presence)
        if self.n_clusters > n_samples:
            raise ValueError(
                f"{name}: n_clusters={self.n_clusters} is more than the {n_samples} samples."
            )
        if not self._accepts_missing and not presence.all():
            view = int(np.argmin(presence.all(axis=0)))
            raise ValueError(
                f"{name} needs complete views, but view {view} lacks "
                f"{int((~presence[:, view]).sum())} of {n_samples} samples: fill them first "
                "(mvclust.numerics.impute) or take a method for incomplete views such as DAIMC."
            )
        if self._needs_nonnegative:
            for v, X in enumerate(Xs):
                if X.min() < 0:
                    raise ValueError(
                        f"{name} needs non-negative views, but view {v} has a minimum of "
                        f"{X.min():.6g}: shift or drop that view, or take a method that allows "
                        "negative values such as DAIMC."
                    )
                if X.sum() == 0:
                    raise ValueError(f"{name}: view {v} is zero throughout; leave the view out.")
        return Xs, presence


def check_views(Xs, *, accept_sparse=False, name="this method"):
    """Check a list of views and find the missing instances.

    Parameters
    ----------
    Xs : list or tuple of array-like, each (n_samples, n_features_v)
        The views. A row that is all NaN is a missing instance (in a sparse view: a row
        that stores a NaN).
    accept_sparse : bool, default=False
        Whether scipy sparse views are accepted; they come back as CSR.
    name : str
        Who asks, for the messages.

    Returns
    -------
    Xs : list of ndarray or csr_array, float64
        The views, missing rows set to zero. The input is never changed.
    presence : ndarray of bool, (n_samples, n_views)
        Whether a sample is present in a view.

    Raises
    ------
    ValueError
        For a view that is not two-dimensional, empty or infinite, for views of different
        length, a row that is only partly NaN, a sample in no view or a view with no sample.

    Examples
    --------
    >>> import numpy as np
    >>> views, presence = check_views([[[1.0], [np.nan]], [[2.0], [3.0]]])
    >>> presence.tolist()
    [[True, True], [False, True]]
    """
    if not isinstance(Xs, list | tuple):
        raise ValueError(
            f"{name}: Xs must be a list with one array per view, got {type(Xs).__name__}; "
            "a single view is [X]."
        )
    if not Xs:
        raise ValueError(f"{name}: Xs is empty, expected at least one view.")
    checked = [_check_view(X, v, accept_sparse, name) for v, X in enumerate(Xs)]
    n_samples = checked[0][0].shape[0]
    for v, (X, _) in enumerate(checked):
        if X.shape[0] != n_samples:
            raise ValueError(
                f"{name}: view {v} has {X.shape[0]} rows and view 0 has {n_samples}; all views "
                "must describe the same samples, a missing instance being a row of NaN."
            )
    presence = np.column_stack([present for _, present in checked])
    nowhere = np.flatnonzero(~presence.any(axis=1))
    if nowhere.size:
        raise ValueError(
            f"{name}: {nowhere.size} of {n_samples} samples are missing in every view (the first "
            f"is sample {nowhere[0]}); drop them, nothing is known about them."
        )
    return [X for X, _ in checked], presence


def _check_view(X, v, accept_sparse, name):
    if sparse.issparse(X):
        if not accept_sparse:
            raise TypeError(
                f"{name}: view {v} is sparse, which this method cannot use; pass X.toarray()."
            )
        X = sparse.csr_array(X, dtype=np.float64)
        values = X.data
    else:
        try:
            X = np.asarray(X)
            if np.iscomplexobj(X):
                raise ValueError
            X = X.astype(np.float64, copy=False)
        except (TypeError, ValueError):
            raise ValueError(f"{name}: view {v} is not an array of real numbers.") from None
        values = X
    if X.ndim != 2 or 0 in X.shape:
        raise ValueError(
            f"{name}: view {v} has shape {X.shape}, expected (n_samples, n_features), both above 0."
        )
    if np.isinf(values).any():
        raise ValueError(f"{name}: view {v} contains infinite values.")
    nan = np.isnan(values)
    if not nan.any():
        return X, np.ones(X.shape[0], dtype=bool)
    if sparse.issparse(X):
        rows = np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))
        present = np.ones(X.shape[0], dtype=bool)
        present[rows[nan]] = False
        X = X.copy()
        X.data[~present[rows]] = 0.0
        X.eliminate_zeros()
    else:
        present = ~nan.any(axis=1)
        partly = np.flatnonzero(~present & ~nan.all(axis=1))
        if partly.size:
            raise ValueError(
                f"{name}: row {partly[0]} of view {v} is NaN in {int(nan[partly[0]].sum())} of "
                f"{X.shape[1]} features; a missing instance is a row of NaN throughout, single "
                "missing values must be filled first."
            )
        X = np.where(present[:, None], X, 0.0)
    if not present.any():
        raise ValueError(f"{name}: view {v} has no instance at all; leave the view out.")
    return X, present


def check_start(start, shapes, name):
    """Check the arrays that ``init=`` gives and return them as float64.

    Parameters
    ----------
    start : dict
        Arrays, or lists with one array a view, by the letters of the paper.
    shapes : dict
        For each letter the expected shape, or a list of shapes.
    name : str
        Who asks, for the messages.
    """
    checked = {}
    for letter, shape in shapes.items():
        if letter not in start:
            raise ValueError(
                f"{name}: init lacks '{letter}', it gives {', '.join(start) or 'nothing'}."
            )
        several = isinstance(shape, list)
        given, wanted = (start[letter], shape) if several else ([start[letter]], [shape])
        if len(given) != len(wanted):
            raise ValueError(
                f"{name}: init has {len(given)} arrays {letter}, expected one for each of the "
                f"{len(wanted)} views."
            )
        arrays = [np.asarray(array, dtype=np.float64) for array in given]
        for array, expected in zip(arrays, wanted, strict=True):
            if array.shape != expected:
                raise ValueError(
                    f"{name}: init {letter} has shape {array.shape}, expected {expected}."
                )
        checked[letter] = arrays if several else arrays[0]
    return checked


def draw_seeds(random_state, n):
    """Draw n independent integer seeds; None takes fresh entropy, never the global generator."""
    if random_state is None or isinstance(random_state, Integral):
        random_state = np.random.default_rng(random_state)
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(2**31 - 1, size=n).tolist()
    return random_state.randint(2**31 - 1, size=n).tolist()


def cluster_rows(V, n_clusters, *, n_init, seed):
    """Label the rows of a representation by k-means (k-means++ starts, best of n_init)."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels = KMeans(n_clusters, n_init=n_init, random_state=seed).fit(V).labels_
    warn_if_fewer(labels, n_clusters)
    return labels


def warn_if_fewer(labels, n_clusters):
    """Say so when a clustering has fewer clusters than were asked for."""
    found = len(np.unique(labels))
    if found < n_clusters:
        warnings.warn(
            f"found {found} clusters of the {n_clusters} asked for: the data have too few "
            "distinct samples, or some clusters stayed empty.",
            ConvergenceWarning,
            stacklevel=3,
        )


def relative_change(objective):
    """Change of the objective in its last step, relative to where it is now; inf at first."""
    if len(objective) < 2:
        return np.inf
    return abs(objective[-2] - objective[-1]) / max(abs(objective[-1]), TINY)  # it may reach 0


def warn_not_converged(name, max_iter, tol):
    """Say so when the limit of iterations ended a run."""
    warnings.warn(
        f"{name} stopped at max_iter={max_iter} before its change fell below tol={tol}; "
        "raise max_iter or tol.",
        ConvergenceWarning,
        stacklevel=3,
    )


def views_to_try(view, n_views, name):
    """The indices of the views that `view` asks for: one, or all for "silhouette"."""
    if view == "silhouette":
        return range(n_views)
    if view >= n_views:
        raise ValueError(
            f"{name}: view={view} does not exist; the {n_views} views count from 0 to "
            f"{n_views - 1}."
        )
    return [view]


def check_view_number(view, n_views, name):
    """Refuse the number of a view that does not exist; words pass."""
    if not isinstance(view, str):
        views_to_try(view, n_views, name)


def best_silhouette(Xs, presence, labels):
    """Index of the view whose own labels have the best silhouette over its present rows.

    Parameters
    ----------
    Xs : list of ndarray, each (n_samples, n_features_v)
    presence : ndarray of bool, (n_samples, n_views)
    labels : list of ndarray, each (n_samples,)
    """
    if len(Xs) == 1:
        return 0
    scores = []
    for X, present, found in zip(Xs, presence.T, labels, strict=True):
        n_found = len(np.unique(found[present]))
        usable = 1 < n_found < present.sum()
        scores.append(silhouette_score(X[present], found[present]) if usable else -1.0)
    return int(np.argmax(scores))
