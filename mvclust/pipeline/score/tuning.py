"""Which grid point counts: three ways of tuning, never mixed.

oracle      the papers' way: the point with the best mean accuracy over the masks, by the true
            labels, for each data set, setting and method;
default     one fixed setting for all data sets;
label-free  for each mask the point with the best internal criterion, no label used;
fixed       nothing is chosen: the experiment shows every point that it declares.
"""

import numpy as np
import pandas as pd

from mvclust.metrics import INTERNAL, STABILITY
from mvclust.pipeline.plan.settings import RATES, Setting
from mvclust.pipeline.score.results import typed
from mvclust.pipeline.score.significance import summarise

TUNINGS = ("oracle", "default", "label-free")

# What is looked at of the runs, but for scores.
ABOUT = ("acc", INTERNAL, "per_view", "n_samples", "n_samples_declared", "error", "source")

COLUMNS = [
    *("dataset", "method", "method_key", "variant", "protocol", *RATES, "view", "n_views"),
    *("tuning", "metric", "mean", "std", "n_runs", "ci_low", "ci_high"),
    *("published", "published_std", "difference", "points"),
    *("n_samples", "n_samples_declared", "repetitions", "repetitions_declared"),
    *("grid_points", "grid_points_declared", "note", "source"),
]


def results_of(used, runs):
    """The results of one experiment, tuned, beside the published numbers.

    Parameters
    ----------
    used : dict
        The experiment's slice of the plan, see `mvclust.pipeline.plan.plan.make_plan`.
    runs : DataFrame
        The table of runs, with all fits of the experiment.

    Returns
    -------
    DataFrame
        One row per data set, rate, view (where views have scores of their own), method, tuning,
        point of a sweep and metric, with the columns `COLUMNS`. Numbers are in the unit of the
        paper, intervals within what a score can be. "points" holds the chosen values of the varied
        parameters, more than one where the masks differ in them.
    """
    looked_at = {"key", *used["metrics"].values(), *ABOUT}
    by_key = runs[[name for name in runs if name in looked_at]].set_index("key")
    printed = {_place(row, row["method"], row["metric"]): row for row in used["published"]}
    methods = {method["key"]: method for method in used["methods"]}
    rows = []
    for case in used["cases"]:
        setting = Setting.from_record(case["setting"])
        for method, points in case["points"].items():
            for tuning, chosen, values, variant in _choose(used, by_key, points):
                about = {
                    **setting.columns,
                    "dataset": case["label"],
                    "method": methods[method]["label"],
                    "method_key": method,
                    "variant": variant,
                    "n_views": len(setting.views),
                    "tuning": tuning,
                    "points": values,
                    **_size(chosen),
                    "repetitions": used["repetitions"],
                    "repetitions_declared": used["repetitions_declared"],
                    "grid_points": len(points),
                    "grid_points_declared": case["declared"][method],
                    "note": _note(chosen),
                    "source": next(iter(chosen["source"]), ""),
                }
                names = methods[method]["published"]
                rows += _rows_of(used, setting, chosen, about, names, printed)
    return typed(pd.DataFrame(rows, columns=COLUMNS))


def keys_of(used):
    """The fits behind the results of an experiment, from its slice of the plan."""
    points = [point for case in used["cases"] for p in case["points"].values() for point in p]
    return {key for point in points for key in point["keys"]}


def _rows_of(used, setting, chosen, about, names, printed):
    """One row per metric, and per view where views have scores of their own."""
    factor = 100.0 if used["unit"] == "percent" else 1.0
    rows = []
    for metric, column in used["metrics"].items():
        for view, scores in _parts(setting, chosen, column):
            row = about | {"view": view, "metric": metric}
            row |= _in_unit(summarise(scores), column, factor)
            places = [_place(row, name, metric_key(metric)) for name in names]
            print_ = next((printed[place] for place in places if place in printed), None)
            row["published"] = np.nan if print_ is None else _number(print_["mean"])
            row["published_std"] = np.nan if print_ is None else _number(print_["std"])
            row["difference"] = row["mean"] - row["published"]
            rows.append(row)
    return rows


def _place(row, name, metric):
    """Where a number is in the papers; the rate of a mapping is not among the names there."""
    view = row.get("view")
    rates = (None, None) if view else (row.get("missing_rate"), row.get("paired_rate"))
    return row["dataset"], *rates, view, name, metric


def metric_key(name):
    """The name of a metric in config/published.csv from that in an experiment.

    Examples
    --------
    >>> metric_key("F-score")
    'f_score'
    """
    return name.lower().replace("-", "_")


def _number(value):
    return np.nan if value is None else float(value)


def _parts(setting, chosen, column):
    """(number of the view or None, the scores that are summarised) pairs."""
    if not setting.per_view:
        return [(None, chosen[column])]
    scores = [[] if views is None else views for views in chosen["per_view"]]
    return [
        (v + 1, [views[v][column] if len(views) else np.nan for views in scores])
        for v in range(len(setting.views))
    ]


def _choose(used, by_key, points):
    """(tuning, the runs that count, the varied values, the variant) of each row of the table."""
    own = [by_key.loc[point["keys"]] for point in points]
    variants = [point["variant"] for point in points]
    values = [point["values"] for point in points]
    if used["sweep"]:
        return [
            ("fixed", runs, [v], variant)
            for runs, v, variant in zip(own, values, variants, strict=True)
        ]
    by_labels = _best_by_labels(own)
    criterion = np.column_stack([runs[INTERNAL].fillna(-2.0).to_numpy() for runs in own])
    free = criterion.argmax(axis=1)  # one per mask
    return [
        *(("oracle", own[best], [values[best]], variants[best]) for best in by_labels),
        ("default", own[0], [values[0]], variants[0]),
        (
            "label-free",
            by_key.loc[[points[p]["keys"][mask] for mask, p in enumerate(free)]],
            [values[p] for p in sorted(set(free))],
            variants[free[0]],
        ),
    ]


def _best_by_labels(own):
    """The point with the best mean accuracy, of equal ones the first; none without classes."""
    if all(runs["acc"].isna().all() for runs in own) and any(
        runs[INTERNAL].notna().any() for runs in own
    ):
        return []
    return [int(np.argmax([_mean(runs["acc"]) for runs in own]))]


def _mean(scores):
    """The mean of the scores that are there, below all others where none is."""
    scores = scores.dropna()
    return scores.mean() if len(scores) else -1.0


def _in_unit(summary, column, factor):
    """A summary in the unit of the paper, its interval within what the score can be."""
    lowest = -1.0 if column in ("ari", INTERNAL, STABILITY) else 0.0
    for end in ("ci_low", "ci_high"):
        summary[end] = float(np.clip(summary[end], lowest, 1.0))
    return {k: v if k == "n_runs" else v * factor for k, v in summary.items()}


def _size(chosen):
    """How many samples the fits had, and how many the experiment declares."""
    sizes = chosen[["n_samples", "n_samples_declared"]].dropna()
    return dict.fromkeys(sizes, None) if sizes.empty else sizes.iloc[0].to_dict()


def _note(chosen):
    failed = chosen["error"].dropna()
    if failed.empty:
        return ""
    if set(failed) == {"data not available"}:
        return "data not available"
    return f"{len(failed)} of {len(chosen)} fits failed: {failed.iloc[0]}"
