"""ProImp: the missing view of two is imputed from its prototypes."""

import functools

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import linear_sum_assignment

from mvclust.deep.base import TwoViewDeep
from mvclust.deep.layers import (
    dropout_masks,
    layer_norm,
    linear,
    run_network,
    start_linear,
    start_network,
    unit_rows,
)
from mvclust.deep.losses import floored_log, unit_contrast, weighted_mean
from mvclust.deep.training import Trainer, Weights, in_chunks, observed_rows
from mvclust.estimators.constraints import COUNT

DROPOUT = 0.2  # after the first two layers of an encoder
SAMPLES, PROTOTYPES = 0.5, 2.0  # temperatures
CAP = 0.75  # cosine of matched prototypes above which they are pushed apart
SHARPNESS = 0.02
LATE = ("prototype_head", "gathered")  # what the loss of prototypes alone trains


def proimp(
    Xs,
    presence,
    *,
    width,
    latent,
    n_prototypes,
    epochs,
    warm_up,
    batch_size,
    learning_rate,
    patience,
    snapshots,
    seeds,
):
    """Train on the samples that have both views, and embed all.

    The Xs have shape (n_samples, n_features_v); missing rows are not read. `presence` has shape
    (n_samples, 2). `width` is that of the hidden layers of the encoders, `n_prototypes` is K, and
    `warm_up` are the epochs before prototypes are matched and contrasted. `patience` may be None,
    `snapshots` are the numbers of epochs after which the embedding is kept, and `seeds` is a dict
    of "weights", "batches" and "dropout". All else is as in `ProImp`.

    Returns `Trained`, and the matching of shape (n_prototypes,): the prototype of the first view
    for each of the second.
    """
    Xs, complete = observed_rows(Xs, presence), presence.all(axis=1)
    n_features = [X.shape[1] for X in Xs]
    start = start_networks(seeds["weights"], n_features, width, latent, n_prototypes)
    trainer = Trainer(
        "ProImp", batch_loss, start, batch_size=batch_size, seed=seeds["batches"], late=LATE
    )
    rows = {"x1": Xs[0][complete], "x2": Xs[1][complete]}
    pair = [rows["x1"], rows["x2"]]
    rows["weight"] = np.ones(complete.sum(), np.float32)
    numbers = {
        "learning_rate": learning_rate,
        "key": np.array(jax.random.PRNGKey(seeds["dropout"])),
    }
    matching, embeddings = np.arange(n_prototypes), {}
    for epoch in range(epochs):
        if epoch == warm_up:
            matching = match_prototypes(trainer.weights, pair)
        late = float(epoch >= warm_up)
        trainer.run_epoch(rows, numbers | {"late": late, "matching": matching})
        last = epoch + 1 == epochs or trainer.stalled(patience, since=warm_up)
        if last and epoch < warm_up:
            matching = match_prototypes(trainer.weights, pair)
        if last or epoch + 1 in snapshots:
            weights = trainer.weights
            used = matching if last or epoch >= warm_up else match_prototypes(weights, pair)
            embeddings[epoch + 1] = embed(weights, used, Xs, presence)
        if last:
            break
    return trainer.result(embeddings), matching


def start_networks(seed, n_features, width, latent, n_prototypes):
    """Encoders, prototypes and attention of each view, and what the views share.

    `n_features` has one number per view.
    """
    rng = np.random.default_rng(seed)
    h, bound = latent, 1 / np.sqrt(latent)
    params = {"encoders": [], "prototypes": [], "attention": [], "gathered": []}
    running = {"encoders": []}
    for d in n_features:
        network, statistics = start_network(rng, (d, width, width, width, h), 3)
        params["encoders"].append(network)
        running["encoders"].append(statistics)
        C = rng.uniform(-bound, bound, (n_prototypes, h)).astype(np.float32)
        params["prototypes"].append(C)
        attention = {name: start_linear(rng, h, h) for name in ("q", "k", "u")}
        for name in ("norm_z", "norm_c"):
            attention[name] = {"scale": np.ones(h, np.float32), "shift": np.zeros(h, np.float32)}
        params["attention"].append(attention)
        params["gathered"].append(start_linear(rng, h, h))
    params["decoder"] = start_linear(rng, h, h)
    heads = {"projector": 1, "sample_head": 2, "prototype_head": 2}
    for name, n_normed in heads.items():
        widths = (h,) * (n_normed + 2)
        params[name], running[name] = start_network(rng, widths, n_normed)
    return Weights(params, running)


