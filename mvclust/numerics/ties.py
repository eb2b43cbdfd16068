"""Which numbers are equal: scores that differ by the order of a sum alone are ties."""

import numpy as np

# Scores, from 0 to 1 or in percent, that differ by less are equal: what differs is the order in
# which they were summed. Scores of n samples come in steps of about 1 / n.
SCORE_TOLERANCE = 1e-9


def settled(scores):
    """Scores in which those that are equal but for rounding errors are equal.

    For ranks, wins, tests and choices: ties are ties, in whichever order means were taken.
    Neighbours in order that differ by `SCORE_TOLERANCE` at most are the smallest of them. NaN and
    infinities stay as they are.

    >>> means = np.mean([0.1, 0.2, 0.3]), np.mean([0.3, 0.2, 0.1])
    >>> bool(means[0] == means[1]), len(set(settled(means).tolist()))
    (False, 1)
    """
    scores = np.array(scores, dtype=np.float64, order="C")  # of which ravel gives no copy
    order = np.argsort(scores, axis=None, kind="stable")
    ordered = scores.ravel()[order]
    with np.errstate(invalid="ignore"):
        starts = ~(np.diff(ordered, prepend=-np.inf) <= SCORE_TOLERANCE)
    starts[:1] = True
    starts |= ~np.isfinite(ordered)
    firsts = np.flatnonzero(starts)[np.cumsum(starts) - 1]
    scores.ravel()[order] = ordered[firsts]
    return scores


def best_of(scores):
    """The place of the highest score; the first of those that are equal but for rounding errors.

    Scores that are NaN are never the best; None if all are.

    >>> best_of([0.5, 0.6000000000000001, 0.6, float("nan")])
    1
    """
    scores = settled(scores)
    return None if np.isnan(scores).all() else int(np.nanargmax(scores))
