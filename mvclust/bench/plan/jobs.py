"""Fits as jobs: each of one method on one data set, or of several small ones; what they ask for."""

import math
from collections import defaultdict
from operator import attrgetter
from typing import NamedTuple, Self

from mvclust.bench.plan.costs import Costs
from mvclust.bench.plan.fits import PlannedExperiment

# CPU seconds of fits that a job is to take. Starting a job costs about 2, and each finished one
# costs Snakemake's own process time until the end of the run; so methods that take little on a data
# set share jobs, and in a long run (of more CPU seconds) those that take a little more.
JOB_SECONDS = 240
LONG_RUN, JOIN_BELOW, JOIN_BELOW_IN_A_LONG_RUN = 3600, 4.0, 60.0
SEVERAL = "several"  # stands for the method in the name of a job of several methods

# Megabytes that Snakemake takes beside a job's own process, and what a job of unknown need gets.
BESIDE_MB, UNKNOWN_MB = 600, 2000
MEMORY_SLACK = 1.3

# Minutes that a job waits for files and machines, and how much slower these may be than known.
BESIDE_MINUTES = 10
TIME_SLACK = 3


class BadProfile(ValueError):
    """A profile has a value that cannot be used."""


class Packing(NamedTuple):
    """Settings of a profile for jobs of fits."""

    job_seconds: float = JOB_SECONDS  # target CPU seconds of a job
    # Methods below these CPU seconds on a data set share jobs; None: by the length of the run.
    join_below: float | None = None
    most_mb: float = math.inf  # limit of a job's request, on any attempt
    most_minutes: float = math.inf  # limit of a job's request, on any attempt

    @classmethod
    def of_profile(cls, resources: dict) -> Self:
        """Read our resources of the rule of the fits; BadProfile if one is no positive number."""
        given = {name: resources[name] for name in cls._fields if name in resources}
        for name, value in given.items():
            try:
                given[name] = float(value)
            except ValueError:
                given[name] = math.nan
            if not given[name] > 0:
                raise BadProfile(
                    f"the profile's set-resources for fit give {name}: {value}; "
                    "expected a number above 0."
                )
        return cls(**given)

    def memory_mb(self, job: dict, attempt: int) -> int:
        """Megabytes that a job requests, doubled at each new attempt (from 1)."""
        expected = job["memory_mb"]  # 0 if unknown
        first = BESIDE_MB + MEMORY_SLACK * expected if expected else UNKNOWN_MB
        return math.ceil(min(self.most_mb, first * 2 ** (attempt - 1)))

    def minutes(self, job: dict, attempt: int) -> int:
        """Minutes that a job requests, doubled at each new attempt (from 1)."""
        first = BESIDE_MINUTES + TIME_SLACK * job["seconds"] / 60
        return math.ceil(min(self.most_minutes, first * 2 ** (attempt - 1)))


class PackedJob(NamedTuple):
    """Some fits, their total expected CPU seconds, and the most memory of one in MB."""

    seconds: float
    memory_mb: float
    fits: list


def pack(
    plans: dict[str, PlannedExperiment], costs: Costs, packing: Packing
) -> dict[str, PackedJob]:
    """Pack fits into jobs of about equal time, named "<data set>/<method>.<part>", longest first.

    The fits of one method on one mask share views and starts and stay together.
    """
    masks = defaultdict(dict)
    for fit in (fit for plan in plans.values() for fit in plan.fits()):
        masks[fit.setting, fit.method, fit.repetition][fit.key] = fit
    groups, totals = {}, defaultdict(float)
    for key in sorted(masks):
        setting, method, _ = key
        # In an order of their own, so that a job does not change with the order of a grid.
        fits = sorted(masks[key].values(), key=attrgetter("canonical_params"))
        cost = costs.of(setting.record, method)
        seconds = cost.start + len(fits) * cost.fit
        groups[key] = PackedJob(seconds, cost.memory_mb, fits)
        totals[setting.dataset, method] += seconds
    small = packing.join_below
    if small is None:
        small = JOIN_BELOW if sum(totals.values()) < LONG_RUN else JOIN_BELOW_IN_A_LONG_RUN
    named = defaultdict(list)  # groups by the jobs' names without part, in the order of execution
    for (setting, method, _), group in groups.items():
        shares = totals[setting.dataset, method] < small
        named[f"{setting.dataset}/{SEVERAL if shares else method}"].append(group)
    jobs = {}
    for name, together in named.items():
        total = sum(group.seconds for group in together)
        n_jobs = max(1, round(total / packing.job_seconds))
        filled = 0.0
        for group in together:
            # A group belongs to the job in whose share of the total its middle lies.
            middle = filled + group.seconds / 2
            number = min(n_jobs - 1, int(middle / total * n_jobs)) if total else 0
            filled += group.seconds
            have = jobs.get((name, number), PackedJob(0.0, 0.0, []))
            seconds, memory_mb = have.seconds + group.seconds, max(have.memory_mb, group.memory_mb)
            jobs[name, number] = PackedJob(seconds, memory_mb, have.fits + group.fits)
    longest = sorted(jobs.items(), key=lambda item: (-item[1].seconds, item[0]))
    return {f"{name}.{number}": job for (name, number), job in longest}
