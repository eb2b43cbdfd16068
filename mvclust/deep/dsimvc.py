"""DSIMVC: filled samples train with weights by which the loss on complete samples falls."""

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
from mvclust.deep.base import FASTER, TwoViewDeep
from mvclust.deep.layers import start_network, unit_rows
from mvclust.deep.losses import floored_log
from mvclust.deep.training import ADAM, Trained, Trainer, Weights, in_chunks, observed_rows
from mvclust.estimators.base import ViewTags, warn_if_fewer
from mvclust.estimators.constraints import COUNT, NONNEGATIVE

FEATURES = 128
WEIGHING = 100  # units of the network that weighs samples
LOOK_AHEAD, WEIGHING_RATE = 1e-3, 4e-4  # rates of the step that is tried, and of the weights
CLIP = np.sqrt(3)  # features are not longer


def dsimvc(
    Xs,
    presence,
    *,
    n_clusters,
    width,
    latent,
    pretraining,
    reconstructing,
    contrasting,
    n_neighbors,
    n_candidates,
    incomplete_weight,
    epochs,
    batch_size,
    learning_rate,
    patience,
    snapshots,
    seeds,
):
    """Pretrain, fill what is missing, train in two levels, and label all samples.

    The Xs have shape (n_samples, n_features_v); missing rows are not read. `presence` has shape
    (n_samples, n_views). `pretraining` are epochs of the autoencoders whose encoders start the
    training, `reconstructing` and `contrasting` those of the network that finds neighbours, by both
    losses one after the other. `epochs` are iterations, of one batch of complete and one of filled
    samples. `patience` may be None, `snapshots` are the numbers of iterations after which the
    embedding is kept, and `seeds` is a dict of "weights" and "batches". All else is as in `DSIMVC`.
    Returns `Trained`.
    """
    Xs, complete = observed_rows(Xs, presence), presence.all(axis=1)
    n_features = [X.shape[1] for X in Xs]
    rngs = [np.random.default_rng([seeds["weights"], i]) for i in range(3)]
    seed = seeds["batches"]

    start = Weights(start_autoencoders(rngs[0], n_features, width, latent), {})
    seen = np.repeat(complete[:, None], len(Xs), axis=1)
    trainer, rows = pretrainer("DSIMVC", Xs, seen, start, batch_size=batch_size, seed=seed)
    for _ in range(pretraining):
        trainer.run_epoch(rows, {"learning_rate": learning_rate})
    encoders = trainer.weights.params["encoders"]

    finder = start_autoencoders(rngs[1], n_features, width, latent)
    finder |= start_heads(rngs[1], latent, n_clusters)
    trainer = Trainer(
        "DSIMVC",
        finder_loss,
        Weights(finder, {}),
        batch_size=batch_size,
        seed=seed + 1,
        late=("feature_head", "label_head"),
    )
    for epoch in range(reconstructing + contrasting):
        late = float(epoch >= reconstructing)
        trainer.run_epoch(rows, {"learning_rate": learning_rate, "late": late})
    features = [
        in_chunks(features_of_view, (encoder, trainer.weights.params["feature_head"]), X)
        for encoder, X in zip(trainer.weights.params["encoders"], Xs, strict=True)
    ]
    filled = fill(Xs, presence, features, n_neighbors, n_candidates)

    params = {"encoders": encoders} | start_heads(rngs[2], latent, n_clusters)
    weighing, _ = start_network(rngs[2], (n_clusters, WEIGHING, 1), 0)
    state = jax.tree.map(jnp.array, (params, ADAM.init(params), weighing, ADAM.init(weighing)))
    streams = [
        batches_of(np.flatnonzero(of), batch_size, np.random.default_rng([seed + 2, i]))
        for i, of in enumerate((complete, ~complete))
    ]
    history, embeddings = {}, {}
    for iteration in range(1, epochs + 1):
        pair = [take(filled, *next(stream)) for stream in streams]
        state, terms = two_level_step(state, *pair, learning_rate, incomplete_weight)
        note(history, jax.device_get(terms), iteration)
        losses = history["loss"]
        stalled = patience is not None and len(losses) - 1 - np.argmin(losses) >= patience
        last = stalled or iteration == epochs
        if last or iteration in snapshots:
            weights = Weights(jax.tree.map(np.array, state[0]), {})
            embeddings[iteration] = embed(weights, Xs, presence)
        if last:
            break
    history = {name: np.array(values) for name, values in history.items()}
    return Trained(weights, embeddings, history, iteration, 0)


