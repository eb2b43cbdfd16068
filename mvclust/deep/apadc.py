"""APADC: features of two views are projected together, without imputing the missing one."""

import functools

import jax
import jax.numpy as jnp
import numpy as np

from mvclust.deep.base import TwoViewDeep
from mvclust.deep.layers import run_network, start_network
from mvclust.deep.losses import mutual_information, squared_error
from mvclust.deep.training import Trainer, Weights, in_chunks, observed_rows
from mvclust.estimators.constraints import COUNT, NONNEGATIVE, POSITIVE

ENTROPIES = 10.0  # weight of the entropies in the mutual information


def apadc(
    Xs,
    presence,
    *,
    width,
    latent,
    lam_mmd,
    lam_rec,
    kernel_mul,
    kernel_num,
    epochs,
    batch_size,
    learning_rate,
    patience,
    snapshots,
    seeds,
):
    """Train on all samples, and embed them; returns `Trained`.

    The Xs have shape (n_samples, n_features_v); missing rows are not read. `presence` has shape
    (n_samples, 2). `width` is that of the hidden layers of encoders and decoders, `patience` may be
    None, `snapshots` are the numbers of epochs after which the embedding is kept, and `seeds` is a
    dict of "weights" and "batches". All else is as in `APADC`.
    """
    Xs = observed_rows(Xs, presence)
    start = start_networks(seeds["weights"], [X.shape[1] for X in Xs], width, latent)
    trainer = Trainer("APADC", batch_loss, start, batch_size=batch_size, seed=seeds["batches"])
    rows = {"x1": Xs[0], "x2": Xs[1], "weight": np.ones(len(presence), np.float32)}
    rows["seen"] = presence.astype(np.float32)
    numbers = {"learning_rate": learning_rate, "lam_mmd": lam_mmd, "lam_rec": lam_rec}
    numbers["widths"] = kernel_widths(kernel_mul, kernel_num).astype(np.float32)
    embeddings = {}
    for epoch in range(epochs):
        trainer.run_epoch(rows, numbers)
        last = epoch + 1 == epochs or trainer.stalled(patience)
        if last or epoch + 1 in snapshots:
            embeddings[epoch + 1] = embed(trainer.weights, Xs, presence)
        if last:
            break
    return trainer.result(embeddings)


