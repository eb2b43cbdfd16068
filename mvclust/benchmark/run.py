"""Run the fits of one job, one after the other, and keep every one as a row."""

import base64
import importlib
import json
import time
import traceback
import warnings
import zlib
from itertools import groupby
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from mvclust.benchmark.cost import PeakMemory
from mvclust.benchmark.journal import Journal
from mvclust.benchmark.plan import PREPARATION, seed_of_setting
from mvclust.benchmark.prepare import prepare_task
from mvclust.benchmark.provenance import commit_of, cpu_name, library_versions
from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.record import read_dataset

# What a fit that gave nothing leaves in its row.
FAILED = {
    "labels": None,
    "sizes": None,
    "n_iter": None,
    "objective": None,
    "error": None,
    "warnings": [],
    "wall_seconds": 0.0,
    "cpu_seconds": 0.0,
    "start_cpu_seconds": 0.0,
    "peak_mb": 0.0,
}
# The row of a fit whose data set no source gave.
NOT_AVAILABLE = FAILED | {
    "seed": None,
    "n_samples": None,
    "source": "",
    "data_sha256": "",
    "error": "data not available",
}


def load_estimator(name):
    """The class of a dotted name."""
    module, _, name = name.rpartition(".")
    return getattr(importlib.import_module(module), name)


def run_job(fits, *, estimator, seed, dataset_file, mask_files, journals, code, threads, report):
    """Run fits of one method on one data set; finished ones are taken from the journals.

    Parameters
    ----------
    fits : list of Fit
    estimator : class
    seed : int
        Root of the seeds.
    dataset_file : path
        The canonical HDF5 file.
    mask_files : dict, setting id -> path
        As `draw_masks` writes them.
    journals : path
        Folder of the journals, one file a setting and method.
    code : str
        Hash of the code that the fits run; rows of other code are not taken over.
    threads : int
        BLAS threads.
    report : callable
        Called with each row as it is there.

    Returns
    -------
    list of dict, the rows in the order of the fits
    """
    about = {
        "estimator": f"{estimator.__module__}.{estimator.__name__}",
        "code": code,
        "threads": threads,
        "versions": library_versions(),
        "cpu": cpu_name(),
        "commit": commit_of(Path.cwd()),
    }
    rows = []
    with threadpool_limits(threads):
        for setting, group in groupby(fits, key=lambda fit: fit.setting):
            group = list(group)
            try:
                dataset = read_dataset(dataset_file, views=list(setting.views))
            except DataNotAvailable:
                rows += [about | describe(fit) | NOT_AVAILABLE for fit in group]
                continue
            masks = np.load(mask_files[setting.id])
            fingerprint = [code, dataset.sha256, str(masks["digest"]), seed, about["versions"]]
            journal = Journal(
                Path(journals, f"{setting.id}.{group[0].method}.jsonl"), json.dumps(fingerprint)
            )
            origin = {"source": dataset.source, "data_sha256": dataset.sha256}
            for row in run_setting(group, estimator, seed, dataset, masks, journal, about | origin):
                report(row)
                rows.append(row)
    return rows


def run_setting(fits, estimator, seed, dataset, masks, journal, about):
    """Run the fits of one setting, mask after mask; yields a row for each.

    Fits that the journal has are not run again. What a mask's fits share, the views and starts,
    is made once.
    """
    for repetition, same_mask in groupby(fits, key=lambda fit: fit.repetition):
        setting, prepared = fits[0].setting, {}
        fit_seed = seed_of_setting(seed, setting, repetition, "fit")
        for fit in same_mask:
            if fit.key in journal.rows:
                yield journal.rows[fit.key]
                continue
            params = json.loads(fit.params)
            how = {name: params.pop(name) for name in PREPARATION if name in params}
            same = json.dumps(how)
            model = estimator(dataset.n_clusters, random_state=fit_seed, **params)
            known = {"seed": fit_seed, "n_samples": len(masks["rows"])}
            try:
                if same not in prepared:
                    task = prepare_task(estimator, dataset, masks, setting, repetition, seed, how)
                    prepared[same] = task, {}
                outcome = fit_once(model, *prepared[same])
            except (MemoryError, ValueError) as error:
                outcome = FAILED | {"error": f"{type(error).__name__}: {error}"}
            yield journal.append(about | describe(fit) | known | outcome)


def describe(fit):
    """What identifies a fit, as columns of the table of runs."""
    return {
        "key": fit.key,
        "setting": fit.setting.id,
        "dataset": fit.setting.dataset,
        "views": "+".join(fit.setting.views),
        "protocol": fit.setting.protocol,
        "rate": fit.setting.rate,
        "repetition": fit.repetition,
        "method": fit.method,
        "params": fit.params,
    }


def fit_once(model, task, starts):
    """Fit one model and return what came of it; an error becomes part of the row.

    Parameters
    ----------
    model : estimator
    task : Task
    starts : dict
        Starts of earlier models on the same views: a method that can draw its start apart
        from its trade-off parameters does so once, with the same result.

    Returns
    -------
    dict with labels (packed), sizes (rows a view, where views have labels of their own), n_iter,
    objective, warnings, error, seconds and peak memory
    """
    outcome = dict(FAILED)
    start_cpu = 0.0
    with warnings.catch_warnings(record=True) as caught, PeakMemory() as memory:
        warnings.simplefilter("always")
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            if hasattr(model, "draw_start") and not isinstance(model.init, dict) and not task.sizes:
                key = tuple(getattr(model, name) for name in model.start_parameters)
                if key not in starts:
                    before = time.process_time()
                    start = model.draw_start(task.calls[0][0])
                    starts[key] = start, time.process_time() - before
                    cpu += starts[key][1]
                start, start_cpu = starts[key]
                model.set_params(init=start)
            labels = [model.fit(Xs, **links).labels_ for Xs, links in task.calls]
            labels = labels[0] if len(labels) == 1 else labels
            labels = np.concatenate(labels) if isinstance(labels, list) else labels
            outcome |= {"labels": pack_labels(labels), "sizes": task.sizes}
            outcome["n_iter"] = getattr(model, "n_iter_", None)
            if hasattr(model, "objective_"):
                outcome["objective"] = [float(value) for value in model.objective_]
        except Exception as error:  # a failed fit is a result; the run goes on
            frame = traceback.extract_tb(error.__traceback__)[-1]
            outcome["error"] = (
                f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
            )
        fit_cpu = time.process_time() - cpu
    return outcome | {
        "warnings": sorted({str(w.message) for w in caught}),
        "wall_seconds": time.perf_counter() - wall,
        "cpu_seconds": fit_cpu + start_cpu,
        "start_cpu_seconds": start_cpu,
        "peak_mb": memory.peak_mb,
    }


def pack_labels(labels):
    """Labels as text: 16-bit integers, compressed, base64."""
    return base64.b64encode(zlib.compress(np.asarray(labels, dtype="<i2").tobytes())).decode()


def unpack_labels(text):
    """Undo `pack_labels`.

    Examples
    --------
    >>> unpack_labels(pack_labels([0, 1, 1])).tolist()
    [0, 1, 1]
    """
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), dtype="<i2").astype(np.int64)
