"""The trainer that all methods share: batches, Adam, the curve of the losses; and evaluation."""

import functools
import operator
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax

ROUND = 64  # batches are padded to multiples of it: each new shape is compiled once more
AT_ONCE = 1024  # rows of a batch in evaluation
ADAM = optax.scale_by_adam()  # 0.9, 0.999 and 1e-8, as in PyTorch


class Weights(NamedTuple):
    """The networks of a method.

    `params` are names -> what Adam moves, `running` names -> running statistics of batch norm.
    """

    params: dict
    running: dict


class Trained(NamedTuple):
    """What the function with the training of a method returns.

    The weights are numpy arrays; `embeddings` are numbers of epochs -> embeddings of all samples,
    of shape (n_samples, n_components); `history` is names of losses -> their means over the steps
    of each epoch, where "loss" is their weighted sum; `n_skipped` counts the batches that were too
    small for a step.
    """

    weights: Weights
    embeddings: dict
    history: dict
    n_steps: int
    n_skipped: int


@functools.partial(
    jax.jit, static_argnames=("loss", "late"), donate_argnames=("weights", "moments")
)
def adam_step(loss, late, weights, moments, batch, settings):
    """One step of Adam.

    ``loss(params, running, batch, settings)`` gives the loss, and a pair of the running statistics
    and a dict of its terms. Parameters named in `late` move once ``settings["late"]`` is 1; their
    count of steps, which corrects the moments, starts then. `moments` are names -> moments of the
    parameters, `batch` has arrays with one row per sample, and `settings` numbers and arrays: with
    ``learning_rate``, and ``late`` from 0 to 1. Returns weights, moments and terms.
    """
    step = jax.value_and_grad(loss, has_aux=True)
    (value, (running, terms)), gradient = step(weights.params, weights.running, batch, settings)
    params, after = {}, {}
    for name, part in weights.params.items():
        change, new = ADAM.update(gradient[name], moments[name])
        if name in late:
            new = new._replace(count=moments[name].count + jnp.int32(settings["late"]))
        params[name] = jax.tree.map(lambda p, d: p - settings["learning_rate"] * d, part, change)
        after[name] = new
    return Weights(params, running), after, terms | {"loss": value}


class Trainer:
    """Trains networks epoch by epoch.

    `name` is the method, for messages. For `loss` and `late` see `adam_step`; the loss is a
    function of a module, so that it is compiled once. The weights are the start, and the seed is
    that of the order of the samples in each epoch.
    """

    def __init__(self, name, loss, weights, *, batch_size, seed, late=()):
        self.name, self.loss, self.late = name, loss, late
        self._weights = jax.tree.map(jnp.array, weights)
        self._moments = {key: ADAM.init(part) for key, part in self._weights.params.items()}
        self.batch_size, self.rng = batch_size, np.random.default_rng(seed)
        self.history, self.n_steps, self.n_skipped = {}, 0, 0

    @property
    def weights(self):
        """The networks as they are, as numpy arrays."""
        return jax.tree.map(np.array, self._weights)

    def run_epoch(self, rows, settings, can_train=None):
        """One pass over the samples in a new order.

        `rows` has arrays with one row per sample. For `settings` see `adam_step`; ``step``, the
        number of steps before, is added. `can_train` says whether a batch, a dict of its rows
        without padding, is fit for a step; without it one with at least two rows is.
        """
        steps = []
        order = self.rng.permutation(len(next(iter(rows.values()))))
        for first in range(0, len(order), self.batch_size):
            batch = {key: array[order[first:][: self.batch_size]] for key, array in rows.items()}
            if len(batch["weight"]) < 2 or not (can_train is None or can_train(batch)):
                self.n_skipped += 1
                continue
            batch = {key: pad(array) for key, array in batch.items()}
            of_step = settings | {"step": np.uint32(self.n_steps)}
            self._weights, self._moments, terms = adam_step(
                self.loss, self.late, self._weights, self._moments, batch, of_step
            )
            steps.append(terms)
            self.n_steps += 1
        self._note(jax.device_get(steps))

    def _note(self, steps):
        epoch = 1 + len(self.history.get("loss", []))
        if not steps:
            raise ValueError(f"{self.name}: no batch of epoch {epoch} is fit for a step.")
        for key in steps[0]:
            value = float(np.mean([terms[key] for terms in steps]))
            if not np.isfinite(value):
                raise FloatingPointError(
                    f"{self.name}: the loss '{key}' is {value} in epoch {epoch}; lower the "
                    "learning rate or scale the views."
                )
            self.history.setdefault(key, []).append(value)

    def stalled(self, patience, since=0):
        """Whether the loss has not reached a new minimum for `patience` epochs; None: never.

        The first `since` epochs do not count: before the loss changed its form.
        """
        losses = self.history["loss"][since:]
        return patience is not None and len(losses) - np.argmin([np.inf, *losses]) >= patience

    def result(self, embeddings):
        """What the method returns, `Trained`; the embeddings are numbers of epochs -> embedding."""
        history = {key: np.array(values) for key, values in self.history.items()}
        return Trained(self.weights, embeddings, history, self.n_steps, self.n_skipped)


def pad(array):
    """Rows of zeros are added up to a multiple of `ROUND`."""
    return np.concatenate([array, np.zeros((-len(array) % ROUND, *array.shape[1:]), array.dtype)])


def in_chunks(function, weights, X):
    """Apply a compiled function to the rows of X (n, d), in few shapes.

    ``function(weights, X)`` gives an array, or a tuple of arrays, with one row per row of X; so
    does this.
    """
    parts = []
    for first in range(0, len(X), AT_ONCE):
        chunk = X[first : first + AT_ONCE]
        found = jax.device_get(function(weights, pad(chunk)))
        parts.append(jax.tree.map(operator.itemgetter(slice(len(chunk))), found))
    return jax.tree.map(_joined, *parts)


def _joined(*arrays):
    return np.concatenate(arrays)


def observed_rows(Xs, presence):
    """Views in single precision, (n_samples, n_features_v) each; missing rows become zero."""
    views = zip(Xs, presence.T, strict=True)
    return [np.where(there[:, None], X, 0).astype(np.float32) for X, there in views]
