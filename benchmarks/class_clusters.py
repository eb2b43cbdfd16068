"""How well the classes of the data sets form clusters: python benchmarks/class_clusters.py

The value of a data set of `modern_overview` is that of its best view, scaled as for the short
references; the same for shuffled classes is what chance gives. Writes
benchmarks/class_clusters.csv, which docs/make_audit.py reads. About two CPU minutes.
"""

from pathlib import Path

import numpy as np
import pandas as pd

from docs.pages import read_config
from mvclust.bench.arithmetic import start_again
from mvclust.datasets import load_dataset
from mvclust.numerics.products import dense
from mvclust.numerics.scaling import scale_views
from mvclust.structure import classes_as_clusters

MEASURED = Path(__file__).with_name("class_clusters.csv")
MOST = 2000  # samples, drawn at random


def values_of(declared):
    """The index of the best view of a data set, as an experiment declares it, and by chance."""
    name, views = declared["dataset"], declared.get("views")
    data = load_dataset(name, views=views, progress=False)
    scales = read_config("methods.yaml")["ConcatSpectral-knn"]["by_kind"]["scale"]
    rows = np.random.default_rng(0).permutation(data.n_samples)[:MOST]
    kinds = {view["name"]: view["kind"] for view in read_config("datasets.yaml")[name]["views"]}
    scores = []
    for X, view, present in zip(data.Xs, data.view_names, data.presence.T, strict=True):
        own = rows[present[rows]]
        (Z,) = scale_views([dense(X[own])], np.ones((len(own), 1), bool), scales[kinds[view]])
        shuffled = np.random.default_rng(1).permutation(data.y[own])
        scores.append([classes_as_clusters(Z, y) for y in (data.y[own], shuffled)])
    return max(scores, key=lambda pair: pair[0] - pair[1])


def main():
    declared = read_config("experiments/modern.yaml")["modern_overview"]["data"]
    rows = [[each["label"], *values_of(each)] for each in declared]
    table = pd.DataFrame(rows, columns=["dataset", "classes_as_clusters", "shuffled"])
    table.to_csv(MEASURED, index=False, float_format="%.4f", lineterminator="\n")


if __name__ == "__main__":
    start_again()
    main()
