"""COMPLETER: contrastive prediction of the missing view of two."""

import functools

import jax
import numpy as np

from mvclust.deep.base import TwoViewDeep
from mvclust.deep.layers import run_network, start_network
from mvclust.deep.losses import mutual_information, squared_error
from mvclust.deep.training import Trainer, Weights, in_chunks, observed_rows
from mvclust.estimators.constraints import COUNT, NONNEGATIVE

PREDICTOR = (128, 256, 128, 256, 128)  # widths of its hidden layers


def completer(
    Xs,
    presence,
    *,
    width,
    latent,
    alpha,
    lam_pre,
    lam_rec,
    epochs,
    prediction_start,
    batch_size,
    learning_rate,
    patience,
    snapshots,
    seeds,
):
    """Train on the samples that have both views, and embed all; returns `Trained`.

    The Xs have shape (n_samples, n_features_v); missing rows are not read. `presence` has shape
    (n_samples, 2). `width` is that of the hidden layers of encoders and decoders,
    `prediction_start` the epochs before the predictors are trained, `patience` may be None,
    `snapshots` are the numbers of epochs after which the embedding is kept, and `seeds` is a dict
    of "weights" and "batches". All else is as in `COMPLETER`.
    """
    Xs, complete = observed_rows(Xs, presence), presence.all(axis=1)
    start = start_networks(seeds["weights"], [X.shape[1] for X in Xs], width, latent)
    trainer = Trainer(
        "COMPLETER",
        batch_loss,
        start,
        batch_size=batch_size,
        seed=seeds["batches"],
        late=("predictors",),
    )
    rows = {"x1": Xs[0][complete], "x2": Xs[1][complete]}
    rows["weight"] = np.ones(complete.sum(), np.float32)
    numbers = {"learning_rate": learning_rate, "c": alpha + 1}
    numbers |= {"lam_pre": lam_pre, "lam_rec": lam_rec}
    embeddings = {}
    for epoch in range(epochs):
        trainer.run_epoch(rows, numbers | {"late": float(epoch >= prediction_start)})
        last = epoch + 1 == epochs or trainer.stalled(patience, since=prediction_start)
        if last or epoch + 1 in snapshots:
            embeddings[epoch + 1] = embed(trainer.weights, Xs, presence)
        if last:
            break
    return trainer.result(embeddings)


def start_networks(seed, n_features, width, latent):
    """Encoders and decoders of the views, and predictors from each view to the other.

    `n_features` has one number per view.
    """
    rng = np.random.default_rng(seed)
    widths = {
        "encoders": [(d, width, width, width, latent) for d in n_features],
        "decoders": [(latent, width, width, width, d) for d in n_features],
        "predictors": [(latent, *PREDICTOR, latent)] * 2,
    }
    n_normed = {"encoders": 3, "decoders": 4, "predictors": 5}
    params, running = {}, {}
    for kind, of_views in widths.items():
        pairs = [start_network(rng, w, n_normed[kind]) for w in of_views]
        params[kind], running[kind] = map(list, zip(*pairs, strict=True))
    return Weights(params, running)


def batch_loss(params, running, batch, settings):
    """The loss of a batch, and a pair of the running statistics after it and a dict of its terms.

    The batch has x1, x2 and weight; the settings have c, lam_pre, lam_rec, and late: 1 once the
    predictors are trained.
    """
    w, X = batch["weight"], (batch["x1"], batch["x2"])
    after = {kind: list(running[kind]) for kind in running}

    def network(kind, v, x):
        x, after[kind][v] = run_network(params[kind][v], running[kind][v], x, w)
        return x

    Z = [jax.nn.softmax(network("encoders", v, X[v])) for v in (0, 1)]
    recovered = [network("decoders", v, Z[v]) for v in (0, 1)]
    predicted = [jax.nn.softmax(network("predictors", v, Z[v])) for v in (0, 1)]
    terms = batch_terms(X, Z, recovered, predicted, w, settings["c"])
    return total_loss(terms, settings), (after, terms)


def batch_terms(X, Z, recovered, predicted, weight, c):
    """A dict of L_cl, L_rec and L_pre; gradients flow into the targets of the predictions too.

    X, Z, recovered and predicted are pairs: arrays (n, n_features_v) in X and recovered, (n, h) in
    Z and predicted. The latter is of the second view from the first, and of the first from the
    second. The weight has shape (n,).
    """
    return {
        "contrast": mutual_information(Z[0], Z[1], c, weight),
        "reconstruction": squared_error(recovered[0], X[0], weight)
        + squared_error(recovered[1], X[1], weight),
        "prediction": squared_error(predicted[0], Z[1], weight)
        + squared_error(predicted[1], Z[0], weight),
    }


def total_loss(terms, settings):
    """L = L_cl + lam_rec L_rec + [late] lam_pre L_pre."""
    late = settings["late"] * settings["lam_pre"] * terms["prediction"]
    return terms["contrast"] + settings["lam_rec"] * terms["reconstruction"] + late


def embed(weights, Xs, presence):
    """Codes of both views side by side; that of a missing view is predicted from the other.

    The Xs have shape (n_samples, n_features_v), `presence` (n_samples, 2), the result
    (n_samples, 2 h).
    """
    own, of_other = zip(*(in_chunks(CODES[v], weights, Xs[v]) for v in (0, 1)), strict=True)
    codes = [np.where(presence[:, [v]], own[v], of_other[1 - v]) for v in (0, 1)]
    return np.concatenate(codes, axis=1).astype(np.float64)


def codes_of_view(v, weights, X):
    """The codes of a view, and those of the other view as predicted from them, each (n, h).

    X of shape (n, n_features_v) is view number v.
    """
    params, running = weights
    Z, _ = run_network(params["encoders"][v], running["encoders"][v], X)
    Z = jax.nn.softmax(Z)
    other, _ = run_network(params["predictors"][v], running["predictors"][v], Z)
    return Z, jax.nn.softmax(other)


