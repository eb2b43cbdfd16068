"""What choices of the number of clusters miss: python benchmarks/choose_n_clusters.py [--write]

Stability and silhouette are of k-means on kNN-filled views; the gap statistic and the consensus are
of k-means in the leading components of the same views. --write puts the table into
docs/choosing.md. Takes about ten minutes.
"""

import sys
import warnings
from itertools import chain

import numpy as np

from docs.pages import read_config, table, tell
from mvclust import ConcatKMeans, load_dataset, select_n_clusters, tune
from mvclust.bench.arithmetic import start_again
from mvclust.masking import apply_mask, random_mask
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.kmeans import kmeans
from mvclust.numerics.low_rank import leading_components
from mvclust.numerics.products import dense
from mvclust.numerics.scaling import balanced

SAMPLES, SHARES, CANDIDATES = 600, (0, 0.3), range(2, 13)
N_COMPONENTS, N_REFERENCES, N_DRAWS, N_PARTS = 15, 5, 10, 4
MIDDLE = 7  # of the candidates: what a constant choice would be
HEAD = ["data set", "missing", "classes", "eigengap", "stability", "silhouette", "gap", "consensus"]


def problem(name, share):
    """Views and classes: a random part of a data set, with one mask."""
    data = load_dataset(name, progress=False)
    rng = np.random.default_rng(0)
    rows = np.sort(rng.permutation(data.n_samples)[:SAMPLES])
    Xs = [dense(X)[rows] for X in data.Xs]
    if share:
        Xs = apply_mask(Xs, random_mask(len(rows), len(Xs), share, seed=0))
    return Xs, data.y[rows]


def components(Xs):
    """Leading components of the standardised, kNN-filled views side by side."""
    presence = np.column_stack([~np.isnan(X[:, 0]) for X in Xs])
    views = [balanced(np.nan_to_num(X), present) for X, present in zip(Xs, presence.T, strict=True)]
    X = np.hstack(fill_missing(views, presence, "knn"))
    return leading_components(X - X.mean(axis=0), N_COMPONENTS)[0]


def scatter(X, k):
    """Logarithm of the sum of squares within the clusters of k-means."""
    labels, centers = kmeans(X, k, n_init=5, seed=0)
    return np.log(((X - centers[labels]) ** 2).sum())


def by_gap(X):
    """The gap statistic (Tibshirani, Walther and Hastie 2001), references uniform in the box."""
    rng = np.random.default_rng(0)
    drawn = [rng.uniform(X.min(axis=0), X.max(axis=0), X.shape) for _ in range(N_REFERENCES)]
    values = np.array([[scatter(Y, k) for k in CANDIDATES] for Y in drawn])
    gaps = values.mean(axis=0) - [scatter(X, k) for k in CANDIDATES]
    errors = values.std(axis=0) * np.sqrt(1 + 1 / N_REFERENCES)
    enough = gaps[:-1] >= gaps[1:] - errors[1:]
    return CANDIDATES[int(enough.argmax())] if enough.any() else CANDIDATES[-1]


def by_consensus(X):
    """The least share of pairs that subsamples put together in 10 to 90 % (Senbabaoglu 2014)."""
    n, shares = len(X), []
    for k in CANDIDATES:
        rng, both, together = np.random.default_rng(0), np.zeros((n, n)), np.zeros((n, n))
        for draw in range(N_DRAWS):
            rows = rng.choice(n, int(0.8 * n), replace=False)
            labels, _ = kmeans(X[rows], k, n_init=3, seed=draw)
            both[np.ix_(rows, rows)] += 1
            together[np.ix_(rows, rows)] += labels[:, None] == labels
        agreed = (together / np.maximum(both, 1))[np.triu_indices(n, 1)]
        shares.append(np.mean((agreed > 0.1) & (agreed < 0.9)))
    return CANDIDATES[int(np.argmin(shares))]


def measure(name, scale, share):
    """The number of classes, and the numbers that are chosen."""
    Xs, y = problem(name, share)
    model = ConcatKMeans(2, scale=scale, impute="knn", random_state=0)
    X = components(Xs)
    stability = {"criterion": "stability", "n_draws": N_PARTS, "random_state": 0}
    return [
        len(np.unique(y)),
        select_n_clusters(model, Xs, CANDIDATES).n_clusters,
        select_n_clusters(model, Xs, CANDIDATES, **stability).n_clusters,
        tune(model, {"n_clusters": list(CANDIDATES)}, Xs).params["n_clusters"],
        by_gap(X),
        by_consensus(X),
    ]


def labelled(datasets):
    """Names of the data sets that are there and complete, with labels and up to 12 classes."""
    few = [name for name in datasets if len(datasets[name]["classes"]) <= CANDIDATES[-1]]
    for name in few:
        try:
            data = load_dataset(name, progress=False)
        except Exception as error:  # not in the mirror: the table says which there are
            print(f"{name}: left out ({error})", file=sys.stderr)
        else:
            if data.presence.all() and (data.y >= 0).all():
                yield name


def misses(title, numbers):
    """A row with the mean distance of each choice to the number of classes."""
    classes, *chosen = np.array(list(numbers)).T
    constant, *off = (f"{np.abs(each - classes).mean():.1f}" for each in (MIDDLE, *chosen))
    return [f"{title}: mean distance (always {MIDDLE}: {constant})", "", "", *off]


def main():
    warnings.simplefilter("ignore")
    scales = read_config("methods.yaml")["ConcatKMeans-knn"]["by_kind"]["scale"]
    datasets = read_config("datasets.yaml")
    rows, all_numbers = [], {share: [] for share in SHARES}
    for name in labelled(datasets):
        scale = [scales[view["kind"]] for view in datasets[name]["views"]]
        for share in SHARES:
            all_numbers[share].append(measure(name, scale, share))
            rows.append([datasets[name]["title"], f"{share:.0%}", *all_numbers[share][-1]])
            print(*rows[-1], sep="; ", flush=True)
    for share in SHARES:
        rows.append(misses(f"{share:.0%} missing", all_numbers[share]))
    rows.append(misses("all", chain(*all_numbers.values())))
    tell("choosing.md", "clusters", table(HEAD, rows))


if __name__ == "__main__":
    start_again()
    main()
