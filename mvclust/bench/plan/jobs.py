"""Fits as jobs: few, even, each of one method on one data set, or of several small ones."""

from __future__ import annotations

from collections import defaultdict
from operator import attrgetter
from typing import TYPE_CHECKING, NamedTuple

from mvclust.bench.plan.resources import join_below

if TYPE_CHECKING:
    from mvclust.bench.plan.costs import Costs
    from mvclust.bench.plan.fits import PlannedExperiment
    from mvclust.bench.plan.resources import Packing

SEVERAL = "several"  # stands for the method in the name of a job of several methods


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
    jobs = {}
    for name, groups in _by_name(plans, costs, packing).items():
        total = sum(group.seconds for group in groups)
        n_jobs = max(1, round(total / packing.job_seconds))
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


def _by_name(
    plans: dict[str, PlannedExperiment], costs: Costs, packing: Packing
) -> dict[str, list[PackedJob]]:
    """Fits on each mask by the jobs' names without part, in the order of execution."""
    masks = defaultdict(dict)
    for plan in plans.values():
        for fit in plan.fits():
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
    small = join_below(packing, sum(totals.values()))
    named = defaultdict(list)
    for (setting, method, _), group in groups.items():
        shares = totals[setting.dataset, method] < small
        named[f"{setting.dataset}/{SEVERAL if shares else method}"].append(group)
    return named
