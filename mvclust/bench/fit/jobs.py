"""The fits of one job, one after the other; finished ones are taken from journals."""

from __future__ import annotations

from collections import defaultdict
from functools import cached_property, partial
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from threadpoolctl import threadpool_limits

from mvclust.bench.arithmetic import Arithmetic, of_process
from mvclust.bench.config.finding import find_class
from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.fit.errors import told
from mvclust.bench.fit.fits import FAILED, FitsOfSetting
from mvclust.bench.fit.guard import guarded
from mvclust.bench.fit.journal import Journal
from mvclust.bench.fit.masks import read_masks
from mvclust.bench.plan.code import versions_of
from mvclust.bench.plan.settings import Setting
from mvclust.bench.record.digest import code_hash, digest_of, is_ours
from mvclust.bench.record.provenance import commit_of, cpu_name, library_versions
from mvclust.datasets.files import DataNotAvailable, Refused
from mvclust.datasets.record import read_dataset

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

    from mvclust.bench.fit.guard import Limits

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


def shares_of(used: dict) -> list[dict]:
    """Divide a job into fits that may share a process: ours, and those of each other class."""
    shares = defaultdict(list)
    for fit in used["fits"]:
        ours = is_ours(used["methods"][fit[4]]["estimator"])
        shares["" if ours else fit[4]].append(fit)
    return [used | {"fits": fits} for fits in shares.values()]


def run_share(share: dict, run: Callable, limits: Limits) -> list[dict]:
    """Call `run`, a partial `run_job`, `guarded`; effects of foreign classes become rows."""
    ours = all(is_ours(method["estimator"]) for method in map(share["methods"].get, _used(share)))
    try:
        return guarded(run, limits)
    except Exception as error:
        lost = isinstance(error, ChildProcessError) or not isinstance(error, OSError | Refused)
        if ours or not lost:
            raise
        return run(lost={fit[0]: told(error) for fit in share["fits"]})


def _used(share: dict) -> set[str]:
    """Methods of the fits of a share."""
    return {fit[4] for fit in share["fits"]}


def run_job(
    used: dict,
    *,
    dataset_files: Mapping[str, Path],
    mask_files: Mapping[str, Path],
    journals: Path | str,
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
    return rows


def _absolute(paths: Mapping[str, Path]) -> dict[str, Path]:
    """Paths that stay valid if a class changes the working directory."""
    return {name: Path(path).absolute() for name, path in paths.items()}


def _load(name: str, *of_setting: Any) -> FitsOfSetting:
    """Import a class and prepare its fits."""
    return FitsOfSetting(find_class(name), *of_setting)


class Tries(NamedTuple):
    """Earlier tries of failed fits: each run tries them again, up to `most` times."""

    journal: Journal
    conditions: list  # causes of a failure besides the class and its parameters
    run: str  # name of this run of the job, which does not retry its own failures
    most: int  # number of tries of a fit
    forced: bool  # whether to retry also beyond `most`

    def before(self, key: str) -> Any:
        """Row and run of the last failure; None without one."""
        return self.journal.failures.get(key, (None, None))[0]

    def rests(self, key: str) -> bool:
        """Whether a fit failed before and is not retried now."""
        if key not in self.journal.failures:
            return False
        row, run = self.journal.failures[key]
        return run == self.run or (row["tries"] >= self.most and not self.forced)


class RunOfSetting:
    """The rows of the fits of one setting, from the journal or from new fits.

    The journal identifies a fit by the code of its estimator, the code that runs a fit, the
    versions of the libraries, and the inputs of the estimator. `about` are columns of all rows.
    """

    def __init__(
        self,
        load: Callable[[], FitsOfSetting],
        setting: Setting,
        tries: Tries,
        about: dict,
        lost: dict[str, str],
    ) -> None:
        self.load, self.setting, self.tries = load, setting, tries
        self.about, self.lost = about, lost
        code = [about["code"], code_hash(FitsOfSetting.__module__)]
        names = ("estimator", "versions", "threads", *Arithmetic._fields)
        self.basis = [ROW_FORMAT, code, *(about[name] for name in names)]

    @cached_property
    def shared(self) -> tuple[FitsOfSetting | None, str | None]:
        """(the fits, None), or (None, why the class cannot be loaded)."""
        try:
            return self.load(), None
        except BaseException as error:  # as what it raises in a fit
            return None, told(error)

    def row_of(self, fit: list) -> tuple[dict, bool]:
        """Row of one fit, and whether the journal had it."""
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
            outcome = fits.fit(params, repetition)
        row = self.about | outcome | {"tries": 1 + (before["tries"] if before else 0)}
        if row["error"] is None:
            row = journal.append(key, row)  # pyright: ignore[reportArgumentType]
        else:
            row = journal.append_failure(of_failure, row, self.tries.run)
        return self._described(row, fit), False

    def _described(self, row: dict, fit: list) -> dict:
        return row | {"method": self.about["method"]} | describe(self.setting, fit)


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
