"""What labels are worth to deep methods: python benchmarks/deep_labels.py [WHAT] [--jobs 2]

docs/deep.md says how. Measurements go into benchmarks/deep_labels.csv as they are made, and are not
made again while the code of the method is the same; docs/make_deep.py reads them. WHAT can be
--rates, other learning rates, for deep_rates.csv; --released, the reading "released" on all samples
of two data sets, for deep_released.csv, hours. Needs ``mvclust[deep]`` and the data sets.
"""

import itertools
import resource
import sys
import time
import warnings
from concurrent.futures import ThreadPoolExecutor, as_completed
from importlib import import_module
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from benchmarks.harness import apart, append
from mvclust.bench.arithmetic import start_again
from mvclust.bench.record.digest import code_hash
from mvclust.datasets import load_dataset
from mvclust.estimators.base import labels_and_centers
from mvclust.masking import apply_mask, incomplete_mask
from mvclust.metrics import accuracy, simplified_silhouette

MEASURED = Path(__file__).with_name("deep_labels.csv")
RATES = Path(__file__).with_name("deep_rates.csv")
RELEASED = Path(__file__).with_name("deep_released.csv")
COLUMNS = ["dataset", "share", "mask", "method", "seed", "kind", "number", "acc", "silhouette",
           "cpu_seconds", "peak_mb", "code"]  # fmt: skip
FIT = COLUMNS[:5]  # what names a fit
DATASETS = {
    "landuse21": ("view2", "view3"),
    "scene15": ("view2", "view3"),
    "handwritten": ("pix", "fou"),
    "wikipedia": ("image", "text"),
}
MOST = 1000  # samples, drawn once with the shares of the classes
SHARES = (0.1, 0.5)  # of the samples, which lack one view
MASKS = range(3)
SEEDS = range(3)  # of the networks; those after the first on the first mask only
DEEP = {name: name.lower() for name in ("COMPLETER", "ProImp", "APADC", "CPSPAN", "DSIMVC")}
OTHERS = {
    "spectral, kNN-filled": ("concat_spectral", "ConcatSpectral", {"impute": "knn"}),
    "k-means, kNN-filled": ("concat_kmeans", "ConcatKMeans", {"impute": "knn"}),
    "DAIMC": ("daimc", "DAIMC", {}),
    "PIMVC": ("pimvc", "PIMVC", {}),
    "EEIMVC": ("eeimvc", "EEIMVC", {}),
}
EVALUATIONS = 10  # epochs, and starts of k-means
FACTORS = (1 / 3, 3)  # of the learning rate; they stand behind the method's name
# The reading "released" takes the views of the authors, and their configuration of a data set
# where it is not the default.
VIEWS_OF_AUTHORS = {"landuse21": ("view2", "view3"), "scene15": ("view1", "view2")}
CONFIGURED = {
    ("landuse21", "COMPLETER"): {"latent": 64, "scale": None},
    ("scene15", "COMPLETER"): {"scale": None},
}
HALF = 0.5  # of the samples lack a view where these, and the released reading, are measured
# There: masks, each with a seed of its own; three where a number was published to compare with.
PRINTED = {("scene15", "ProImp"), ("landuse21", "COMPLETER")}
N_RELEASED = {
    pair: 3 if pair in PRINTED else 1 for pair in itertools.product(VIEWS_OF_AUTHORS, DEEP)
}


def split_name(name):
    """A method, and the factor of its learning rate: "APADC@3" is APADC with three times it."""
    method, _, factor = name.partition("@")
    return method, float(factor or 1)


def problem(dataset, share, mask, released=False):
    """The views with missing instances, which are there, and the classes."""
    data = load_dataset(dataset)
    rows = np.arange(data.n_samples)
    if not released and len(rows) > MOST:
        rows, _ = train_test_split(rows, train_size=MOST, stratify=data.y, random_state=0)
    rows = np.sort(rows)
    names = VIEWS_OF_AUTHORS[dataset] if released else DATASETS[dataset]
    views = [data.view_names.index(name) for name in names]
    Xs = [np.asarray(data.Xs[v][rows], dtype=float) for v in views]
    presence = incomplete_mask(len(rows), 2, share, seed=mask)
    return apply_mask(Xs, presence), presence, data.y[rows]


