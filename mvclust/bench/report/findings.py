"""The findings of an experiment: a few sentences made from its numbers."""

import numpy as np
import pandas as pd

from mvclust.bench.plan.settings import RATES
from mvclust.bench.report.curves import longest_objective
from mvclust.bench.report.panels import beyond_grid, panel_texts, split
from mvclust.bench.report.text import has_results, no_results_text
from mvclust.bench.score.names import FIXED, params_text
from mvclust.bench.score.overall import rank_table, reference_table
from mvclust.bench.score.tuning import ORACLE
from mvclust.metrics import SCORES
from mvclust.numerics.ties import SCORE_TOLERANCE, best_of, settled

NEAR = 5.0  # points below the best within which a grid point counts as good
SETTLED = 1e-3  # relative distance from its end within which an objective counts as settled
PLACE = ["dataset", "n_views", *RATES, "view", "metric"]


def finding(described: dict, results: pd.DataFrame, runs: pd.DataFrame) -> str:
    """Finding of one experiment from its results by block (see `score.overall.blocks_of`)."""
    if not has_results(results):
        return no_results_text(results)
    shown = results[results["mean"].notna()]
    if described["render"] == "ranks":
        parts = [_of_ranks(described, shown)]
    elif described["render"] == "convergence":
        parts = [_of_convergence(described, shown, runs)]
    elif described["sweep"]:
        parts = [_of_sweep(described, shown)]
    else:
        parts = [_of_comparison(described, shown), _of_rates(described, shown)]
        parts.append(_of_published(described, shown))
    missing = [name for name in results["dataset"].unique() if name not in set(shown["dataset"])]
    parts += [f"Not available: {', '.join(missing)}."] if missing else []
    return " ".join(filter(None, parts))


def own_methods(described: dict) -> list[str]:
    """Labels of the paper's own method, or of its variants if only these are shown."""
    paper, keys = described["paper"], [method["key"] for method in described["methods"]]
    chosen = [key for key in keys if key.lower() == paper]
    chosen = chosen or [key for key in keys if key.lower().startswith(paper)]
    return [method["label"] for method in described["methods"] if method["key"] in chosen]


def _of_comparison(described: dict, results: pd.DataFrame) -> str:
    """How often the paper's method has the highest mean, and which method most often."""
    chosen = results[results["tuning"] == ORACLE]
    compared = set(chosen.loc[chosen["published"].notna(), "method"])  # by the paper
    references = [m["label"] for m in described["methods"] if m.get("reference")]
    is_reference = chosen["method"].isin(references)
    chosen = chosen[chosen["method"].isin(compared) if compared else ~is_reference]
    of_paper, places = own_methods(described), chosen.groupby(PLACE, sort=False, dropna=False)
    if chosen["method"].nunique() < 2:
        return ""
    signs = {name: SCORES[column].sign for name, column in described["metrics"].items()}
    signed = pd.Series(settled(chosen["mean"] * chosen["metric"].map(signs)), chosen.index)
    place = places.ngroup()
    is_first = signed == signed.groupby(place).transform("max")
    first = pd.DataFrame({"place": place, "method": chosen["method"]})[is_first]
    first = first.sort_values("place", kind="stable")
    counts = first["method"].value_counts()
    named = {name: counts.get(name, 0) for name in [*of_paper, *counts.index[:2]]}
    others = places.ngroups - first.loc[first["method"].isin(list(named)), "place"].nunique()
    named |= {"others": others} if others else {}
    head = f"Highest mean of the methods compared there in {places.ngroups} cells, oracle tuning"
    head += ", ties counted for each. " if first["place"].duplicated().any() else ". "
    return head + "; ".join(f"{name}: {count}" for name, count in named.items()) + "."


def _of_rates(described: dict, results: pd.DataFrame) -> str:
    """The paper's method at the lowest and the highest rate, by the first metric."""
    rates = [name for name in RATES[:-1] if name in results and results[name].nunique() > 1]
    of_paper = own_methods(described)
    if not rates or not of_paper:
        return ""
    metric = next(iter(described["metrics"]))
    chosen = results[(results["metric"] == metric) & (results["method"] == of_paper[0])]
    chosen = chosen[chosen["tuning"].isin([ORACLE, FIXED])].sort_values(rates[0], kind="stable")
    parts = []
    for dataset, part in chosen.groupby("dataset", sort=False):
        ends = (_number(described, part["mean"].iloc[place]) for place in (0, -1))
        parts.append(f"{' to '.join(ends)} on {dataset}")
    low, high = chosen[rates[0]].min(), chosen[rates[0]].max()
    rate = rates[0].replace("_", " ")
    return f"{of_paper[0]} from {rate} {low:g} to {high:g}: {metric} {', '.join(parts)}."


