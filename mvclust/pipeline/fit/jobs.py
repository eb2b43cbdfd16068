"""The fits of one job, one after the other; finished ones are taken from journals."""

import importlib
import json
from itertools import groupby
from pathlib import Path

from threadpoolctl import threadpool_limits

from mvclust.datasets.files import DamagedFile, DataNotAvailable, completed
from mvclust.datasets.record import content_digest, read_dataset
from mvclust.pipeline.fit.fits import FAILED, FitsOfSetting
from mvclust.pipeline.fit.journal import Journal
from mvclust.pipeline.fit.masks import read_masks
from mvclust.pipeline.plan.digest import digest_of
from mvclust.pipeline.plan.settings import Setting
from mvclust.pipeline.record.cost import PeakMemory
from mvclust.pipeline.record.provenance import commit_of, cpu_name, library_versions

# The row of a fit whose data set no source gave.
NOT_AVAILABLE = FAILED | {
    "seed": None,
    "peak_mb": 0.0,
    "n_samples": None,
    "n_samples_declared": None,
    "source": "",
    "data_sha256": "",
    "error": "data not available",
}


def load_estimator(name):
    """The class of a dotted name."""
    module, _, name = name.rpartition(".")
    return getattr(importlib.import_module(module), name)


def run_job(used, *, dataset_files, mask_files, journals, threads, root, report):
    """Run the fits of one job.

    Parameters
    ----------
    used : dict
        The job's slice of the plan: method, estimator, seed, settings, fits and code.
    dataset_files, mask_files : dict
        Prepared name -> path.
    journals : path-like
        Folder of the journals, one file per setting and estimator.
    threads : int
        BLAS threads.
    root : path-like
        The project's folder, whose commit the rows name.
    report : callable
        Called after each fit with its key, and whether it was there or had no data.

    Returns
    -------
    list of dict
        The rows in the order of the fits.
    """
    versions = library_versions()
    about = {
        "method": used["method"],
        "estimator": used["estimator"],
        "code": used["code"],
        "threads": threads,
        "versions": versions,
        "cpu": cpu_name(),
        "commit": commit_of(root),
    }
    estimator = load_estimator(used["estimator"])
    rows = []
    with threadpool_limits(threads):
        for setting_id, fits in groupby(used["fits"], key=lambda fit: fit[1]):
            setting = Setting.from_record(used["settings"][setting_id])
            try:
                dataset = read_dataset(dataset_files[setting.dataset], views=list(setting.views))
            except DataNotAvailable:
                for fit in fits:
                    rows.append(about | describe(setting, fit) | NOT_AVAILABLE)
                    report(fit[0], True)
                continue
            masks = read_masks(mask_files[setting.dataset], setting_id)
            journal = Journal(Path(journals, f"{setting_id}.{estimator.__name__}.jsonl"))
            basis = [
                used["estimator"], used["code"], used["seed"], versions, setting.record,
                content_digest(dataset), str(masks["digest"]),
            ]  # fmt: skip
            origin = {
                "source": dataset.source,
                "data_sha256": dataset.sha256,
                "n_samples": len(masks["rows"]),
                "n_samples_declared": int(masks["n_declared"]),
            }
            for row, taken in run_setting(
                list(fits), estimator, used["seed"], dataset, masks, setting, journal, basis, about
            ):
                rows.append(row | origin)
                report(row["key"], taken)
    return rows


def run_setting(fits, estimator, root, dataset, masks, setting, journal, basis, about):
    """Run the fits of one setting, mask after mask.

    Yields a row for each, and whether the journal had it.

    Parameters
    ----------
    fits : list of (key, setting id, repetition, params)
    estimator : class
    root : int
        Root of the seeds.
    dataset : Dataset
    masks : dict
    setting : Setting
    journal : Journal
        Fits that it has are not run again.
    basis : list
        All that the fits depend on besides repetition and parameters.
    about : dict
        Columns that all rows share.
    """
    shared = FitsOfSetting(estimator, dataset, masks, setting, root)
    for fit in fits:
        _, _, repetition, params = fit
        key = digest_of([*basis, repetition, params])
        taken = key in journal.rows
        if not taken:
            with PeakMemory() as memory:
                outcome = shared.fit(params, repetition)
            journal.append(key, about | outcome | {"peak_mb": memory.peak_mb})
        row = journal.rows[key] | {"method": about["method"]}
        yield row | describe(setting, fit), taken


def describe(setting, fit):
    """What identifies a fit, as columns of the table of runs."""
    key, setting_id, repetition, params = fit
    return {
        "key": key,
        "setting": setting_id,
        **setting.columns,
        "repetition": repetition,
        "params": params,
    }


def write_rows(rows, path):
    """Write rows as lines of JSON, whole or not at all."""
    with completed(path) as unfinished:
        unfinished.write_text("".join(json.dumps(row) + "\n" for row in rows))


def read_rows(path, keys):
    """Read the rows of some fits from what `write_rows` wrote.

    Parameters
    ----------
    path : path-like
    keys : collection of str
        The fits that must be there.

    Returns
    -------
    list of dict

    Raises
    ------
    DamagedFile
        If a line is cut, or a fit is not there.
    """
    try:
        rows = {row["key"]: row for row in map(json.loads, Path(path).read_text().splitlines())}
    except (ValueError, TypeError, KeyError) as error:
        raise DamagedFile(path, f"a line is cut: {error}") from error
    missing = [key for key in keys if key not in rows]
    if missing:
        raise DamagedFile(path, f"{len(missing)} of {len(keys)} fits are not in it")
    return [rows[key] for key in keys]
