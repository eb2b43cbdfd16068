"""Make the measured blocks of docs/deep.md and their figure: python docs/make_deep.py

From benchmarks/deep_labels.csv. What labels are worth to deep methods, beside what chance alone
gives, and how these methods stand beside others on the same masks.
"""

import numpy as np
import pandas as pd

from benchmarks.deep_labels import DEEP, FACTORS, FIT, HALF, MEASURED, RATES, RELEASED
from docs.pages import figure, lines_of, mean_of, number, said, table, with_interval, write
from mvclust.bench.config.messages import counted
from mvclust.bench.report.style import COLOURS, GREYS, add_legend

CELL = ["dataset", "share"]
PLACE = ["method", *CELL, "mask", "seed"]  # what names a fit
LABELS = {"landuse21": "LandUse-21", "scene15": "Scene-15"}
LABELS |= {"handwritten": "Handwritten", "wikipedia": "Wikipedia"}
PUBLISHED = {  # accuracies that authors give for half of the samples incomplete, and where
    ("COMPLETER", "landuse21"): "23.07 (a sheet of results in the repository of DCP)",
    ("COMPLETER", "scene15"): "39.50 (the same sheet)",
    ("ProImp", "scene15"): "44.30 (README, one run)",
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


def gains_of_first_seed(rows: pd.DataFrame) -> pd.DataFrame:
    """`gains_of_fits` of the fits with the first seed, of which every mask has one."""
    return gains_of_fits(rows[rows["seed"] == 0])


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


def beyond_null(fits: pd.DataFrame) -> dict:
    """Best epoch over last, less its null if it has one: the mean over fits, its 95 % interval."""
    beyond = fits["best_epoch"] - fits["null"].fillna(0.0)
    return {name: mean_of(of) for name, of in beyond.groupby(fits["method"], sort=False)}


def _sentence(method: str, rows: pd.DataFrame, fits: pd.DataFrame, seeds: pd.Series, beyond) -> str:
    """What the choices add to one method."""
    starts = rows.loc[(rows["method"] == method) & (rows["kind"] == "start"), "number"].nunique()
    values = {"method": method, "epochs": fits["best_epoch"].mean(), "null": fits["null"].mean()}
    values |= {"beyond": with_interval(*beyond), "n_seeds": rows["seed"].nunique(), **seeds}
    return said("deep", "epochs without starts" if starts == 1 else "epochs", **values)


def summary(rows: pd.DataFrame) -> str:
    """What the choices add, and where the methods stand, in sentences."""
    fits, seeds = gains_of_first_seed(rows), gains_of_seeds(rows)
    lines = [
        _sentence(method, rows, fits[fits["method"] == method], seeds.loc[method], beyond)
        for method, beyond in beyond_null(fits).items()
    ]
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


def gains_table(rows: pd.DataFrame) -> str:
    """Gains of choices by method."""
    fits, seeds = gains_of_first_seed(rows), gains_of_seeds(rows)
    beyond = beyond_null(fits)
    lines = []
    for method in beyond:
        of = fits.loc[fits["method"] == method, ["best_epoch", "null", "silhouette"]].mean()
        best, null, silhouette, *by_seeds = (number(x, "+.1f") for x in (*of, *seeds.loc[method]))
        lines.append([method, best, null, with_interval(*beyond[method]), silhouette, *by_seeds])
    head = ["method", "best epoch over last", "null", "difference", "epoch by silhouette",
            "best seed over mean", "null of seeds", "a seed per data set"]  # fmt: skip
    return table(head, lines)


def accuracy_table(rows: pd.DataFrame) -> str:
    """Mean accuracies by method, data set and share."""
    means = accuracies(rows)
    head = ["method", *(f"{LABELS[data]}, {share:g}" for data, share in means), "mean"]
    means["mean", ""] = means.mean(axis=1)
    return table(head, lines_of(means))


def cost_table(rows: pd.DataFrame) -> str:
    """CPU time and memory of a fit."""
    fits = rows.drop_duplicates(PLACE)
    cost = fits.groupby("method", sort=False).agg(
        n=("acc", "size"), median=("cpu_seconds", "median"), most=("cpu_seconds", "max"),
        mb=("peak_mb", "max"),
    )  # fmt: skip
    body = [[m, n, f"{a:.1f}", f"{b:.1f}", f"{mb:.0f}"] for m, n, a, b, mb in cost.itertuples()]
    head = ["method", "fits", "CPU s, median", "CPU s, most", "peak MB"]
    masks, minutes = counted(rows["mask"].nunique(), "mask"), fits["cpu_seconds"].sum() / 60
    total = said("deep", "cost", n=len(fits), minutes=minutes, masks=masks)
    return f"{table(head, body)}\n\n{total}"


def rates_table(rows: pd.DataFrame, of_rates: pd.DataFrame) -> str:
    """Accuracies by learning rate, means over the data sets, and what choosing by labels adds."""
    place = (rows["share"] == HALF) & (rows["mask"] == 0) & rows["method"].isin(DEEP)
    rows = first_starts(rows[place])
    seeds = rows.pivot(index=["method", "dataset"], columns="seed", values="acc")
    of_rates = first_starts(of_rates)
    parts = of_rates["method"].str.split("@")
    rates = of_rates.assign(method=parts.str[0], factor=parts.str[1])
    rates = rates.pivot(index=["method", "dataset"], columns="factor", values="acc")
    rates["1"] = seeds[0]
    gains = pd.DataFrame({
        "rate": rates.max(axis=1) - rates["1"],
        "seed": seeds.loc[rates.index].max(axis=1) - rates["1"],
    }).groupby("method").mean()  # fmt: skip
    low, high = (f"{factor:.3g}" for factor in FACTORS)
    means = rates.groupby("method")[[low, "1", high]].mean()
    head = ["method", "a third of the rate", "default", "three times the rate",
            "best of three over default", "best of three seeds over the first"]  # fmt: skip
    signed = lines_of(gains.loc[[*DEEP]], "+.1f")
    pairs = zip(lines_of(means.loc[[*DEEP]]), signed, strict=True)
    return table(head, [[*line, *more[1:]] for line, more in pairs])


def released_table(rows: pd.DataFrame) -> str:
    """Accuracies in the reading "released", by data set and method, beside published ones."""
    first = first_starts(rows)
    gains = gains_of_fits(rows).groupby(["dataset", "method"])[["best_epoch", "null"]].mean()
    lines = []
    for (data, method), fits in first.groupby(["dataset", "method"], sort=False):
        chosen = ["", ""]
        if method in DEEP:
            chosen = [number(x, "+.1f") for x in gains.loc[data, method]]
        each = ", ".join(f"{x:.1f}" for x in fits["acc"])
        lines.append([
            LABELS[data], method, f"{fits['acc'].mean():.1f}", each,
            PUBLISHED.get((method, data), ""), *chosen,
            f"{fits['cpu_seconds'].mean():.0f}", f"{fits['peak_mb'].max():.0f}",
        ])  # fmt: skip
    head = ["data", "method", "ACC, mean", "by mask", "published", "best epoch over last", "null",
            "CPU s", "peak MB"]  # fmt: skip
    lines.sort(key=lambda line: (list(LABELS.values()).index(line[0]), line[1] in DEEP))
    return table(head, lines)


def draw(rows):
    """Left: what choices add; right: mean accuracy beside other methods."""
    fits = gains_of_first_seed(rows).groupby("method", sort=False)[list(SHOWN)[:3]].mean()
    shown = fits.join(gains_of_seeds(rows)["best_seed"])
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
    return {
        "summary": summary(rows),
        "gains": gains_table(rows),
        "accuracies": accuracy_table(rows),
        "cost": cost_table(rows),
        "rates": rates_table(rows, latest(RATES)),
        "released": released_table(latest(RELEASED)),
    }


if __name__ == "__main__":
    write("deep", blocks())
    draw(measurements())
