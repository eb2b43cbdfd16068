"""The checks of `mvclust.testing` find what they are for, in classes that are not ours."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans

from mvclust.estimators.base import ViewTags
from mvclust.testing import CHECKS, check_estimator


class Plain(ClusterMixin, BaseEstimator):
    """k-means on all views side by side, without any attribute of ours."""

    def __init__(self, n_clusters, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, Xs, y=None):
        X = np.hstack([np.asarray(X, dtype=float) for X in Xs])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = KMeans(self.n_clusters, n_init=10, random_state=self.random_state).fit(X)
        self.labels_ = model.labels_
        if len(np.unique(self.labels_)) < self.n_clusters:
            warnings.warn("fewer clusters than wanted", stacklevel=2)
        return self


class Deaf(Plain):
    def fit(self, Xs, y=None):
        return super().fit([np.random.default_rng(0).random((len(Xs[0]), 2))])


class Restless(Plain):
    def fit(self, Xs, y=None):
        super().fit(Xs)
        self.labels_ = (self.labels_ + np.random.default_rng().integers(10**6)) % 10**6
        return self


class Hasty(Plain):
    def __init__(self, n_clusters, random_state=None):
        super().__init__(n_clusters, random_state)
        self.labels_ = np.zeros(45, dtype=int)


class Narrow(Plain):
    def fit(self, Xs, y=None):
        if Xs[0] is not None and getattr(Xs[0], "dtype", None) == np.float32:
            return super().fit([X[:, :1] * 0 + np.arange(len(X))[:, None] for X in Xs])
        return super().fit(Xs)


class Greedy(Plain):
    def fit(self, Xs, y=None):
        np.random.rand()
        return super().fit(Xs)


class Ordered(Plain):
    def fit(self, Xs, y=None):
        super().fit(Xs)
        if len(Xs[0][0]) != 5:
            self.labels_ = np.arange(len(self.labels_)) % 3
        return self


class Silent(Plain):
    def fit(self, Xs, y=None):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return super().fit(Xs)


class Boastful(Plain):
    view_tags = ViewTags(incomplete=True)


class Credulous(Plain):
    def fit(self, Xs, y=None):
        try:
            return super().fit(Xs)
        except ValueError:
            self.labels_ = np.zeros(45, dtype=int)
            return self


class Predicting(Plain):
    def fit(self, Xs, y=None):
        super().fit(Xs)
        X = np.hstack([np.asarray(X, dtype=float) for X in Xs])
        self.embedding_ = X
        self.means_ = np.stack([X[self.labels_ == c].mean(axis=0) for c in set(self.labels_)])
        return self

    def predict(self, Xs):
        return np.argmin([((np.hstack(Xs) - m) ** 2).sum(axis=1) for m in self.means_], axis=0)

    def transform(self, Xs):
        return np.hstack(Xs)


class Crowded(Predicting):
    def predict(self, Xs):
        return super().predict(Xs) if len(Xs[0]) > 1 else np.array([0])


class Wide(Predicting):
    def transform(self, Xs):
        return np.hstack([Xs[0], *Xs])


class Lost(Plain):
    def fit(self, Xs, y=None):
        super().fit(Xs)


class Peeking(Plain):
    def fit(self, Xs, y=None):
        super().fit(Xs)
        self.labels_ = self.labels_ if y is None else np.asarray(y)
        return self


class PeekingWhenAsked(Plain):
    def fit_predict(self, Xs, y=None):
        super().fit(Xs)
        self.labels_ = self.labels_ if y is None else np.asarray(y)
        return self.labels_


class Returning(Plain):
    """It returns the classes in place of itself."""

    def fit(self, Xs, y=None):
        super().fit(Xs)
        return self if y is None else y

    def fit_predict(self, Xs, y=None):
        return super().fit(Xs).labels_ if y is None else y


class Drifting(Plain):
    def fit(self, Xs, y=None):
        super().fit(Xs)
        self.random_state = None
        return self


class Filling(Plain):
    """Plain, with missing rows filled by the mean of their view."""

    view_tags = ViewTags()

    def fit(self, Xs, y=None):
        Xs = [np.array(X, dtype=float) for X in Xs]
        gone = np.column_stack([np.isnan(X).all(axis=1) for X in Xs])
        if np.any(gone.all(axis=1)):
            raise ValueError("a sample in no view")
        super().fit(
            [
                np.where(g[:, None], np.nanmean(X, axis=0), X)
                for X, g in zip(Xs, gone.T, strict=True)
            ]
        )
        self.lacking = gone.any(axis=1)
        return self


class Misplacing(Filling):
    def fit(self, Xs, y=None):
        super().fit(Xs)
        self.labels_[self.lacking] = self.labels_[self.lacking][::-1]
        return self


class Sorting(Filling):
    def fit(self, Xs, y=None):
        super().fit(Xs)
        self.labels_ = np.r_[self.labels_[~self.lacking], self.labels_[self.lacking]]
        return self


class Dumping(Filling):
    def fit(self, Xs, y=None):
        super().fit(Xs)
        self.labels_[self.lacking] = 0
        return self


class Zeroing(Plain):
    view_tags = ViewTags()

    def fit(self, Xs, y=None):
        return super().fit([np.nan_to_num(np.asarray(X, dtype=float)) for X in Xs])


class Editing(Plain):
    view_tags = ViewTags(incomplete=False, sparse=True)

    def fit(self, Xs, y=None):
        super().fit([X.toarray() if hasattr(X, "toarray") else X for X in Xs])
        for X in Xs:
            if hasattr(X, "toarray"):
                X.data *= 2
        return self


class Rolling(Predicting):
    def transform(self, Xs):
        return np.random.default_rng().random((len(Xs[0]), 15))


class Seeded(Predicting):
    def transform(self, Xs):
        return np.random.default_rng(0).random((len(Xs[0]), 15))


class Centring(Predicting):
    def transform(self, Xs):
        return np.hstack(Xs) - np.hstack(Xs).mean(axis=0)


def test_a_plain_class_passes():
    check_estimator(Plain)
    check_estimator(Predicting)
    check_estimator(Filling)


@pytest.mark.parametrize(
    ("broken", "check"),
    [
        (Deaf, "check_clear_clusters"),
        (Restless, "check_same_seed_same_labels"),
        (Lost, "check_fit_and_classes"),
        (Peeking, "check_fit_and_classes"),
        (PeekingWhenAsked, "check_fit_and_classes"),
        (Returning, "check_fit_and_classes"),
        (Drifting, "check_fit_and_classes"),
        (Misplacing, "check_incomplete_samples"),
        (Sorting, "check_incomplete_samples"),
        (Dumping, "check_incomplete_samples"),
        (Zeroing, "check_incomplete_samples"),
        (Editing, "check_input_is_left_alone"),
        (Rolling, "check_transform"),
        (Seeded, "check_transform"),
        (Centring, "check_transform"),
        (Hasty, "check_clone_and_pickle"),
        (Narrow, "check_kinds_of_arrays"),
        (Greedy, "check_input_is_left_alone"),
        (Ordered, "check_order_does_not_matter"),
        (Silent, "check_few_samples"),
        (Boastful, "check_what_the_tags_say"),
        (Credulous, "check_bad_input_is_refused"),
        (Crowded, "check_predict"),
        (Wide, "check_transform"),
    ],
)
def test_each_check_finds_its_breach(broken, check):
    (found,) = [each for each in CHECKS if each.__name__ == check]
    with pytest.raises(AssertionError):
        found(broken)
    with pytest.raises(AssertionError, match=f"{broken.__name__} fails check_"):
        check_estimator(broken)
