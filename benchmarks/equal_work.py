"""Ours and other packages' at equal work: python benchmarks/equal_work.py [METHOD ...] [--write]

docs/profile.md says how; --write puts the table there. The packages are those of
config/peers/methods.yaml.
"""

import sys

from problems import MISSING
from versions import SEEDED, by_turns, floor_of

from docs.pages import ROOT, estimators, number, table, tell, words
from mvclust.datasets import load_dataset
from mvclust.masking import apply_mask, random_mask
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.scaling import unit_samples

HEAD = ["method", "other package", "work", "ours, CPU s", "theirs", "ratio", "accuracy, ours"]
HEAD += ["theirs", "floor"]
COMPLETE = "complete views"
# Method, views, peer, what both do, parameters of ours and of the peer.
PAIRS = [
    ("DAIMC", "unit length", "imml.cluster.DAIMC", "at most 30 rounds of at most 30 steps, 1e-4",
     {"n_init": 1, "max_iter": 30}, {"alpha": 10, "beta": 1}),
    ("PIMVC", "", "imml.cluster.PIMVC", "at most 100 rounds, 1e-5", {"n_init": 1}, {}),
    ("EEIMVC", "", "imml.cluster.EEIMVC", "linear kernels, at most 100 rounds, 1e-4",
     {"n_init": 1, "kernel": "linear"}, {}),
    ("OPIMC", "", "imml.cluster.OPIMC", "one pass over blocks of 250, at most 30 rounds, 1e-6",
     {"n_passes": 1, "init": "random"}, {"alpha": 0.01}),
    ("NEMO", "", "imml.cluster.NEMO", "no iteration", {}, {}),
    ("CoRegSpectral", COMPLETE, "mvlearn.cluster.MultiviewCoRegSpectralClustering", "10 rounds",
     {"max_iter": 10, "tol": 0}, {"v_lambda": 0.01}),
    ("CoRegSpectral", COMPLETE, "polyview.cluster.MultiViewCoRegSpectralClustering", "10 rounds",
     {"max_iter": 10, "tol": 0}, {"max_iter": 10, "tol": 0, "v_lambda": 0.01}),
    ("CoTrainSpectral", COMPLETE, "mvlearn.cluster.MultiviewSpectralClustering", "10 rounds",
     {"n_rounds": 10}, {"max_iter": 10}),
    ("CoTrainSpectral", COMPLETE, "polyview.cluster.MultiViewCoTrainSpectralClustering",
     "10 rounds", {"n_rounds": 10}, {"max_iter": 10}),
    ("RMKMC", COMPLETE, "polyview.cluster.MultiViewKMeans",
     "10 starts of at most 50 rounds, 1e-6", {"max_iter": 50}, {"gamma": 5}),
]  # fmt: skip


def views_of(how):
    """Views, whether their samples have unit length or all are complete, and the classes."""
    data = load_dataset("handwritten", views=["pix", "fou"], progress=False)
    presence = random_mask(data.n_samples, 2, MISSING, seed=0)
    Xs = apply_mask(data.Xs, presence)
    if how == "unit length":  # ours scales so by itself, as the released code
        Xs = [unit_samples(X) for X in Xs]
    return (fill_missing(Xs, presence, "mean") if how == COMPLETE else Xs), data.y


def row_of(method, how, peer, work, own, theirs, estimator):
    """One row of the table; cells of a peer that is not installed stay empty."""
    Xs, y = views_of(how)
    ours = f"{estimator.__module__}.{method}", SEEDED | own, Xs, {}
    took, scores = by_turns([(ROOT, ours), (ROOT, (peer, SEEDED | theirs, Xs, {}))], y)
    cells = [f"`{method}`", peer.partition(".")[0], f"{how}, {work}" if how == COMPLETE else work]
    cells += [number(value, ".2f") for value in took] + [number(took[1] / took[0])]
    return [*cells, *map(number, scores), floor_of(method)]


def main(arguments):
    names, known, rows = words(arguments), estimators(), []
    for pair in PAIRS:
        if not names or pair[0] in names:
            rows.append(row_of(*pair, known[pair[0]]))
            print(*rows[-1], sep="\t", flush=True)
    tell("profile.md", "equal work", table(HEAD, rows))


if __name__ == "__main__":
    main(sys.argv[1:])
