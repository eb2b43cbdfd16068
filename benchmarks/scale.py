"""How far the methods go against n: python benchmarks/scale.py [--write] [METHOD ...]

docs/scale.md says how. Measurements go into benchmarks/scale.csv as they are made, and are not made
again while the code of the method is the same. --write then puts the tables and the figure into
docs/. --recall measures there which share of the nearest neighbours pynndescent finds.
"""

import resource
import sys
import time
import traceback
import warnings
from concurrent.futures.process import BrokenProcessPool
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.sparse import csr_array
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

import mvclust
from benchmarks.harness import apart, append
from benchmarks.scale_page import write
from docs.pages import estimators, fill, table, words
from mvclust.bench.fit.cpu import PeakMemory
from mvclust.bench.record.digest import code_hash
from mvclust.datasets import make_multiview
from mvclust.estimators.base import tags_of
from mvclust.metrics import accuracy
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.scaling import scale_views

MEASURED = Path(__file__).with_name("scale.csv")
N_CLUSTERS, N_FEATURES, MISSING = 10, (100, 100), 0.3
SAMPLES = [1_000, 3_162, 10_000, 31_623, 100_000, 316_228, 1_000_000]
SAMPLE = 10_000  # on which methods are fitted that label the rest
SECONDS, MEGABYTES = 600, 16_000  # limits of a fit, data included
GRACE = 60  # seconds of CPU beyond the limit, for code and data
COLUMNS = ["method", "n", "fitted", "seconds", "peak_mb", "accuracy", "data", "stopped", "code"]
TOO_LONG, TOO_LARGE = "time", "memory"
# Beside the defaults, by which these take distances between all samples.
VARIANTS = {
    "ConcatKMeans, mean": ("ConcatKMeans", {"impute": "mean"}),
    "ConcatNMF, mean": ("ConcatNMF", {"impute": "mean"}),
    "EEIMVC, linear": ("EEIMVC", {"kernel": "linear"}),
}
APPROXIMATE = "ConcatSpectral, mean, approximate"  # with pynndescent, where that is installed
ASKED = 1_000  # samples whose neighbours are compared


def methods():
    """Those that need nothing but views, and their variants: name -> class, parameters."""
    named = estimators()
    plain = {name: (each, {}) for name, each in named.items() if not tags_of(each).unmapped}
    varied = {name: (named[of], parameters) for name, (of, parameters) in VARIANTS.items()}
    if find_spec("pynndescent"):
        found = {"impute": "mean", "neighbors": Descent()}
        varied[APPROXIMATE] = named["ConcatSpectral"], found
    return dict(sorted((plain | varied).items()))


class Descent(TransformerMixin, BaseEstimator):
    """Neighbours by descent on a graph, which may miss some: it searches more than it keeps."""

    def __init__(self, kept=9, searched=60):
        self.kept, self.searched = kept, searched

    def fit_transform(self, X, y=None):
        """Distances to the nearest of what is found, as a sparse matrix."""
        from pynndescent import NNDescent

        n, options = min(self.searched, len(X) - 1), {"n_iters": 20, "n_jobs": 1}
        index = NNDescent(X.astype(np.float32), n_neighbors=n, random_state=0, **options)
        places, distances = (found[:, : self.kept + 1] for found in index.neighbor_graph)
        starts = np.arange(0, places.size + 1, places.shape[1])
        return csr_array((distances.ravel(), places.ravel(), starts), shape=(len(X), len(X)))


def recall(n):
    """Which share of the nearest neighbours of some samples `Descent` finds among n."""
    Xs, _ = problem(mvclust.ConcatSpectral, n)
    presence = np.column_stack([~np.isnan(X[:, 0]) for X in Xs])
    Xs = fill_missing(scale_views(Xs, presence, "view_balanced"), presence, "mean")
    X = np.hstack(Xs)
    asked = np.random.default_rng(0).choice(n, min(n, ASKED), replace=False)
    found = Descent().fit_transform(X)[asked]
    exact = NearestNeighbors(n_neighbors=Descent().kept + 1, algorithm="brute").fit(X)
    true = exact.kneighbors(X[asked], return_distance=False)
    shares = [
        len((set(row) - {i}) & set(found[[place]].indices)) / len(set(row) - {i})
        for place, (i, row) in enumerate(zip(asked, true, strict=True))
    ]
    return float(np.mean(shares))


def problem(estimator, n):
    """Views that the method takes, and the clusters."""
    tags = tags_of(estimator)
    missing = MISSING if tags.incomplete else 0.0
    sizes = {"n_clusters": N_CLUSTERS, "n_features": N_FEATURES}
    Xs, y = make_multiview(n, **sizes, missing=missing, random_state=0)
    if tags.nonnegative:
        for X in Xs:
            X -= np.nanmin(X)
    return Xs, y


