"""A run on one's own data: from a folder of files to a configuration."""

import hashlib
import re
import unicodedata
from contextlib import suppress
from pathlib import Path

import numpy as np
import yaml
from scipy import sparse
from threadpoolctl import threadpool_limits

from mvclust.bench.plan.plan import CLAIMS_TABLES, MULTIVERSE_TABLES, RULES
from mvclust.choosing import select_n_clusters
from mvclust.datasets.files import completed, sha256_of
from mvclust.datasets.foreign import NotUnderstood, find_views
from mvclust.datasets.record import Dataset, write_dataset
from mvclust.estimators.concat_kmeans import ConcatKMeans

# Names of files, targets and rules of every run: an experiment of that name would be ambiguous.
RESERVED = {"all", "cost", "data", "datasets", "default", "docs", "fits", "manifest", "modern"}
RESERVED |= {"published-vs-reproduced", *RULES}
RESERVED |= {name.replace("_", "-") for name in (*CLAIMS_TABLES, *MULTIVERSE_TABLES)}


def own_run(
    path,
    folder,
    root,
    *,
    name=None,
    n_clusters=None,
    methods=None,
    features=None,
    roles=None,
    samples=None,
):
    """Turn a folder or file of data into a run: a prepared file and three files of configuration.

    Parameters
    ----------
    path : path-like
        What `mvclust.datasets.foreign.find_views` reads.
    folder : path-like
        Where the files are written.
    root : path-like
        The workflow's own folder, with ``config/own.yaml``.
    name : str, default=None
        Name of the run and of the data set; by default that of `path`.
    n_clusters : int, default=None
        Number of clusters; by default the number of classes, and without classes that of the
        largest eigengap (`mvclust.choosing.select_n_clusters`), up to ``most_clusters``.
    methods : list of str, default=None
        Keys of methods; by default all that apply.
    features : int, default=None
        Most features of a view, those with the largest variance; 0 for all, by default
        ``most_features``.
    roles, samples : dict, str, default=None
        What decides where data can be understood in several ways, as for `find_views`.

    Returns
    -------
    run_file : Path
        For ``snakemake --configfile``.
    found : mvclust.datasets.foreign.Found

    Raises
    ------
    NotUnderstood
        If the data hold no views, a question about them is open, or the name is that of a run on
        other data.
    """
    science = yaml.safe_load(Path(root, "config", "own.yaml").read_text(encoding="utf-8"))
    found = find_views(path, roles=roles, samples=samples)
    if found.open:
        raise NotUnderstood(f"{path}: {found.open[0]}; decide, then run again.")
    n_samples = len(found.presence)
    if n_clusters is not None and not 2 <= n_clusters < n_samples:
        raise NotUnderstood(
            f"--clusters {n_clusters}: expected a number from 2 to {n_samples - 1}, as there are "
            f"{n_samples} samples."
        )
    most_features = science["most_features"] if features is None else features
    found = _with_most_variable(found, most_features)
    name = _name_of(name or Path(path).resolve().stem, RESERVED | _taken(root))
    folder = Path(folder, name)
    _claim(folder, name, path)
    if found.y is None and n_clusters is None and found.label_names:
        n_clusters = len(found.label_names)
    if found.y is None and n_clusters is None:
        if n_samples < 3:
            raise NotUnderstood(
                f"{path}: {n_samples} samples; expected 3 or more, to cluster them."
            )
        most = science["most_clusters"]
        n_clusters = _eigengap_number(found, most)
        said = f"{n_clusters} clusters: the largest eigengap up to {most}"
        found = found._replace(notes=[*found.notes, f"{said}; --clusters sets another"])
    data = _as_dataset(found, name, n_clusters, path)
    file = folder / f"{name}.h5"
    write_dataset(data, file)
    _write(folder / "datasets.yaml", {name: _entry(data, file)})
    experiments = _experiments(data, name, methods, science)
    if found.survival is not None:
        survival = folder / "survival.csv"
        columns = np.column_stack([found.survival.time, found.survival.event])
        with completed(survival) as unfinished:
            np.savetxt(unfinished, columns, "%.10g", ",", header="time,event", comments="")
        next(iter(experiments.values()))["survival"] = survival.as_posix()
    _write(folder / "experiments.yaml", experiments)
    run = {
        "run": name,
        "experiments": list(experiments),
        "datasets_files": ["datasets.yaml"],
        "experiments_files": ["experiments.yaml"],
        "mirror": str(folder.resolve().parent),
        **science["run"],
    }
    _write(folder / "run.yaml", run)
    return folder / "run.yaml", found


