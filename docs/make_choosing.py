"""What is known for `mvclust.suggest`, and what choices without labels cost.

python docs/make_choosing.py

From the tables of results/paper to mvclust/measured.json and docs/choosing.md.
"""

import json

import numpy as np
import pandas as pd
import yaml
from scipy.optimize import nnls

from docs.pages import DOCS, fill, table
from mvclust.pipeline.plan.settings import PREPARATION
from mvclust.suggesting import NEARNESS, nearness, ranked, seconds_of

ROOT = DOCS.parent
RESULTS = ROOT / "results" / "paper" / "tables"
FILE = ROOT / "mvclust" / "measured.json"
EXPERIMENT = "overview"
KINDS = {"counts": {"counts", "tf-idf", "links"}, "measurements": {"real"}}
BEST = 3  # suggestions that a user may try
PERCENT = 100


def read_yaml(*parts):
    return yaml.safe_load(ROOT.joinpath("config", *parts).read_text(encoding="utf-8"))


def scores(tuning):
    """Accuracy in percent by case (data set, share missing) and method, in the methods' order."""
    results = pd.read_csv(RESULTS / f"{EXPERIMENT}.csv")
    results = results[(results["metric"] == "ACC") & (results["tuning"] == tuning)]
    share = results["setting"].str.removeprefix("missing_rate=").astype(float)
    found = results.assign(share=share).pivot(
        index=["dataset", "share"], columns="method", values="mean"
    )
    return found[list(dict.fromkeys(results["method"]))]


def known():
    """The content of mvclust/measured.json."""
    declared = read_yaml("experiments", "beyond.yaml")[EXPERIMENT]
    catalogue, methods = read_yaml("datasets.yaml"), read_yaml("methods.yaml")
    by_label = {entry.get("label", key): key for key, entry in methods.items()}
    found = scores("default")
    sizes = pd.read_csv(RESULTS / f"{EXPERIMENT}.csv").groupby("dataset")["n_samples"].first()
    data = []
    for use in declared["data"]:
        dimensions = dimensions_of(catalogue, use["dataset"])
        views = use.get("views", list(dimensions))
        data.append(
            {
                "name": use["label"],
                "n_samples": int(sizes[use["label"]]),
                "n_views": len(views),
                "n_features": sum(dimensions[view] for view in views),
                "kind": kind_of(catalogue, use["dataset"]),
            }
        )
    costs = pd.read_csv(RESULTS / "cost.csv")
    listed = []
    for label in found:
        entry = methods[by_label[label]]
        params = entry.get("fixed", {}) | entry.get("default", {})
        listed.append(
            {
                "key": by_label[label],
                "class": entry["estimator"].rsplit(".", 1)[1],
                "params": {name: params[name] for name in params if name not in PREPARATION},
                "by_kind": {
                    name: {of: one_of(values, of) for of in KINDS}
                    for name, values in entry.get("by_kind", {}).items()
                },
                "fill": params.get("fill"),
                "shift": params.get("shift", False),
                "pair": params.get("views") == "first_pair",
                "seconds": powers(costs[costs["method"] == label], catalogue),
                "accuracy": [None if np.isnan(a) else round(a, 2) for a in found[label]],
            }
        )
    cases = [{"data": name, "share": share} for name, share in found.index]
    return {"data": data, "cases": cases, "methods": listed}


def dimensions_of(catalogue, name):
    """Number of features by view; the subset may follow the name, as in 3sources-416."""
    name = name if name in catalogue else name.rsplit("-", 1)[0]
    return {view["name"]: view["dimension"] for view in catalogue[name]["views"]}


def kind_of(catalogue, name):
    """Whether the views are measurements, or counts and links, most of which are 0."""
    kinds = {view["kind"] for view in catalogue[name]["views"]}
    (kind,) = (of for of, declared in KINDS.items() if kinds <= declared)
    return kind


def one_of(values, kind):
    """The value that all declared kinds have which `mvclust.suggest` takes for one."""
    (value,) = {values[declared] for declared in KINDS[kind]}
    return value


def powers(costs, catalogue):
    """Constant and exponents of seconds in samples and features, by least squares of logarithms.

    The exponents are not negative.
    """
    features = [
        sum(dimensions_of(catalogue, dataset)[view] for view in views.split("+"))
        for dataset, views in zip(costs["dataset"], costs["views"], strict=True)
    ]
    sizes = np.log(np.column_stack([costs["n_samples"], features]))
    seconds = np.log(np.maximum(costs["cpu_seconds"].to_numpy(), 1e-3))
    ones = np.ones((len(costs), 1))
    fitted, _ = nnls(np.hstack([ones, -ones, sizes]), seconds)
    return [round(float(x), 4) for x in (fitted[0] - fitted[1], *fitted[2:])]