def measure(name, n, fitted):
    """Fit on the first samples, label all: seconds of CPU, memory with the data, accuracy."""
    warnings.simplefilter("ignore")
    estimator, parameters = methods()[name]
    model = estimator(N_CLUSTERS, random_state=0, **parameters)
    small, _ = problem(estimator, 200)
    Xs, y = problem(estimator, n)
    with threadpool_limits(1):
        model.fit(small)  # loads code
        start = time.process_time()
        with PeakMemory() as memory:
            labels = model.fit([X[:fitted] for X in Xs]).labels_
            if fitted < n:
                parts = ([X[i : i + SAMPLE] for X in Xs] for i in range(0, n, SAMPLE))
                labels = np.concatenate([model.predict(part) for part in parts])
        found = {"seconds": round(time.process_time() - start, 3)}
    return found | {"peak_mb": round(memory.peak_mb), "accuracy": round(accuracy(y, labels), 4)}


def measure_apart(name, n, fitted):
    """`measure` in a process of its own with limits; "stopped" says which it met."""
    try:
        found = apart(measure, name, n, fitted, before=_limit)
    except BrokenProcessPool:  # killed at the limit of CPU time
        return {"stopped": TOO_LONG}
    except Exception as error:
        text = "".join(traceback.format_exception(error))
        return {"stopped": TOO_LARGE if "MemoryError" in text else text.splitlines()[-1][:200]}
    return found | {"stopped": TOO_LONG if found["seconds"] > SECONDS else ""}


def _limit():
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + GRACE, SECONDS + GRACE))
    resource.setrlimit(resource.RLIMIT_DATA, (MEGABYTES * 10**6,) * 2)


def expected(done, n):
    """Seconds and memory that a fit should take, from the last two sizes."""
    if len(done) < 2:
        return 0.0, 0.0
    (n0, *before), (n1, *last) = ((row["n"], row["seconds"], row["peak_mb"]) for row in done[-2:])
    power = np.log(n / n1) / np.log(n1 / n0)
    return [b * max(b / max(a, 1e-3), 1) ** power for a, b in zip(before, last, strict=True)]


def grow(name, measured):
    """Measure a method at growing sizes; what is known of its present code is taken."""
    code, done = code_of(name), []
    measured = measured[(measured["method"] == name) & (measured["code"] == code)]
    known = {(row["n"], row["fitted"]): row for row in measured.to_dict("records")}

    def take(n, fitted, stopped=None):
        row = known.get((n, fitted))
        if row is None:
            row = {"stopped": stopped} if stopped else measure_apart(name, n, fitted)
            kind = "incomplete" if tags_of(methods()[name][0]).incomplete else "complete"
            row |= {"method": name, "n": n, "fitted": fitted, "code": code, "data": kind}
            append([row], COLUMNS, MEASURED)
            print({k: row.get(k) for k in COLUMNS[:-1]}, flush=True)
        return row

    for n in SAMPLES:
        seconds, megabytes = expected(done, n)
        stopped = TOO_LONG if seconds > SECONDS else TOO_LARGE if megabytes > MEGABYTES else None
        row = take(n, n, f"{stopped}, expected" if stopped else None)
        if row["stopped"]:
            break
        done.append(row)
    if hasattr(methods()[name][0], "predict") and done and done[-1]["n"] >= SAMPLE:
        take(SAMPLES[-1], SAMPLE)


def code_of(name):
    """The digest of the code of a method."""
    return code_hash(methods()[name][0].__module__)


def read():
    """The measurements, of each fit the latest."""
    rows = pd.read_csv(MEASURED) if MEASURED.exists() else pd.DataFrame(columns=COLUMNS)
    rows = rows.fillna({"stopped": ""}).drop_duplicates(["method", "n", "fitted"], keep="last")
    return rows.sort_values(["method", "n", "fitted"], ascending=[True, True, False])


def main(arguments):
    names = words(arguments) or list(methods())
    unknown = set(names) - set(methods())
    if unknown:
        sys.exit(f"no method '{min(unknown)}'; known: {', '.join(methods())}")
    if "--recall" in arguments:
        found = [[f"{n:,}", f"{recall(n):.3f}"] for n in SAMPLES[2::2]]
        fill("scale.md", "recall", table(["samples", "recall"], found))
        return
    for name in names:
        grow(name, read())
    if "--write" in arguments:
        write(read(), {name: code_of(name) for name in methods()})


if __name__ == "__main__":
    main(sys.argv[1:])
