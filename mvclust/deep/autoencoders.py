"""Autoencoders of the views without batch norm, and their training."""

import jax
import numpy as np

from mvclust.deep.layers import linear, start_network
from mvclust.deep.losses import squared_error
from mvclust.deep.training import Trainer

WIDER = 4  # the third hidden layer has so many times the units of the others


def start_autoencoders(rng, n_features, width, latent):
    """Encoders and decoders of the views, in a dict with a list of networks for each.

    `n_features` has one number per view. `width` is that of the first two hidden layers; the third
    is four times as wide.
    """
    hidden = (width, width, WIDER * width)
    return {
        "encoders": [start_network(rng, (d, *hidden, latent), 0)[0] for d in n_features],
        "decoders": [start_network(rng, (latent, *hidden[::-1], d), 0)[0] for d in n_features],
    }


def run_plain(network, x):
    """Apply a network with ReLU between its layers; the last has none: (n, n_in) to (n, n_out)."""
    for layer in network[:-1]:
        x = jax.nn.relu(linear(layer, x))
    return linear(network[-1], x)


def views_of(batch):
    """The views of a batch in their order.

    >>> views_of({"x1": 1.0, "x2": 2.0, "weight": 3.0})
    [1.0, 2.0]
    """
    n_views = sum(name.startswith("x") for name in batch)
    return [batch[f"x{v + 1}"] for v in range(n_views)]


def reconstruction(params, Z, X, weights):
    """Sum over the views of the mean squared error of what the decoders give.

    Z, X and weights are lists, with arrays (n, latent), (n, n_features_v) and (n,): the weights of
    the rows of each view.
    """
    views = zip(params["decoders"], Z, X, weights, strict=True)
    return sum(squared_error(run_plain(decoder, z), x, w) for decoder, z, x, w in views)


def autoencoder_loss(params, running, batch, settings):
    """The reconstruction alone, of rows that need not belong together; see `Trainer`."""
    X = views_of(batch)
    Z = [run_plain(encoder, x) for encoder, x in zip(params["encoders"], X, strict=True)]
    error = reconstruction(params, Z, X, [batch["weight"]] * len(X))
    return error, (running, {"reconstruction": error})


def pretrainer(name, Xs, seen, weights, *, batch_size, seed):
    """Training of the autoencoders, each on all rows of its view.

    Views with fewer rows are filled up to the longest with rows of theirs drawn again, as in the
    released code: rows of a batch do not belong to the same samples.

    `name` is the method, for messages. The Xs have shape (n_samples, n_features_v), and `seen`,
    bool of shape (n_samples, n_views), are the rows that train. Returns a `Trainer`, and the dict
    of rows that its epochs pass over.
    """
    rng = np.random.default_rng([seed, 1])
    longest, rows = seen.sum(axis=0).max(), {}
    for v, X in enumerate(Xs):
        own = np.flatnonzero(seen[:, v])
        again = rng.choice(own, longest - len(own))
        rows[f"x{v + 1}"] = X[np.concatenate([own, again])]
    rows["weight"] = np.ones(longest, np.float32)
    trainer = Trainer(name, autoencoder_loss, weights, batch_size=batch_size, seed=seed)
    return trainer, rows
