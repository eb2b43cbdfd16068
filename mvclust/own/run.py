"""A run on one's own data: from views.yaml and the files to a configuration."""

import hashlib
import re
import unicodedata
from contextlib import suppress
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from scipy import sparse
from threadpoolctl import threadpool_limits

from mvclust.choosing import select_n_clusters
from mvclust.datasets.files import checksum_of_files, completed, sha256_of
from mvclust.datasets.record import Dataset, write_dataset
from mvclust.estimators.concat_kmeans import ConcatKMeans
from mvclust.own import NotUnderstood
from mvclust.own.look import NAME, Look, look, questions_of, save
from mvclust.own.reserved import RESERVED


def own_run(
    path, folder, root, *, name=None, n_clusters=None, methods=None, features=None, changes=None
) -> tuple[Path, Look]:
    """Turn data into a run: one prepared file, and configuration in a folder of resources.

    Return the file for ``snakemake --configfile``, and what is understood of the data. `features`
    is the most features of a view, those with the largest variance, 0 for all; `methods` are keys,
    "all" for all that apply, by default the few of config/own.yaml; `changes` are
    written into views.yaml. NotUnderstood says why the data cannot be read, which question is
    open, or that a run on other data has the name.
    """
    science = yaml.safe_load(Path(root, "config", "own.yaml").read_text(encoding="utf-8"))
    found = _understood(path, changes)
    data, n = found.data, found.data.n_samples
    if n_clusters is not None and not 2 <= n_clusters < n:
        text = f"expected a number from 2 to {n - 1}, as there are {n} samples."
        raise NotUnderstood(f"--clusters {n_clusters}: {text}")
    _keep_most_variable(found, science["most_features"] if features is None else features)
    name = _name_of(name or Path(path).resolve().stem, {*RESERVED, *_shipped(root)})
    folder = Path(folder, name)
    _claim(folder, name, path)
    if n_clusters is None and data.y is None:
        n_clusters = len(data.label_names)
        if n_clusters < 2:
            n_clusters = _eigengap_number(found, science["most_clusters"], path)
    (folder / NAME).write_text(found.views.text(), encoding="utf-8")
    dataset = _as_dataset(found, name, n_clusters, path)
    file = _written_once(dataset, folder.parent.parent / "raw" / name / f"{name}.h5")
    experiments = _experiments(dataset, name, methods, science)
    next(iter(experiments.values())).update(_beside(data, folder))
    run = {
        "run": name,
        "experiments": list(experiments),
        "datasets_files": ["datasets.yaml"],
        "experiments_files": ["experiments.yaml"],
        "mirror": str(folder.resolve().parent),
        **science["run"],
    }
    datasets = {name: _entry(dataset, file, found.views.answered().views)}
    for key, content in {"datasets": datasets, "experiments": experiments, "run": run}.items():
        with completed(folder / f"{key}.yaml") as unfinished:
            unfinished.write_text(yaml.safe_dump(content, sort_keys=False), encoding="utf-8")
    return folder / "run.yaml", found


def _understood(path, changes) -> Look:
    """Return what is understood of data that have no open question."""
    found = look(path, changes)
    if questions := questions_of(found.views):
        n = len(found.views.open_questions())
        raise NotUnderstood(
            f"{path}: {n} open question{'s' * (n > 1)}; {save(found)}, as mvclust look does. "
            f"Answer there, or by --answer {','.join('1' * n)}, then run again.\n"
            + "\n".join(questions)
        )
    if changes:
        save(found)
    if found.error:
        raise NotUnderstood(found.error)
    return found


def _written_once(dataset, file):
    """Write the prepared file where the workflow has its raw files; keep it if it is the same."""
    file.parent.mkdir(parents=True, exist_ok=True)
    new = file.with_name(f".{file.name}")
    write_dataset(dataset, new)
    if file.exists() and sha256_of(file) == sha256_of(new):
        new.unlink()
    else:
        new.replace(file)
    return file


def _beside(data, folder):
    """Write what is known about the samples; return the entries of the experiment."""
    tables = {}
    if data.survival is not None:
        tables["survival"] = {"time": data.survival.time, "event": data.survival.event}
    if data.batch or data.facts:
        tables["facts"] = ({"batch": data.batch} if data.batch else {}) | data.facts
    places = [(v, *at) for v, name in enumerate(data.view_names) if name in data.gaps
              for at in np.argwhere(data.gaps[name])]  # fmt: skip
    if places:
        tables["gaps"] = pd.DataFrame(places, columns=["view", "sample", "feature"])
    for key, table in tables.items():
        with completed(folder / f"{key}.csv") as unfinished:
            pd.DataFrame(table).to_csv(unfinished, index=False, float_format="%.10g", na_rep="nan")
    return {key: (folder / f"{key}.csv").as_posix() for key in tables}


def _keep_most_variable(found, most):
    """Keep the features of the largest variance; each wide view gets a note."""
    data = found.data
    for v, (name, X, present) in enumerate(data.each()):
        if not most or X.shape[1] <= most or X.shape[0] == X.shape[1]:
            continue
        X_present = X[np.flatnonzero(present)]
        if sparse.issparse(X):
            mean = np.asarray(X_present.mean(axis=0)).ravel()
            variance = np.asarray(X_present.multiply(X_present).mean(axis=0)).ravel() - mean**2
        else:
            variance = np.nanvar(X_present, axis=0)
        kept = np.sort(np.argsort(-variance, kind="stable")[:most])
        data.Xs[v], data.feature_names[v] = X[:, kept], [data.feature_names[v][j] for j in kept]
        if name in data.gaps:
            data.gaps[name] = data.gaps[name][:, kept]
        found.notes.append(
            f"{name}: the {most:,} of {X.shape[1]:,} features with the largest variance; "
            "--features all takes all, --features N others"
        )


