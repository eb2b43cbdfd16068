"""Curves against a rate or the number of views, and against the iteration."""

import json

from mvclust.report.style import COLUMN, PAGE, look_of, new_figure


def draw_curves(experiment, results, algorithms):
    """A panel for each metric and way of tuning; bands are 95 % intervals over masks.

    Published numbers are hollow markers in the column of the oracle tuning, which is theirs.
    """
    metrics = list(experiment["metrics"])
    tunings = list(dict.fromkeys(results["tuning"]))
    looks = look_of(algorithms)
    if len(tunings) == 1:
        figure = new_figure(PAGE * 0.75, 2.3)
        panels = figure.subplots(1, len(metrics), squeeze=False).T
    else:
        figure = new_figure(PAGE, 1.75 * len(metrics) + 0.7)
        panels = figure.subplots(len(metrics), len(tunings), sharex=True, sharey="row")
        panels = panels.reshape(len(metrics), len(tunings))
    shown = {}
    for row, metric in enumerate(metrics):
        for column, tuning in enumerate(tunings):
            axes = panels[row, column]
            part = results[(results["metric"] == metric) & (results["tuning"] == tuning)]
            for method, curve in part.groupby("method", sort=False):
                shown[method] = _curve(axes, curve, looks[method], tuning in ("oracle", "fixed"))
            if len(tunings) > 1 and row == 0:
                axes.set_title(f"tuning: {tuning}")
            if column == 0 or len(tunings) == 1:
                unit = " (%)" if experiment["unit"] == "percent" else ""
                axes.set_ylabel(f"{metric}{unit}")
            axes.set_xticks(sorted(set(results["x"])))
    for axes in panels[:, 0] if len(tunings) == 1 else [panels[-1, len(tunings) // 2]]:
        axes.set_xlabel(_x_label(experiment))
    if len(shown) > 1:
        figure.legend(shown.values(), shown.keys(), loc="outside lower center", ncols=5)
    return figure


def _curve(axes, curve, look, with_published):
    (line,) = axes.plot(curve["x"], curve["mean"], **look)
    band = {"color": look["color"], "alpha": 0.15, "lw": 0}
    axes.fill_between(curve["x"], curve["ci_low"], curve["ci_high"], **band)
    if with_published and curve["published"].notna().any():
        axes.plot(
            curve["x"],
            curve["published"],
            mfc="white",
            lw=0.9,
            zorder=1,
            **look | {"linestyle": ":"},
        )
    return line


def _x_label(experiment):
    if experiment.get("x") == "views":
        return "number of views"
    if experiment["protocol"] == "paired":
        return "share of paired samples"
    return "share of missing instances in each view"


def draw_convergence(experiment, results, runs):
    """Objective (left axis) and metrics (right axis) against the iteration."""
    figure = new_figure(COLUMN, 2.4)
    left = figure.subplots()
    longest = runs.loc[runs["n_iter"].idxmax()]
    objective = longest["objective"]
    (line,) = left.plot(range(1, len(objective) + 1), objective, color="#0072B2")
    left.set_xlabel("iteration")
    left.set_ylabel("objective")
    right = left.twinx()
    right.grid(False)
    right.spines["right"].set_visible(True)
    lines, names = [line], ["objective"]
    for (metric, part), look in zip(
        results.groupby("metric", sort=False), (("#D55E00", "--"), ("#009E73", ":")), strict=False
    ):
        iterations = [json.loads(_as_json(p))["max_iter"] for p in part["params"]]
        (line,) = right.plot(iterations, part["mean"], color=look[0], ls=look[1])
        lines.append(line)
        names.append(metric)
    right.set_ylabel(" and ".join(experiment["metrics"]))
    right.set_ylim(0, 1 if experiment["unit"] == "fraction" else 100)
    figure.legend(lines, names, loc="outside upper center", ncols=3)
    return figure


def _as_json(params):
    """ "a=1, b=2" as a JSON object."""
    return json.dumps({k: float(v) for k, v in (part.split("=") for part in params.split(", "))})
