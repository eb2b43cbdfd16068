"""The measured blocks of docs/deep.md and their figure: what labels are worth to deep methods."""

import numpy as np
import pandas as pd

from benchmarks.deep_labels import DEEP, FACTORS, FIT, HALF, MEASURED, RATES, RELEASED
from docs.pages import figure, lines_of, mean_with_interval, said, table, table_of
from mvclust.bench.config.messages import counted
from mvclust.bench.report.style import COLOURS, GREYS, add_legend

CELL = ["dataset", "share"]
PLACE = ["method", *CELL, "mask", "seed"]  # what names a fit
LABELS = {"landuse21": "LandUse-21", "scene15": "Scene-15"}
LABELS |= {"handwritten": "Handwritten", "wikipedia": "Wikipedia"}
PUBLISHED = {  # accuracies that authors give for half of the samples incomplete, and where
    ("landuse21", "COMPLETER"): "23.07 (a sheet of results in the repository of DCP)",
    ("scene15", "COMPLETER"): "39.50 (the same sheet)",
    ("scene15", "ProImp"): "44.30 (README, one run)",
}
SHOWN = {  # column -> what it is called in the figure
    "best_epoch": "best epoch over last",
    "null": "its null: best start over mean",
    "silhouette": "epoch by silhouette over last",
    "best_seed": "best seed over mean",
}


def measurements() -> pd.DataFrame:
    """The file of measurements, as far as it compares all methods."""
    return whole_masks(latest(MEASURED))


def latest(path) -> pd.DataFrame:
    """The measurements of a file, method by method, of each fit those by the latest code."""
    rows = pd.read_csv(path)
    order = {name: place for place, name in enumerate(rows["method"].unique())}
    rows = rows[rows["code"] == rows.groupby(FIT)["code"].transform("last")]
    return rows.sort_values("method", key=lambda names: names.map(order), kind="stable")


def whole_masks(rows: pd.DataFrame) -> pd.DataFrame:
    """The measurements on masks that all methods were fitted on, on all data sets and shares."""
    cells = rows.drop_duplicates([*CELL, "method", "mask"]).groupby("mask").size()
    n_all = rows[[*CELL]].drop_duplicates().shape[0] * rows["method"].nunique()
    return rows[rows["mask"].isin(cells.index[cells == n_all])]


def gains_of_fits(rows: pd.DataFrame) -> pd.DataFrame:
    """What the choice of an epoch adds, one line per fit of a deep method.

    last: the accuracy of the last epoch. In points, best_epoch: the best epoch over the last; null:
    the best k-means start on the last epoch over the mean of all starts, NaN of a single start;
    silhouette: the epoch with the best silhouette over the last.
    """
    found = []
    for place, fit in rows[rows["method"].isin(DEEP)].groupby(PLACE, sort=False):
        epochs, starts = (fit[fit["kind"] == kind] for kind in ("epoch", "start"))
        last = epochs.loc[epochs["number"].idxmax(), "acc"]
        null = starts["acc"].max() - starts["acc"].mean() if len(starts) > 1 else np.nan
        by_silhouette = epochs.loc[epochs["silhouette"].idxmax(), "acc"]
        found.append([*place, last, epochs["acc"].max() - last, null, by_silhouette - last])
    return pd.DataFrame(found, columns=[*PLACE, "last", "best_epoch", "null", "silhouette"])


def gains_of_seeds(rows: pd.DataFrame) -> pd.DataFrame:
    """What the choice of a seed of the networks adds, by method, on the first mask.

    best_seed: the best seed of each data set and share over the mean of all; seed_null: the best of
    as many k-means starts of one seed over their mean; per_data_set: one seed for each data set
    over one seed for all.
    """
    found = {}
    rows = rows[rows["method"].isin(DEEP) & (rows["mask"] == 0) & (rows["kind"] == "start")]
    for method, part in rows.groupby("method", sort=False):
        first = part[part["number"] == 0].pivot(index=CELL, columns="seed", values="acc")
        n = first.shape[1]
        starts = part[(part["seed"] == 0) & (part["number"] < n)]
        starts = starts.pivot(index=CELL, columns="number", values="acc")
        several, by_data = starts.shape[1] > 1, first.groupby("dataset").mean()
        found[method] = {
            "best_seed": (first.max(axis=1) - first.mean(axis=1)).mean(),
            "seed_null": (starts.max(axis=1) - starts.mean(axis=1)).mean() if several else np.nan,
            "per_data_set": by_data.max(axis=1).mean() - by_data.mean().max(),
        }
    return pd.DataFrame.from_dict(found, orient="index")


def gains_of_methods(rows: pd.DataFrame) -> pd.DataFrame:
    """Means of `gains_of_fits` by method, with the first seed, of which every mask has one.

    With them `gains_of_seeds`, and "beyond": the best epoch over the last, less its null if it has
    one, with the interval.
    """
    fits = gains_of_fits(rows[rows["seed"] == 0])
    means = fits.groupby("method", sort=False)[["best_epoch", "null", "silhouette"]].mean()
    beyond = (fits["best_epoch"] - fits["null"].fillna(0.0)).groupby(fits["method"], sort=False)
    return means.assign(beyond=beyond.agg(mean_with_interval)).join(gains_of_seeds(rows))


