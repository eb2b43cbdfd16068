"""The blocks and the figure of docs/audit.md: which gains over a short baseline survive."""

from functools import cache

import numpy as np
import pandas as pd
from scipy import stats

from docs import make_deep, make_gaps, pages
from mvclust.bench.score.overall import against_reference, over_rates

RUN = pages.ROOT / "results/modern/tables"
TUNINGS = {"oracle": "#D55E00", "default": "#0072B2", "label-free": "#009E73"}
CHOICES = {"parameters": "#D55E00", "start": "#E69F00", "iteration": "#56B4E9"}
CHOICES |= {"order of the file": "#CC79A7"}


def read(name: str, **chosen) -> pd.DataFrame:
    """The rows of a table of the run that have the chosen values."""
    return pages.read_table(RUN / f"{name}.csv", **chosen)


def swept(name: str, axis: str) -> pd.DataFrame:
    """Accuracies of a sweep: data set, method and value of the axis -> accuracy."""
    rows = read(name, metric="ACC")
    rows = rows.assign(value=pages.numbers_in(rows["params"], axis))
    return rows.pivot(index=["method", "dataset"], columns="value", values="mean")


def overall(references, datasets=None):
    """Means over rates, and methods beside the best reference; of all data sets, or of some."""
    rows = read("modern_overview", metric="ACC")
    rows = rows[rows["dataset"].isin(datasets or rows["dataset"])]
    rows = rows.assign(method_key=rows["method"], view=np.nan, n_views=0, note="")
    means = over_rates(rows.assign(points=[[{}]] * len(rows)))
    return means, against_reference(means, references)


@cache
def compared():
    """Labels of references and of methods since 2019, `overall` of all data, `inflation`."""
    labels, references = pages.labels_of_methods()
    means, beside = overall(references)
    later = [labels[key] for key in pages.LATER]
    return references, later, means, beside, inflation(means)


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    references, later, means, beside, gains = compared()
    added = gains.loc[[name for name in later if name in gains.index]].mean()
    added = pages.said("audit", "added", **added, order=added["order of the file"])
    by_labels = gains[["parameters", "start", "iteration"]].sum(axis=1)
    gains = gains.loc[by_labels.sort_values(ascending=False).index]
    return {
        "README": pages.said("audit", "first page", **answer_of(beside, later, "label-free")),
        "summary": "\n".join([*comparison_lines(beside, later), added]),
        "beside": beside_table(beside, later),
        "clusters": clusters_text(references, later),
        "wins": wins_table(means, later, references),
        "order": order_table(),
        "inflation": pages.table_of("audit", "inflation", gains.reset_index()),
        "by data set": by_data_set(means),
        "grid": grid_table(),
        "controls": controls_table(),
        "cost": pages.provenance(RUN.parent),
        "gaps": make_gaps.reversed_text(),
        "deep": make_deep.summary(make_deep.measurements()),
    }


def comparison_lines(beside, later):
    """What each tuning says of the methods since 2019 beside the best reference."""
    return [
        pages.said("audit", "tuning", tuning=tuning, **answer_of(beside, later, tuning))
        for tuning in beside["tuning"].unique()
    ]


def answer_of(beside, later, tuning):
    """How the methods since 2019 stand beside the best reference, under one tuning."""
    part = beside[(beside["tuning"] == tuning) & beside["method"].isin(later)]
    part = part.sort_values("above", ascending=False)
    sure = list(part.loc[(part["ci_low"] > 0) & (part["p_holm"] < 0.05), "method"])
    first = part.iloc[0]
    # The least mean difference that is found with 80 % power, after Holm's first step.
    se = (part["ci_high"] - part["ci_low"]).median() / (2 * stats.norm.ppf(0.975))
    levels = 1 - 0.025 / beside["method"].nunique(), 0.8
    return {
        "n": len(part),
        "sure": ", ".join(sure) or "none",
        "first": first["method"],
        "is_first": "is most often better" if sure else "comes closest",
        "power": stats.norm.ppf(levels).sum() * se,
        "most_datasets": part["n_datasets"].max(),
        **first[["reference", "above", "below", "n_datasets"]],
    }