CODES = [jax.jit(functools.partial(codes_of_view, v)) for v in (0, 1)]


class COMPLETER(TwoViewDeep):
    """COMPLETER: incomplete multi-view clustering via contrastive prediction, two views.

    Encoders of the two views are trained so that their codes, which are probabilities, share much
    information; two predictors give the code of a missing view from that of the other [1]_. Only
    samples with both views train the networks. k-means on the codes side by side gives the labels.

    Follows the released code (github.com/XLearning-SCU/2021-CVPR-Completer, commit ad37110); needs
    ``mvclust[deep]``. Its true labels choose nothing here.

    Parameters
    ----------
    n_clusters : int
    reading : {"released", "short", "narrow"}, default="released"
        "released": the parameters below as they are. "short": the learning rate times 5, epochs
        and ``prediction_start`` divided by 5. "narrow": hidden layers of 256 units. The latter two
        are not the method, but much faster.
    width : int, default=1024
        Units of the hidden layers of encoders and decoders.
    latent : int, default=128
        Units of the codes; the released code takes 64 for NoisyMNIST and LandUse-21.
    alpha : float, default=9.0
        The entropies of the codes have the weight alpha + 1 in the mutual information.
    lam_pre : float, default=0.1
        Weight of the predictions, lambda_1.
    lam_rec : float, default=0.1
        Weight of the reconstruction, lambda_2.
    epochs : int, default=500
    prediction_start : int, default=100
        Epochs before the predictors are trained. Before these, missing views are filled at random.
    batch_size : int, default=256
    learning_rate : float, default=1e-4
        Of Adam.
    patience : int or None, default=None
        Epochs without a lower loss that end the training; None: never, as released.
    scale : {"view_range", "feature_minmax", "view_standard", None}, default="view_range"
        Scaling by the observed rows: of a view to [0, 1], as released for Caltech101-20; of each
        feature; of a view to mean 0 and standard deviation 1; or none, as released for others.
        The decoders cannot give negative values.
    snapshots : tuple of int, default=()
        Numbers of epochs after which the embedding is kept in `embeddings_`.
    n_init : int, default=10
        Number of k-means starts for the labels.
    random_state : int, RandomState, Generator or None, default=None
        For the first weights, the order of the samples, and k-means.

    Attributes
    ----------
    labels_ : ndarray of int of shape (n_samples,)
    embedding_ : ndarray of shape (n_samples, 2 * latent)
        Codes of both views, after the last epoch.
    embeddings_ : dict
        Number of epochs -> embedding then; with those of the last epoch.
    cluster_centers_ : ndarray of shape (n_clusters, 2 * latent)
        Means of the clusters in `embedding_`.
    losses_ : dict
        "contrast", "reconstruction", "prediction" and their weighted sum "loss" -> ndarray of
        shape (n_iter_,), means over the steps of each epoch.
    objective_ : ndarray of shape (n_iter_,)
        ``losses_["loss"]``; it is stochastic, and rises when predictions join it.
    n_iter_ : int
        Epochs.
    n_steps_ : int
    n_skipped_ : int
        Batches of one row, which are left out.
    settings_ : dict
        Width, epochs, learning rate and switches after ``reading``.

    References
    ----------
    .. [1] Y. Lin, Y. Gou, Z. Liu, B. Li, J. Lv and X. Peng, "COMPLETER: Incomplete Multi-View
       Clustering via Contrastive Prediction", CVPR 2021, pages 11174-11183,
       doi:10.1109/CVPR46437.2021.01102.

    Examples
    --------
    >>> import numpy as np
    >>> from mvclust.deep import COMPLETER
    >>> model = COMPLETER(3, reading="short", random_state=0)  # 100 epochs in place of 500
    """

    _parameter_constraints = TwoViewDeep._parameter_constraints | {
        "alpha": NONNEGATIVE,
        "lam_pre": NONNEGATIVE,
        "lam_rec": NONNEGATIVE,
        "prediction_start": COUNT,
    }
    _switch = "prediction_start"

    def __init__(
        self,
        n_clusters,
        *,
        reading="released",
        width=1024,
        latent=128,
        alpha=9.0,
        lam_pre=0.1,
        lam_rec=0.1,
        epochs=500,
        prediction_start=100,
        batch_size=256,
        learning_rate=1e-4,
        patience=None,
        scale="view_range",
        snapshots=(),
        n_init=10,
        random_state=None,
    ):
        self.n_clusters = n_clusters
        self.reading = reading
        self.width = width
        self.latent = latent
        self.alpha = alpha
        self.lam_pre = lam_pre
        self.lam_rec = lam_rec
        self.epochs = epochs
        self.prediction_start = prediction_start
        self.batch_size = batch_size
        self.learning_rate = learning_rate
        self.patience = patience
        self.scale = scale
        self.snapshots = snapshots
        self.n_init = n_init
        self.random_state = random_state

    def _train(self, Xs, presence, settings, seeds):
        if settings["epochs"] <= settings["prediction_start"]:
            raise ValueError(
                f"COMPLETER: {settings['epochs']} epochs end before the predictors are trained, "
                f"which is after {settings['prediction_start']}: missing views would be filled "
                "at random. Raise epochs or lower prediction_start."
            )
        return completer(
            Xs,
            presence,
            **settings,
            latent=self.latent,
            alpha=self.alpha,
            lam_pre=self.lam_pre,
            lam_rec=self.lam_rec,
            batch_size=self.batch_size,
            patience=self.patience,
            seeds=seeds,
        )

    def _embed(self, weights, Xs, presence):
        return embed(weights, Xs, presence)
