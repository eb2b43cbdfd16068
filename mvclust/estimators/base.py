"""What every estimator needs: its contract, checked views, seeds, and labels from a representation.

Whoever runs the methods relies on these public parts:

* `ViewTags`, the class attribute ``view_tags``: which views a method takes; `tags_of` reads them.
* ``start_parameters``, ``start_key`` and ``draw_start``: starts that several models can share.
* `Solution`: what the functions with the mathematics return.
"""

import functools
import warnings
from dataclasses import dataclass
from numbers import Integral
from typing import NamedTuple

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import silhouette_score

from mvclust.canonical import (
    LARGEST,
    as_numbers,
    by_view,
    doubts_about_views,
    generator,
    match_samples,
    present_rows,
    read_view,
    samples_of,
)
from mvclust.estimators.constraints import COUNT, Interval
from mvclust.extras import need
from mvclust.numerics.distances import centred
from mvclust.numerics.kmeans import kmeans
from mvclust.numerics.scaling import refuse_old_word
from mvclust.numerics.ties import best_of

TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True)
class ViewTags:
    """Which views a method takes.

    Attributes
    ----------
    incomplete : bool, default=True
        Whether instances may be missing, as rows of NaN.
    sparse : bool, default=False
        Whether views may be sparse; else they must be made dense first.
    nonnegative : bool, default=False
        Whether all entries must be at least 0.
    n_views : int or None, default=None
        The exact number of views, or None for any number.
    constraints : {"between", "within", None}, default=None
        What `fit` takes beside the views: ``must_links`` and ``cannot_links`` between views, or
        ``must_links`` and ``cannot_links`` within views and a ``mapping`` between them.

    Examples
    --------
    >>> ViewTags(sparse=True).incomplete
    True
    """

    incomplete: bool = True
    sparse: bool = False
    nonnegative: bool = False
    n_views: int | None = None
    constraints: str | None = None

    @property
    def unmapped(self):
        """Whether views may differ in their rows; `labels_` then has one array per view."""
        return self.constraints is not None


def tags_of(estimator):
    """The tags of an estimator; cautious ones for a class that states none.

    It is a class or an instance that clusters views, of mvclust or not.

    >>> from sklearn.cluster import KMeans
    >>> tags_of(KMeans).incomplete
    False
    """
    return getattr(estimator, "view_tags", ViewTags(incomplete=False, sparse=False))


class Solution(NamedTuple):
    """What the function with the mathematics of a method returns.

    Attributes
    ----------
    factors : dict
        The factors by the letters of the paper; labels and the embedding are among them where
        the method gives them.
    objective : list of float
        One value per outer iteration.
    stop : float
        The value that the test for stopping looked at last; NaN where there is none.
    """

    factors: dict
    objective: list
    stop: float