def _eigengap_number(found, most, path):
    """Return the number of clusters without labels, and say so."""
    n_samples = found.data.n_samples
    if n_samples < 3:
        raise NotUnderstood(f"{path}: {n_samples} samples; expected 3 or more, to cluster them.")
    candidates = range(2, max(min(most, n_samples // 2), 2) + 1)
    with threadpool_limits(1):  # the products are small
        number = select_n_clusters(ConcatKMeans(2), found.data.Xs, candidates).n_clusters
    found.notes.append(
        f"{number} clusters: the largest eigengap up to {most}; --clusters sets another"
    )
    return number


def _as_dataset(found, name, n_clusters, path):
    data, y, labels = found.data, found.data.y, found.data.label_names
    if y is None or n_clusters not in (None, len(labels)):
        y = np.full(data.n_samples, -1)
        labels = [f"cluster {k}" for k in range(1, n_clusters + 1)]
    Xs = [X if sparse.issparse(X) else np.ascontiguousarray(X) for X in data.Xs]
    base = Path(path) if Path(path).is_dir() else Path(path).parent
    records = [{"name": f, "sha256": sha256_of(base / f)} for f in found.views.files()]
    text = hashlib.sha256(found.views.text().encode()).hexdigest()
    checksum = checksum_of_files([*records, {"name": NAME, "sha256": text}])
    return Dataset(name, Xs, list(data.view_names), y, labels, data.presence, str(path), checksum,
                   ids=data.ids, feature_names=data.feature_names)  # fmt: skip


def _claim(folder, name, path):
    """Take a name for the data of a path, unless it is that of others."""
    mark, here = folder / "source.txt", str(Path(path).resolve())
    if not mark.exists() and Path("results", name).exists():
        text = "of another run; --name gives this one another name."
        raise NotUnderstood(f"results/{name} is {text}")
    folder.mkdir(parents=True, exist_ok=True)
    with suppress(FileExistsError), open(mark, "x", encoding="utf-8") as file:
        file.write(here)  # of two runs at once only one does this
    source = mark.read_text(encoding="utf-8")
    if source != here:
        text = f"of {source}; --name gives the run on {path} another name."
        raise NotUnderstood(f"results/{name} is {text}")


def _shipped(root):
    """Return the names of the shipped papers, data sets, experiments and runs."""
    config = Path(root, "config")
    files = [config / "papers.yaml", config / "datasets.yaml", *config.glob("experiments/*.yaml")]
    names = {path.stem for path in config.glob("runs/*.yaml")}
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    for file in files:
        names |= set(yaml.load(file.read_text(encoding="utf-8"), loader) or ())
    return {name.replace("_", "-") for name in names}


def _name_of(text, reserved=()):
    """Return a name that files and configuration can have, and no table or rule has.

    Examples
    --------
    >>> _name_of("My Data (2)"), _name_of("cost", {"cost"}), _name_of("Prüfung"), _name_of("данные")
    ('my-data-2', 'cost-data', 'prufung', 'own-9d8c')
    """
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()
    name = re.sub(r"[^a-z0-9]+", "-", plain.lower()).strip("-")
    if sum(map(str.isalnum, text)) > len(name.replace("-", "")):  # other alphabets: digits
        digits = hashlib.sha256(text.encode()).hexdigest()[:4]
        name = f"{name or 'own'}-{digits}"
    return f"{name}-data" if name in reserved else name or "own"


def _entry(data, file, specs):
    """Return the entry of a catalogue of data sets."""
    counts = np.bincount(data.y[data.y >= 0], minlength=data.n_clusters).tolist()
    counts = counts if (data.y >= 0).all() else [None] * data.n_clusters
    views = []
    for name, X in zip(data.view_names, data.Xs, strict=True):
        values = X.data if sparse.issparse(X) else X[np.isfinite(X)]
        whole = values.size and (values >= 0).all() and (values == np.round(values)).all()
        mostly = whole and np.count_nonzero(values) < 0.5 * np.prod(X.shape)  # are 0
        kind = "weighted" if specs[name].transform == "gower" else "counts" if mostly else "real"
        views.append({"name": name, "dimension": X.shape[1], "kind": kind})
    return {
        "reader": "prepared",
        "title": data.name,
        "n_samples": data.n_samples,
        "classes": dict(zip(data.label_names, counts, strict=True)),
        "views": views,
        "default_subset": "all",
        "subsets": {"all": None if data.presence.all() else {"incomplete": True}},
        "files": {file.name: {"sha256": sha256_of(file), "bytes": file.stat().st_size}},
        "sources": [{"kind": "mirror"}],
    }


def _experiments(data, name, methods, science):
    """Return the data as they are, and, if they are complete, with instances removed."""
    complete, known = bool(data.presence.all()), bool((data.y >= 0).all())
    methods = methods or science["methods"]
    common = {
        "data": [{"dataset": name, "label": name}],
        "metrics": (science["metrics_with_classes"] if known else {}) | science["metrics"],
        "methods": "all" if methods == ["all"] else methods,
    }
    whole, missing = (science["experiments"][key] | common for key in ("whole", "missing"))
    key = name.replace("-", "_")
    experiments = {key: whole | {"protocol": "complete" if complete else "natural"}}
    if complete and data.n_views > 1:
        experiments[f"{key}_missing"] = missing
    for entry in experiments.values():
        entry["title"] = entry["title"].format(name=name)
    return experiments
