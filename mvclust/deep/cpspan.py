"""CPSPAN: codes of views are aligned sample by sample and dimension by dimension."""

import functools
import itertools

import jax
import jax.numpy as jnp
import numpy as np

from mvclust.deep.autoencoders import (
    pretrainer,
    reconstruction,
    run_plain,
    start_autoencoders,
    views_of,
)
from mvclust.deep.base import TwoViewDeep
from mvclust.deep.layers import unit_rows
from mvclust.deep.losses import weighted_mean
from mvclust.deep.training import Trained, Trainer, Weights, in_chunks, observed_rows
from mvclust.estimators.base import ViewTags
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, StrOptions

SLOWER = 5  # the learning rate of the alignment is so many times lower
AT_ONCE = 1000  # samples whose similarities to all others are held


def cpspan(
    Xs,
    presence,
    *,
    width,
    latent,
    lam_prototypes,
    lam_samples,
    prototypes,
    n_neighbors,
    epochs,
    alignment_start,
    batch_size,
    learning_rate,
    patience,
    snapshots,
    seeds,
):
    """Train autoencoders on all rows, then align the views, and embed all samples.

    The Xs have shape (n_samples, n_features_v); missing rows are not read. `presence` has shape
    (n_samples, n_views). For `prototypes` see `alignment_of_dimensions`. `alignment_start` are the
    epochs of the autoencoders alone, `patience` may be None, `snapshots` are the numbers of epochs
    after which the embedding is kept, and `seeds` is a dict of "weights" and "batches". All else is
    as in `CPSPAN`.

    Returns `Trained`, and the list of the codes of the views, each of shape (n_samples, latent); of
    what is not there they mean nothing.
    """
    Xs = observed_rows(Xs, presence)
    weights = start_networks(seeds["weights"], [X.shape[1] for X in Xs], width, latent)
    first, rows = pretrainer(
        "CPSPAN", Xs, presence, weights, batch_size=batch_size, seed=seeds["batches"]
    )
    embeddings = {}

    def keep(epoch, weights):
        codes = codes_of_views(weights, Xs)
        embeddings[epoch] = joined(codes, presence, codes, presence, n_neighbors)
        return codes

    for epoch in range(alignment_start):
        first.run_epoch(rows, {"learning_rate": learning_rate})
        if epoch + 1 in snapshots:
            keep(epoch + 1, first.weights)

    second = Trainer(
        "CPSPAN",
        LOSSES[prototypes],
        first.weights,
        batch_size=batch_size,
        seed=seeds["batches"] + 1,
    )
    rows = {f"x{v + 1}": X for v, X in enumerate(Xs)}
    rows |= {"weight": np.ones(len(presence), np.float32), "seen": presence.astype(np.float32)}
    numbers = {"learning_rate": learning_rate / SLOWER}
    numbers |= {"lam_prototypes": lam_prototypes, "lam_samples": lam_samples}
    for epoch in range(alignment_start, epochs):
        second.run_epoch(rows, numbers)
        last = epoch + 1 == epochs or second.stalled(patience)
        if last or epoch + 1 in snapshots:
            codes = keep(epoch + 1, second.weights)
        if last:
            break
    return both_phases(first, second.result(embeddings)), codes


def start_networks(seed, n_features, width, latent):
    """Encoders and decoders of the views; `n_features` has one number per view."""
    rng = np.random.default_rng(seed)
    return Weights(start_autoencoders(rng, n_features, width, latent), {})


def both_phases(first, second):
    """What the two phases have in common, as one; terms that the first lacks are NaN in it.

    The first is a `Trainer`; the second, and the result, are `Trained`.
    """
    nothing = np.full(len(first.history["loss"]), np.nan)
    history = {
        name: np.concatenate([first.history.get(name, nothing), values])
        for name, values in second.history.items()
    }
    return Trained(
        second.weights,
        second.embeddings,
        history,
        first.n_steps + second.n_steps,
        first.n_skipped + second.n_skipped,
    )