class MultiViewClusterer(ClusterMixin, BaseEstimator):
    """Base of all estimators: declared parameter constraints, checked views, shared starts.

    A subclass sets ``view_tags`` to what its views may be. If its start depends on some of the
    parameters only, it names these in ``start_parameters`` and draws the start in ``draw_start``.
    """

    view_tags = ViewTags()
    start_parameters = ()

    _parameter_constraints: dict = {
        "n_clusters": COUNT,
        "random_state": [
            Interval(Integral, 0, None, closed="left"),
            np.random.RandomState,
            np.random.Generator,
            None,
        ],
    }

    def __init_subclass__(cls, **kwargs):
        """Let `fit` and `predict` name the samples of data frames, as `set_output` does."""
        super().__init_subclass__(**kwargs)
        if "fit" in cls.__dict__:
            cls.fit = _naming_labels(cls.fit)
        if "relabel" in cls.__dict__:
            cls.solve, cls.relabel = _noting_solution(cls.solve), _of_the_solution(cls.relabel)

    def _validate_params(self):
        """Refuse words of earlier versions, what the constraints refuse, and True as a number."""
        name, given = type(self).__name__, self.get_params(deep=False)
        for parameter, value in given.items():
            refuse_old_word(parameter, value, name)
        super()._validate_params()
        for parameter, value in given.items():
            declared = self._parameter_constraints.get(parameter, ["boolean"])
            if isinstance(value, bool) and "boolean" not in declared:
                raise ValueError(f"{name}: {parameter} must be a number, got {value}.")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.two_d_array = False  # X is a list of such arrays
        tags.input_tags.sparse = self.view_tags.sparse
        tags.input_tags.positive_only = self.view_tags.nonnegative
        tags.input_tags.allow_nan = self.view_tags.incomplete  # rows of NaN
        tags.input_tags.pairwise = getattr(self, "kernel", None) == "precomputed"
        return tags

    def start_key(self):
        """What the start depends on, besides the views: the values of ``start_parameters``.

        Models of one class with equal keys draw the same start on the same views: one may draw it,
        and all may take it as ``init=``, with the same result. None if there is no such start: the
        class has none, ``init`` gives it already, or ``random_state`` is not an integer.
        """
        if (
            not self.start_parameters
            or isinstance(self.init, dict)
            or not isinstance(self.random_state, Integral)
        ):
            return None
        return tuple(getattr(self, name) for name in self.start_parameters)

    def draw_start(self, Xs):
        """The start that ``init`` takes by its name, to be given as ``init=``.

        Parameters
        ----------
        Xs : list of array-like or sparse, each of shape (n_samples, n_features_v)
            The views; a missing instance is a row of NaN.

        Returns
        -------
        dict
            Arrays, or lists with one array per view, by the letters of the paper.
        """
        raise NotImplementedError(f"{type(self).__name__} has no start that models can share.")

    def check_input(self, Xs):
        """Check parameters and views, of shape (n_samples, n_features_v), dense or sparse.

        A missing instance is a row of NaN. Returns the views as float64 (ndarray or csr_array),
        missing rows set to zero, and presence, a boolean array of shape (n_samples, n_views):
        whether a sample is present in a view.
        """
        self._validate_params()
        name, tags = type(self).__name__, self.view_tags
        given = Xs
        Xs, presence = check_views(Xs, accept_sparse=tags.sparse, name=name)
        n_samples = len(presence)
        if self.n_clusters > n_samples:
            raise ValueError(
                f"{name}: n_clusters={self.n_clusters} is more than the {n_samples} samples."
            )
        if tags.n_views is not None and len(Xs) != tags.n_views:
            raise ValueError(
                f"{name} takes exactly {tags.n_views} views, got {len(Xs)}: choose {tags.n_views} "
                "of them, or take a method for any number of views such as DAIMC."
            )
        if not tags.incomplete and not presence.all():
            view = int(np.argmin(presence.all(axis=0)))
            raise ValueError(
                f"{name} needs complete views, but view {view} lacks "
                f"{int((~presence[:, view]).sum())} of {n_samples} samples: fill them first "
                "(mvclust.fill_missing) or take a method for incomplete views such as DAIMC."
            )
        if tags.nonnegative:
            refuse_negative(Xs, name)
            _refuse_zero(Xs, name)
        for doubt in doubts_about_views(Xs, presence, self.n_clusters):
            warnings.warn(f"{name}: {doubt}", UserWarning, stacklevel=4)
        self._note_features(given, Xs)
        return Xs, presence

    def check_unmapped_input(self, Xs):
        """Check parameters and views, of shape (n_v, n_features_v), that may differ in their rows.

        Returns the views, dense or sparse, as float64 (ndarray or csr_array).
        """
        self._validate_params()
        name, tags = type(self).__name__, self.view_tags
        views = check_unmapped_views(Xs, accept_sparse=tags.sparse, name=name)
        for v, X in enumerate(views):
            if self.n_clusters > X.shape[0]:
                raise ValueError(
                    f"{name}: n_clusters={self.n_clusters} is more than the {X.shape[0]} samples "
                    f"of view {v}."
                )
            for doubt in doubts_about_views([X], np.ones((X.shape[0], 1), bool), self.n_clusters):
                warnings.warn(f"{name}: view {v}: {doubt}", UserWarning, stacklevel=4)
        if tags.nonnegative:
            refuse_negative(views, name)
            _refuse_zero(views, name)
        self._note_features(Xs, views)
        return views

    def _note_features(self, given, Xs):
        """Set ``n_features_in_`` and, of data frames, ``feature_names_in_``: one per view."""
        self.n_features_in_ = [X.shape[1] for X in Xs]
        names = feature_names(given)
        if names is not None:
            self.feature_names_in_ = names
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_


def _naming_labels(fit):
    """A `fit` that turns `labels_` into a Series where the views are data frames with an index."""

    @functools.wraps(fit)
    def fit_and_name(self, Xs, *args, **kwargs):
        fit(self, Xs, *args, **kwargs)
        if tags_of(self).unmapped:  # views with rows of their own
            views = zip(self.labels_, Xs, strict=True)
            self.labels_ = [named(labels, [X], "cluster") for labels, X in views]
        else:
            self.labels_ = named(self.labels_, Xs, "cluster")
        return self

    return fit_and_name


def _noting_solution(solve):
    """A `solve` that notes of which clusters and samples the solution is, for `relabel`."""

    @functools.wraps(solve)
    def solve_and_note(self, Xs, *args, **kwargs):
        solve(self, Xs, *args, **kwargs)
        self._solution_of = self.n_clusters, samples_of(Xs)
        return self

    return solve_and_note