def measure(dataset, share, mask, method, seed, reading="narrow", epochs=None):
    """The rows of one fit, dicts with the keys `COLUMNS`.

    `reading` and `epochs`, by default those of the reading, are for deep methods; "released" takes
    all samples and the views of the authors. kind: "epoch" for an embedding on the way, "start" for
    a k-means start on the last one.
    """
    warnings.simplefilter("ignore")
    released = reading == "released"
    Xs, presence, y = problem(dataset, share, mask, released)
    n_clusters = len(np.unique(y))
    started = time.process_time()
    if split_name(method)[0] in DEEP:
        configured = CONFIGURED.get((dataset, method), {}) if released else {}
        found = _deep(method, Xs, n_clusters, seed, epochs, {"reading": reading} | configured)
    else:
        module, name, parameters = OTHERS[method]
        estimator = getattr(import_module(f"mvclust.estimators.{module}"), name)
        model = estimator(n_clusters, random_state=seed, **parameters).fit(Xs)
        found = [("start", 0, model.labels_)]
    spent = time.process_time() - started
    about = dict(zip(FIT, (dataset, share, mask, method, seed), strict=True))
    about |= {"cpu_seconds": round(spent, 2), "code": code_of(method)}
    about["peak_mb"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    rows = []
    for kind, number, labels in found:
        silhouette = round(simplified_silhouette(Xs, presence, labels), 6)
        scores = {"acc": round(100 * accuracy(y, labels), 4), "silhouette": silhouette}
        rows.append(about | {"kind": kind, "number": number} | scores)
    return rows


def _deep(method, Xs, n_clusters, seed, epochs, settings):
    method, factor = split_name(method)
    estimator = getattr(import_module("mvclust.deep"), method)
    model = estimator(n_clusters, random_state=seed, **settings)
    model.set_params(learning_rate=factor * model.learning_rate, epochs=epochs or model.epochs)
    first = getattr(model, "prediction_start", 0)  # before, COMPLETER fills at random
    chosen = np.linspace(first, model.epochs, EVALUATIONS + 1)[1:].round().astype(int)
    model.set_params(snapshots=np.unique(chosen).tolist()).fit(Xs)
    embeddings = [("epoch", *each, 0) for each in model.embeddings_.items()]
    if model.cluster_centers_ is None:  # labels are the largest probabilities, not of k-means
        embeddings.append(("start", 0, model.embedding_, 0))
        return [(kind, number, rows.argmax(axis=1)) for kind, number, rows, _ in embeddings]
    embeddings += [("start", i, model.embedding_, i) for i in range(EVALUATIONS)]
    return [
        (kind, number, labels_and_centers(rows, n_clusters, n_init=10, seed=seed)[0])
        for kind, number, rows, seed in embeddings
    ]


def code_of(method):
    """The digest of the code of a method."""
    method, _ = split_name(method)
    module = f"deep.{DEEP[method]}" if method in DEEP else f"estimators.{OTHERS[method][0]}"
    return code_hash(f"mvclust.{module}")


def cells():
    """All fits: data set, share, mask, method and seed."""
    methods = (*OTHERS, *DEEP)
    for mask, *place, method in itertools.product(MASKS, DATASETS, SHARES, methods):
        for seed in SEEDS if mask == 0 and method in DEEP else SEEDS[:1]:
            yield *place, mask, method, seed


def cells_released():
    """Fits in the reading "released", and others on the same masks."""
    for (dataset, method), n_fits in N_RELEASED.items():
        for number, name in itertools.product(range(n_fits), (method, *OTHERS)):
            yield dataset, HALF, number, name, number, "released"


def measured(path):
    """The fits that a file has, made by the code of today."""
    rows = pd.read_csv(path) if path.exists() else pd.DataFrame(columns=COLUMNS)
    rows = rows[rows["code"] == rows["method"].map(code_of)]
    return set(rows[FIT].itertuples(index=False, name=None))


def main(arguments):
    jobs = int(arguments[arguments.index("--jobs") + 1]) if "--jobs" in arguments else 1
    path, asked = MEASURED, cells()
    if "--rates" in arguments:
        varied = itertools.product(DATASETS, DEEP, FACTORS)
        path, asked = RATES, [(on, HALF, 0, f"{name}@{x:.3g}", 0) for on, name, x in varied]
    if "--released" in arguments:
        path, asked = RELEASED, cells_released()
    known = measured(path)
    todo = [cell for cell in dict.fromkeys(asked) if cell[: len(FIT)] not in known]
    with ThreadPoolExecutor(jobs) as pool:  # apart, so that the peak of memory is that of the fit
        running = {pool.submit(apart, measure, *cell): cell for cell in todo}
        for done, future in enumerate(as_completed(running), 1):
            append(future.result(), COLUMNS, path)
            print(f"{done} of {len(todo)}", *running[future], flush=True)


if __name__ == "__main__":
    start_again()
    main(sys.argv[1:])