def start_heads(rng, latent, n_clusters):
    """What all views share: from codes to features, and from codes to labels, in a dict."""
    return {
        "feature_head": start_network(rng, (latent, latent, FEATURES), 0)[0],
        "label_head": start_network(rng, (latent, latent, n_clusters), 0)[0],
    }


def outputs(params, X):
    """Features and probabilities of the labels, of each view.

    The X have shape (n, n_features_v). Returns a list of arrays (n, 128), and one of arrays
    (n, n_clusters).
    """
    Z = [run_plain(encoder, x) for encoder, x in zip(params["encoders"], X, strict=True)]
    H = [run_plain(params["feature_head"], z) for z in Z]
    return H, [jax.nn.softmax(run_plain(params["label_head"], z)) for z in Z]


def finder_loss(params, running, batch, settings):
    """The loss of the network that finds neighbours: reconstruction, and later both contrasts.

    The batch has x1, x2, ... and weight, of complete samples; the settings have late, 0 or 1.
    Returns the loss, and a pair of ``running`` and a dict of terms.
    """
    X, w, late = views_of(batch), batch["weight"], settings["late"]
    Z = [run_plain(encoder, x) for encoder, x in zip(params["encoders"], X, strict=True)]
    error = reconstruction(params, Z, X, [w] * len(X))
    H, Q = outputs(params, X)
    contrast = sum(contrasts([unit_rows(h) for h in H], Q, w))
    return (1 - late) * error + late * contrast, (running, {"reconstruction": error})


def contrasts(H, Q, weight):
    """L_f and L_l, each summed over the pairs of views.

    H and Q are lists, with arrays (n, 128) and (n, n_clusters); the weight has shape (n,).
    """
    pairs = list(itertools.combinations(range(len(H)), 2))
    of_features = sum(features_loss(H[v], H[w], weight) for v, w in pairs)
    return of_features, sum(labels_loss(Q[v], Q[w], weight) for v, w in pairs)


def sample_parts(H1, H2, weight):
    """phi: what each sample adds to the loss of the features, a spectral contrast.

    H1 and H2 have shape (n, d); weight (n,) is 1 for rows that count, 0 for others. The result has
    shape (n,).
    """
    n = weight.sum()
    products = clipped(H1) @ clipped(H2).T
    own = jnp.diagonal(products)
    others = products**2 @ weight - own**2 * weight
    return weight * (-2 * own / jnp.maximum(n, 1) + others / jnp.maximum(n * (n - 1), 1))


def clipped(H):
    """Rows that are longer than the square root of 3 are cut to it."""
    squares = (H**2).sum(axis=1, keepdims=True)
    return H * jnp.where(squares > CLIP**2, CLIP / jnp.sqrt(jnp.maximum(squares, CLIP**2)), 1.0)


def features_loss(H1, H2, weight):
    """L_f = -2/B sum_i h_i h'_i + 1/(B (B - 1)) sum_{i != j} (h_i h'_j)^2."""
    return sample_parts(H1, H2, weight).sum()


def labels_loss(Q1, Q2, weight):
    """L_l: clusters of equal size, and columns that are alike in both views and unlike in one.

    Rows of Q1 and Q2, both of shape (n, k), are probabilities; the weight has shape (n,).
    """
    k, balance = Q1.shape[1], 0.0
    for Q in (Q1, Q2):
        p = weight @ Q
        p = p / jnp.maximum(p.sum(), 1e-12)
        balance += jnp.log(k) + (p * floored_log(p)).sum()
    C1, C2 = (unit_rows((Q * weight[:, None]).T) for Q in (Q1, Q2))
    positive = (C1 * C2).sum(axis=1)
    contrast = 0.0
    for C in (C1, C2):
        others = jnp.where(jnp.eye(k, dtype=bool), positive[:, None], C @ C.T)
        contrast += (jax.nn.logsumexp(others, axis=1) - positive).mean() / 2
    return balance + contrast