def attention_of_view(attention, z, c):
    """Attention of samples on prototypes, and the values of these.

    `attention` has layer norms and the linear layers q, k and u; z has shape (n, h), c (K, h).
    Returns A (n, K), whose rows are probabilities, and U (K, h).
    """
    c = layer_norm(attention["norm_c"], c)
    q = linear(attention["q"], layer_norm(attention["norm_z"], z))
    scores = q @ linear(attention["k"], c).T / jnp.sqrt(z.shape[1])
    return jax.nn.softmax(scores), linear(attention["u"], c)


def sample_codes(decoder, s, z):
    """Codes from what samples attend to and from themselves: y."""
    return linear(decoder, unit_rows(s) + unit_rows(z))


def batch_loss(params, running, batch, settings):
    """The loss of a batch, and a pair of the running statistics after it and a dict of its terms.

    The batch has x1, x2 and weight; the settings have key and step for dropout, matching, and late:
    1 after the warm-up.
    """
    w, after = batch["weight"], dict(running)
    key = jax.random.fold_in(settings["key"], settings["step"])
    A, heads, gathered, encoders = [], [], [], []
    for v, x in enumerate((batch["x1"], batch["x2"])):
        encoder, attention = params["encoders"][v], params["attention"][v]
        widths = [len(layer["b"]) for layer in encoder[:2]]
        masks = dropout_masks(jax.random.fold_in(key, v), widths, len(x), DROPOUT)
        z, statistics = run_network(encoder, running["encoders"][v], x, w, masks)
        encoders.append(statistics)
        z, after["projector"] = run_network(
            params["projector"], after["projector"], unit_rows(z), w
        )
        c = unit_rows(params["prototypes"][v])
        A_v, U_v = attention_of_view(attention, z, c)
        y = sample_codes(params["decoder"], A_v @ U_v, z)
        head, after["sample_head"] = run_network(params["sample_head"], after["sample_head"], y, w)
        t = (A_v * w[:, None]).T @ linear(params["gathered"][v], layer_norm(attention["norm_z"], z))
        A.append(A_v)
        heads.append(head)
        gathered.append(unit_rows(t) + c)
    after["encoders"] = encoders
    r = jnp.concatenate([gathered[1], gathered[0][settings["matching"]]])
    head, after["prototype_head"] = run_network(
        params["prototype_head"], running["prototype_head"], r, jnp.ones(len(r), r.dtype)
    )
    terms = {
        "samples": samples_loss(heads[0], heads[1], w),
        "assignments": assignments_loss(A[0], A[1], w),
        "prototypes": prototypes_loss(head),
    }
    loss = terms["samples"] + terms["assignments"] + settings["late"] * terms["prototypes"]
    return loss, (after, terms)


def samples_loss(Y1, Y2, weight):
    """L_ins: NT-Xent of the codes of both views, each (n, d), by weight (n,)."""
    return unit_contrast(unit_rows(jnp.concatenate([Y1, Y2])), SAMPLES, weight)


def assignments_loss(A1, A2, weight):
    """L_reg: balanced use of the prototypes, and sharp attention.

    Rows of A1 and A2, both of shape (n, K), are probabilities; the weight has shape (n,).
    """
    total = 0.0
    for A in (A1, A2):
        p = weight @ A
        p = p / p.sum()
        balance = jnp.log(A.shape[1]) + (p * floored_log(p)).sum()
        entropy = -(A * jnp.log(A + 1e-8)).sum(axis=1)
        total += (balance + SHARPNESS * weighted_mean(entropy, weight)) / 2
    return total