def batch_loss(prototypes, params, running, batch, settings):
    """The loss of a batch in the second phase, and a pair of ``running`` and a dict of its terms.

    For `prototypes` see `alignment_of_dimensions`. `running` is empty: there is no batch norm. The
    batch has x1, x2, ..., weight and seen, whether a view is there; the settings have
    lam_prototypes and lam_samples.
    """
    X, seen = views_of(batch), batch["seen"].T * batch["weight"]
    Z = [run_plain(encoder, x) for encoder, x in zip(params["encoders"], X, strict=True)]
    pairs = [(Z[v], Z[w], seen[v] * seen[w]) for v, w in itertools.combinations(range(len(Z)), 2)]
    terms = {
        "reconstruction": reconstruction(params, Z, X, list(seen)),
        "prototypes": sum(alignment_of_dimensions(*pair, prototypes) for pair in pairs),
        "samples": sum(alignment_of_samples(*pair) for pair in pairs),
    }
    loss = terms["reconstruction"] + settings["lam_prototypes"] * terms["prototypes"]
    return loss + settings["lam_samples"] * terms["samples"], (running, terms)


def alignment_of_samples(Z1, Z2, weight):
    """L_ins: mean of (1 - cosine)^2 of both codes of a sample.

    Z1 and Z2 have shape (n, latent); the weight (n,) is that of the samples that have both views.
    """
    return weighted_mean((1 - (unit_rows(Z1) * unit_rows(Z2)).sum(axis=1)) ** 2, weight)


def alignment_of_dimensions(Z1, Z2, weight, prototypes):
    """L_pro: mean of (1 - cosine)^2 of the columns of both codes, over samples with both views.

    Z1 and Z2 have shape (n, latent), the weight (n,). If `prototypes` is "all", each column of one
    view is compared with all of the other, as released; if it is "same", with its own alone. 0
    where no sample has both views.
    """
    columns = [unit_rows((Z * weight[:, None]).T) for Z in (Z1, Z2)]
    far = (1 - columns[0] @ columns[1].T) ** 2
    mean = far.mean() if prototypes == "all" else jnp.diagonal(far).mean()
    return jnp.where(weight.sum() > 0, mean, 0.0)


# Compiled once each, so the choice is no argument.
LOSSES = {kind: functools.partial(batch_loss, kind) for kind in ("all", "same")}


@jax.jit
def encode(encoder, X):
    """Codes of a view."""
    return run_plain(encoder, X)


def codes_of_views(weights, Xs):
    """Codes of all rows of all views: (n_samples, latent) for each of (n_samples, n_features_v)."""
    encoders = weights.params["encoders"]
    return [in_chunks(encode, *of_view) for of_view in zip(encoders, Xs, strict=True)]


def joined(codes, presence, known, known_presence, n_neighbors):
    """Codes of all views side by side; those of a missing view are of the nearest samples with it.

    The codes of each view have shape (n_samples, latent), `presence` (n_samples, n_views), the
    result (n_samples, n_views * latent). `known` (n_known, latent) are the codes of the samples
    among which neighbours are sought, and their presence has shape (n_known, n_views).
    """
    filled = []
    for v, Z in enumerate(codes):
        full = np.asarray(Z, dtype=np.float64).copy()
        lacking = np.flatnonzero(~presence[:, v])
        for first in range(0, len(lacking), AT_ONCE):
            rows = lacking[first : first + AT_ONCE]
            near = similarity([Z[rows] for Z in codes], presence[rows], known, known_presence, of=v)
            full[rows] = mean_of_nearest(near, known[v], known_presence[:, v], n_neighbors)
        filled.append(full)
    return np.concatenate(filled, axis=1)


