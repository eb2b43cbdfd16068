"""Fits as jobs: few, even, each of one method or of several small ones."""

from collections import defaultdict
from operator import attrgetter
from typing import NamedTuple

# Expected CPU seconds of a job. Starting one costs about 4, and each finished job costs
# Snakemake's own process time until the end of the run.
JOB_SECONDS = 240

SMALL = "small"  # name of the jobs of several methods


class PackedJob(NamedTuple):
    """Some fits, the expected CPU seconds of all, the most memory of one in MB."""

    seconds: float
    memory_mb: float
    fits: list


def pack(plans, costs, job_seconds=JOB_SECONDS, join_below=0.0):
    """Fill jobs with fits, so that all take about the same time.

    The fits of one method on one mask share views and starts and stay together.

    Parameters
    ----------
    plans : dict
        Id of an experiment -> `mvclust.pipeline.plan.experiments.PlannedExperiment`.
    costs : mvclust.pipeline.plan.expected.Costs
    job_seconds : float, default=JOB_SECONDS
        What a job is to take.
    join_below : float, default=0.0
        A job has fits of one method, but those of methods that take less than this in all are
        put together, data set by data set.

    Returns
    -------
    dict
        Name of the job -> PackedJob, the longest first.
    """
    jobs = {}
    for name, groups in _by_name(plans, costs, join_below).items():
        total = sum(group.seconds for group in groups)
        n_jobs = max(1, round(total / job_seconds))
        filled, number = 0.0, 0
        for group in groups:
            # A group belongs to the job in whose share of the total its middle lies.
            middle = filled + group.seconds / 2
            number = min(n_jobs - 1, int(middle / total * n_jobs)) if total else 0
            filled += group.seconds
            have = jobs.get((name, number), PackedJob(0.0, 0.0, []))
            jobs[name, number] = PackedJob(
                have.seconds + group.seconds,
                max(have.memory_mb, group.memory_mb),
                have.fits + group.fits,
            )
    longest = sorted(jobs.items(), key=lambda item: (-item[1].seconds, item[0]))
    return {f"{name}.{number}": job for (name, number), job in longest}


def _by_name(plans, costs, join_below):
    """Jobs' names without number -> the fits on each mask, in the order in which they are run."""
    masks = defaultdict(dict)
    for plan in plans.values():
        for fit in plan.fits():
            masks[fit.setting, fit.method, fit.repetition][fit.key] = fit
    groups, totals = {}, defaultdict(float)
    for place in sorted(masks):
        setting, method, _ = place
        # In an order of their own, so that a job does not change with the order of a grid.
        fits = sorted(masks[place].values(), key=attrgetter("canonical_params"))
        cost = costs.of(setting.record, method)
        seconds = cost.start + len(fits) * cost.fit
        groups[place] = PackedJob(seconds, cost.memory_mb, fits)
        totals[method] += seconds
    named = defaultdict(list)
    for (_, method, _), group in groups.items():
        named[SMALL if totals[method] < join_below else method].append(group)
    return named