def prototypes_loss(R):
    """L_pro of the prototypes of the second view, followed by those of the first in their order.

    All together R has shape (2 K, d).
    """
    return unit_contrast(unit_rows(R), PROTOTYPES, jnp.ones(len(R) // 2, R.dtype), CAP)


def codes_of_view(v, weights, X):
    """What samples attend to in a view, A (n, K), and their own representation z (n, h).

    X of shape (n, n_features_v) is view number v.
    """
    params, running = weights
    z, _ = run_network(params["encoders"][v], running["encoders"][v], X)
    z, _ = run_network(params["projector"], running["projector"], unit_rows(z))
    c = unit_rows(params["prototypes"][v])
    return attention_of_view(params["attention"][v], z, c)[0], z


CODES = [jax.jit(functools.partial(codes_of_view, v)) for v in (0, 1)]


def match_prototypes(weights, pair):
    """The prototype of the first view for each of the second, by the samples that have both.

    The pair of views of these has shapes (n, n_features_v), the result (K,).
    """
    nearest = [in_chunks(CODES[v], weights, pair[v])[0].argmax(axis=1) for v in (0, 1)]
    return match_assignments(*nearest, len(weights.params["prototypes"][0]))


def match_assignments(first, second, n_prototypes):
    """The matching on which most samples agree.

    `first` and `second` (n,) are the prototypes of samples in both views. Returns the prototype of
    the first view for each of the second, (n_prototypes,).

    >>> first, second = np.array([0, 0, 1, 1, 2, 2, 2]), np.array([1, 1, 2, 2, 0, 0, 1])
    >>> match_assignments(first, second, 3).tolist()
    [2, 0, 1]
    """
    table = np.zeros((n_prototypes, n_prototypes))
    np.add.at(table, (second, first), 1)
    return linear_sum_assignment(table, maximize=True)[1]


def embed(weights, matching, Xs, presence):
    """Unit codes of both views side by side; that of a missing view from its prototypes.

    A sample attends to the prototypes of the missing view that match those of the view it has. The
    matching has shape (K,), the Xs (n_samples, n_features_v), `presence` (n_samples, 2), and the
    result (n_samples, 2 h).
    """
    found = [in_chunks(CODES[v], weights, Xs[v]) for v in (0, 1)]
    to_other = [matching, np.argsort(matching, kind="stable")]
    codes = []
    for v in (0, 1):
        there = presence[:, [v]]
        A = np.where(there, found[v][0], found[1 - v][0][:, to_other[1 - v]])
        z = np.where(there, found[v][1], found[1 - v][1])
        codes.append(in_chunks(FINAL[v], weights, np.concatenate([A, z], axis=1)))
    return np.concatenate(codes, axis=1).astype(np.float64)


def final_codes(v, weights, Az):
    """Unit codes of a view from the attention on its prototypes and the representation beside it.

    Az has shape (n, K + h), the result (n, h); v is the number of the view.
    """
    c = unit_rows(weights.params["prototypes"][v])
    A, z = Az[:, : len(c)], Az[:, len(c) :]
    _, U = attention_of_view(weights.params["attention"][v], z, c)
    return unit_rows(sample_codes(weights.params["decoder"], A @ U, z))


FINAL = [jax.jit(functools.partial(final_codes, v)) for v in (0, 1)]


class ProImp(TwoViewDeep):
    """Prototype-based imputation for incomplete multi-view clustering, two views.

    Each view has prototypes that its samples attend to; codes of the two views are contrasted, and
    so are prototypes, after these were matched once. A sample without a view attends to those
    prototypes of it that match [1]_. Only samples with both views train the networks. k-means on
    the codes side by side gives the labels.

    Follows the released code (github.com/XLearning-SCU/2023-IJCAI-ProImp, commit 7f993ec); needs
    ``mvclust[deep]``.

    Parameters
    ----------
    n_clusters : int
    reading : {"released", "short", "narrow"}, default="released"
        "released": the parameters below as they are. "short": the learning rate times 5, epochs
        and ``warm_up`` divided by 5. "narrow": hidden layers of 256 units. The latter two are not
        the method, but much faster.
    width : int, default=1024
        Units of the hidden layers of the encoders; for CUB the released code has 512 in the first.
    latent : int, default=256
        Units of the codes.
    n_prototypes : int or None, default=None
        Prototypes of each view; None: n_clusters, as released.
    epochs : int, default=150
    warm_up : int, default=50
        Epochs before the prototypes are matched and contrasted.
    batch_size : int, default=1024
    learning_rate : float, default=1e-3
        Of Adam.
    patience : int or None, default=None
        Epochs without a lower loss that end the training; None: never, as released.
    scale : {"view_standard", "view_range", "feature_minmax", None}, default="view_standard"
        Scaling by the observed rows: of a view to mean 0 and standard deviation 1, as released but
        for the zeros of hidden rows; of a view or of each feature to [0, 1]; or none.
    snapshots : tuple of int, default=()
        Numbers of epochs after which the embedding is kept in `embeddings_`.
    n_init : int, default=10
        Number of k-means starts for the labels.
    random_state : int, RandomState, Generator or None, default=None
        For the first weights, the order of the samples, dropout, and k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, 2 * latent)
        Unit codes of both views, after the last epoch.
    embeddings_ : dict
        Number of epochs -> embedding then; with those of the last epoch.
    cluster_centers_ : ndarray of shape (n_clusters, 2 * latent)
        Means of the clusters in `embedding_`.
    matching_ : ndarray of int of shape (n_prototypes,)
        The prototype of the first view for each of the second.
    losses_ : dict
        "samples", "assignments", "prototypes" and their sum "loss" -> ndarray of shape (n_iter_,),
        means over the steps of each epoch.
    objective_ : ndarray of shape (n_iter_,)
        ``losses_["loss"]``; it is stochastic, and rises when the prototypes join it.
    n_iter_ : int
        Epochs.
    n_steps_ : int
    n_skipped_ : int
        Batches of one row, which are left out.
    settings_ : dict
        Width, epochs, learning rate and switches after ``reading``.

    References
    ----------
    .. [1] H. Li, Y. Li, M. Yang, P. Hu, D. Peng and X. Peng, "Incomplete Multi-view Clustering via
       Prototype-based Imputation", IJCAI 2023, pages 3911-3919, arXiv:2301.11045.

    Examples
    --------
    >>> from mvclust.deep import ProImp
    >>> model = ProImp(3, reading="narrow", random_state=0)
    """

    _parameter_constraints = TwoViewDeep._parameter_constraints | {
        "n_prototypes": [*COUNT, None],
        "warm_up": COUNT,
    }
    _switch = "warm_up"

    def __init__(
        self,
        n_clusters,
        *,
        reading="released",
        width=1024,
        latent=256,
        n_prototypes=None,
        epochs=150,
        warm_up=50,
        batch_size=1024,
        learning_rate=1e-3,
        patience=None,
        scale="view_standard",
        snapshots=(),
        n_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.reading = reading
        self.width = width
        self.latent = latent
        self.n_prototypes = n_prototypes
        self.epochs = epochs
        self.warm_up = warm_up
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.patience = patience
        self.scale = scale
        self.snapshots = snapshots
        self.n_init = n_init
        self.random_state = random_state

    def _train(self, Xs, presence, settings, seeds):
        trained, self.matching_ = proimp(
            Xs,
            presence,
            **settings,
            latent=self.latent,
            n_prototypes=self.n_prototypes or self.n_clusters,
            batch_size=self.batch_size,
            patience=self.patience,
            seeds=seeds,
        )
        return trained

    def _embed(self, weights, Xs, presence):
        return embed(weights, self.matching_, Xs, presence)
