"""`predict` and `transform` for samples that were not there when a model was fitted."""

import numpy as np
from sklearn.utils.validation import check_is_fitted

from mvclust.estimators.base import (
    check_unmapped_views,
    check_views,
    feature_names,
    named,
    refuse_negative,
)


class NewSamplesMixin:
    """`predict` for new samples.

    A subclass defines ``_label_new(Xs, presence)``, which labels checked views.
    """

    def predict(self, Xs):
        """Label new samples.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            The views of `fit`, in the same order. A view that a sample lacks is a row of NaN, also
            where `fit` wants complete views; a sample without any view is refused. Sparse views are
            taken where `fit` takes them.

        Returns
        -------
        ndarray of int of shape (n_samples,)
            A list with one array per view for methods whose views may differ in their rows; of
            data frames whose index names samples, a Series with that index.
        """
        labels = self._label_new(*check_new_samples(self, Xs))
        if isinstance(labels, list):
            return [named(of, [X], "cluster") for of, X in zip(labels, Xs, strict=True)]
        return named(labels, Xs, "cluster")


class FoldInMixin(NewSamplesMixin):
    """`predict`, and `transform` to rows of `embedding_`.

    A subclass defines ``_represent_new(Xs, presence)``, which makes these rows of checked views,
    and has ``cluster_centers_`` in `embedding_`, or None where the largest entry is the label.
    """

    def transform(self, Xs):
        """Represent new samples as `embedding_` represents those of `fit`.

        The bases stay; the coefficients are those that fit best to the views that a sample has.

        Parameters
        ----------
        Xs : list of array-like, each of shape (n_samples, n_features_v)
            See `predict`.

        Returns
        -------
        ndarray of shape (n_samples, n_components)
            A list with one array per view for methods whose views may differ in their rows.
        """
        return self._represent_new(*check_new_samples(self, Xs))

    def _label_new(self, Xs, presence):
        rows = self._represent_new(Xs, presence)
        if self.cluster_centers_ is None:
            return rows.argmax(axis=1)
        return nearest_center(rows, self.cluster_centers_)

    def __sklearn_tags__(self):
        from sklearn.utils import TransformerTags  # there from 1.6 on, as is what asks for tags

        tags = super().__sklearn_tags__()
        tags.transformer_tags = TransformerTags()
        return tags


def check_new_samples(model, Xs):
    """Check that a model is fitted and that views of new samples are like those it was fitted to.

    Returns the views, each of shape (n_samples, n_features_v), dense or csr_array, as float64 with
    missing rows zero; and the presence, bool of shape (n_samples, n_views), or None for methods
    whose views may differ in their rows.
    """
    check_is_fitted(model, "labels_")
    name, tags, expected = type(model).__name__, model.view_tags, model.n_features_in_
    if tags.unmapped:
        checked, presence = check_unmapped_views(Xs, accept_sparse=tags.sparse, name=name), None
    else:
        checked, presence = check_views(Xs, accept_sparse=tags.sparse, name=name, empty_views=True)
    if len(checked) != len(expected):
        raise ValueError(f"{name} was fitted to {len(expected)} views, got {len(checked)}.")
    for v, (X, n_features) in enumerate(zip(checked, expected, strict=True)):
        if X.shape[1] != n_features:
            raise ValueError(
                f"{name}: view {v} has {X.shape[1]} features, the model was fitted to {n_features}."
            )
    names = feature_names(Xs)
    if names is not None and hasattr(model, "feature_names_in_"):
        for v, (own, fitted) in enumerate(zip(names, model.feature_names_in_, strict=True)):
            if (own != fitted).any():
                n = int(np.argmax(own != fitted))
                raise ValueError(
                    f"{name}: feature {n} of view {v} is '{own[n]}', the model was fitted to "
                    f"'{fitted[n]}' there."
                )
    if tags.nonnegative:
        refuse_negative(checked, name)
    return checked, presence


def nearest_center(rows, centers):
    """The nearest center of every row, by differences and so without cancellation.

    `rows` have shape (n, n_components), `centers` (n_clusters, n_components).

    >>> nearest_center(np.array([[0.0], [4.0]]), np.array([[1.0], [5.0]])).tolist()
    [0, 1]
    """
    return np.stack([((rows - center) ** 2).sum(axis=1) for center in centers]).argmin(axis=0)