def _with_most_variable(found, most):
    """The same with the features of the largest variance; each wide view gets a note."""
    found = found._replace(Xs=list(found.Xs), feature_names=list(found.feature_names or ()))
    found = found._replace(feature_names=found.feature_names or [None] * len(found.Xs))
    notes = list(found.notes)
    for v, X in enumerate(found.Xs):
        if not most or X.shape[1] <= most or found.kinds[v : v + 1] not in ([], ["features"]):
            continue
        variance = _variances(X[np.flatnonzero(found.presence[:, v])])
        kept = np.sort(np.argsort(-variance, kind="stable")[:most])
        found.Xs[v] = X[:, kept]
        if found.feature_names[v] is not None:
            found.feature_names[v] = [found.feature_names[v][j] for j in kept]
        notes.append(
            f"{found.view_names[v]}: the {most:,} of {X.shape[1]:,} features with the largest "
            "variance; --features all takes all, --features N others"
        )
    return found._replace(notes=notes)


def _variances(X):
    if not sparse.issparse(X):
        return np.nanvar(X, axis=0)
    mean = np.asarray(X.mean(axis=0)).ravel()
    return np.asarray(X.multiply(X).mean(axis=0)).ravel() - mean**2


def _eigengap_number(found, most):
    """The number of clusters without labels."""
    n_samples = len(found.presence)
    candidates = range(2, max(min(most, n_samples // 2), 2) + 1)
    with threadpool_limits(1):  # the products are small
        return select_n_clusters(ConcatKMeans(2), found.Xs, candidates).n_clusters


def _as_dataset(found, name, n_clusters, path):
    n_classes = len(found.label_names)
    if found.y is None or n_clusters not in (None, n_classes):
        y = np.full(len(found.presence), -1)
        labels = [f"cluster {k}" for k in range(1, n_clusters + 1)]
    else:
        y, labels = found.y, found.label_names
    names = _distinct([re.sub(r"[^\w-]+", "_", view) for view in found.view_names])
    Xs = [X if sparse.issparse(X) else np.ascontiguousarray(X) for X in found.Xs]
    named = {"ids": found.ids, "feature_names": found.feature_names or None}
    return Dataset(name, Xs, names, y, labels, found.presence, str(path), "", **named)


def _claim(folder, name, path):
    """Take a name for the data of a path, unless it is that of others."""
    mark, here = folder / "source.txt", str(Path(path).resolve())
    if not mark.exists() and Path("results", name).exists():
        raise NotUnderstood(
            f"results/{name} is of another run; --name gives this one another name."
        )
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), open(mark, "x", encoding="utf-8") as file:
        file.write(here)  # of two runs at once only one does this
    source = mark.read_text(encoding="utf-8")
    if source != here:
        raise NotUnderstood(
            f"results/{name} is of {source}; --name gives the run on {path} another name."
        )


def _taken(root):
    """Names of the shipped papers, data sets, experiments and runs, as names of own data are."""
    config = Path(root, "config")
    files = [config / "papers.yaml", config / "datasets.yaml", *config.glob("experiments/*.yaml")]
    names = {path.stem for path in config.glob("runs/*.yaml")}
    for file in files:
        names |= set(re.findall(r"^([\w-]+):", file.read_text(encoding="utf-8"), re.MULTILINE))
    return {name.replace("_", "-") for name in names}


def _name_of(text, reserved=()):
    """A name that files and configuration can have, and no table or rule has.

    Examples
    --------
    >>> _name_of("My Data (2)"), _name_of("cost", {"cost"}), _name_of("Prüfung")
    ('my-data-2', 'cost-data', 'prufung')

    Other alphabets get digits that differ.

    >>> _name_of("данные")
    'own-9d8c'
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    if sum(map(str.isalnum, text)) > len(name.replace("-", "")):
        digits = hashlib.sha256(text.encode()).hexdigest()[:4]
        name = f"{name or 'own'}-{digits}"
    return f"{name}-data" if name in reserved else name or "own"


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


def _experiments(data, name, methods, science):
    """The data as they are, and, if they are complete, with instances removed."""
    complete, known = bool(data.presence.all()), bool((data.y >= 0).all())
    common = {
        "data": [{"dataset": name, "label": name}],
        "metrics": (science["metrics_with_classes"] if known else {}) | science["metrics"],
    }
    common |= {"methods": methods} if methods else {}
    whole, missing = (science["experiments"][key] | common for key in ("whole", "missing"))
    key = name.replace("-", "_")
    experiments = {key: whole | {"protocol": "complete" if complete else "natural"}}
    if complete and data.n_views > 1:
        experiments[f"{key}_missing"] = missing
    return {
        key: entry | {"title": entry["title"].format(name=name)}
        for key, entry in experiments.items()
    }


def _write(path, content):
    with completed(path) as unfinished:
        unfinished.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
