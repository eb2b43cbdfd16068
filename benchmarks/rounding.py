"""Where rounding decides: python benchmarks/rounding.py [--write] [METHOD ...]

docs/rounding.md says how. --write stores the measurements in benchmarks/rounding.csv;
`python docs/make_methods.py` puts them into the pages. About two CPU minutes.
"""

import os
import sys
import warnings
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from threadpoolctl import threadpool_limits

from benchmarks.harness import apart
from benchmarks.problems import MISSING, problem_of
from docs.pages import estimators, words
from mvclust import fill_missing
from mvclust.datasets import load_dataset
from mvclust.estimators.base import tags_of
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy, adjusted_rand_index

MEASURED = Path(__file__).with_name("rounding.csv")
KERNELS = "Haswell", "SkylakeX"
PER_CLASS, DRAWS, PERTURBATION = 40, 10, 1e-13


def problem(estimator):
    """Views, further arguments of fit, and the classes of all rows that get labels."""
    data = load_dataset("handwritten", views=["pix", "fou"], progress=False)
    rows = np.concatenate([np.flatnonzero(data.y == c)[:PER_CLASS] for c in np.unique(data.y)])
    Xs, y = [np.asarray(X, dtype=float)[rows] for X in data.Xs], data.y[rows]
    if not (tags_of(estimator).unmapped or tags_of(estimator).incomplete):
        return fill_missing(apply_mask(Xs, random_mask(len(y), 2, MISSING, seed=0)), "mean"), {}, y
    return problem_of(estimator, Xs, y)


def labels_of(estimator, draws):
    """The classes, and labels by draw: 0 of the views, others with relative errors of 1e-13."""
    warnings.simplefilter("ignore")
    Xs, more, y = problem(estimator)
    labels = []
    with threadpool_limits(1):
        for draw in draws:
            rng, size = np.random.default_rng(draw), PERTURBATION if draw else 0.0
            copies = [X * (1 + size * rng.standard_normal(X.shape)) for X in Xs]
            found = estimator(10, random_state=0).fit_predict(copies, **more)
            labels.append(np.concatenate(found) if isinstance(found, list) else found)
    return y, labels


def labels_by_kernel(estimator):
    """The labels of the views themselves, with each kernel in a process that names it."""
    for kernel in KERNELS:
        with patch.dict(os.environ, OPENBLAS_CORETYPE=kernel):
            yield apart(labels_of, estimator, [0])[1][0]


def row_of(name, estimator):
    """The row of a method: its accuracy, in percent, and how far the draws lie apart."""
    y, labels = labels_of(estimator, range(DRAWS + 1))
    own, *drawn = (100 * accuracy(y, each) for each in labels)
    return {
        "method": name, "accuracy": own, "lowest": min(drawn), "highest": max(drawn),
        "deviation": np.std(drawn, ddof=1),
        "other_labels": sum(not same_partition(labels[0], each) for each in labels[1:]),
    }  # fmt: skip


def same_partition(first, second):
    """Whether two labellings differ in the numbers of the clusters alone."""
    return adjusted_rand_index(first, second) == 1.0


def main(arguments):
    known, rows = estimators(), []
    for name in words(arguments) or known:
        same = same_partition(*labels_by_kernel(known[name]))
        rows.append(row_of(name, known[name]) | {"same_by_kernel": same})
        print(*rows[-1].values(), sep="\t", flush=True)
    if "--write" in arguments:
        pd.DataFrame(rows).round(4).to_csv(MEASURED, index=False, lineterminator="\n")


if __name__ == "__main__":
    main(sys.argv[1:])
