"""The checks of `mvclust.testing` find what they are for, in classes that are not ours."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.cluster import KMeans

from mvclust import ASCR
from mvclust.estimators.base import ViewTags
from mvclust.masking import apply_mask, random_mask
from mvclust.testing import CHECKS, check_estimator, check_order, make_blobs


class Plain(ClusterMixin, BaseEstimator):
    """k-means on all views side by side, without any attribute of ours."""

    def __init__(self, n_clusters, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, Xs, y=None):
        X = np.hstack([np.asarray(X, dtype=float) for X in self.views(Xs)])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = KMeans(self.n_clusters, n_init=10, random_state=self.random_state).fit(X)
        if len(np.unique(model.labels_)) < self.n_clusters:
            warnings.warn("fewer clusters than wanted", stacklevel=2)
        self.labels_ = self.named(model.labels_, Xs, y)
        return self

    def views(self, Xs):
        return Xs

    def named(self, labels, Xs, y):
        return labels


class Deaf(Plain):
    def views(self, Xs):
        return [np.random.default_rng(0).random((len(Xs[0]), 2))]


class Restless(Plain):
    def named(self, labels, Xs, y):
        return (labels + np.random.default_rng().integers(10**6)) % 10**6


class Hasty(Plain):
    def __init__(self, n_clusters, random_state=None):
        super().__init__(n_clusters, random_state)
        self.labels_ = np.zeros(45, dtype=int)


class Narrow(Plain):
    def views(self, Xs):
        single = getattr(Xs[0], "dtype", None) == np.float32
        return [np.arange(len(X))[:, None] for X in Xs] if single else Xs


class Greedy(Plain):
    def views(self, Xs):
        np.random.rand()
        return Xs


class Ordered(Plain):
    def named(self, labels, Xs, y):
        return labels if len(Xs[0][0]) == 5 else np.arange(len(labels)) % 3


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
    def named(self, labels, Xs, y):
        return labels if y is None else np.asarray(y)


class PeekingWhenAsked(Plain):
    def fit_predict(self, Xs, y=None):
        super().fit(Xs)
        self.labels_ = self.labels_ if y is None else np.asarray(y)
        return self.labels_


class Returning(Plain):
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
    view_tags = ViewTags()

    def views(self, Xs):
        Xs = [np.array(X, dtype=float) for X in Xs]
        gone = np.column_stack([np.isnan(X).all(axis=1) for X in Xs])
        if np.any(gone.all(axis=1)):
            raise ValueError("a sample in no view")
        self.lacking = gone.any(axis=1)
        filled = zip(Xs, gone.T, strict=True)
        return [np.where(g[:, None], np.nanmean(X, axis=0), X) for X, g in filled]


class Dumping(Filling):
    def named(self, labels, Xs, y):
        return np.where(self.lacking, 0, labels)


class Zeroing(Plain):
    view_tags = ViewTags()

    def views(self, Xs):
        return [np.nan_to_num(np.asarray(X, dtype=float)) for X in Xs]


class Editing(Plain):
    view_tags = ViewTags(incomplete=False, sparse=True)

    def views(self, Xs):
        thin = [X for X in Xs if hasattr(X, "toarray")]
        dense = [X.toarray() if hasattr(X, "toarray") else X for X in Xs]
        for X in thin:
            X.data *= 2
        return dense


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
    with pytest.raises(AssertionError, match=f"Crowded fails {CHECKS[-2].__name__}: "):
        check_estimator(Crowded)


BREACHES = {
    "check_clear_clusters": [Deaf],
    "check_same_seed_same_labels": [Restless],
    "check_fit_and_classes": [Lost, Peeking, PeekingWhenAsked, Returning, Drifting],
    "check_incomplete_samples": [Dumping, Zeroing],
    "check_input_is_left_alone": [Editing, Greedy],
    "check_transform": [Seeded, Centring, Wide],
    "check_clone_and_pickle": [Hasty],
    "check_kinds_of_arrays": [Narrow],
    "check_order_does_not_matter": [Ordered],
    "check_few_samples": [Silent],
    "check_what_the_tags_say": [Boastful],
    "check_bad_input_is_refused": [Credulous],
    "check_predict": [Crowded],
}


@pytest.mark.parametrize(
    ("broken", "check"), [(each, check) for check, found in BREACHES.items() for each in found]
)
def test_each_check_finds_its_breach(broken, check):
    (found,) = [each for each in CHECKS if each.__name__ == check]
    with pytest.raises(AssertionError):
        found(broken)


class Positions(Plain):
    """Clusters whose centers start as the first samples of three equal parts of the file."""

    def fit(self, Xs, y=None):
        X = np.hstack([np.nan_to_num(np.asarray(X, dtype=float)) for X in Xs])
        start = X[:: len(X) // self.n_clusters][: self.n_clusters]
        model = KMeans(self.n_clusters, init=start, n_init=1, max_iter=1)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            self.labels_ = model.fit(X).labels_
        return self


def overlapping():
    rng = np.random.default_rng(0)
    Xs, y = make_blobs()
    return [X + 4 * rng.normal(size=X.shape) for X in Xs], y


def test_order_that_a_method_reads_is_found_and_nulls_are_told_apart():
    """A transform along the samples shows under shuffles only, sorted or not."""
    Xs, y = overlapping()
    Xs = apply_mask(Xs, random_mask(len(y), len(Xs), 0.3, 0))
    method = ASCR(3, alpha=1.0)
    found = check_order(method, Xs, y, n_shuffles=4)
    assert method.random_state is None
    assert found.depends
    assert all(found.agreement[null] == 1 for null in ("reversed", "shifted", "affine"))
    assert found.gain > 0.1
    assert found.gain_interval[0] < found.gain < found.gain_interval[1]
    order = np.random.default_rng(1).permutation(len(y))  # of a file that is not sorted
    other = check_order(method, [X[order] for X in Xs], y[order], n_shuffles=4)
    assert other.accuracy["sorted"] > other.accuracy["given"] + 0.05
    along_views = check_order(method.set_params(axis="views"), Xs, n_shuffles=4)
    assert set(along_views.agreement.values()) == {1.0}
    assert not along_views.depends
    assert along_views.effect_interval == (0.0, 0.0)
    assert along_views.accuracy is along_views.gain is None


def test_methods_with_labels_alone_are_compared_with_other_seeds():
    Xs, y = overlapping()
    found = check_order(Positions(3), Xs, y)
    assert found.depends
    assert found.gain_interval[0] > 0
    calm = check_order(Plain(3), Xs, y)
    assert not calm.depends
    assert calm.gain_interval[0] <= 0 <= calm.gain_interval[1]
    restless = check_order(Guess(3), Xs, y)  # random labels: noise as large as any effect
    assert min(restless.agreement.values()) < 0.5
    assert not restless.depends
    with pytest.raises(ValueError, match="n_shuffles=1 must be at least 2"):
        check_order(Plain(3), Xs, n_shuffles=1)
    with pytest.raises(ValueError, match="y has 44 classes for 45 samples"):
        check_order(Plain(3), Xs, y[1:])


class Guess(Plain):
    def fit(self, Xs, y=None):
        self.labels_ = np.random.default_rng(self.random_state).integers(3, size=len(Xs[0]))
        return self
