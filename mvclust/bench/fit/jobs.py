"""The fits of one job, one after the other; finished ones are taken from journals."""

from collections import defaultdict
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import NamedTuple

from threadpoolctl import threadpool_limits

from mvclust.bench.arithmetic import Arithmetic, of_process
from mvclust.bench.config.finding import find_class
from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.fit.contain import told
from mvclust.bench.fit.cpu import PeakMemory
from mvclust.bench.fit.fits import FAILED, FitsOfSetting
from mvclust.bench.fit.guard import NewProcess, guarded
from mvclust.bench.fit.journal import Journal
from mvclust.bench.fit.masks import read_masks
from mvclust.bench.plan.code import versions_of
from mvclust.bench.plan.settings import Setting
from mvclust.bench.record.digest import code_hash, digest_of, is_ours
from mvclust.bench.record.provenance import commit_of, cpu_name, library_versions
from mvclust.datasets.files import DataNotAvailable, Refused
from mvclust.datasets.record import read_dataset

ROW_FORMAT = 3  # of the rows in journals; another where a row gains or loses a column

# The row of a fit that took its process down, and of one whose data set no source gave.
LOST = FAILED | {"seed": None, "peak_mb": 0.0}
NOT_AVAILABLE = LOST | {
    "tries": 0,
    "n_samples": None,
    "n_samples_declared": None,
    "source": "",
    "data_sha256": "",
    "error": UNAVAILABLE,
}


def shares_of(used):
    """Divide a job into fits that may share a process.

    Those of our own classes may, those of another class are by themselves: whatever it does to the
    process, it changes no fit of another.

    Parameters
    ----------
    used : dict
        The job's slice of the plan.

    Returns
    -------
    list of dict
        The same with some of the fits each.
    """
    shares = defaultdict(list)
    for fit in used["fits"]:
        ours = is_ours(used["methods"][fit[4]]["estimator"])
        shares["" if ours else fit[4]].append(fit)
    return [used | {"fits": fits} for fits in shares.values()]


def run_share(share, run, limits):
    """Run fits that may share a process; what a class of others does to its process is in its rows.

    Parameters
    ----------
    share : dict
        As `shares_of` gives it.
    run : callable
        `run_job` with all that it needs, but what `guarded` gives.
    limits : Limits

    Returns
    -------
    list of dict
    """
    ours = all(is_ours(method["estimator"]) for method in map(share["methods"].get, _used(share)))
    try:
        return guarded(run, limits)
    except Exception as error:
        lost = isinstance(error, ChildProcessError) or not isinstance(error, OSError | Refused)
        if ours or not lost:
            raise
        return run(lost={fit[0]: told(error) for fit in share["fits"]})


def _used(share):
    """The methods of the fits of a share."""
    return {fit[4] for fit in share["fits"]}


def run_job(
    used,
    *,
    dataset_files,
    mask_files,
    journals,
    threads,
    root,
    report,
    run,
    began=str,
    lost=None,
    done=0,
):
    """Run the fits of one job.

    Parameters
    ----------
    used : dict
        The job's slice of the plan: methods with estimator and code, seed, settings, fits, limits,
        and how often failures are tried.
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
    run : str
        What names this run of the job: what failed in it is not tried again by it.
    began : callable, default=str
        Called with the key of each fit before it is run, and with "" after it.
    lost : dict, default=None
        Key of a fit that is not to be run -> the reason for its row.
    done : int, default=0
        The number of the first fits that are passed over.

    Returns
    -------
    list of dict
        The rows in the order of the fits.

    Raises
    ------
    NewProcess
        With the rows up to there, if a fit left something at work.
    """
    journals, dataset_files = Path(journals).absolute(), _absolute(dataset_files)
    mask_files = _absolute(mask_files)
    here = {"threads": threads, "cpu": cpu_name(), "commit": commit_of(root)}
    here |= of_process()._asdict()
    versions = library_versions()
    about = {}
    for method, own in used["methods"].items():
        of_package = {"versions": versions | versions_of(own["estimator"])}
        about[method] = {"method": method} | own | of_package | here
    rows = []
    with threadpool_limits(threads):
        for setting_id, fits in groupby(used["fits"][done:], key=lambda fit: fit[1]):
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
            conditions = [used["limits"], used["seed"], dataset.sha256, masks["digest"]]
            for method, own in groupby(fits, key=lambda fit: fit[4]):
                name = about[method]["estimator"]
                journal = Journal(Path(journals, f"{setting_id}.{name.rpartition('.')[2]}.jsonl"))
                tries = Tries(
                    journal, conditions, run, used["where"]["tries"], used["where"]["forced"]
                )
                load = partial(_load, name, dataset, masks, setting, used["seed"])
                of_setting = RunOfSetting(load, setting, tries, about[method], lost or {})
                for fit in own:
                    began(fit[0])
                    row, taken = of_setting.row_of(fit)
                    rows.append(row | origin)
                    began("")
                    report(row["key"], taken)
                    if of_setting.left and fit is not used["fits"][-1]:
                        raise NewProcess(rows)
    return rows