def orders(content, weigh):
    """For each case the methods as they are suggested from the other data sets alone."""
    keys = [method["key"] for method in content["methods"]]
    for number, case in enumerate(content["cases"]):
        others = np.array([other["data"] != case["data"] for other in content["cases"]])
        usable = [m for m in content["methods"] if m["accuracy"][number] is not None]
        found = ranked(content, usable, weigh(content, number) * others)
        yield [keys.index(method["key"]) for method, _ in found]


def left_out(content, weigh):
    """What suggestions miss on each case, from the other data sets alone.

    Parameters
    ----------
    content : dict
        As `known` gives it.
    weigh : callable
        Weights of all cases for one case.

    Returns
    -------
    DataFrame
        One row per case: data, share, first, accuracy, best, best_accuracy, miss (of the first),
        miss_of_three (the best of the first three).
    """
    accuracy = np.array([m["accuracy"] for m in content["methods"]], dtype=float)
    keys = [method["key"] for method in content["methods"]]
    rows = []
    for number, order in enumerate(orders(content, weigh)):
        case, here = content["cases"][number], accuracy[:, number]
        best = int(np.nanargmax(here))
        rows.append(
            {
                "data": case["data"],
                "share": case["share"],
                "first": keys[order[0]],
                "accuracy": here[order[0]],
                "best": keys[best],
                "best_accuracy": here[best],
                "miss": here[best] - here[order[0]],
                "miss_of_three": here[best] - max(here[order[:BEST]]),
            }
        )
    return pd.DataFrame(rows)


def by_share(content, number):
    return nearness(content["cases"], content["cases"][number]["share"])


def by_share_widely(content, number):
    return nearness(content["cases"], content["cases"][number]["share"], 3 * NEARNESS)


def equally(content, number):
    return np.ones(len(content["cases"]))


def like(content, number, alike):
    """As `by_share`, with half the weight for cases whose data are not alike."""
    facts = {data["name"]: data for data in content["data"]}
    own = facts[content["cases"][number]["data"]]
    same = [alike(own, facts[case["data"]]) for case in content["cases"]]
    return by_share(content, number) * np.where(same, 1, 0.5)


def by_kind(content, number):
    return like(content, number, lambda a, b: a["kind"] == b["kind"])


def by_views(content, number):
    return like(content, number, lambda a, b: (a["n_views"] == 2) == (b["n_views"] == 2))


def by_samples(content, number):
    return like(content, number, lambda a, b: abs(np.log(a["n_samples"] / b["n_samples"])) < 1)


def by_features(content, number):
    return like(content, number, lambda a, b: abs(np.log(a["n_features"] / b["n_features"])) < 1)


RULES = {
    "as `suggest` ranks: cases with nearly the same share missing": by_share,
    "as `suggest`, with a width three times as large": by_share_widely,
    "all cases alike": equally,
    "as `suggest`, other kinds (measurements, counts) half": by_kind,
    "as `suggest`, another number of views (two, more) half": by_views,
    "as `suggest`, more than e times the samples, or fewer, half": by_samples,
    "as `suggest`, more than e times the features, or fewer, half": by_features,
}


def by_mask(content):
    """Accuracy in percent and `tune`'s criterion of each default fit: methods x cases x masks."""
    declared = read_yaml("experiments", "beyond.yaml")[EXPERIMENT]
    catalogue, methods = read_yaml("datasets.yaml"), read_yaml("methods.yaml")
    columns = ["dataset", "samples", "views", "missing_rate", "repetition"]
    runs = pd.read_parquet(RESULTS.parent / "runs.parquet")
    masks = range(declared["repetitions"])
    runs = runs[runs["error"].isna() & (runs["protocol"] == declared["protocol"])]
    runs = runs[runs["repetition"].isin(masks)]
    runs = runs.assign(
        views=["+".join(views) for views in runs["views"]], samples=runs["samples"].fillna(0)
    )
    found = np.full((2, len(content["methods"]), len(content["cases"]), len(masks)), np.nan)
    uses = {use["label"]: use for use in declared["data"]}
    for row, method in enumerate(content["methods"]):
        own = runs[runs["method"] == method["key"]]
        for name, value in methods[method["key"]].get("default", {}).items():
            given = own[f"param_{name}"]
            if value == "first_pair":
                first = own["views"].str.split("+").str[:2].str.join("+")
                own = own[given == first]
            else:
                own = own[given.isna() if value is None else given.astype(object) == value]
        fits = {tuple(fit[columns]): fit for _, fit in own.iterrows()}
        for number, case in enumerate(content["cases"]):
            use = uses[case["data"]]
            views = "+".join(use.get("views", dimensions_of(catalogue, use["dataset"])))
            where = (use["dataset"], use.get("samples", 0), views, case["share"])
            for mask in masks:
                fit = fits.get((*where, mask))
                if fit is not None:
                    found[:, row, number, mask] = PERCENT * fit["acc"], fit["simplified_silhouette"]
            mean, stated = found[0, row, number].mean(), method["accuracy"][number]
            if not (np.isnan(mean) if stated is None else abs(mean - stated) < 0.01):
                raise ValueError(
                    f"{method['key']} on {case}: fits give {mean}, the table {stated}."
                )
    return found


