"""Layers of the networks: starts drawn in numpy, and pure functions that apply them.

A network is a list of layers, each a dict: ``W`` and ``b``, and ``scale`` and ``shift`` where batch
norm and ReLU follow. Beside it is the list of their running statistics, with ``mean`` and ``var``.
All statistics of a batch are weighted: rows with weight 0 are padding, or not in a subset.
"""

import itertools

import jax
import jax.numpy as jnp
import numpy as np

NORM_EPS = 1e-5  # of batch and layer norm
MOMENTUM = 0.1  # of the running statistics


def start_linear(rng, n_in, n_out):
    """Weights and bias, uniform in +-1/sqrt(n_in).

    A dict with W of shape (n_in, n_out) and b of shape (n_out,), single precision.
    """
    bound = 1 / np.sqrt(n_in)
    W = rng.uniform(-bound, bound, (n_in, n_out)).astype(np.float32)
    return {"W": W, "b": rng.uniform(-bound, bound, n_out).astype(np.float32)}


def start_network(rng, widths, n_normed):
    """Layers between the given widths; batch norm and ReLU follow the first `n_normed` of them.

    The widths are that of the input, and that of the output of each layer. Returns the network, a
    list with a dict per layer, and the list of its running statistics: mean 0 and variance 1.
    """
    network, running = [], []
    for i, (n_in, n_out) in enumerate(itertools.pairwise(widths)):
        layer, statistics = start_linear(rng, n_in, n_out), {}
        if i < n_normed:
            ones, zeros = np.ones(n_out, np.float32), np.zeros(n_out, np.float32)
            layer |= {"scale": ones, "shift": zeros}
            statistics = {"mean": zeros, "var": ones}
        network.append(layer)
        running.append(statistics)
    return network, running


def linear(layer, x):
    """x W + b."""
    return x @ layer["W"] + layer["b"]


def run_network(network, running, x, weight=None, masks=()):
    """Apply a network, in training where weights of the rows are given.

    x has shape (n, n_in). weight (n,) is 1 for rows that count, 0 for others; without it the
    running statistics normalise. The masks, each of shape (n, n_out), are factors of the outputs of
    the first layers: dropout. Returns the outputs (n, n_out), and the running statistics, updated
    in training.
    """
    after = []
    for i, (layer, statistics) in enumerate(zip(network, running, strict=True)):
        x = linear(layer, x)
        if "scale" in layer:
            x, statistics = batch_norm(layer, statistics, x, weight)
            x = jax.nn.relu(x)
        if i < len(masks):
            x = x * masks[i]
        after.append(statistics)
    return x, after


def batch_norm(layer, running, x, weight=None):
    """Normalise each feature, by the batch in training and by running statistics otherwise.

    The layer has scale and shift, the running statistics mean and var, the latter unbiased. x has
    shape (n, d); for weight (n,) see `run_network`. Fewer than two rows leave the running
    statistics as they are. Returns x and the running statistics.
    """
    mean, var = running["mean"], running["var"]
    if weight is not None:
        count = weight.sum()
        mean = weight @ x / jnp.maximum(count, 1)
        var = weight @ (x - mean) ** 2 / jnp.maximum(count, 1)
        unbiased = var * count / jnp.maximum(count - 1, 1)
        new = {"mean": mean, "var": unbiased}
        moved = {key: (1 - MOMENTUM) * running[key] + MOMENTUM * new[key] for key in new}
        running = {key: jnp.where(count >= 2, moved[key], running[key]) for key in new}
    x = (x - mean) / jnp.sqrt(var + NORM_EPS)
    return layer["scale"] * x + layer["shift"], running


def layer_norm(layer, x):
    """Normalise each row of x (n, d), then scale and shift its features, by those of the layer."""
    x = x - x.mean(axis=1, keepdims=True)
    x = x / jnp.sqrt((x**2).mean(axis=1, keepdims=True) + NORM_EPS)
    return layer["scale"] * x + layer["shift"]


def unit_rows(x):
    """Rows divided by their length, or by 1e-12 where they are shorter.

    The square root is taken of the floored square: the gradient of a length at 0 would be NaN.
    """
    squares = (x**2).sum(axis=1, keepdims=True)
    return x / jnp.sqrt(jnp.where(squares > 1e-24, squares, 1e-24))


def dropout_masks(key, widths, n, rate):
    """Factors that drop entries and enlarge the others.

    `key` is of `jax.random`, `rate` the share of entries that are dropped. Returns one mask
    (n, width) per width.
    """
    keys = jax.random.split(key, len(widths))
    kept = [jax.random.bernoulli(k, 1 - rate, (n, w)) for k, w in zip(keys, widths, strict=True)]
    return [mask / (1 - rate) for mask in kept]
