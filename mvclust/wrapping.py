"""Multi-view estimators on one array: column blocks are the views, as scikit-learn's tools need."""

import hashlib
from itertools import combinations
from numbers import Integral

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClusterMixin, MetaEstimatorMixin, clone
from sklearn.utils import TransformerTags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from mvclust.estimators.base import check_views, tags_of
from mvclust.metrics import simplified_silhouette
from mvclust.numerics.products import dense
from mvclust.numerics.scaling import balanced


def wrap(estimator, blocks):
    """Let a multi-view estimator take one array whose columns are the views side by side.

    Parameters
    ----------
    estimator : estimator
        With ``fit(Xs)`` and ``labels_``.
    blocks : int or list
        Which columns are which view, see `ColumnBlocks`.

    Returns
    -------
    ColumnBlocks

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust import ConcatKMeans, wrap
    >>> from mvclust.testing import make_blobs
    >>> Xs, y = make_blobs()
    >>> model = wrap(ConcatKMeans(3, random_state=0), [X.shape[1] for X in Xs])
    >>> labels = model.fit_predict(np.hstack(Xs))
    >>> bool((labels == ConcatKMeans(3, random_state=0).fit_predict(Xs)).all())
    True
    """
    return ColumnBlocks(estimator, blocks)


def _wrapped_has(method):
    return available_if(lambda self: hasattr(getattr(self, "estimator_", self.estimator), method))