def kernel_widths(kernel_mul, kernel_num):
    """Widths of the `kernel_num` kernels as multiples of the mean squared distance.

    >>> kernel_widths(2.0, 4).tolist()
    [0.25, 0.5, 1.0, 2.0]
    """
    return float(kernel_mul) ** (np.arange(kernel_num) - kernel_num // 2)


def start_networks(seed, n_features, width, latent):
    """Encoders and decoders of the views, whose numbers of features are a list."""
    rng = np.random.default_rng(seed)
    hidden = (width, width, width)
    encoders = [start_network(rng, (d, *hidden, latent), 3) for d in n_features]
    decoders = [start_network(rng, (latent, *hidden, d), 4) for d in n_features]
    params, running = {}, {}
    for kind, pairs in {"encoders": encoders, "decoders": decoders}.items():
        params[kind], running[kind] = map(list, zip(*pairs, strict=True))
    return Weights(params, running)


def batch_loss(params, running, batch, settings):
    """The loss of a batch, and a pair of the running statistics after it and a dict of its terms.

    The batch has x1, x2, weight and seen, whether a view is there; the settings have lam_mmd,
    lam_rec and the widths of the kernels.

    Each view is encoded three times, as in the released code: with the batch statistics of all its
    rows, of the complete samples, and of the samples that have this view alone. No gradient
    reaches the codes of the latter, as they are equal in both samples of a discrepancy.
    """
    seen = batch["seen"].T * batch["weight"]
    both = subset(seen[0] * seen[1])
    alone = [subset(seen[v] * (1 - seen[1 - v])) for v in (0, 1)]
    after = {kind: list(running[kind]) for kind in running}

    def network(kind, v, x, w):
        x, after[kind][v] = run_network(params[kind][v], after[kind][v], x, w)
        return x

    errors, complete, single = [], [], []
    for v, x in enumerate((batch["x1"], batch["x2"])):
        w = subset(seen[v])
        Z = jax.nn.softmax(network("encoders", v, x, w))
        complete.append(jax.nn.softmax(network("encoders", v, x, both)))
        single.append(jax.lax.stop_gradient(jax.nn.softmax(network("encoders", v, x, alone[v]))))
        errors.append(squared_error(network("decoders", v, Z, w), x, w))
    terms = {
        "information": information_loss(*complete, both),
        "discrepancy": discrepancy_loss(complete, single, both, alone, settings["widths"]),
        "reconstruction": errors[0] + errors[1],
    }
    loss = terms["information"] + settings["lam_mmd"] * terms["discrepancy"]
    return loss + settings["lam_rec"] * terms["reconstruction"], (after, terms)


def subset(weight):
    """Rows of a subset of a batch; one row alone has no statistics and is left out."""
    return jnp.where(weight.sum() >= 2, weight, 0)


def variance(Z, weight):
    """Unbiased variance over all entries of the rows that count: Z (n, h) by weight (n,)."""
    size = weight.sum() * Z.shape[1]
    mean = (weight @ Z).sum() / jnp.maximum(size, 1)
    return (weight @ (Z - mean) ** 2).sum() / jnp.maximum(size - 1, 1)


def information_loss(Z1, Z2, weight):
    """L_mmi: mutual information of each view's codes with their mean, weighted by variance.

    Rows of Z1 and Z2, both of shape (n, h), are probabilities; the weight (n,) is that of complete
    samples.
    """
    var1, var2 = variance(Z1, weight), variance(Z2, weight)
    total = var1 + var2
    a1 = jnp.where(total > 0, var1, 0.5) / jnp.where(total > 0, total, 1)
    Z = a1 * Z1 + (1 - a1) * Z2
    return mutual_information(Z1, Z, ENTROPIES, weight) + mutual_information(
        Z2, Z, ENTROPIES, weight
    )


def discrepancy_loss(complete, single, both, alone, widths):
    """L_mmd: discrepancy of each view from the mean of both, incomplete samples being in all.

    `complete` and `single` are the codes (n, h) of each view: by the statistics of the complete
    samples, and of the samples that have it alone. `both` (n,) are the weights of the complete
    samples, `alone` those of the samples that have one view, (n,) for each. The widths are those of
    `kernel_widths`.
    """
    shared = jnp.where(alone[0][:, None] > 0, single[0], single[1])
    F = [jnp.where(both[:, None] > 0, Z, shared) for Z in complete]
    M = (F[0] + F[1]) / 2
    weight = both + alone[0] + alone[1]
    return discrepancy(F[0], M, weight, widths) + discrepancy(F[1], M, weight, widths)


def discrepancy(F, M, weight, widths):
    """MMD^2 of two samples with the same weights, diagonals included.

    F and M have shape (n, h), the weight (n,). The widths of the Gaussian kernels are multiples of
    the mean squared distance of all pairs; no gradient flows through the latter.
    """
    rows = jnp.concatenate([F, M])
    norms = (rows**2).sum(axis=1)
    squared = jnp.maximum(norms[:, None] + norms - 2 * rows @ rows.T, 0)
    w = jnp.concatenate([weight, weight])
    pairs = w.sum() * (w.sum() - 1)
    mean = jax.lax.stop_gradient((w @ squared @ w) / jnp.maximum(pairs, 1))
    kernel = sum(jnp.exp(-squared / jnp.maximum(mean * width, 1e-12)) for width in widths)
    signed = jnp.concatenate([weight, -weight]) / jnp.maximum(weight.sum(), 1)
    return signed @ kernel @ signed


def embed(weights, Xs, presence):
    """Mean of the codes of the views that a sample has, of shape (n_samples, h).

    The Xs have shape (n_samples, n_features_v), `presence` (n_samples, 2).
    """
    codes = [in_chunks(CODES[v], weights, Xs[v]).astype(np.float64) for v in (0, 1)]
    total = sum(np.where(presence[:, [v]], codes[v], 0) for v in (0, 1))
    return total / presence.sum(axis=1, keepdims=True)


def codes_of_view(v, weights, X):
    """The codes (n, h) of view number v, X of shape (n, n_features_v)."""
    Z, _ = run_network(weights.params["encoders"][v], weights.running["encoders"][v], X)
    return jax.nn.softmax(Z)


CODES = [jax.jit(functools.partial(codes_of_view, v)) for v in (0, 1)]


class APADC(TwoViewDeep):
    """Adaptive feature projection with distribution alignment, two incomplete views.

    Encoders project both views into one space of probabilities, in which the codes of complete
    samples share much information and have the same distribution. Nothing is imputed: an
    incomplete sample has the code of the view that it has [1]_. All samples train the networks.
    k-means on the mean codes gives the labels.

    Follows the released code (github.com/SubmissionsIn/APADC, commit bb59329); needs
    ``mvclust[deep]``. That code returns the best of eleven epochs by the true labels; here it is
    always the last.

    Parameters
    ----------
    n_clusters : int
    reading : {"released", "short", "narrow"}, default="released"
        "released": the parameters below as they are, which are those for Scene-15. "short": the
        learning rate times 5, epochs divided by 5. "narrow": hidden layers of 256 units. The
        latter two are not the method, but much faster.
    width : int, default=1024
        Units of the hidden layers of encoders and decoders.
    latent : int, default=16
        Units of the codes; released are 16 to 128.
    lam_mmd : float, default=10.0
        Weight of the discrepancy of the distributions, lambda_1.
    lam_rec : float, default=0.1
        Weight of the reconstruction, lambda_2.
    kernel_mul : float, default=0.01
        Factor from each kernel's width to the next.
    kernel_num : int, default=3
        Kernels of the discrepancy.
    epochs : int, default=501
        The released loop makes one more than its configuration says.
    batch_size : int, default=512
    learning_rate : float, default=1e-4
        Of Adam.
    patience : int or None, default=None
        Epochs without a lower loss that end the training; None: never, as released.
    scale : {"feature_minmax", "view_range", "view_standard", None}, default="feature_minmax"
        Scaling by the observed rows: of each feature to [0, 1], as released for Scene-15; of a
        view; of a view to mean 0 and standard deviation 1; or none, as released for others. The
        decoders cannot give negative values.
    snapshots : tuple of int, default=()
        Numbers of epochs after which the embedding is kept in `embeddings_`.
    n_init : int, default=10
        Number of k-means starts for the labels.
    random_state : int, RandomState, Generator or None, default=None
        For the first weights, the order of the samples, and k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, latent)
        Mean codes of the views that a sample has, after the last epoch.
    embeddings_ : dict
        Number of epochs -> embedding then; with those of the last epoch.
    cluster_centers_ : ndarray of shape (n_clusters, latent)
        Means of the clusters in `embedding_`.
    losses_ : dict
        "information", "discrepancy", "reconstruction" and their weighted sum "loss" -> ndarray of
        shape (n_iter_,), means over the steps of each epoch.
    objective_ : ndarray of shape (n_iter_,)
        ``losses_["loss"]``; it is stochastic.
    n_iter_ : int
        Epochs.
    n_steps_ : int
    n_skipped_ : int
        Batches of one row, which are left out.
    settings_ : dict
        Width, epochs and learning rate after ``reading``.

    References
    ----------
    .. [1] J. Xu, C. Li, L. Peng, Y. Ren, X. Shi, H. T. Shen and X. Zhu, "Adaptive Feature
       Projection With Distribution Alignment for Deep Incomplete Multi-View Clustering", IEEE
       Transactions on Image Processing 32, 2023, pages 1354-1366.

    Examples
    --------
    >>> from mvclust.deep import APADC
    >>> model = APADC(3, reading="short", snapshots=(20, 40, 60, 80, 100), random_state=0)
    """

    _parameter_constraints = TwoViewDeep._parameter_constraints | {
        "lam_mmd": NONNEGATIVE,
        "lam_rec": NONNEGATIVE,
        "kernel_mul": POSITIVE,
        "kernel_num": COUNT,
    }

    def __init__(
        self,
        n_clusters,
        *,
        reading="released",
        width=1024,
        latent=16,
        lam_mmd=10.0,
        lam_rec=0.1,
        kernel_mul=0.01,
        kernel_num=3,
        epochs=501,
        batch_size=512,
        learning_rate=1e-4,
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
        self.lam_mmd = lam_mmd
        self.lam_rec = lam_rec
        self.kernel_mul = kernel_mul
        self.kernel_num = kernel_num
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.patience = patience
        self.scale = scale
        self.snapshots = snapshots
        self.n_init = n_init
        self.random_state = random_state

    def _train(self, Xs, presence, settings, seeds):
        return apadc(
            Xs,
            presence,
            **settings,
            latent=self.latent,
            lam_mmd=self.lam_mmd,
            lam_rec=self.lam_rec,
            kernel_mul=self.kernel_mul,
            kernel_num=self.kernel_num,
            batch_size=self.batch_size,
            patience=self.patience,
            seeds=seeds,
        )

    def _embed(self, weights, Xs, presence):
        return embed(weights, Xs, presence)
