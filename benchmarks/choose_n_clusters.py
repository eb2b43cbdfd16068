"""What a choice of the number of clusters misses: python benchmarks/choose_n_clusters.py [--write]

k-means, kNN-filled, on up to 300 samples of each data set of the overview, with 0 and 30 % of the
instances missing (one mask). --write puts the table into docs/choosing.md. Takes about two minutes.
"""

import sys
import warnings

import numpy as np

from docs.make_choosing import EXPERIMENT, known, read_yaml
from docs.pages import fill, table
from mvclust import ConcatKMeans, load_dataset, select_n_clusters, tune
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import adjusted_rand_index
from mvclust.numerics.products import dense

SAMPLES, SHARES, CANDIDATES = 300, (0, 0.3), range(2, 13)
SCALE = {"counts": "sample_unit", "measurements": "view_balanced"}  # as in config/methods.yaml
PERCENT = 100
HEAD = ["data set", "missing", "classes", "by stability", "by criterion"]
HEAD += ["ARI for the classes' number", "ARI by stability", "ARI by criterion"]


def problem(use, share):
    """Views and classes: a random part of a data set, with one mask."""
    data = load_dataset(use["dataset"], views=use.get("views"), progress=False)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(data.n_samples)[:SAMPLES])
    Xs = [dense(X)[rows] for X in data.Xs]
    if share:
        Xs = apply_mask(Xs, random_mask(len(rows), len(Xs), share, seed=0))
    return Xs, data.y[rows]


def measure(use, kind, share):
    """Classes, the two numbers that are chosen, and the three adjusted Rand indices in percent."""
    Xs, y = problem(use, share)
    model = ConcatKMeans(2, scale=SCALE[kind], impute="knn", random_state=0)
    n_classes = len(np.unique(y))
    numbers = [
        n_classes,
        select_n_clusters(model, Xs, CANDIDATES, random_state=0).n_clusters,
        tune(model, {"n_clusters": list(CANDIDATES)}, Xs).params["n_clusters"],
    ]
    found = [model.set_params(n_clusters=k).fit(Xs).labels_ for k in numbers]
    return numbers, [PERCENT * adjusted_rand_index(y, labels) for labels in found]


def main(arguments):
    warnings.simplefilter("ignore")
    kinds = {data["name"]: data["kind"] for data in known()["data"]}
    rows, indices, distances = [], [], []
    for use in read_yaml("experiments", "beyond.yaml")[EXPERIMENT]["data"]:
        for share in SHARES:
            numbers, scores = measure(use, kinds[use["label"]], share)
            rows.append([use["label"], f"{share:.0%}", *numbers, *(f"{s:.1f}" for s in scores)])
            indices.append(scores)
            distances.append(np.abs(np.array(numbers) - numbers[0]))
            print(*rows[-1], flush=True)
    off = [f"{value:.1f} off" for value in np.mean(distances, axis=0)[1:]]
    rows.append(["mean", "", "", *off, *(f"{value:.1f}" for value in np.mean(indices, axis=0))])
    if "--write" in arguments:
        fill("choosing.md", "clusters", table(HEAD, rows))


if __name__ == "__main__":
    main(sys.argv[1:])