def training_loss(params, omega, complete, incomplete, strength):
    """The loss of two batches, and a dict of its terms.

    omega (n,) are the weights of the filled samples. The batches of complete and incomplete samples
    have x1, x2, ... and weight; `strength` is the factor of the weighted features of filled
    samples.
    """
    of_features, of_labels = contrasts(*outputs(params, views_of(complete)), complete["weight"])
    H, Q = outputs(params, views_of(incomplete))
    w = incomplete["weight"]
    omega = omega * w
    omega = jnp.where(omega.sum() > 1e-12, omega, w)
    filled = 0.0
    for v, u in itertools.combinations(range(len(H)), 2):
        weighted = (omega * sample_parts(H[v], H[u], w)).sum() / jnp.maximum(omega.sum(), 1e-12)
        filled += strength * weighted + labels_loss(Q[v], Q[u], w)
    filled = jnp.where(w.sum() >= 2, filled, 0.0)
    terms = {"features": of_features, "labels": of_labels, "filled": filled}
    return of_features + of_labels + filled, terms


def weights_of_samples(weighing, params, incomplete):
    """omega: weights of filled samples by their labels; no gradient reaches the latter."""
    _, Q = outputs(params, views_of(incomplete))
    mean = jax.lax.stop_gradient(sum(Q) / len(Q))
    return jax.nn.sigmoid(run_plain(weighing, mean))[:, 0]


def loss_ahead(weighing, params, complete, incomplete, strength):
    """The loss on complete samples after a step of the networks that used these weights.

    `weighing` is the network that weighs samples; the loss is differentiated by it. For the others
    see `training_loss`.
    """
    omega = weights_of_samples(weighing, params, incomplete)
    gradient = jax.grad(training_loss, has_aux=True)
    change, _ = gradient(params, omega, complete, incomplete, strength)
    ahead = jax.tree.map(lambda p, g: p - LOOK_AHEAD * g, params, change)
    return sum(contrasts(*outputs(ahead, views_of(complete)), complete["weight"]))


@jax.jit
def two_level_step(state, complete, incomplete, learning_rate, strength):
    """One step of the weights by the loss ahead, then one of the networks with these weights.

    The state is a tuple: networks, their moments, the network that weighs samples, its moments.
    Returns the next state, and a dict of terms. For the others see `training_loss`.
    """
    params, moments, weighing, weighing_moments = state
    ahead, gradient = jax.value_and_grad(loss_ahead)(
        weighing, params, complete, incomplete, strength
    )
    change, weighing_moments = ADAM.update(gradient, weighing_moments)
    weighing = jax.tree.map(lambda p, d: p - WEIGHING_RATE * d, weighing, change)
    omega = weights_of_samples(weighing, params, incomplete)
    (loss, terms), gradient = jax.value_and_grad(training_loss, has_aux=True)(
        params, omega, complete, incomplete, strength
    )
    change, moments = ADAM.update(gradient, moments)
    params = jax.tree.map(lambda p, d: p - learning_rate * d, params, change)
    return (params, moments, weighing, weighing_moments), terms | {"ahead": ahead, "loss": loss}


def batches_of(rows, size, rng):
    """Endless batches out of permutations of rows, one after the other.

    A batch has `size` rows, but no more than there are, so that none is in it twice. Yields the
    indices (n,) and weights (n,) of its rows; the weight is zero where there is no row at all.

    >>> found = batches_of(np.array([3, 5]), 4, np.random.default_rng(0))
    >>> [sorted(next(found)[0].tolist()) for _ in range(2)]
    [[3, 5], [3, 5]]
    """
    while True:
        order = rng.permutation(rows) if len(rows) else np.zeros(2, int)
        n = min(size, len(order))
        for first in range(0, len(order) - n + 1, n):
            yield order[first : first + n], np.full(n, float(len(rows) > 0), np.float32)


