"""The fits of one job, one after the other; finished ones are taken from journals."""

import json
from itertools import groupby
from pathlib import Path

from threadpoolctl import threadpool_limits

from mvclust.datasets.files import DamagedFile, DataNotAvailable, completed
from mvclust.datasets.record import read_dataset
from mvclust.pipeline.config.classes import find_class
from mvclust.pipeline.fit.fits import FAILED, FitsOfSetting
from mvclust.pipeline.fit.journal import Journal
from mvclust.pipeline.fit.masks import read_masks
from mvclust.pipeline.plan.code import versions_of
from mvclust.pipeline.plan.settings import Setting
from mvclust.pipeline.record.cost import PeakMemory
from mvclust.pipeline.record.digest import digest_of
from mvclust.pipeline.record.provenance import commit_of, cpu_name, library_versions

ROW_FORMAT = 1  # of the rows in journals; another where a row gains or loses a column

# The row of a fit that took its process down, and of one whose data set no source gave.
LOST = FAILED | {"seed": None, "peak_mb": 0.0}
NOT_AVAILABLE = LOST | {
    "n_samples": None,
    "n_samples_declared": None,
    "source": "",
    "data_sha256": "",
    "error": "data not available",
}


def run_job(
    used, *, dataset_files, mask_files, journals, threads, root, report, began=str, lost=None
):
    """Run the fits of one job.

    Parameters
    ----------
    used : dict
        The job's slice of the plan: methods with estimator and code, seed, settings and fits.
    dataset_files, mask_files : dict
        Name of a data set, and of a file of masks (`Setting.masks`) -> path.
    journals : path-like
        Folder of the journals, one file per setting and estimator.
    threads : int
        BLAS threads.
    root : path-like
        The project's folder, whose commit the rows name.
    report : callable
        Called after each fit with its key, and whether it was there or had no data.
    began : callable, default=str
        Called with the key of each fit before it is run, and with "" after the last.
    lost : dict, default=None
        Key of a fit that is not to be run -> the reason for its row.

    Returns
    -------
    list of dict
        The rows in the order of the fits.
    """
    here = {"threads": threads, "cpu": cpu_name(), "commit": commit_of(root)}
    versions = library_versions()
    about = {}
    for method, own in used["methods"].items():
        of_package = {"versions": versions | versions_of(own["estimator"])}
        about[method] = {"method": method} | own | of_package | here
    rows = []
    with threadpool_limits(threads):
        for setting_id, fits in groupby(used["fits"], key=lambda fit: fit[1]):
            setting = Setting.from_record(used["settings"][setting_id])
            try:
                dataset = read_dataset(dataset_files[setting.dataset], views=list(setting.views))
            except DataNotAvailable:
                for fit in fits:
                    rows.append(about[fit[4]] | describe(setting, fit) | NOT_AVAILABLE)
                    report(fit[0], True)
                continue
            masks = read_masks(mask_files[setting.masks], setting_id)
            origin = {
                "source": dataset.source,
                "data_sha256": dataset.sha256,
                "n_samples": len(masks["rows"]),
                "n_samples_declared": int(masks["n_declared"]),
            }
            for method, own in groupby(fits, key=lambda fit: fit[4]):
                estimator = find_class(used["methods"][method]["estimator"])
                shared = FitsOfSetting(estimator, dataset, masks, setting, used["seed"])
                journal = Journal(Path(journals, f"{setting_id}.{estimator.__name__}.jsonl"))
                run = RunOfSetting(shared, journal, about[method], lost or {})
                for fit in own:
                    began(fit[0])
                    row, taken = run.row_of(fit)
                    rows.append(row | origin)
                    report(row["key"], taken)
    began("")
    return rows


class RunOfSetting:
    """The rows of the fits of one setting, from the journal or from new fits.

    A fit follows from the code of its estimator, the versions of the libraries, and what the
    estimator is given. The journal knows it by these: as long as the views are the same, neither
    how they were made nor from what file is a reason to run it again.

    Parameters
    ----------
    shared : FitsOfSetting
    journal : Journal
        Fits that it has are not run again.
    about : dict
        Columns that all rows share.
    lost : dict
        Key of a fit that is not to be run -> the reason.
    """

    def __init__(self, shared, journal, about, lost):
        self.shared, self.journal, self.about, self.lost = shared, journal, about, lost
        self.basis = [ROW_FORMAT, about["estimator"], about["code"], about["versions"]]

    def row_of(self, fit):
        """The row of one fit, and whether the journal had it.

        Parameters
        ----------
        fit : (key, setting id, repetition, params, method)

        Returns
        -------
        row : dict
        taken : bool
        """
        name, _, repetition, params, _ = fit
        if name in self.lost:  # not in the journal: another run, or machine, may have it
            return self._described(self.about | LOST | {"error": self.lost[name]}, fit), False
        given = self.shared.given(params, repetition)
        key = digest_of([*self.basis, given])
        if given is not None and key in self.journal.rows:
            return self._described(self.journal.rows[key], fit), True
        with PeakMemory() as memory:
            outcome = self.shared.fit(params, repetition)
        row = self.about | outcome | {"peak_mb": memory.peak_mb}
        if given is not None:
            row = self.journal.append(key, row)
        return self._described(row, fit), False

    def _described(self, row, fit):
        return row | {"method": self.about["method"]} | describe(self.shared.setting, fit)


def describe(setting, fit):
    """What identifies a fit, as columns of the table of runs."""
    key, setting_id, repetition, params, _ = fit
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