def _of_the_solution(relabel):
    """A `relabel` that refuses another number of clusters, and names the samples of labels."""

    @functools.wraps(relabel)
    def check_and_relabel(self):
        n_clusters, samples = getattr(self, "_solution_of", (self.n_clusters, None))
        if n_clusters != self.n_clusters:
            raise ValueError(
                f"{type(self).__name__}: n_clusters={self.n_clusters}, but the solution is one of "
                f"{n_clusters} clusters; fit again."
            )
        relabel(self)
        self.labels_ = _named_by(samples, self.labels_, "cluster")
        return self

    return check_and_relabel


def named(values, Xs, name):
    """Values of samples as a Series with the index of the first data frame that names samples.

    There is one value per sample, and `name` is that of the Series. If none of the views names its
    samples, the values are returned as they are.
    """
    return _named_by(samples_of(Xs), values, name)


def _named_by(index, values, name):
    if index is None:
        return values
    return need("pandas").Series(np.asarray(values), index=index, name=name)


def feature_names(Xs):
    """The names of the columns of all views, one array per view; None if any view has none."""
    names = [getattr(X, "columns", None) for X in Xs]
    if all(n is not None and all(isinstance(x, str) for x in n) for n in names):
        return [np.asarray(n, dtype=object) for n in names]
    return None


def _refuse_no_list(Xs, name):
    if not isinstance(Xs, list | tuple):
        raise ValueError(
            f"{name}: Xs must be a list with one array per view, got {type(Xs).__name__}; "
            "a single view is [X]."
        )
    if not Xs:
        raise ValueError(f"{name}: Xs is empty, expected at least one view.")


def refuse_negative(Xs, name):
    """Refuse views, dense or sparse, with negative entries.

    `name` is the method, for the message of the ValueError.
    """
    for v, X in enumerate(Xs):
        if X.min() < 0:
            raise ValueError(
                f"{name} needs non-negative views, but view {v} has a minimum of "
                f"{X.min():.6g}: shift or drop that view, or take a method that allows "
                "negative values such as DAIMC."
            )


def _refuse_zero(Xs, name):
    for v, X in enumerate(Xs):
        if X.sum() == 0:
            raise ValueError(f"{name}: view {v} is zero throughout; leave the view out.")


def check_views(Xs, *, accept_sparse=False, name="this method", empty_views=False):
    """Check a list of views and find the missing instances.

    The views, of shape (n_samples, n_features_v), are arrays, masked arrays or data frames. A row
    that is all NaN, masked or NA is a missing instance (in a sparse view: a row that stores a NaN).
    Data frames in another order are brought into that of the first, by their index; the default
    index names nothing. Scipy sparse views come back as CSR; without `accept_sparse` they are a
    TypeError. With `empty_views` a view may have no instance at all. `name` is the method, for the
    messages.

    Returns the views as float64, missing rows set to zero, and presence, a boolean array of shape
    (n_samples, n_views): whether a sample is present in a view. The input is never changed.
    ValueError for a view that is not two-dimensional, empty or infinite, for views of different
    length, a row that is only partly NaN, a sample in no view or a view with no sample.

    >>> views, presence = check_views([[[1.0], [np.nan]], [[2.0], [3.0]]])
    >>> presence.tolist()
    [[True, True], [False, True]]
    """
    _refuse_no_list(Xs, name)
    Xs = match_samples(by_view(Xs), name)
    checked = [_check_view(X, v, accept_sparse, name, empty_views) for v, X in enumerate(Xs)]
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


def check_unmapped_views(Xs, *, accept_sparse, name):
    """Check a list of views that may differ in their rows, of which none is missing.

    The views have shape (n_v, n_features_v); the arguments are those of `check_views`. Returns the
    views as float64, dense or CSR. ValueError if a row is missing.
    """
    _refuse_no_list(Xs, name)
    views = []
    for v, X in enumerate(Xs):
        X, present = _check_view(X, v, accept_sparse, name)
        if not present.all():
            raise ValueError(
                f"{name}: view {v} has {int((~present).sum())} missing rows; leave them out, "
                "the views may differ in length (mvclust.unmapping.unmap does so)."
            )
        views.append(X)
    return views