def by_criterion(content, found, n_first):
    """Points that a choice among the first suggestions misses, for each mask by the criterion."""
    accuracy, criterion = found[0], np.nan_to_num(found[1], nan=-np.inf)
    best = np.nanmax(accuracy.mean(axis=2), axis=0)
    misses = []
    for number, order in enumerate(orders(content, by_share)):
        first = order[:n_first]
        chosen = criterion[first, number].argmax(axis=0)
        misses.append(best[number] - accuracy[first, number][chosen, range(len(chosen))].mean())
    return float(np.mean(misses))


def of_suggestions(content):
    """Misses of each way to rank, on data that were left out."""
    shipped, rows = left_out(content, by_share), []
    for name, weigh in RULES.items():
        found = left_out(content, weigh)
        means = [f"{found['miss'].mean():.1f}", f"{found['miss_of_three'].mean():.1f}"]
        more = (found["miss"] - shipped["miss"]).groupby(found["data"]).mean()
        error = more.std() / np.sqrt(len(more))
        rows.append([name, *means, "" if weigh is by_share else f"{more.mean():.1f} ± {error:.1f}"])
    accuracy = np.array([m["accuracy"] for m in content["methods"]], dtype=float)
    misses = np.nanmax(accuracy, axis=0) - accuracy
    means = np.nanmean(misses, axis=1)
    best = content["methods"][int(means.argmin())]["key"]
    found = by_mask(content)
    for n_first, which in ((BEST, f"the first {BEST}"), (len(means), "all methods")):
        miss = by_criterion(content, found, n_first)
        name = f"as `suggest`, then of {which} by the criterion of `tune`"
        rows.append([name, f"{miss:.1f}", "", ""])
    rows.append([f"always `{best}`, the best in hindsight", f"{means.min():.1f}", "", ""])
    rows.append(["a method at random", f"{np.nanmean(misses):.1f}", "", ""])
    head = [
        "ranked by",
        "the first misses",
        f"the best of {BEST} misses",
        "first, more than `suggest`",
    ]
    return table(head, rows)


def of_cases(content):
    """The first suggestion for each case, and the best method by the labels."""
    rows = [
        [
            row["data"],
            f"{row['share']:.0%}",
            f"`{row['first']}`",
            f"{row['accuracy']:.1f}",
            f"`{row['best']}`",
            f"{row['best_accuracy']:.1f}",
        ]
        for _, row in left_out(content, by_share).iterrows()
    ]
    return table(["data set", "missing", "first", "accuracy", "best by labels", "accuracy"], rows)


def of_times():
    """How far expected times are from those measured on data that were left out."""
    catalogue, costs = read_yaml("datasets.yaml"), pd.read_csv(RESULTS / "cost.csv")
    costs = costs[costs["method"].isin(scores("default").columns)]
    factors = []
    for _, own in costs.groupby("method"):
        for dataset, measured in own.groupby("dataset"):
            method = {"seconds": powers(own[own["dataset"] != dataset], catalogue)}
            for _, row in measured.iterrows():
                dimensions = dimensions_of(catalogue, dataset)
                n_features = sum(dimensions[view] for view in row["views"].split("+"))
                facts = {"n_samples": row["n_samples"], "n_features": n_features}
                factors.append(abs(np.log(seconds_of(method, facts) / row["cpu_seconds"])))
    half, most = np.exp(np.quantile(factors, [0.5, 0.9]))
    return (
        f"Expected times for data that were left out: half of {len(factors)} within a factor of "
        f"{half:.1f} of the measured time, nine of ten within {most:.1f}."
    )


def of_tuning():
    """Mean accuracy of each method under the three ways of tuning, over all cases."""
    points = pd.read_csv(RESULTS / f"{EXPERIMENT}.csv").groupby("method")["grid_points"].max()
    found = {tuning: scores(tuning) for tuning in ("oracle", "label-free", "default")}
    tuned = [label for label in found["oracle"] if points[label] > 1]
    means = pd.DataFrame({tuning: table[tuned].mean() for tuning, table in found.items()})
    means["miss"] = means["oracle"] - means["label-free"]
    rows = [
        [label, points[label], *(f"{value:.1f}" for value in row)]
        for label, row in means.sort_values("miss").iterrows()
    ]
    rows.append(["mean", "", *(f"{value:.1f}" for value in means.mean())])
    head = ["method", "points", "oracle", "`tune`", "default", "`tune` misses"]
    return table(head, rows)


def main():
    content = known()
    text = json.dumps(content, indent=1, ensure_ascii=False)
    FILE.write_text(text + "\n", encoding="utf-8")
    fill("choosing.md", "suggestions", of_suggestions(content))
    fill("choosing.md", "cases", of_cases(content))
    fill("choosing.md", "times", of_times())
    fill("choosing.md", "tuning", of_tuning())


if __name__ == "__main__":
    main()
