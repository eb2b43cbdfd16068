"""A run on one's own data: from a folder of files to a configuration."""

import re
from pathlib import Path

import numpy as np
import yaml
from scipy import sparse

from mvclust.choosing import select_n_clusters
from mvclust.datasets.files import sha256_of
from mvclust.datasets.foreign import find_views
from mvclust.datasets.record import Dataset, write_dataset
from mvclust.estimators.concat_kmeans import ConcatKMeans
from mvclust.numerics.products import dense

# Methods that take any number of aligned views; those for two views run on pairs.
METHODS = ["DAIMC", "UEAF", "MPAC", "MultiNMF", "PVC", "MIC", "OMVC", "IMG", "GPMVC"]
METHODS += ["CoTrainSpectral", "CoRegSpectral", "RMKMC", "AMGL", "CLR", "SwMC"]
METHODS += ["BestSingleView", "ConcatKMeans", "ConcatKMeans-knn", "ConcatSpectral-mean"]
METHODS += ["ConcatSpectral-knn", "NMFClustering-best", "ConcatNMF"]
TWO_VIEWS = ("PVC", "IMG")

WITH_CLASSES = {"ACC": "acc", "NMI": "nmi_arithmetic", "ARI": "ari"}
WITHOUT = {"Silhouette": "simplified_silhouette", "Stability": "stability"}

MOST_CLUSTERS = 10
RATES = [0.1, 0.3]  # of missing instances, for stability over masks


def own_run(path, folder, *, name=None, n_clusters=None, methods=None):
    """Turn a folder or file of data into a run: a prepared file and three files of configuration.

    Parameters
    ----------
    path : path-like
        What `mvclust.datasets.foreign.find_views` reads.
    folder : path-like
        Where the files are written.
    name : str, default=None
        Name of the run and of the data set; by default that of `path`.
    n_clusters : int, default=None
        Number of clusters; by default the number of classes, and without classes the one that
        is most stable (`mvclust.choosing.select_n_clusters`), up to `MOST_CLUSTERS`.
    methods : list of str, default=None
        Keys of methods; by default all that apply.

    Returns
    -------
    run_file : Path
        For ``snakemake --configfile``.
    found : mvclust.datasets.foreign.Found
    name : str

    Raises
    ------
    NotUnderstood
        If the data hold no views.
    """
    found = find_views(path)
    name = _name_of(name or Path(path).resolve().stem)
    if found.y is None and n_clusters is None:
        n_clusters = _stable_number(found)
        said = f"{n_clusters} clusters: the most stable number up to {MOST_CLUSTERS}"
        found = found._replace(notes=[*found.notes, f"{said}; --clusters sets another"])
    data = _as_dataset(found, name, n_clusters, path)
    folder = Path(folder, name)
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.h5"
    write_dataset(data, file)
    _write(folder / "datasets.yaml", {name: _entry(data, file)})
    chosen = methods or [m for m in METHODS if data.n_views > 1 or m not in TWO_VIEWS]
    experiments = _experiments(data, name, chosen, found.y is not None)
    _write(folder / "experiments.yaml", experiments)
    run = {
        "run": name,
        "experiments": list(experiments),
        "datasets_files": ["datasets.yaml"],
        "experiments_files": ["experiments.yaml"],
        "datasets": None,
        "mirror": str(folder.resolve().parent),
        "limits": {"seconds": 600, "memory_mb": None},
        "budget": dict.fromkeys(["repetitions", "samples_per_class", "rates", "sweep_points"])
        | {"grid_points": 2, "pairs": 2},
    }
    _write(folder / "run.yaml", run)
    return folder / "run.yaml", found, name


def _stable_number(found):
    """The number of clusters whose k-means partitions of subsamples agree best."""
    Xs = [dense(X) for X in found.Xs]
    most = min(MOST_CLUSTERS, len(found.presence) // 2)
    candidates = range(2, max(most, 2) + 1)
    estimator = ConcatKMeans(2, random_state=0)
    return select_n_clusters(estimator, Xs, candidates, random_state=0).n_clusters


def _as_dataset(found, name, n_clusters, path):
    n_classes = len(found.label_names)
    if found.y is None or n_clusters not in (None, n_classes):
        y = np.full(len(found.presence), -1)
        labels = [f"cluster {k}" for k in range(1, n_clusters + 1)]
    else:
        y, labels = found.y, found.label_names
    names = _distinct([re.sub(r"[^\w-]+", "_", view) for view in found.view_names])
    Xs = [X if sparse.issparse(X) else np.ascontiguousarray(X) for X in found.Xs]
    return Dataset(name, Xs, names, y, labels, found.presence, str(path), "")


def _name_of(text):
    """A name that files and configuration can have.

    Examples
    --------
    >>> _name_of("My Data (2)")
    'my-data-2'
    """
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-") or "own"


def _distinct(names):
    seen, distinct = set(), []
    for name in names:
        while name in seen:
            name += "_"
        seen.add(name)
        distinct.append(name)
    return distinct


def _entry(data, file):
    """The entry of a catalogue of data sets."""
    counts = np.bincount(data.y[data.y >= 0], minlength=data.n_clusters).tolist()
    known = bool((data.y >= 0).all())
    return {
        "reader": "prepared",
        "title": data.name,
        "n_samples": data.n_samples,
        "classes": {
            label: count if known else None
            for label, count in zip(data.label_names, counts, strict=True)
        },
        "views": [
            {"name": name, "dimension": X.shape[1], "kind": _kind(X)}
            for name, X in zip(data.view_names, data.Xs, strict=True)
        ],
        "default_subset": "all",
        "subsets": {"all": None if data.presence.all() else {"incomplete": True}},
        "files": {file.name: {"sha256": sha256_of(file), "bytes": file.stat().st_size}},
        "sources": [{"kind": "mirror"}],
    }


def _kind(X):
    """Counts are whole numbers from 0, mostly 0; everything else is real."""
    values = X.data if sparse.issparse(X) else X[np.isfinite(X)]
    whole = values.size and (values >= 0).all() and (values == np.round(values)).all()
    return "counts" if whole and np.count_nonzero(values) < 0.5 * np.prod(X.shape) else "real"


def _experiments(data, name, methods, has_classes):
    """The data as they are, and, if they are complete, with instances removed."""
    complete = bool(data.presence.all())
    has_classes = has_classes and bool((data.y >= 0).all())
    common = {
        "paper": "beyond",
        "data": [{"dataset": name, "label": name}],
        "methods": methods,
        "metrics": (WITH_CLASSES if has_classes else {}) | WITHOUT,
        "unit": "percent",
    }
    caption = (
        "Stability is the mean adjusted Rand index between the partitions of {}. The silhouette is "
        "that against cluster means, over the observed instances, features standardised."
    )
    whole = name.replace("-", "_")
    experiments = {
        whole: {
            "title": f"{name}, as in the files",
            "caption": caption.format("three starts"),
            "render": "groups",
            "protocol": "complete" if complete else "natural",
            "repetitions": 3,
        }
        | common
    }
    if complete and data.n_views > 1:
        experiments[f"{whole}_missing"] = {
            "title": f"{name}, a share of the instances of each view missing",
            "caption": caption.format("three masks"),
            "render": "curves",
            "x": "rate",
            "protocol": "random",
            "missing_rates": RATES,
            "repetitions": 3,
        } | common
    return experiments


def _write(path, content):
    path.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