def similarity(codes, presence, known, known_presence, of):
    """How alike samples are to those that have a view, by the other views that both have.

    `codes` and `known` are lists, with arrays (n, latent) and (n_known, latent); the presences have
    shape (n, n_views) and (n_known, n_views). `of` is the number of the view that the samples lack.
    Returns the mean cosine, of shape (n, n_known); -inf where the other sample lacks the view, or
    no other view is common.

    >>> Z = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    >>> there = np.array([[True, False], [True, True], [True, True], [True, True]])
    >>> similarity([Z[:1], Z[:1]], there[:1], [Z, Z], there, of=1).round(4).tolist()
    [[-inf, 0.9939, 0.0, 0.1104]]
    """
    total = np.zeros((len(presence), len(known_presence)))
    common = np.zeros_like(total)
    for w in range(presence.shape[1]):
        if w != of:
            here, there = presence[:, w], known_presence[:, w]
            total += _unit(codes[w], here) @ _unit(known[w], there).T
            common += np.outer(here, there)
    usable = (common > 0) & known_presence[:, of]
    return np.where(usable, total / np.maximum(common, 1), -np.inf)


def _unit(Z, there):
    """Unit rows in double precision; those of what is missing are zero."""
    Z = np.where(there[:, None], Z, 0.0).astype(np.float64)
    return Z / np.maximum(np.linalg.norm(Z, axis=1, keepdims=True), 1e-8)


def mean_of_nearest(near, known, there, n_neighbors):
    """Mean codes of the nearest samples; where there is none, of all that have the view.

    `near` (n, n_known) is what `similarity` returns, `known` has shape (n_known, latent), `there`,
    bool, (n_known,), and the result (n, latent).
    """
    order = np.argsort(-near, axis=1, kind="stable")[:, :n_neighbors]  # ties by index
    usable = np.isfinite(np.take_along_axis(near, order, axis=1))
    count = usable.sum(axis=1, keepdims=True)
    mean = (known[order] * usable[:, :, None]).sum(axis=1) / np.maximum(count, 1)
    return np.where(count > 0, mean, known[there].mean(axis=0))


