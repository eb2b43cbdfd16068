"""Which grid point counts: three ways of tuning, never mixed.

oracle      the papers' way: the point with the best mean accuracy over the masks, by the true
            labels, for each data set, setting and method;
default     one fixed setting for all data sets;
label-free  for each mask the point with the best internal criterion, no label used;
fixed       nothing is chosen: the experiment shows every point that it declares.
"""

import json
from collections import defaultdict

import numpy as np
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
        note and source. Numbers are in the unit of the paper, intervals within what a score can be.
    """
    experiment = plan.experiments[name]
    factor = 100.0 if experiment["unit"] == "percent" else 1.0
    item = _published_item(experiment, published)
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
                    "method": entry.get("label", method),
                    "variant": chosen["variant"].iloc[0],
                    "tuning": tuning,
                    "x": _x_of(experiment, setting, chosen, axes),
                    "params": _shown(chosen["params"], axes),
                    "note": _note(chosen),
                    "source": chosen["source"].iloc[0],
                    "key": _published_name(entry, item),
                }
                rows += [
                    {"setting": shown}
                    | about
                    | {"metric": metric}
                    | _in_unit(summarise(part), column, factor)
                    for metric, column in experiment["metrics"].items()
                    for shown, part in _parts(setting, chosen, column)
                ]
    return _beside_published(pd.DataFrame(rows), item)


def _parts(setting, chosen, column):
    """(setting as the tables name it, the scores that are summarised) pairs: one, or one a view."""
    if not setting.per_view:
        name = {"random": "missing", "published": "missing"}.get(setting.protocol, setting.protocol)
        with_rate = setting.protocol not in ("natural", "complete")
        return [(f"{name}_rate={setting.rate:g}" if with_rate else name, chosen[column])]
    scores = [[] if text is None else json.loads(text) for text in chosen["per_view"]]
    return [
        (f"view={v + 1}", [views[v][column] if views else np.nan for views in scores])
        for v in range(len(setting.views))
    ]


def _x_of(experiment, setting, chosen, axes):
    """What the horizontal axis shows: the rate, the number of views or a varied parameter."""
    x = experiment.get("x", "rate")
    if x == "rate":
        return setting.rate
    if x == "views":
        return len(setting.views)
    return json.loads(chosen["params"].iloc[0])[axes[0]] if axes else 0.0


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


def _in_unit(summary, column, factor):
    """A summary in the unit of the paper, its interval within what the score can be."""
    lowest = -1.0 if column in ("ari", INTERNAL) else 0.0
    for end in ("ci_low", "ci_high"):
        summary[end] = float(np.clip(summary[end], lowest, 1.0))
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


def _published_item(experiment, published):
    return published[
        (published["paper"] == experiment["paper"])
        & (published["item"] == experiment.get("item", ""))
    ]


def _published_name(entry, item):
    """What a table of a paper calls a method; the papers do not agree."""
    names = entry.get("published", [])
    names = [names] if isinstance(names, str) else names
    return next((name for name in names if name in set(item["method"])), None)


def _beside_published(table, item):
    item = item.rename(columns={"mean": "published", "std": "published_std", "method": "key"})
    item = item.assign(metric_key=item["metric"])
    keys = ["dataset", "setting", "key", "metric_key"]
    table = table.assign(metric_key=table["metric"].str.lower().str.replace("-", "_"))
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