def clusters_text(references, later):
    """How well the classes of each set form clusters, and the answer on the half that do best."""
    match = pd.read_csv(pages.ROOT / "benchmarks/class_clusters.csv").set_index("dataset")
    match["beyond"] = (match.iloc[:, 0] - match["shuffled"]) / (1 - match["shuffled"])
    match = match.sort_values("beyond", ascending=False)
    half = list(match.index[: len(match) // 2])
    match["half"] = np.where(match.index.isin(half), "yes", "")
    text = pages.table_of("audit", "clusters", match.reset_index())
    lines = comparison_lines(overall(references, half)[1], later)
    return "\n".join([text, "", "On the better half alone:", "", *lines])


def wins_table(means: pd.DataFrame, later: list[str], references: list[str]) -> str:
    """Data sets on which each later method is more than 3 points above every short reference."""
    part = means[means["tuning"] == "oracle"]
    wide = part.pivot_table(index="dataset", columns="method", values="mean", sort=False)
    best = wide[[name for name in references if name in wide]].max(axis=1)
    shown = [name for name in later if name in wide]
    lines = [[name, ", ".join(wide.index[wide[name] > best + 3]) or "none"] for name in shown]
    head = ["method", "more than 3 points above every short reference"]
    return pages.table(head, lines, align="---")


def beside_table(beside: pd.DataFrame, later: list[str]) -> str:
    """Every method under the three tunings."""
    rows = beside.assign(star=np.where(beside["p_holm"] < 0.05, "\\*", ""))
    rows["points"] = pages.texts_of(rows, "{difference:+.1f} [{ci_low:.1f}, {ci_high:.1f}]{star}")
    rows["above"] = pages.texts_of(rows, "{above} of {n_datasets}")
    marks = rows["method"].isin(later).map({True: "**", False: ""})
    rows["method"] = marks + rows["method"] + marks
    shown = ["difference", "points", "above", "below"]
    wide = rows.pivot(index="method", columns="tuning", values=shown)
    wide.columns = [f"{tuning} {what}" for what, tuning in wide.columns]
    wide = wide.loc[rows.loc[rows["tuning"] == "oracle", "method"]].reset_index()
    wide = wide.sort_values("label-free difference", ascending=False, kind="stable")
    return pages.table_of("audit", "beside", wide)


def order_effects() -> pd.DataFrame:
    """Effect of other orders, and of other seeds, on the accuracy of each method."""
    # Rounded, as the last bits of equal means may differ: ties are ties.
    orders, starts = swept("audit_order", "order").round(9), swept("audit_starts", "start").round(9)
    file, shuffled = orders[0.0], orders.drop(columns=0.0)
    gain = (file - shuffled.mean(axis=1)).round(9)
    above, below = file > shuffled.max(axis=1), file < shuffled.min(axis=1)
    between = shuffled.max(axis=1) - shuffled.min(axis=1)
    return pd.DataFrame({
        "file": file, "shuffled": shuffled.mean(axis=1), "gain": gain, "above": above,
        "below": below, "orders": shuffled.std(axis=1), "range": between,
        "starts": starts.std(axis=1),
    })  # fmt: skip


def order_table() -> str:
    """One line per method, the largest gain from the file's order first."""
    groups = order_effects().groupby("method")
    means = dict.fromkeys(["file", "shuffled", "gain", "orders", "starts"], "mean")
    rows = groups.agg(means | {"above": "sum", "below": "sum", "range": "max"})
    gains = groups["gain"]
    rows = rows.assign(n=gains.size(), largest=gains.max(), dataset=gains.idxmax().str[1])
    rows = rows.sort_values("gain", ascending=False, kind="stable")
    return pages.table_of("audit", "order", rows.reset_index())


def inflation(means):
    """Gain in accuracy of each method by choices by labels, means over the data sets."""
    wide = with_a_choice(means)
    starts, stops = swept("audit_starts", "start"), swept("audit_iterations", "max_iter")
    parts = {
        "parameters": wide["oracle"] - wide["label-free"],
        "over default": wide["oracle"] - wide["default"],
        "start": starts.max(axis=1) - starts.mean(axis=1),
        "iteration": stops.max(axis=1) - stops[stops.columns.max()],
        "order of the file": order_effects()["gain"],
    }
    return pd.DataFrame({name: part.groupby("method").mean() for name, part in parts.items()})


def with_a_choice(means):
    """Means under each tuning, of the methods with more than one point in their grid."""
    points = read("modern_overview").groupby("method")["grid_points"].max()
    several = means[means["method"].map(points) > 1]
    return several.pivot(index=["method", "dataset"], columns="tuning", values="mean")


def by_data_set(means: pd.DataFrame) -> str:
    """What the parameters chosen by labels add on each data set."""
    wide = with_a_choice(means)
    added = (wide["oracle"] - wide["label-free"]).unstack()
    added = added[list(dict.fromkeys(means["dataset"]))]
    order = added.mean(axis=1).sort_values(ascending=False).index
    return pages.table(["method", *added], pages.lines_of(added.loc[order]))


def grid_table() -> str:
    """The authors' grid on BDGP beside ours: best, median and lowest of the 16 points."""
    theirs = pd.read_csv(pages.ROOT / "config/imvccbg_grid.csv")
    theirs["mean"] = 100 * theirs["acc"]
    ours = read("audit_grid", metric="ACC")
    for name, texts in (("incomplete_rate", ours["setting"]), ("n_anchors", ours["params"])):
        ours[name] = pages.numbers_in(texts, name)
    parts = []
    for rows in (ours, theirs):
        few = rows[rows["n_anchors"] == 5].groupby("incomplete_rate")["mean"].mean()
        part = rows.groupby("incomplete_rate")["mean"].agg(["max", "median", "min"])
        parts.append(part.assign(few=few))
    both = parts[0].join(parts[1].add_suffix(" released")).reset_index()
    return pages.table_of("audit", "grid", both)


def controls_table() -> str:
    """Means over the data sets, and on how many the interval excludes 0."""
    rows = read("audit_controls", tuning="default")
    rows["out"] = (rows["ci_low"] > 0) | (rows["ci_high"] < 0)
    groups = rows.groupby(["method", "metric"], sort=False)
    rows = groups["mean"].agg(["mean", "min", "max", "size"]).assign(out=groups["out"].sum())
    rows = rows.reset_index()
    rows["out"] = np.where(rows["metric"] == "ARI", pages.texts_of(rows, "{out} of {size}"), "")
    return pages.table_of("audit", "controls", rows)


def draw():
    """Left: every method beside the best reference; right: what choices by labels add."""
    _, later, _, beside, gains = compared()
    wide = {tuning: part.set_index("method") for tuning, part in beside.groupby("tuning")}
    names = list(wide["label-free"].sort_values("difference").index)
    with pages.figure("audit", 0.17 * len(names) + 1.1) as figure:
        left, right = figure.subplots(1, 2, sharey=True, width_ratios=[3, 2])
        for offset, (tuning, colour) in zip((0.22, 0.0, -0.22), TUNINGS.items(), strict=True):
            part = wide[tuning].reindex(names)
            y = np.arange(len(names)) + offset
            spans = np.abs(part[["ci_low", "ci_high"]].to_numpy().T - part["difference"].to_numpy())
            label = f"{tuning} (reference: {wide[tuning]['reference'].iloc[0]})"
            style = {"fmt": "o", "ms": 2.5, "lw": 0.8, "color": colour, "label": label}
            left.errorbar(part["difference"], y, xerr=spans, **style)
        left.set_yticks(range(len(names)), names)
        for text, name in zip(left.get_yticklabels(), names, strict=True):
            text.set_weight("bold" if name in later else "normal")
        left.set_xlabel("ACC minus that of the best reference (points)")
        for (choice, colour), marker in zip(CHOICES.items(), "os^D", strict=True):
            values = gains[choice].reindex(names)
            right.plot(values, range(len(names)), marker, ms=3, color=colour, label=choice)
        right.set_xlabel("points of ACC that each choice adds")
        right.set_axisbelow(True)
        for axes, side, n_columns in ((left, "left", 1), (right, "right", 2)):
            axes.axvline(0, color="black", lw=0.8)
            entries = axes.get_legend_handles_labels()
            figure.legend(*entries, loc=f"outside lower {side}", ncols=n_columns)
