"""Fits as jobs: few, even, each of one method."""

from collections import defaultdict
from operator import attrgetter

# Expected CPU seconds of a job. Starting one costs about 4, and each finished job costs
# Snakemake's own process time until the end of the run.
JOB_SECONDS = 240


def pack(plans, costs):
    """Fill jobs with fits of one method, so that all take about the same time.

    The fits on one mask share views and starts and stay together.

    Parameters
    ----------
    plans : dict
        Id of an experiment -> `mvclust.pipeline.plan.experiments.PlannedExperiment`.
    costs : mvclust.pipeline.plan.expected.Costs

    Returns
    -------
    dict
        Name of the job -> (expected CPU seconds, list of Fit), the longest first.
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
            costed.append((cost.start + len(fits) * cost.fit, fits))
        total = sum(seconds for seconds, _ in costed)
        n_jobs = max(1, round(total / JOB_SECONDS))
        filled, number = 0.0, 0
        for seconds, fits in costed:
            # A group belongs to the job in whose share of the total its middle lies.
            number = min(n_jobs - 1, int((filled + seconds / 2) / total * n_jobs)) if total else 0
            filled += seconds
            have, group = jobs.get((method, number), (0.0, []))
            jobs[method, number] = have + seconds, group + fits
    longest = sorted(jobs.items(), key=lambda item: (-item[1][0], item[0]))
    return {f"{method}.{number}": job for (method, number), job in longest}
