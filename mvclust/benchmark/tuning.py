"""Which grid point counts: three ways of tuning, never mixed.

oracle      the papers' way: the point with the best mean accuracy over the masks, by the true
            labels, for each data set, setting and method;
default     one fixed setting for all data sets;
label-free  for each mask the point with the best internal criterion, no label used;
fixed       nothing is chosen: the experiment shows every point that it declares.
"""

import json
from collections import defaultdict

import pandas as pd

from mvclust.benchmark.runs import INTERNAL
from mvclust.benchmark.statistics import summarise

TUNINGS = ("oracle", "default", "label-free")


def results_of(plan, name, runs, published):
    """The tidy result table of one experiment.

    Parameters
    ----------
    plan : Plan
    name : str, the experiment
    runs : DataFrame, the table of runs
    published : DataFrame, the papers' numbers

    Returns
    -------
    DataFrame
        dataset, setting, method, variant, tuning, metric, mean, std, n_runs, ci_low, ci_high,
        published, published_std, difference, then x (rate or number of views), params (chosen),
        note and source. Numbers are in the unit of the paper.
    """
    experiment = plan.experiments[name]
    factor = 100.0 if experiment["unit"] == "percent" else 1.0
    by_key = runs.set_index("key")
    fits = defaultdict(list)
    for fit in plan.fits_of(name):
        fits[fit.setting, fit.method].append(fit.key)
    rows = []
    for label, setting in plan.cases_of(name):
        for method in experiment["methods"]:
            entry = plan.algorithms[method]
            axes = list(plan.grid(name, method, setting))
            points = plan.points(name, method, setting)
            own = by_key.loc[fits[setting, method]]
            for tuning, chosen in _choose(experiment, own, points):
                about = {
                    "dataset": label,
                    "setting": _shown_setting(setting),
                    "method": entry.get("label", method),
                    "variant": chosen["variant"].iloc[0],
                    "tuning": tuning,
                    "x": len(setting.views) if experiment.get("x") == "views" else setting.rate,
                    "params": _shown(chosen["params"], axes),
                    "note": _note(chosen),
                    "source": chosen["source"].iloc[0],
                    "key": entry.get("published"),
                }
                rows += [
                    about | {"metric": metric} | _scaled(summarise(chosen[column]), factor)
                    for metric, column in experiment["metrics"].items()
                ]
    return _beside_published(pd.DataFrame(rows), experiment, published)


def _shown_setting(setting):
    if setting.protocol == "natural":
        return "natural"
    return f"{setting.protocol}_rate={setting.rate:g}"


def _choose(experiment, own, points):
    """(tuning, the runs that count) pairs."""
    if experiment.get("sweep"):
        return [("fixed", own[own["params"] == point]) for point in points]
    means = own.groupby("params")["acc"].mean()
    best = max(points, key=lambda point: (means.fillna(-1.0)[point], -points.index(point)))
    criterion = own[INTERNAL].fillna(-2.0)
    order = own["params"].map(points.index)
    ranked = own.assign(criterion=criterion, order=order).sort_values(
        ["repetition", "criterion", "order"], ascending=[True, False, True]
    )
    return [
        ("oracle", own[own["params"] == best]),
        ("default", own[own["params"] == points[0]]),
        ("label-free", ranked.groupby("repetition").head(1)),
    ]


def _scaled(summary, factor):
    return {k: v if k == "n_runs" else v * factor for k, v in summary.items()}


def _shown(params, axes):
    """The chosen values of the varied parameters; several if the masks differ in them."""
    chosen = sorted({json.dumps({a: json.loads(p)[a] for a in axes}) for p in params})
    return " | ".join(", ".join(f"{a}={v}" for a, v in json.loads(c).items()) for c in chosen)


def _note(chosen):
    failed = chosen["error"].dropna()
    if failed.empty:
        return ""
    if set(failed) == {"data not available"}:
        return "data not available"
    return f"{len(failed)} of {len(chosen)} fits failed: {failed.iloc[0]}"


def _beside_published(table, experiment, published):
    item = published[
        (published["paper"] == experiment["paper"])
        & (published["item"] == experiment.get("item", ""))
    ]
    item = item.rename(columns={"mean": "published", "std": "published_std", "method": "key"})
    item = item.assign(metric_key=item["metric"])
    keys = ["dataset", "setting", "key", "metric_key"]
    table = table.assign(metric_key=table["metric"].str.lower())
    table = table.merge(item[[*keys, "published", "published_std"]], on=keys, how="left")
    table["difference"] = table["mean"] - table["published"]
    return table[
        [
            *("dataset", "setting", "method", "variant", "tuning", "metric"),
            *("mean", "std", "n_runs", "ci_low", "ci_high"),
            *("published", "published_std", "difference"),
            *("x", "params", "note", "source"),
        ]
    ]
