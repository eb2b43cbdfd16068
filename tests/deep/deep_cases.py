"""Small networks that several tests share: equal shapes are compiled once per session."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the extra deep is not installed: no jax")

from mvclust.deep import APADC, COMPLETER, CPSPAN, DSIMVC, ProImp  # noqa: E402
from mvclust.masking import apply_mask, random_mask  # noqa: E402
from mvclust.testing import make_blobs  # noqa: E402

SMALL = {"width": 16, "latent": 8, "epochs": 40, "learning_rate": 0.01, "batch_size": 64}


def small(method, **own):
    """A class with small networks, whose parameters are those that every estimator has."""

    def __init__(self, n_clusters, *, random_state=None):
        method.__init__(self, n_clusters, **SMALL | own, random_state=random_state)

    name = f"Small{method.__name__}"
    return type(name, (method,), {"__init__": __init__, "__module__": __name__})


SmallCOMPLETER = small(COMPLETER, prediction_start=10, lam_pre=10.0, lam_rec=1.0)
SmallProImp = small(ProImp, warm_up=10, n_prototypes=3)
SmallAPADC = small(APADC, lam_rec=1.0)
SmallCPSPAN = small(CPSPAN, alignment_start=10, learning_rate=0.05)
SmallDSIMVC = small(
    DSIMVC, width=64, latent=16, learning_rate=0.003, epochs=100, pretraining=30,
    reconstructing=10, contrasting=10,
)  # fmt: skip
ESTIMATORS = [SmallCOMPLETER, SmallProImp, SmallAPADC, SmallCPSPAN, SmallDSIMVC]


def incomplete(rate=0.3, n_per_cluster=15, seed=0):
    """Two views of blobs with missing instances: views with NaN, their presence, and the labels."""
    Xs, y = make_blobs(n_per_cluster, seed)
    presence = random_mask(len(y), 2, rate, seed)
    return apply_mask(Xs[:2], presence), presence, y


def central_difference(function, arrays, direction, step=1e-6):
    """Derivative of a function of a tree of arrays along a direction, by two values."""
    ends = [
        function(jax.tree.map(lambda a, d, s=sign: a + s * step * d, arrays, direction))
        for sign in (1, -1)
    ]
    return float(ends[0] - ends[1]) / (2 * step)


def random_like(tree, rng):
    """A tree of random arrays with the shapes of another, in double precision."""
    return jax.tree.map(lambda a: rng.standard_normal(np.shape(a)), tree)


def as_double(tree):
    """The same tree in double precision."""
    return jax.tree.map(lambda a: np.asarray(a, np.float64), tree)


def along(gradient, direction):
    """Derivative along a direction, by the gradient."""
    parts = jax.tree.map(lambda g, d: float((g * d).sum()), gradient, direction)
    return sum(jax.tree.leaves(parts))


def relu_network(network, x):
    """A network applied naively, with the statistics of the batch."""
    for layer in network:
        x = x @ layer["W"] + layer["b"]
        if "scale" in layer:
            x = (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + 1e-5)
            x = np.maximum(layer["scale"] * x + layer["shift"], 0)
    return x


def plain(network, x):
    """A network without batch norm, applied naively."""
    for layer in network[:-1]:
        x = np.maximum(x @ layer["W"] + layer["b"], 0)
    return x @ network[-1]["W"] + network[-1]["b"]


def softmax(x):
    """Rows of probabilities."""
    x = np.exp(x - x.max(axis=1, keepdims=True))
    return x / x.sum(axis=1, keepdims=True)


def unit(x):
    """Rows of unit length."""
    return x / np.linalg.norm(x, axis=1, keepdims=True)