def take(Xs, rows, weight):
    """A batch of rows."""
    return {f"x{v + 1}": X[rows] for v, X in enumerate(Xs)} | {"weight": weight}


def note(history, terms, iteration):
    """Add the terms of an iteration; they must be finite."""
    for name, value in terms.items():
        if not np.isfinite(value):
            raise FloatingPointError(
                f"DSIMVC: the loss '{name}' is {value} in iteration {iteration}; lower the "
                "learning rate or scale the views."
            )
        history.setdefault(name, []).append(float(value))


def fill(Xs, presence, features, n_neighbors, n_candidates):
    """Fill missing rows by the mean of samples that are near in a view of both.

    The Xs have shape (n_samples, n_features_v), `presence` (n_samples, n_views), and the features
    of each view (n_samples, 128), with unit rows. Each view that the sample has is walked, from the
    nearest on, until `n_neighbors` samples with the missing view are found; for more than two views
    each further one adds one sample. In a view the `n_candidates` nearest samples are looked at.
    Returns a list of arrays.
    """
    filled = [X.copy() for X in Xs]
    for v, X in enumerate(Xs):
        mean = X[presence[:, v]].mean(axis=0)
        for i in np.flatnonzero(~presence[:, v]):
            found = []
            for w in np.flatnonzero(presence[i]):
                near = features[w] @ features[w][i]
                near[~presence[:, w]] = -np.inf
                near[i] = -np.inf
                order = np.argsort(-near, kind="stable")[:n_candidates]
                usable = order[presence[order, v] & np.isfinite(near[order])]
                found += usable[: max(1, n_neighbors - len(found))].tolist()
            filled[v][i] = X[found].mean(axis=0) if found else mean
    return filled


@jax.jit
def features_of_view(networks, X):
    """Unit features of a view, by its encoder and the head."""
    encoder, head = networks
    return unit_rows(run_plain(head, run_plain(encoder, X)))


@jax.jit
def labels_of_view(networks, X):
    """Probabilities of the labels in a view, by its encoder and the head."""
    encoder, head = networks
    return jax.nn.softmax(run_plain(head, run_plain(encoder, X)))


def embed(weights, Xs, presence):
    """Mean probabilities of the labels over the views that a sample has.

    The Xs have shape (n_samples, n_features_v), `presence` (n_samples, n_views), the result
    (n_samples, n_clusters).
    """
    head, total = weights.params["label_head"], 0.0
    for encoder, X, there in zip(weights.params["encoders"], Xs, presence.T, strict=True):
        Q = in_chunks(labels_of_view, (encoder, head), X).astype(np.float64)
        total = total + np.where(there[:, None], Q, 0)
    return total / presence.sum(axis=1, keepdims=True)


