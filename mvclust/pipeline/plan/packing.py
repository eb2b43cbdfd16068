"""Fits as jobs: few, even, each of one method."""

from collections import defaultdict
from operator import attrgetter
from typing import NamedTuple

# Expected CPU seconds of a job. Starting one costs about 4, and each finished job costs
# Snakemake's own process time until the end of the run.
JOB_SECONDS = 240


class PackedJob(NamedTuple):
    """Some fits of one method, the expected CPU seconds of all, the most memory of one in MB."""

    seconds: float
    memory_mb: float
    fits: list


def pack(plans, costs, job_seconds=JOB_SECONDS):
    """Fill jobs with fits of one method, so that all take about the same time.

    The fits on one mask share views and starts and stay together.

    Parameters
    ----------
    plans : dict
        Id of an experiment -> `mvclust.pipeline.plan.experiments.PlannedExperiment`.
    costs : mvclust.pipeline.plan.expected.Costs
    job_seconds : float, default=JOB_SECONDS
        What a job is to take.

    Returns
    -------
    dict
        Name of the job -> PackedJob, the longest first.
    """
    masks = defaultdict(lambda: defaultdict(dict))
    for plan in plans.values():
        for fit in plan.fits():
            masks[fit.method][fit.setting, fit.repetition][fit.key] = fit
    jobs = {}
    for method, groups in masks.items():
        # In an order of their own, so that a job does not change with the order of a grid.
        groups = [
            (setting, sorted(fits.values(), key=attrgetter("canonical_params")))
            for (setting, _), fits in sorted(groups.items())
        ]
        costed = []
        for setting, fits in groups:
            cost = costs.of(setting.record, method)
            costed.append((cost.start + len(fits) * cost.fit, cost.memory_mb, fits))
        total = sum(seconds for seconds, _, _ in costed)
        n_jobs = max(1, round(total / job_seconds))
        filled, number = 0.0, 0
        for seconds, memory_mb, fits in costed:
            # A group belongs to the job in whose share of the total its middle lies.
            number = min(n_jobs - 1, int((filled + seconds / 2) / total * n_jobs)) if total else 0
            filled += seconds
            have = jobs.get((method, number), PackedJob(0.0, 0.0, []))
            jobs[method, number] = PackedJob(
                have.seconds + seconds, max(have.memory_mb, memory_mb), have.fits + fits
            )
    longest = sorted(jobs.items(), key=lambda item: (-item[1].seconds, item[0]))
    return {f"{method}.{number}": job for (method, number), job in longest}
