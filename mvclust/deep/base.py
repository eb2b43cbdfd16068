"""What the estimators of deep methods share: readings, scaling, seeds, and labels by k-means."""

from numbers import Integral

import numpy as np

from mvclust.deep.training import observed_rows
from mvclust.estimators.base import (
    MultiViewClusterer,
    ViewTags,
    draw_seeds,
    labels_and_centers,
)
from mvclust.estimators.constraints import COUNT, POSITIVE, Interval, StrOptions
from mvclust.estimators.new_samples import FoldInMixin

READINGS = ("released", "short", "narrow")
FASTER = 5  # of the reading "short": the learning rate times, epochs divided by
NARROW = 256
SEEDS = ("weights", "batches", "dropout", "kmeans")  # one per use, in this order


def settings_of(reading, *, width, learning_rate, epochs, switches=None):
    """The width of hidden layers and the schedule that a reading makes of the released ones.

    The readings are "released", "short" and "narrow". `switches` are names -> epochs from which the
    loss has another form. Returns a dict.

    >>> settings_of("short", width=1024, learning_rate=0.001, epochs=150)
    {'width': 1024, 'learning_rate': 0.005, 'epochs': 30}
    """
    times = FASTER if reading == "short" else 1
    return {
        "width": NARROW if reading == "narrow" else width,
        "learning_rate": times * learning_rate,
        "epochs": max(1, epochs // times),
        **{name: epoch // times for name, epoch in (switches or {}).items()},
    }


def shift_and_size(X, scale):
    """What is subtracted from a view, and what it is divided by then; 1 for a constant.

    X of shape (n, d) has the observed rows. The scale is "view_range", "view_standard",
    "feature_minmax" or None. Both results are a number, or an array of shape (d,).

    >>> shift, size = shift_and_size(np.array([[1.0, 2.0], [3.0, 5.0]]), "view_range")
    >>> float(shift), float(size)
    (1.0, 4.0)
    """
    if scale is None:
        return 0.0, 1.0
    if scale == "view_standard":
        shift, size = X.mean(), X.std(ddof=min(1, X.size - 1))
    else:
        axis = 0 if scale == "feature_minmax" else None
        shift = X.min(axis=axis)
        size = X.max(axis=axis) - shift
    return shift, np.where(size > 0, size, 1.0)


class TwoViewDeep(FoldInMixin, MultiViewClusterer):
    """Base of the deep methods for two views.

    A subclass has ``_train(Xs, presence, settings, seeds)``, which returns a `Trained`, and
    ``_embed(weights, Xs, presence)``; ``_switch`` names its parameter with an epoch from which the
    loss has another form.
    """

    view_tags = ViewTags(n_views=2)
    _switch = None
    _parameter_constraints = MultiViewClusterer._parameter_constraints | {
        "reading": [StrOptions(set(READINGS))],
        "width": COUNT,
        "latent": COUNT,
        "epochs": COUNT,
        "batch_size": [Interval(Integral, 2, None, closed="left")],
        "learning_rate": POSITIVE,
        "patience": [*COUNT, None],
        "scale": [StrOptions({"view_range", "view_standard", "feature_minmax"}), None],
        "snapshots": ["array-like"],
        "n_init": COUNT,
    }

    def fit(self, Xs, y=None):
        """Train the networks and cluster the samples.

        Parameters
        ----------
        Xs : list of two array-like, each of shape (n_samples, n_features_v)
            The views; a missing instance is a row of NaN.
        y : ignored

        Returns
        -------
        self
        """
        Xs, presence = self.check_input(Xs)
        self._refuse_too_few(presence)
        seeds = dict(zip(SEEDS, draw_seeds(self.random_state, len(SEEDS)), strict=True))
        self.settings_ = settings_of(
            self.reading,
            width=self.width,
            learning_rate=self.learning_rate,
            epochs=self.epochs,
            switches={self._switch: getattr(self, self._switch)} if self._switch else None,
        )
        self._scaling = [
            shift_and_size(X[there], self.scale) for X, there in zip(Xs, presence.T, strict=True)
        ]
        settings = self.settings_ | {"snapshots": self._checked_snapshots()}
        trained = self._train(self._scaled(Xs), presence, settings, seeds)
        self._weights, self.embeddings_ = trained.weights, trained.embeddings
        self.losses_, self.objective_ = trained.history, trained.history["loss"]
        self.n_iter_ = len(self.objective_)
        self.n_steps_, self.n_skipped_ = trained.n_steps, trained.n_skipped
        self.embedding_ = self.embeddings_[self.n_iter_]
        self.labels_, self.cluster_centers_ = self._labels(seeds["kmeans"])
        return self

    def _labels(self, seed):
        """Labels of the rows of `embedding_`, and their centers or None."""
        return labels_and_centers(self.embedding_, self.n_clusters, n_init=self.n_init, seed=seed)

    def _refuse_too_few(self, presence):
        complete = int(presence.all(axis=1).sum())
        if complete < 2:
            raise ValueError(
                f"{type(self).__name__} learns how the views relate from samples that have both; "
                f"{complete} of {len(presence)} have, and at least 2 are needed."
            )

    def _checked_snapshots(self):
        last = self.settings_["epochs"]
        for epoch in self.snapshots:
            if not isinstance(epoch, Integral) or not 1 <= epoch <= last:
                raise ValueError(
                    f"{type(self).__name__}: snapshots has {epoch!r}, expected whole numbers from "
                    f"1 to {last}, the epochs of this reading."
                )
        return {int(epoch) for epoch in self.snapshots}

    def _scaled(self, Xs):
        pairs = zip(Xs, self._scaling, strict=True)
        return [(X - shift) / size for X, (shift, size) in pairs]

    def _represent_new(self, Xs, presence):
        return self._embed(self._weights, observed_rows(self._scaled(Xs), presence), presence)
