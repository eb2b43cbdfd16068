"""What fits are expected to cost, from what earlier ones took."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Collection, Container, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mvclust.bench.config.messages import counted
from mvclust.bench.plan.fits import prepared_versions

if TYPE_CHECKING:
    from mvclust.bench.config.load import Configuration
    from mvclust.bench.plan.folders import Folders
    from mvclust.bench.plan.plan import Plan

# CPU seconds of a job beside its fits: Python starts, libraries are imported, the plan is read, and
# what scores and draws does so. The median of the committed runs; the least is 1.6, the most 5.3.
JOB_START = 2.8


class Cost(NamedTuple):
    """Cost of fits."""

    start: float  # CPU seconds of the starts that the fits on one mask share
    fit: float  # CPU seconds of each fit after that
    memory_mb: float = 0.0  # most resident memory in units of 1e6 bytes; 0 if unknown

    @classmethod
    def like(cls, costs: Sequence[Cost]) -> Cost:
        """Mean of the seconds of others, and the most of their memory."""
        starts, fits, memories = zip(*costs, strict=True)
        return cls(sum(starts) / len(costs), sum(fits) / len(costs), max(memories))

    def scaled(self, share: float) -> Cost:
        """Cost with other seconds in proportion; the memory stays."""
        return self._replace(start=share * self.start, fit=share * self.fit)


UNKNOWN = Cost(0.0, 1.0)


class Costs:
    """Expected CPU seconds of fits.

    `known` maps (data set, samples drawn or 0 for all, views, method) to a Cost; of a missing one
    the nearest mean counts, see `of`.
    """

    def __init__(self, known: dict[tuple, Cost]) -> None:
        self.known = known
        others = defaultdict(list)
        for (dataset, _, _, method), cost in known.items():
            for key in ((dataset, method), method, None):
                others[key].append(cost)
        self.means = {key: Cost.like(costs) for key, costs in others.items()}

    def of(self, setting: dict, method: str) -> Cost:
        """Expected cost on the masks of a setting, else the mean over the method's others on the
        data, then that of what it is a variant of, then that on other data, then that of all."""
        dataset = setting["dataset"]
        key = dataset, setting["samples"], len(setting["views"]), method
        if key in self.known:
            return self.known[key]
        words = method.split("-")
        names = ["-".join(words[:n]) for n in range(len(words), 0, -1)]
        others = (*((dataset, name) for name in names), *names, None)
        return next((self.means[key] for key in others if key in self.means), UNKNOWN)

    def of_fits(
        self, job: dict, absent: Container[str] = (), wanted: Container[str] | None = None
    ) -> dict[str, float]:
        """Expected CPU seconds of each (wanted) fit of a job, unless its data set is absent."""
        seconds, masks = {}, set()
        for key, setting, repetition, _, method in job["fits"]:
            on = job["settings"][setting]
            if on["dataset"] not in absent and (wanted is None or key in wanted):
                cost, mask = self.of(on, method), (setting, repetition, method)
                # The first fit on a mask has the seconds of the start that they share.
                seconds[key] = cost.fit if mask in masks else cost.start + cost.fit
                masks.add(mask)
        return seconds


def read_costs(path: Path | str) -> Costs:
    """Read the costs that `score.runs.write_costs` wrote; none stop a run that cannot be read."""
    costs = {}
    with suppress(OSError, ValueError, KeyError, TypeError):
        with open(path, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                start, fit = float(row["start_cpu_seconds"]), float(row["fit_cpu_seconds"])
                memory_mb = float(row.get("memory_mb") or 0)  # older files have none
                key = row["dataset"], int(row["samples"]), int(row["views"]), row["method"]
                costs[key] = Cost(start, fit, memory_mb)
        return Costs({key: cost for key, cost in costs.items() if cost.start >= 0})  # of old files
    return Costs({})


def shipped_costs(root: Path, configuration: Configuration) -> Costs:
    """The costs by which jobs are packed: those of the project."""
    return for_few_samples(read_costs(root / "workflow" / "costs.csv"), configuration)


def known_costs(shipped: Costs, folders: Folders, configuration: Configuration) -> Costs:
    """The best guess: costs of the last run, else those shipped, else by the size of the data."""
    latest = read_costs(folders.result("costs.csv"))
    sizes = {
        name: data.n_samples * sum(view.dimension for view in data.views)
        for name, data in configuration.datasets.items()
    }
    return for_new_data(Costs(shipped.known | latest.known), sizes)


def for_new_data(costs: Costs, sizes: dict[str, int]) -> Costs:
    """Extend costs to data sets without any, in proportion to their size (entries of all views)."""
    known = {dataset for dataset, *_ in costs.known}
    of_methods, entries = defaultdict(list), defaultdict(int)
    for (dataset, samples, _, method), cost in costs.known.items():
        if dataset in sizes and not samples:
            of_methods[method].append(cost)
            entries[method] += sizes[dataset]
    extended = Costs(costs.known)
    for dataset in sizes.keys() - known:  # which the means of a method over other data do not count
        for method, others in of_methods.items():
            share = len(others) * sizes[dataset] / entries[method]
            extended.means[dataset, method] = Cost.like(others).scaled(share)
    return extended


def for_few_samples(costs: Costs, configuration: Configuration) -> Costs:
    """Costs of a run whose budget leaves some samples of each class, in proportion to these."""
    most = configuration.run.budget.samples_per_class
    if most is None:
        return costs
    versions, expected = prepared_versions(configuration), dict(costs.known)
    for key, cost in costs.known.items():
        dataset, drawn, *_ = key
        if dataset in versions:
            _, version = versions[dataset]
            share = most * len(version.classes) / (drawn or version.n_samples)
            expected[key] = cost.scaled(min(1.0, share))
    return Costs(expected)


def expected(plan: Plan, experiments: Collection[str], costs: Costs) -> tuple[int, int, float]:
    """Fits on available data, their jobs, and CPU seconds to make experiments from scratch."""
    asked = [each["fits"] for n, each in plan.slices["score"].items() if n in experiments]
    wanted = {key for jobs in asked for keys in jobs.values() for key in keys}
    jobs = sorted({job for jobs in asked for job in jobs})
    fits = [costs.of_fits(plan.slices["fit"][job], plan.absent, wanted) for job in jobs]
    seconds = sum(sum(of_job.values()) for of_job in fits)
    seconds += JOB_START * (len(jobs) + 2 * len(asked))  # each is scored, then drawn
    return sum(map(len, fits)), len(jobs), seconds


def forecast(plan: Plan, experiments: Collection[str], costs: Costs) -> str:
    """One line on the effort to make some experiments (ids) from scratch."""
    fits, jobs, seconds = expected(plan, experiments, costs)
    minutes = counted(max(1, round(seconds / 60)), "CPU minute")
    time = f", about {minutes} from scratch" if costs.known and fits else ""
    asked_for = f"{counted(len(experiments), 'experiment')}, {counted(fits, 'fit')}"
    return f"mvclust: {asked_for} in {counted(jobs, 'job')}{time}"
