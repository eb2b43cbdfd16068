"""What fits are expected to cost, from what earlier ones took."""

import csv
from collections import defaultdict
from pathlib import Path

# What a fit costs where nothing is known of its method.
UNKNOWN_SECONDS = 1.0


class Costs:
    """Expected CPU seconds of a fit.

    Parameters
    ----------
    costs : dict
        (data set, method) -> CPU seconds of a fit. Where a pair is missing the method's mean is
        taken, then that of all.
    """

    def __init__(self, costs):
        by_method = defaultdict(list)
        for (_, method), seconds in costs.items():
            by_method[method].append(seconds)
        self.costs = costs
        self.means = {method: sum(s) / len(s) for method, s in by_method.items()}
        all_means = self.means.values()
        self.overall = sum(all_means) / len(all_means) if all_means else UNKNOWN_SECONDS

    def of(self, dataset, method):
        """Expected CPU seconds of a fit of a method on a prepared data set."""
        known = self.costs.get((dataset, method))
        return self.means.get(method, self.overall) if known is None else known


def read_costs(*paths):
    """Read costs as `mvclust.pipeline.score.runs.write_costs` wrote them.

    Parameters
    ----------
    *paths : path-like
        Of several files, those that exist and can be read count, a later one before an earlier.

    Returns
    -------
    dict
        (data set, method) -> CPU seconds of a fit.
    """
    costs = {}
    for path in filter(Path.exists, map(Path, paths)):
        try:
            with open(path, newline="", encoding="utf-8") as file:
                costs |= {
                    (row["dataset"], row["method"]): float(row["cpu_seconds"])
                    for row in csv.DictReader(file)
                }
        except (ValueError, KeyError, TypeError):
            continue  # a forecast is no reason to stop a run
    return costs


def forecast(plan, experiments, costs):
    """One line on what making some experiments takes from scratch.

    Parameters
    ----------
    plan : dict
        See `mvclust.pipeline.plan.plan.make_plan`.
    experiments : collection of str
        Ids of those that are asked for.
    costs : dict
        As `read_costs` gives them.

    Returns
    -------
    str
    """
    scores, fits = plan["uses"]["score"], plan["uses"]["fit"]
    asked = [name for name in experiments if name in scores]
    wanted = {key for n in asked for keys in scores[n]["fits"].values() for key in keys}
    jobs = sorted({job for name in asked for job in scores[name]["fits"]})
    minutes = sum(seconds_of(fits[job], costs, wanted) for job in jobs) / 60
    time = f", about {max(1, round(minutes))} CPU minutes from scratch" if costs and wanted else ""
    return f"mvclust: {len(experiments)} experiments, {len(wanted)} fits in {len(jobs)} jobs{time}"


def seconds_of(job, costs, wanted=None):
    """Expected CPU seconds of the fits of a job.

    Parameters
    ----------
    job : dict
        What the job uses, see `mvclust.pipeline.plan.plan.make_plan`.
    costs : dict
        As `read_costs` gives them.
    wanted : set of str or None, default=None
        Keys of the fits that count; None for all.

    Returns
    -------
    float
    """
    expected = Costs(costs)
    return sum(
        expected.of(job["settings"][setting]["dataset"], job["method"])
        for key, setting, _, _ in job["fits"]
        if wanted is None or key in wanted
    )
