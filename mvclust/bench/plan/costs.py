"""What fits are expected to cost, from what earlier ones took."""

from __future__ import annotations

import csv
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from mvclust.bench.config.messages import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Container, Sequence

    from mvclust.bench.plan.plan import Plan

# CPU seconds of a job beside its fits: Python starts, libraries are imported, the plan is read, and
# what scores and draws does so. The median of the committed runs; the least is 1.6, the most 5.3.
JOB_START = 2.8

KEY = ("dataset", "samples", "views", "method")


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


UNKNOWN = Cost(0.0, 1.0)


class Costs:
    """Expected CPU seconds of fits.

    `known` maps (data set, samples drawn or 0 for all, views, method) to a Cost. A missing one is
    the mean over the method's others on the data set, then that of what it is a variant of (UEAF
    for UEAF-2-printed), then that of the method on other data, then that of all.
    """

    def __init__(self, known: dict[tuple, Cost]) -> None:
        self.known = known
        others = defaultdict(list)
        for (dataset, _, _, method), cost in known.items():
            for key in ((dataset, method), method, None):
                others[key].append(cost)
        self.means = {key: Cost.like(costs) for key, costs in others.items()}

    def of(self, setting: dict, method: str) -> Cost:
        """Expected cost of a method on the masks of a setting (`plan.settings.Setting.record`)."""
        dataset = setting["dataset"]
        key = dataset, setting["samples"], len(setting["views"]), method
        if key in self.known:
            return self.known[key]
        words = method.split("-")
        names = ["-".join(words[:n]) for n in range(len(words), 0, -1)]
        others = (*((dataset, name) for name in names), *names, None)
        return next((self.means[key] for key in others if key in self.means), UNKNOWN)

    def of_fits(self, job: dict, wanted: Container[str] | None = None) -> dict[str, float]:
        """Expected CPU seconds of each fit of a job (or the wanted ones); the first on a mask draws
        the start.
        """
        seconds, masks = {}, set()
        for key, setting, repetition, _, method in job["fits"]:
            if wanted is None or key in wanted:
                cost = self.of(job["settings"][setting], method)
                first = (setting, repetition, method) not in masks
                masks.add((setting, repetition, method))
                seconds[key] = cost.start + cost.fit if first else cost.fit
        return seconds


def read_costs(path: Path | str) -> Costs:
    """Read costs as `score.runs.write_costs` wrote them; empty if that fails.

    A missing forecast does not stop a run.
    """
    if not Path(path).exists():
        return Costs({})
    try:
        with open(path, newline="", encoding="utf-8") as file:
            return Costs(
                {
                    (row["dataset"], int(row["samples"]), int(row["views"]), row["method"]): Cost(
                        float(row["start_cpu_seconds"]),
                        float(row["fit_cpu_seconds"]),
                        float(row.get("memory_mb") or 0),  # older files have none
                    )
                    for row in csv.DictReader(file)
                    if float(row["start_cpu_seconds"]) >= 0  # older files may have others
                }
            )
    except (ValueError, KeyError, TypeError):
        return Costs({})


class Expected(NamedTuple):
    """Expected effort to make some experiments from scratch."""

    fits: int  # number of fits on available data
    jobs: int  # number of jobs of fits
    seconds: float  # CPU seconds of all jobs


def expected(plan: Plan, experiments: Collection[str], costs: Costs) -> Expected:
    """Expected effort to make some experiments (ids) from scratch."""
    scores, fits = plan.slices["score"], plan.slices["fit"]
    asked = [name for name in experiments if name in scores]
    wanted = {key for n in asked for keys in scores[n]["fits"].values() for key in keys}
    jobs = sorted({job for name in asked for job in scores[name]["fits"]})
    wanted &= {key for job in jobs for key in plan.possible_fits(job)}
    seconds = sum(sum(costs.of_fits(fits[job], wanted).values()) for job in jobs)
    seconds += JOB_START * (len(jobs) + 2 * len(asked))  # each is scored, then drawn
    return Expected(len(wanted), len(jobs), seconds)


def forecast(plan: Plan, experiments: Collection[str], costs: Costs) -> str:
    """One line on the effort to make some experiments (ids) from scratch."""
    fits, jobs, seconds = expected(plan, experiments, costs)
    known = costs.known and fits
    minutes = counted(max(1, round(seconds / 60)), "CPU minute")
    time = f", about {minutes} from scratch" if known else ""
    asked_for = f"{counted(len(experiments), 'experiment')}, {counted(fits, 'fit')}"
    return f"mvclust: {asked_for} in {counted(jobs, 'job')}{time}"
