"""Losses that several methods share; rows with weight 0 do not count."""

import jax
import jax.numpy as jnp

FLOOR = 2.22e-16  # of probabilities before a logarithm, as released


def floored_log(p):
    """ln of p, and of the floor below it; the gradient there is 0."""
    return jnp.log(jnp.where(p > FLOOR, p, FLOOR))


def weighted_mean(values, weight):
    """Mean over the rows that count; 0 if there are none."""
    return weight @ values / jnp.maximum(weight.sum(), 1)


def squared_error(A, B, weight):
    """Mean over all entries of the rows that count of (A - B)^2."""
    return weighted_mean(((A - B) ** 2).mean(axis=1), weight)


def mutual_information(Z1, Z2, c, weight):
    """MI_c = H(P) - 2c H(p), the mutual information with weighted entropies, negated.

    Rows of Z1 and Z2, both of shape (n, h), are probabilities; c is the weight of the entropies of
    the marginals, and 1 gives minus the mutual information; the weight of the rows has shape (n,).
    The result is at least -(2c - 1) ln h.
    """
    P = (Z1 * weight[:, None]).T @ Z2
    P = (P + P.T) / 2
    total = P.sum()
    P = P / jnp.where(total > 0, total, 1)
    log_p = floored_log(P.sum(axis=1))
    P = jnp.where(P > FLOOR, P, FLOOR)
    return -(P * (jnp.log(P) - c * log_p[:, None] - c * log_p)).sum()


def unit_contrast(U, temperature, weight, cap=jnp.inf):
    """Cross entropy of each unit row with its partner among all rows of a batch.

    U of shape (2n, d) has unit rows; row i + n is the partner of row i. The weight (n,) is that of
    the pairs. A cosine c of partners counts as cap - |c - cap|: above it, it is pushed back.
    Returns the mean over the rows that count; 0 for a single pair.
    """
    n = len(U) // 2
    weight = jnp.concatenate([weight, weight])
    cosines = U @ U.T
    partners = jnp.roll(jnp.arange(2 * n), n)
    of_partner = cosines[jnp.arange(2 * n), partners]
    positive = jnp.minimum(of_partner, 2 * cap - of_partner) / temperature
    others = ~(jnp.eye(2 * n, dtype=bool) | jnp.eye(2 * n, dtype=bool)[partners])
    others &= weight > 0
    negatives = jnp.where(others, cosines / temperature, -1e9)
    logits = jnp.concatenate([positive[:, None], negatives], axis=1)
    return weighted_mean(jax.nn.logsumexp(logits, axis=1) - positive, weight)