def _absolute(paths):
    """Paths that hold whatever a class makes the working directory."""
    return {name: Path(path).absolute() for name, path in paths.items()}


def _load(name, *of_setting):
    """The fits of a class, which is imported here."""
    return FitsOfSetting(find_class(name), *of_setting)


class Tries(NamedTuple):
    """What is known of fits that failed, and whether they are tried again.

    A failure is no result: each run tries it again, up to a number of times under equal conditions.

    Attributes
    ----------
    journal : Journal
    conditions : list
        All that a failure may follow from, beside the class and its parameters: limits, seed, data,
        masks.
    run : str
        What names this run of the job: what failed in it is not tried again by it.
    most : int
        Tries after which a failure rests.
    forced : bool
        Whether those that rest are tried as well.
    """

    journal: Journal
    conditions: list
    run: str
    most: int
    forced: bool

    def before(self, key):
        """The row of the last failure; None if there is none."""
        return self.journal.failures.get(key, (None, None))[0]

    def rests(self, key):
        """Whether a fit failed before and is not tried now."""
        if key not in self.journal.failures:
            return False
        row, run = self.journal.failures[key]
        return run == self.run or (row["tries"] >= self.most and not self.forced)


class RunOfSetting:
    """The rows of the fits of one setting, from the journal or from new fits.

    A fit follows from the code of its estimator, the code that runs a fit, the versions of the
    libraries, and what the estimator is given. The journal knows it by these: as long as the views
    are the same, neither how they were made nor from what file is a reason to run it again.

    Parameters
    ----------
    load : callable
        Gives the `FitsOfSetting`; a class that cannot be loaded is the reason of its rows.
    setting : Setting
    tries : Tries
        Fits that its journal has are not run again.
    about : dict
        Columns that all rows share.
    lost : dict
        Key of a fit that is not to be run -> the reason.
    """

    def __init__(self, load, setting, tries, about, lost):
        self.load, self.setting, self.tries = load, setting, tries
        self.about, self.lost = about, lost
        code = [about["code"], code_hash(FitsOfSetting.__module__)]
        names = ("estimator", "versions", "threads", *Arithmetic._fields)
        self.basis = [ROW_FORMAT, code, *(about[name] for name in names)]

    @cached_property
    def shared(self):
        """(the fits, None), or (None, why the class cannot be loaded)."""
        try:
            return self.load(), None
        except BaseException as error:  # as what it raises in a fit
            return None, told(error)

    @property
    def left(self):
        """Whether the last fit left something at work, so that the next needs another process."""
        fits, _ = self.__dict__.get("shared", (None, None))
        return fits is not None and fits.contained.left

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
        journal, key = self.tries.journal, None
        fits, why_not = (None, self.lost[name]) if name in self.lost else self.shared
        if fits is not None:
            given = fits.given(params, repetition)
            key = given and digest_of([*self.basis, given])
        if key in journal.rows:
            return self._described(fits.shared(journal.rows[key], params, repetition), fit), True
        of_failure = digest_of([*self.basis, *self.tries.conditions, name])
        before = self.tries.before(of_failure)
        if self.tries.rests(of_failure):
            return self._described(before, fit), True
        outcome = LOST | {"error": why_not}
        if fits is not None:
            with PeakMemory() as memory:
                outcome = fits.fit(params, repetition)
            outcome |= {"peak_mb": memory.peak_mb}
        row = self.about | outcome | {"tries": 1 + (before["tries"] if before else 0)}
        if row["error"] is None:
            row = journal.append(key, row)
        else:
            row = journal.append_failure(of_failure, row, self.tries.run)
        return self._described(row, fit), False

    def _described(self, row, fit):
        return row | {"method": self.about["method"]} | describe(self.setting, fit)


def failures(rows):
    """The fits that failed.

    Parameters
    ----------
    rows : list of dict

    Returns
    -------
    dict
        Key of the fit -> by how many runs it was tried under equal conditions. Without fits whose
        data set is not available.
    """
    return {row["key"]: row["tries"] for row in rows if row["error"] and row["tries"]}


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
