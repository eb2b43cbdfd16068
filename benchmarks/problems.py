"""What several benchmarks measure on: views with missing instances, or in unknown order."""

import numpy as np

from mvclust.estimators.base import tags_of
from mvclust.masking import apply_mask, random_mask
from mvclust.unmapping import random_constraints, random_intra_constraints, unmap

MISSING, LINKED = 0.3, 0.01  # share of instances, and of pairs


def problem_of(estimator, Xs, y):
    """Views as a method takes them, further arguments of fit, and the classes of all rows.

    30 % of the instances of either view are missing if the method takes that. Methods for unmapped
    views get the rows in unknown order, and 1 % of the pairs as constraints.
    """
    tags = tags_of(estimator)
    if not tags.unmapped:
        mask = random_mask(len(y), len(Xs), MISSING, seed=0)
        return apply_mask(Xs, mask) if tags.incomplete else Xs, {}, y
    parts = unmap(Xs, y, seed=0)
    draw = random_intra_constraints if tags.constraints == "within" else random_constraints
    must, cannot = draw(parts.ys, LINKED, seed=0)
    return parts.Xs, {"must_links": must, "cannot_links": cannot}, np.concatenate(parts.ys)
