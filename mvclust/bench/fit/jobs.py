"""The fits of one job, one after the other; finished ones are taken from journals."""

from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_limits

from mvclust.bench.arithmetic import Arithmetic, of_process
from mvclust.bench.config.finding import find_class
from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.fit.fits import FAILED, FitsOfSetting, told
from mvclust.bench.fit.guard import Limits, guarded
from mvclust.bench.fit.journal import Journal
from mvclust.bench.fit.masks import read_masks
from mvclust.bench.plan.code import versions_of
from mvclust.bench.plan.settings import Setting
from mvclust.bench.record.digest import code_hash, digest_of, is_ours
from mvclust.bench.record.provenance import commit_of, cpu_name, library_versions
from mvclust.datasets.files import DataNotAvailable, Refused
from mvclust.datasets.record import Dataset, read_dataset

ROW_FORMAT = 3  # of the rows in journals; another where a row gains or loses a column

# The row of a fit whose data set no source gave.
NOT_AVAILABLE = FAILED | {
    "tries": 0,
    "n_samples": None,
    "n_samples_declared": None,
    "source": "",
    "data_sha256": "",
    "error": UNAVAILABLE,
}


def run_shares(used: dict, run: Callable, limits: Limits) -> list[dict]:
    """Call `run`, a partial `run_job`, in children: one for our classes, one per other class."""
    shares, rows = defaultdict(list), []
    for fit in used["fits"]:
        ours = is_ours(used["methods"][fit[4]]["estimator"])
        shares["" if ours else fit[4]].append(fit)
    for foreign, fits in shares.items():
        work = partial(run, used | {"fits": fits})
        try:
            rows += guarded(work, limits)
        except Exception as error:
            lost = isinstance(error, ChildProcessError) or not isinstance(error, OSError | Refused)
            if not foreign or not lost:
                raise
            rows += work(lost={fit[0]: told(error) for fit in fits})
    return rows


def run_job(
    used: dict,
    *,
    threads: int,
    root: Path | str,
    report: Callable[[str, bool], None],
    run: str,
    began: Callable[[str], Any] = str,
    lost: dict | None = None,
) -> list[dict]:
    """Run the fits of one job (inputs `used`, name `run`); return their rows in order.

    There is one journal per setting and estimator. `report` is called after each fit with its key,
    and whether it was stored or had no data; `began` and `lost` are those of `guarded`.
    """
    start = Path.cwd()  # a class may change the working directory
    data_files, mask_files = used["inputs"]["data"], used["inputs"]["masks"]
    here = {"threads": threads, "cpu": cpu_name(), "commit": commit_of(root)}
    libraries, arithmetic = library_versions(), of_process()._asdict()
    about = {}
    for method, own in used["methods"].items():
        versions = libraries | versions_of(own["estimator"])
        about[method] = {"method": method, **own, "versions": versions, **here, **arithmetic}
    rows = []
    with threadpool_limits(threads):
        for setting_id, fits in groupby(used["fits"], key=itemgetter(1)):
            setting = Setting.from_record(used["settings"][setting_id])
            data_file = start / data_files[setting.dataset]
            try:
                dataset = read_dataset(data_file, views=list(setting.views))
            except DataNotAvailable:
                for fit in fits:
                    rows.append(about[fit[4]] | describe(setting, fit) | NOT_AVAILABLE)
                    report(fit[0], True)
                continue
            masks = read_masks(start / mask_files[setting.masks], setting_id)
            origin = {
                "source": dataset.source,
                "data_sha256": dataset.sha256,
                "n_samples": len(masks["rows"]),
                "n_samples_declared": int(masks["n_declared"]),
            }
            for method, own in groupby(fits, key=itemgetter(4)):
                name = about[method]["estimator"].rpartition(".")[2]
                journal = Journal(start / used["where"]["journals"] / f"{setting_id}.{name}.jsonl")
                on = dataset, masks, setting, journal
                of_setting = RunOfSetting(used, run, lost or {}, about[method], *on)
                for fit in own:
                    began(fit[0])
                    row, taken = of_setting.row_of(fit)
                    rows.append(row | {"method": method} | describe(setting, fit) | origin)
                    began("")
                    report(fit[0], taken)
    return rows


@dataclass
class RunOfSetting:
    """The rows of the fits of one method on one setting, from the journal or from new fits.

    The journal identifies a fit by the code of its estimator, the code that runs a fit, the
    versions of the libraries, and the inputs of the estimator.
    """

    used: dict  # inputs of the job
    run: str  # name of this run of the job, which does not retry its own failures
    lost: dict[str, str]
    about: dict  # columns of all rows
    dataset: Dataset
    masks: dict
    setting: Setting
    journal: Journal

    @cached_property
    def shared(self) -> tuple[FitsOfSetting | None, str | None]:
        """(the fits, None), or (None, why the class cannot be loaded)."""
        of_setting = self.dataset, self.masks, self.setting, self.used["seed"]
        try:
            return FitsOfSetting(find_class(self.about["estimator"]), *of_setting), None
        except BaseException as error:  # as what it raises in a fit
            return None, told(error)

    @cached_property
    def basis(self) -> list:
        """What a fit follows from besides its inputs."""
        code = [self.about["code"], code_hash(FitsOfSetting.__module__)]
        names = ("estimator", "versions", "threads", *Arithmetic._fields)
        return [ROW_FORMAT, code, *(self.about[name] for name in names)]

    def row_of(self, fit: list) -> tuple[dict, bool]:
        """Row of one fit, and whether the journal had it."""
        name, _, repetition, params, _ = fit
        journal, key = self.journal, None
        fits, why_not = (None, self.lost[name]) if name in self.lost else self.shared
        if fits is not None:
            given = fits.given(params, repetition)
            key = given and digest_of([*self.basis, given])
        if key in journal.rows:
            return fits.shared(journal.rows[key], params, repetition), True
        conditions = [self.used["limits"], self.used["seed"], self.dataset.sha256]
        of_failure = digest_of([*self.basis, *conditions, self.masks["digest"], name])
        before, run = journal.failures.get(of_failure, ({"tries": 0}, None))
        most, forced = self.used["where"]["tries"], self.used["where"]["forced"]
        if of_failure in journal.failures and (
            run == self.run or (before["tries"] >= most and not forced)
        ):
            return before, True
        outcome = FAILED | {"error": why_not} if fits is None else fits.fit(params, repetition)
        row = self.about | outcome | {"tries": 1 + before["tries"]}
        if row["error"] is None:
            return journal.append(key, row), False  # pyright: ignore[reportArgumentType]
        return journal.append_failure(of_failure, row, self.run), False


def failures(rows: list[dict]) -> dict[str, int]:
    """Number of tries of each failed fit, by key, without fits whose data are not available."""
    return {row["key"]: row["tries"] for row in rows if row["error"] and row["tries"]}


def describe(setting: Setting, fit: list) -> dict:
    """Identity of a fit, as columns of the table of runs."""
    key, setting_id, repetition, params, _ = fit
    return {
        "key": key,
        "setting": setting_id,
        **setting.columns,
        "repetition": repetition,
        "params": params,
    }