class DSIMVC(TwoViewDeep):
    """Deep safe incomplete multi-view clustering, any number of views.

    Networks give each sample features and probabilities of its labels in each view, which two
    contrasts make alike over the views. Missing views are filled from near samples, and filled
    samples train too, with weights that a small network learns such that the loss on complete
    samples falls [1]_: by a step that is tried with the weights, and differentiated by them. The
    label is the largest mean probability over the views that a sample has.

    Follows the released code (github.com/Gasteinh/DSIMVC, commit 9448423); needs ``mvclust[deep]``.
    As in that code, what is filled is not filled anew during the training.

    Parameters
    ----------
    n_clusters : int
    reading : {"released", "short", "narrow"}, default="released"
        "released": the parameters below as they are. "short": the learning rate times 5, all
        numbers of epochs divided by 5. "narrow": hidden layers of 256 and 1024 units. The latter
        two are not the method, but faster.
    width : int, default=500
        Units of the hidden layers; the one beside the code has four times as many.
    latent : int, default=512
        Units of the codes.
    pretraining : int, default=100
        Epochs of the autoencoders whose encoders start the training.
    reconstructing : int, default=200
        Epochs of the autoencoders of a second network, which finds neighbours.
    contrasting : int, default=100
        Epochs of that network by both contrasts; the released code has 30 to 100.
    n_neighbors : int, default=3
        Samples whose mean fills a missing one.
    n_candidates : int, default=600
        Nearest samples among which they are sought.
    incomplete_weight : float, default=1.0
        Factor of the weighted features of filled samples. These have the weight of one sample in
        the released code; `batch_size` gives them that of the complete ones.
    epochs : int, default=200
        Iterations of the training, each of one batch of complete and one of filled samples; the
        released code has 100 to 300.
    batch_size : int, default=256
    learning_rate : float, default=3e-4
        Of Adam.
    patience : int or None, default=None
        Iterations without a lower loss that end the training; None: never, as released.
    scale : {"feature_minmax", "view_range", "view_standard", None}, default="feature_minmax"
        Scaling by the observed rows: of each feature to [0, 1], as released but for CCV; of a
        view; of a view to mean 0 and standard deviation 1; or none.
    snapshots : tuple of int, default=()
        Numbers of iterations after which the embedding is kept in `embeddings_`.
    n_init : int, default=10
        Not used: no k-means gives the labels.
    random_state : int, RandomState, Generator or None, default=None
        For the first weights and the order of the samples.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, n_clusters)
        Mean probabilities of the labels, after the last iteration.
    embeddings_ : dict
        Number of iterations -> embedding then; with those of the last iteration.
    losses_ : dict
        "features", "labels", "filled" and their sum "loss", and "ahead", the loss on complete
        samples after the step that is tried -> ndarray of shape (n_iter_,).
    objective_ : ndarray of shape (n_iter_,)
        ``losses_["loss"]``; it is stochastic.
    n_iter_ : int
        Iterations.
    n_steps_ : int
        The same.
    n_skipped_ : int
        0.
    settings_ : dict
        Width, epochs and learning rate after ``reading``.

    References
    ----------
    .. [1] H. Tang and Y. Liu, "Deep Safe Incomplete Multi-view Clustering: Theorem and Algorithm",
       ICML 2022.

    Examples
    --------
    >>> from mvclust.deep import DSIMVC
    >>> model = DSIMVC(3, reading="short", random_state=0)  # 40 iterations in place of 200
    """

    view_tags = ViewTags()
    _parameter_constraints = TwoViewDeep._parameter_constraints | {
        "pretraining": COUNT,
        "reconstructing": COUNT,
        "contrasting": COUNT,
        "n_neighbors": COUNT,
        "n_candidates": COUNT,
        "incomplete_weight": NONNEGATIVE,
    }

    def __init__(
        self,
        n_clusters,
        *,
        reading="released",
        width=500,
        latent=512,
        pretraining=100,
        reconstructing=200,
        contrasting=100,
        n_neighbors=3,
        n_candidates=600,
        incomplete_weight=1.0,
        epochs=200,
        batch_size=256,
        learning_rate=3e-4,
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
        self.pretraining = pretraining
        self.reconstructing = reconstructing
        self.contrasting = contrasting
        self.n_neighbors = n_neighbors
        self.n_candidates = n_candidates
        self.incomplete_weight = incomplete_weight
        self.epochs = epochs
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.patience = patience
        self.scale = scale
        self.snapshots = snapshots
        self.n_init = n_init
        self.random_state = random_state

    def _labels(self, seed):
        labels = self.embedding_.argmax(axis=1)
        warn_if_fewer(labels, self.n_clusters)
        return labels, None

    def _train(self, Xs, presence, settings, seeds):
        times = FASTER if self.reading == "short" else 1
        before = {
            name: max(1, getattr(self, name) // times)
            for name in ("pretraining", "reconstructing", "contrasting")
        }
        return dsimvc(
            Xs,
            presence,
            **settings,
            **before,
            n_clusters=self.n_clusters,
            latent=self.latent,
            n_neighbors=self.n_neighbors,
            n_candidates=self.n_candidates,
            incomplete_weight=self.incomplete_weight,
            batch_size=self.batch_size,
            patience=self.patience,
            seeds=seeds,
        )

    def _embed(self, weights, Xs, presence):
        return embed(weights, Xs, presence)