class CPSPAN(TwoViewDeep):
    """Cross-view partial sample and prototype alignment network, any number of views.

    An autoencoder of each view is trained on all its rows; then codes of the views are aligned by
    the samples that have both: the codes of a sample, and the dimensions of the codes [1]_. The
    code of a missing view is that of the sample with this view which is most alike in the views
    that both have. k-means on the codes side by side gives the labels.

    Follows the released code (github.com/jinjiaqi1998/CPSPAN, commit 1b74cea); needs
    ``mvclust[deep]``. That code finds the most alike sample by the hidden entry itself; here it is
    never read.

    Parameters
    ----------
    n_clusters : int
    reading : {"released", "short", "narrow"}, default="released"
        "released": the parameters below as they are. "short": the learning rate times 5, epochs
        and ``alignment_start`` divided by 5. "narrow": hidden layers of 256 and 1024 units. The
        latter two are not the method, but faster.
    width : int, default=500
        Units of the hidden layers; the one beside the code has four times as many.
    latent : int, default=10
        Units of the codes.
    lam_prototypes : float, default=1e-3
        Weight of the alignment of dimensions.
    lam_samples : float, default=1e-3
        Weight of the alignment of samples.
    prototypes : {"all", "same"}, default="all"
        The dimensions of one view are pulled to all of the other, as in the released code, or each
        to its own alone.
    n_neighbors : int, default=1
        Samples whose mean code stands for a missing one.
    epochs : int, default=250
    alignment_start : int, default=200
        Epochs of the autoencoders alone; the learning rate is divided by 5 after them.
    batch_size : int, default=256
    learning_rate : float, default=5e-4
        Of Adam.
    patience : int or None, default=None
        Epochs of alignment without a lower loss that end the training; None: never, as released.
    scale : {"feature_minmax", "view_range", "view_standard", None}, default="feature_minmax"
        Scaling by the observed rows: of each feature to [0, 1], as released; of a view; of a view
        to mean 0 and standard deviation 1; or none.
    snapshots : tuple of int, default=()
        Numbers of epochs after which the embedding is kept in `embeddings_`.
    n_init : int, default=10
        Number of k-means starts for the labels.
    random_state : int, RandomState, Generator or None, default=None
        For the first weights, the order of the samples, and k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_views * latent)
        Codes of all views, after the last epoch.
    embeddings_ : dict
        Number of epochs -> embedding then; with those of the last epoch.
    cluster_centers_ : ndarray of shape (n_clusters, n_views * latent)
        Means of the clusters in `embedding_`.
    losses_ : dict
        "reconstruction", "prototypes", "samples" and their weighted sum "loss" -> ndarray of shape
        (n_iter_,), means over the steps of each epoch; the second and third are NaN before
        ``alignment_start``.
    objective_ : ndarray of shape (n_iter_,)
        ``losses_["loss"]``; it is stochastic, and rises when the alignment joins it.
    n_iter_ : int
        Epochs.
    n_steps_ : int
    n_skipped_ : int
        Batches of one row, which are left out.
    settings_ : dict
        Width, epochs, learning rate and switches after ``reading``.

    References
    ----------
    .. [1] J. Jin, S. Wang, Z. Dong, X. Liu and E. Zhu, "Deep Incomplete Multi-View Clustering with
       Cross-View Partial Sample and Prototype Alignment", CVPR 2023, arXiv:2303.15689.

    Examples
    --------
    >>> from mvclust.deep import CPSPAN
    >>> model = CPSPAN(3, reading="short", random_state=0)  # 50 epochs in place of 250
    """

    view_tags = ViewTags()
    _parameter_constraints = TwoViewDeep._parameter_constraints | {
        "lam_prototypes": NONNEGATIVE,
        "lam_samples": NONNEGATIVE,
        "prototypes": [StrOptions(set(LOSSES))],
        "n_neighbors": COUNT,
        "alignment_start": COUNT,
    }
    _switch = "alignment_start"

    def __init__(
        self,
        n_clusters,
        *,
        reading="released",
        width=500,
        latent=10,
        lam_prototypes=1e-3,
        lam_samples=1e-3,
        prototypes="all",
        n_neighbors=1,
        epochs=250,
        alignment_start=200,
        batch_size=256,
        learning_rate=5e-4,
        patience=None,
        scale="feature_minmax",
        snapshots=(),
        n_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.reading = reading
        self.width = width
        self.latent = latent
        self.lam_prototypes = lam_prototypes
        self.lam_samples = lam_samples
        self.prototypes = prototypes
        self.n_neighbors = n_neighbors
        self.epochs = epochs
        self.alignment_start = alignment_start
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.patience = patience
        self.scale = scale
        self.snapshots = snapshots
        self.n_init = n_init
        self.random_state = random_state

    def _refuse_too_few(self, presence):
        related = int((presence.sum(axis=1) >= 2).sum())
        if related < 2:
            raise ValueError(
                f"CPSPAN learns how the views relate from samples that have two of them; {related} "
                f"of {len(presence)} have, and at least 2 are needed."
            )
        rows = presence.sum(axis=0)
        if rows.min() < 2:
            raise ValueError(
                f"CPSPAN trains an autoencoder on each view; view {rows.argmin()} has "
                f"{rows.min()} instances, and at least 2 are needed."
            )

    def _train(self, Xs, presence, settings, seeds):
        if settings["epochs"] <= settings["alignment_start"]:
            raise ValueError(
                f"CPSPAN: {settings['epochs']} epochs end before the views are aligned, which is "
                f"after {settings['alignment_start']}. Raise epochs or lower alignment_start."
            )
        trained, self._codes = cpspan(
            Xs,
            presence,
            **settings,
            latent=self.latent,
            lam_prototypes=self.lam_prototypes,
            lam_samples=self.lam_samples,
            prototypes=self.prototypes,
            n_neighbors=self.n_neighbors,
            batch_size=self.batch_size,
            patience=self.patience,
            seeds=seeds,
        )
        self._presence = presence
        return trained

    def _embed(self, weights, Xs, presence):
        codes = codes_of_views(weights, Xs)
        return joined(codes, presence, self._codes, self._presence, self.n_neighbors)