class ColumnBlocks(MetaEstimatorMixin, ClusterMixin, BaseEstimator):
    """A multi-view estimator on one array: blocks of its columns are the views.

    It can be a step of a Pipeline and be searched by GridSearchCV. A missing instance is a block
    of NaN in a row, where the wrapped estimator takes missing instances. ``predict``,
    ``transform`` and ``fit_transform`` exist where the wrapped estimator has them. Without
    ``predict``, search with a split whose parts are all samples:
    ``cv=[(np.arange(n), np.arange(n))]``.

    An estimator for unmapped views is told that equal rows are the same sample; its labels are
    then those that most views give to a sample, the first view's where views tie, and
    ``transform`` gives the views' representations side by side.

    Parameters
    ----------
    estimator : estimator
        With ``fit(Xs)`` and ``labels_``; it is cloned.
    blocks : int or list
        A number of views divides the columns evenly, in their order (the first blocks have one
        more where it does not divide). A list has for each view its number of columns, in their
        order and together all columns; or a slice, or a list of column numbers or, for data
        frames, of names.

    Attributes
    ----------
    estimator_ : estimator
        The wrapped one, fitted to the views.
    labels_ : ndarray of int of shape (n_samples,)
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : ndarray of str of shape (n_features_in_,)
        Of data frames.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.model_selection import GridSearchCV
    >>> from mvclust import DAIMC
    >>> from mvclust.testing import make_blobs
    >>> from mvclust.wrapping import ColumnBlocks
    >>> Xs, y = make_blobs()
    >>> model = ColumnBlocks(DAIMC(3, random_state=0), [5, 4, 6])
    >>> every = np.arange(len(y))
    >>> search = GridSearchCV(model, {"estimator__n_clusters": [2, 3]}, cv=[(every, every)])
    >>> search.fit(np.hstack(Xs)).best_params_
    {'estimator__n_clusters': 3}
    """

    def __init__(self, estimator, blocks):
        self.estimator = estimator
        self.blocks = blocks

    def __sklearn_tags__(self):
        tags, of_views = super().__sklearn_tags__(), tags_of(self.estimator)
        tags.input_tags.sparse = of_views.sparse
        tags.input_tags.allow_nan = False  # the tag means single values, not whole instances
        tags.input_tags.positive_only = of_views.nonnegative
        if hasattr(self.estimator, "transform"):
            tags.transformer_tags = TransformerTags()
        return tags

    def fit(self, X, y=None):
        """Cluster the samples.

        Parameters
        ----------
        X : array-like, sparse or DataFrame of shape (n_samples, n_features)
            The views side by side; a missing instance is a block of NaN in a row.
        y : ignored

        Returns
        -------
        self
        """
        X = self._check(X, reset=True)
        views = self._views(X)
        self.estimator_ = clone(self.estimator)
        if tags_of(self.estimator).unmapped:
            self.estimator_.fit(views, **_same_samples(self.estimator, views))
            self.labels_ = _vote(self.estimator_.labels_)
        else:
            self.labels_ = np.asarray(self.estimator_.fit(views).labels_)
        self._fitted_to = _checksum(X)
        return self

    @_wrapped_has("predict")
    def predict(self, X):
        """Label new samples, as the wrapped estimator does.

        Parameters
        ----------
        X : array-like, sparse or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of int of shape (n_samples,)
        """
        check_is_fitted(self)
        labels = self.estimator_.predict(self._views(self._check(X, reset=False)))
        return _vote(labels) if tags_of(self.estimator).unmapped else labels

    @_wrapped_has("transform")
    def transform(self, X):
        """The representation of new samples, as the wrapped estimator gives it.

        Parameters
        ----------
        X : array-like, sparse or DataFrame of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        check_is_fitted(self)
        rows = self.estimator_.transform(self._views(self._check(X, reset=False)))
        return np.hstack(rows) if tags_of(self.estimator).unmapped else rows

    @_wrapped_has("transform")
    def fit_transform(self, X, y=None):
        """Fit, and the representation of the same samples.

        Parameters
        ----------
        X : array-like, sparse or DataFrame of shape (n_samples, n_features)
        y : ignored

        Returns
        -------
        ndarray of shape (n_samples, n_components)
        """
        return self.fit(X).transform(X)

    def score(self, X, y=None):
        """The criterion of `mvclust.tune`, which needs no labels: higher is better.

        Of the samples that were fitted it takes their ``labels_``, of others ``predict``.

        Parameters
        ----------
        X : array-like, sparse or DataFrame of shape (n_samples, n_features)
            The views side by side.
        y : ignored

        Returns
        -------
        float
            `mvclust.metrics.simplified_silhouette` over the observed instances, with features
            standardised and views of the same weight.

        Raises
        ------
        ValueError
            For other samples than those fitted, if the wrapped estimator has no ``predict``.
        """
        check_is_fitted(self)
        X = self._check(X, reset=False)
        if _checksum(X) == self._fitted_to:
            labels = self.labels_
        elif hasattr(self, "predict"):
            labels = self.predict(X)
        else:
            raise ValueError(
                f"ColumnBlocks: {type(self.estimator).__name__} has no predict, so that only the "
                "samples it was fitted to have labels; in a search over parameters take "
                "cv=[(np.arange(n), np.arange(n))]."
            )
        views, presence = check_views(self._views(X), accept_sparse=True, name="ColumnBlocks")
        views = [balanced(dense(V), present) for V, present in zip(views, presence.T, strict=True)]
        return simplified_silhouette(views, presence, labels)

    def _check(self, X, reset):
        """The array as float64, NaN where something is missing or masked."""
        if isinstance(X, np.ma.MaskedArray):
            X = X.astype(np.float64).filled(np.nan)
        of_views = tags_of(self.estimator)
        n_blocks = self.blocks if isinstance(self.blocks, Integral) else 1
        return validate_data(
            self,
            X,
            reset=reset,
            accept_sparse="csr" if of_views.sparse else False,
            dtype=np.float64,
            ensure_all_finite="allow-nan",  # the wrapped one says what it takes
            ensure_non_negative=of_views.nonnegative,
            ensure_min_features=n_blocks if reset else 1,  # else the number fitted is expected
        )

    def _views(self, X):
        return [X[:, columns] for columns in self._columns(X.shape[1])]

    def _columns(self, n_features):
        """The column numbers of each view."""
        every = np.arange(n_features)
        if isinstance(self.blocks, Integral):
            if self.blocks < 1:
                raise ValueError(f"ColumnBlocks: blocks={self.blocks}, expected at least 1.")
            return np.array_split(every, self.blocks)
        if not isinstance(self.blocks, list | tuple) or not len(self.blocks):
            raise ValueError(
                f"ColumnBlocks: blocks={self.blocks!r}, expected a number of views or a list with "
                "one entry per view."
            )
        if all(isinstance(block, Integral) for block in self.blocks):
            if min(self.blocks) < 1 or sum(self.blocks) != n_features:
                raise ValueError(
                    f"ColumnBlocks: blocks={list(self.blocks)} have {sum(self.blocks)} columns, "
                    f"expected the {n_features} of X, at least 1 for each view."
                )
            return np.split(every, np.cumsum(self.blocks)[:-1])
        return [self._columns_of(block, v, every) for v, block in enumerate(self.blocks)]

    def _columns_of(self, block, v, every):
        if isinstance(block, slice):
            columns = every[block]
        else:
            names = list(getattr(self, "feature_names_in_", ()))
            try:
                columns = [names.index(c) if isinstance(c, str) else every[c] for c in block]
            except (TypeError, ValueError, IndexError):
                known = f"named {', '.join(map(str, names))}" if names else "without names"
                raise ValueError(
                    f"ColumnBlocks: block {v} is {block!r}, expected a slice or a list of columns "
                    f"of X, which has {len(every)} columns {known}."
                ) from None
        if not len(columns):
            raise ValueError(f"ColumnBlocks: block {v} has no columns; leave the view out.")
        return np.asarray(columns, dtype=int)


def _checksum(X):
    """Of an array or csr_array, so that it is known again."""
    digest = hashlib.sha256(repr(X.shape).encode())
    for part in (X.indptr, X.indices, X.data) if sparse.issparse(X) else (X,):
        digest.update(np.ascontiguousarray(part))
    return digest.hexdigest()


def _same_samples(estimator, views):
    """What `fit` takes to know that equal rows of the views are one sample."""
    identity = sparse.eye_array(views[0].shape[0], format="csr")
    pairs = dict.fromkeys(combinations(range(len(views)), 2), identity)
    between = tags_of(estimator).constraints == "between"
    return {"must_links" if between else "mapping": pairs}


def _vote(labels):
    """The label that most views give to each sample; the first view's where views tie."""
    votes = np.column_stack(labels)
    counts = (votes[:, :, None] == votes[:, None, :]).sum(axis=2)
    return votes[np.arange(len(votes)), counts.argmax(axis=1)]