def _check_view(X, v, accept_sparse, name, empty=False):
    what = f"{name}: view {v}"
    if sparse.issparse(X) and not accept_sparse:
        raise TypeError(f"{what} is sparse, which this method cannot use; pass X.toarray().")
    X = read_view(X, what)
    if 0 in X.shape:
        raise ValueError(
            f"{what} has shape {X.shape}, expected (n_samples, n_features), both above 0."
        )
    values = X.data if sparse.issparse(X) else X
    if np.abs(values).max(initial=0, where=~np.isnan(values)) > LARGEST:
        raise ValueError(
            f"{what} contains values beyond {LARGEST:g}, whose powers overflow; scale it."
        )
    present = present_rows(X, what)
    if present.all():
        return X, present
    if sparse.issparse(X):
        X = X.copy()
        X.data[~present[np.repeat(np.arange(X.shape[0]), np.diff(X.indptr))]] = 0.0
        X.eliminate_zeros()
    else:
        X = np.where(present[:, None], X, 0.0)
    if not present.any() and not empty:
        raise ValueError(f"{what} has no instance at all; leave the view out.")
    return X, present


def check_start(start, shapes, name):
    """Check the arrays that ``init=`` gives and return them as float64.

    `start` has arrays, or lists with one array per view, by the letters of the paper; `shapes` has
    the expected shape of each letter, or a list of shapes. Returns a dict with the letters of
    `shapes`. `name` is the method, for the messages.
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
        arrays = [as_numbers(array) for array in given]
        for array, expected in zip(arrays, wanted, strict=True):
            if np.isnan(array).any():
                raise ValueError(f"{name}: init {letter} has missing values.")
            if array.shape != expected:
                raise ValueError(
                    f"{name}: init {letter} has shape {array.shape}, expected {expected}."
                )
        checked[letter] = arrays if several else arrays[0]
    return checked


def draw_seeds(random_state, n):
    """Draw n independent integer seeds; None takes fresh entropy, never the global generator.

    `random_state` is an integer, a RandomState, a Generator or None. Returns a list.
    """
    if random_state is None or isinstance(random_state, Integral):
        random_state = generator(random_state, "random_state")
    if isinstance(random_state, np.random.Generator):
        return random_state.integers(2**31 - 1, size=n).tolist()
    return random_state.randint(2**31 - 1, size=n).tolist()


def cluster_rows(V, n_clusters, *, n_init, seed, init="k-means++"):
    """Labels of the rows of a representation by k-means, the best of n_init starts.

    V has shape (n_samples, n_columns); the arguments are those of `mvclust.numerics.kmeans.kmeans`.
    Warns if there are fewer clusters than n_clusters.
    """
    labels, _ = kmeans(V, n_clusters, n_init=n_init, seed=seed, init=init)
    warn_if_fewer(labels, n_clusters)
    return labels


def labels_and_centers(V, n_clusters, *, n_init, seed, init="k-means++"):
    """As `cluster_rows`, and the centers of the clusters, which label new samples.

    The centers, the means of the clusters, have shape (n_clusters, n_columns).
    """
    labels, centers = kmeans(V, n_clusters, n_init=n_init, seed=seed, init=init)
    warn_if_fewer(labels, n_clusters)
    return labels, centers


def warn_if_fewer(labels, n_clusters):
    """Warn if labels, of shape (n_samples,), have fewer clusters than the n_clusters asked for."""
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
    """Warn that the method `name` reached max_iter before its change fell below tol."""
    warnings.warn(
        f"{name} stopped at max_iter={max_iter} before its change fell below tol={tol}; "
        "raise max_iter or tol.",
        ConvergenceWarning,
        stacklevel=4,
    )


def views_to_try(view, n_views, name):
    """The indices of the views that `view` asks for: one, or all for "silhouette".

    `view` is the parameter of an estimator. If there is no such view among n_views, a ValueError
    names the method, `name`.
    """
    if view == "silhouette":
        return range(n_views)
    if view >= n_views:
        raise ValueError(
            f"{name}: view={view} does not exist; the {n_views} views count from 0 to "
            f"{n_views - 1}."
        )
    return [view]


def check_view_number(view, n_views, name):
    """Refuse the number of a view that does not exist, as `views_to_try` does; words pass."""
    if not isinstance(view, str):
        views_to_try(view, n_views, name)


def best_silhouette(Xs, presence, labels):
    """Index of the view whose own labels have the best silhouette over its present rows.

    There is an array of labels, (n_samples,), for every view, (n_samples, n_features_v); presence
    has shape (n_samples, n_views).
    """
    if len(Xs) == 1:
        return 0
    scores = []
    for X, present, found in zip(Xs, presence.T, labels, strict=True):
        n_found = len(np.unique(found[present]))
        usable = 1 < n_found < present.sum()
        rows = centred(X[present])[0]
        scores.append(silhouette_score(rows, found[present]) if usable else -1.0)
    return best_of(scores)