def summary(rows: pd.DataFrame) -> str:
    """What the choices add, and where the methods stand, in sentences."""
    lines, n_seeds = [], rows["seed"].nunique()
    for method, gains in gains_of_methods(rows).iterrows():
        name = "epochs without starts" if np.isnan(gains["null"]) else "epochs"
        lines.append(said("deep", name, method=method, n_seeds=n_seeds, **gains))
    accuracy = accuracies(rows)
    means = accuracy.mean(axis=1)
    deep = means[means.index.isin(DEEP)]
    others = means.drop(deep.index)
    values = {"deep": deep.idxmax(), "of_deep": deep.max()}
    values |= {"other": others.idxmax(), "of_other": others.max()}
    return "\n".join([*lines, said("deep", "last", n=accuracy.shape[1], **values)])


def first_starts(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of the last embedding under the first k-means start."""
    return rows[(rows["kind"] == "start") & (rows["number"] == 0)]


def accuracies(rows: pd.DataFrame) -> pd.DataFrame:
    """Methods x (data set, share): mean accuracy over masks, last epoch, first seed and start."""
    rows = first_starts(rows[rows["seed"] == 0])
    return rows.pivot_table(index="method", columns=CELL, values="acc", sort=False)


def cost_table(rows: pd.DataFrame) -> str:
    """CPU time and memory of a fit."""
    fits = rows.drop_duplicates(PLACE)
    cost = fits.groupby("method", sort=False).agg(
        n=("acc", "size"), median=("cpu_seconds", "median"), most=("cpu_seconds", "max"),
        mb=("peak_mb", "max"),
    )  # fmt: skip
    masks, minutes = counted(rows["mask"].nunique(), "mask"), fits["cpu_seconds"].sum() / 60
    total = said("deep", "cost", n=len(fits), minutes=minutes, masks=masks)
    return f"{table_of('deep', 'table of costs', cost.reset_index())}\n\n{total}"


def rates_table(rows: pd.DataFrame, of_rates: pd.DataFrame) -> str:
    """Accuracies by learning rate, means over the data sets, and what choosing by labels adds."""
    place = (rows["share"] == HALF) & (rows["mask"] == 0) & rows["method"].isin(DEEP)
    rows = first_starts(rows[place])
    seeds = rows.pivot(index=["method", "dataset"], columns="seed", values="acc")
    of_rates = first_starts(of_rates)
    parts = of_rates["method"].str.split("@")
    rates = of_rates.assign(method=parts.str[0], factor=parts.str[1])
    rates = rates.pivot(index=["method", "dataset"], columns="factor", values="acc")
    low, high = (f"{factor:.3g}" for factor in FACTORS)
    rates = rates.rename(columns={low: "low", high: "high"}).assign(default=seeds[0])
    rates["rate"] = rates.max(axis=1) - rates["default"]
    rates["seed"] = seeds.loc[rates.index].max(axis=1) - rates["default"]
    return table_of("deep", "rates", rates.groupby("method").mean().loc[[*DEEP]].reset_index())


def released_table(rows: pd.DataFrame) -> str:
    """Accuracies in the reading "released", by data set and method, beside published ones."""
    place = ["dataset", "method"]
    first, gains = first_starts(rows), gains_of_fits(rows).groupby(place)
    groups = first.assign(each=first["acc"].map("{:.1f}".format)).groupby(place, sort=False)
    fits = groups.agg({"acc": "mean", "each": ", ".join, "cpu_seconds": "mean", "peak_mb": "max"})
    fits = fits.join(gains[["best_epoch", "null"]].mean())
    order = sorted(fits.index, key=lambda name: (list(LABELS).index(name[0]), name[1] in DEEP))
    fits = fits.loc[order].reset_index()
    published = [PUBLISHED.get(name, "") for name in order]
    fits = fits.assign(data=fits["dataset"].map(LABELS), published=published)
    return table_of("deep", "released", fits)


def draw():
    """Left: what choices add; right: mean accuracy beside other methods."""
    rows = measurements()
    shown = gains_of_methods(rows)
    means = accuracies(rows).mean(axis=1).sort_values()
    with figure("deep", 2.8) as drawn:
        left, right = drawn.subplots(1, 2, width_ratios=[3, 2])
        place, handles = np.arange(len(shown)), {}
        colours = [COLOURS[0], GREYS[1], COLOURS[2], COLOURS[1]]
        for i, ((column, name), colour) in enumerate(zip(SHOWN.items(), colours, strict=True)):
            handles[name] = left.bar(place + 0.2 * (i - 1.5), shown[column], 0.2, color=colour)
        left.axhline(0, color="black", lw=0.6)
        left.set_xticks(place, shown.index)
        left.set_ylabel("points of ACC")
        colours = [COLOURS[3] if name in DEEP else GREYS[0] for name in means.index]
        right.barh(range(len(means)), means, 0.7, color=colours)
        right.set_yticks(range(len(means)), means.index)
        right.set_xlabel("ACC (%), mean")
        for axes in (left, right):
            axes.set_axisbelow(True)
        add_legend(drawn, handles)


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    rows = measurements()
    means = accuracies(rows)
    head = ["method", *(f"{LABELS[data]}, {share:g}" for data, share in means), "mean"]
    means["mean", ""] = means.mean(axis=1)
    return {
        "summary": summary(rows),
        "gains": table_of("deep", "gains", gains_of_methods(rows).reset_index()),
        "accuracies": table(head, lines_of(means)),
        "cost": cost_table(rows),
        "rates": rates_table(rows, latest(RATES)),
        "released": released_table(latest(RELEASED)),
    }