def _of_published(described: dict, results: pd.DataFrame) -> str:
    """Mean difference between our numbers and the published ones."""
    printed = results[(results["tuning"] == ORACLE) & results["difference"].notna()]
    if printed.empty:
        return ""
    factor = 1.0 if described["unit"] == "percent" else 100.0
    groups = {"all": printed}
    groups |= {name: printed[printed["method"] == name] for name in own_methods(described)}
    parts = [
        f"{factor * part['difference'].mean():+.1f} points for {name} ({len(part)} numbers)"
        for name, part in groups.items()
        if len(part)
    ]
    return f"Ours minus printed, on average: {', '.join(parts)}."


def _of_sweep(described: dict, results: pd.DataFrame) -> str:
    """Range of a score over the points of a sweep, and the best point."""
    full = 100.0 if described["unit"] == "percent" else 1.0
    metric, column = next(iter(described["metrics"].items()))
    sign = SCORES[column].sign
    results = results.assign(label=[params_text(points) for points in results["points"]])
    if described.get("x") == "views":
        results["label"] = [f"{n} views" for n in results["n_views"]]
    parts = []
    places = panel_texts(described, results)[["method", "dataset", "rate", "view"]]
    if described["render"] == "surfaces":
        places = places.assign(rest=beyond_grid(described, results, params_text))
    for name, chosen in split(places[results["metric"] == metric]):
        part = results.loc[chosen.index[chosen]]
        means = part["mean"]
        best = part.iloc[best_of(sign * means)]
        text = f"{metric} {_number(described, means.max())}"
        if len(part) > 1:
            near = (sign * (best["mean"] - means) <= NEAR * full / 100 + SCORE_TOLERANCE).mean()
            text = f"{metric} from {_number(described, means.min())} to "
            text += f"{_number(described, means.max())} (best at {best['label']}; "
            text += f"{100 * near:.0f} % of the points within {NEAR:g} points of it)"
        parts.append(f"{name}: {text}" if name else text)
    return "; ".join(parts) + "."


def _of_convergence(described: dict, results: pd.DataFrame, runs: pd.DataFrame) -> str:
    """When the objective and the scores settle, and whether the objective ever rises."""
    parts = []
    axis = described["axes"][0]
    for name, part in results.groupby(["dataset", "method"], sort=False):
        objective = np.asarray(longest_objective(described, part.iloc[0], runs))
        parts_of_case = []
        if len(objective) > 1:
            rises = int((np.diff(objective) > 1e-9 * np.abs(objective[:-1])).sum())
            of_steps = f"rises in {rises} of {len(objective) - 1} steps"
            never = of_steps if rises else "never rises"
            far = np.flatnonzero(np.abs(objective - objective[-1]) > SETTLED * abs(objective[-1]))
            settled = far[-1] + 2 if far.size else 1
            parts_of_case.append(
                f"the objective {never} and is within {100 * SETTLED:g} % of its end from "
                f"iteration {settled} on"
            )
        for metric, scores in part.groupby("metric", sort=False):
            at = pd.Series(scores["mean"].to_numpy(), [p[0].get(axis) for p in scores["points"]])
            at = at.sort_index()
            ends = (f"{_number(described, at.iloc[i])} after {at.index[i]}" for i in (0, -1))
            parts_of_case.append(f"{metric} {', '.join(ends)}")
        parts.append(f"{', '.join(name)}: {'; '.join(parts_of_case)}.")
    return " ".join(parts)


def _of_ranks(described: dict, results: pd.DataFrame) -> str:
    """Best mean ranks under each tuning, by the first metric."""
    metric, column = next(iter(described["metrics"].items()))
    described = described | {"metrics": {metric: column}}
    results = results[results["metric"] == metric]
    table, parts = rank_table(described, results), []
    for tuning, part in table.groupby("tuning", sort=False):
        best = part.sort_values("rank", kind="stable").head(3)
        names = ", ".join(f"{row.method} ({row.rank:.1f})" for row in best.itertuples())
        parts.append(f"{tuning}: {names}, of {len(part)} methods")
    if not parts:
        return "Too few data sets and methods for ranks."
    blocks, whole = int(table["n_blocks"].max()), described["blocks"] == "datasets"
    over = f"{blocks} data sets{'' if whole else ' and rates'}"
    text = f"Best mean ranks by {metric} over {over}: {'; '.join(parts)}."
    return f"{text} {_beside_reference(described, results)}".strip() if whole else text


def _beside_reference(described: dict, results: pd.DataFrame) -> str:
    """Methods above the best reference on the most data sets."""
    parts = []
    for tuning, part in reference_table(described, results).groupby("tuning", sort=False):
        best = part[part["above"] > part["below"]]
        best = best.sort_values("above", ascending=False, kind="stable").head(3)
        named = [f"{r.method} ({r.above}, below it on {r.below})" for r in best.itertuples()]
        parts.append(f"{tuning}: above {part['reference'].iloc[0]} on more data sets than below")
        parts[-1] += f" beyond the interval: {', '.join(named) or 'no method'}"
    return f"{'; '.join(parts)}." if parts else ""


def _number(described: dict, value: float) -> str:
    return f"{value:.1f} %" if described["unit"] == "percent" else f"{value:.2f}"
