"""Every published number beside ours: a table, shares of what holds, a scatter."""

import matplotlib as mpl
import numpy as np
import pandas as pd

from mvclust.benchmark.statistics import FEWEST_RUNS
from mvclust.datasets.catalogue import find_subset
from mvclust.datasets.files import completed
from mvclust.report.style import COLOURS, MARKERS, PAGE, RC, new_figure, save_figure
from mvclust.report.tables import markdown_table, to_csv, to_simple_latex

NEAR = 2.0  # points
VERDICTS = (f"within {NEAR:g} points", "within the interval", "better", "worse", "not available")
KEYS = ["paper", "item", "dataset", "setting", "method", "metric"]


def compare(plan, tables, published):
    """Put every published number beside the reproduced one, in percent points.

    Parameters
    ----------
    plan : Plan
    tables : dict, experiment id -> DataFrame, as `mvclust.benchmark.tuning.results_of` makes it
    published : DataFrame, the papers' numbers

    Returns
    -------
    DataFrame
        One row a published number: paper, item, dataset, setting, method, metric, published,
        published_std, reproduced, n_runs, ci_low, ci_high, difference, verdict, note,
        experiment, other_name. Ours is the number with oracle tuning, as the papers tune. The
        verdict is the first that holds of "within 2 points", "within the interval" (95 % over
        three masks or more), "better", "worse"; or "not available", and the note says why.
        other_name: for the precision of mPAC's tables our recall and the reverse, since the paper
        seems to have exchanged the two in its own row.
    """
    ours = pd.concat([_ours(plan, name, table) for name, table in tables.items()] or [_nothing()])
    ours = ours.drop_duplicates(KEYS)  # the first experiment that has a number counts
    names = {"mean": "published", "std": "published_std"}
    table = in_percent(published).rename(columns=names)
    table = table.merge(ours, on=KEYS, how="left")
    table["difference"] = table["reproduced"] - table["published"]
    table["other_name"] = _under_the_other_name(table)
    table["verdict"] = [_verdict(row) for row in table.itertuples()]
    table["n_runs"] = table["n_runs"].astype("Int64")
    table["note"] = table["note"].fillna("not in this run")
    table["experiment"] = table["experiment"].fillna("")
    return table[
        [
            *KEYS,
            *("published", "published_std", "reproduced", "n_runs"),
            *("ci_low", "ci_high", "difference", "verdict", "note", "experiment", "other_name"),
        ]
    ]


def in_percent(published):
    """The papers' numbers in percent; a table of a paper has either shares or percent."""
    largest = published.groupby(["paper", "item"])["mean"].transform("max")
    factor = np.where(largest <= 1, 100.0, 1.0)
    return published.assign(mean=published["mean"] * factor, std=published["std"] * factor)


def _ours(plan, name, table):
    """The rows of a result table under the names of config/published.csv, in percent."""
    experiment = plan.experiments[name]
    if "item" not in experiment:
        return _nothing()
    table = table[table["tuning"].isin(["oracle", "fixed"])]
    labels = {
        entry.get("label", method): names if isinstance(names, list) else [names]
        for method, entry in plan.algorithms.items()
        if (names := entry.get("published"))
    }
    factor = 1.0 if experiment["unit"] == "percent" else 100.0
    parts = [
        pd.DataFrame(
            {
                "paper": experiment["paper"],
                "item": experiment["item"],
                "dataset": table["dataset"],
                "setting": table["setting"],
                "method": [
                    labels[m][i] if len(labels.get(m, [])) > i else None for m in table["method"]
                ],
                "metric": table["metric"].str.lower().str.replace("-", "_"),
                "reproduced": table["mean"] * factor,
                "n_runs": table["n_runs"],
                "ci_low": table["ci_low"] * factor,
                "ci_high": table["ci_high"] * factor,
                "note": table["note"],
                "experiment": name,
            }
        )
        for i in range(max(map(len, labels.values())))
    ]
    return pd.concat(parts).dropna(subset="method")


def _nothing():
    columns = [*KEYS, "reproduced", "n_runs", "ci_low", "ci_high", "note", "experiment"]
    return pd.DataFrame(columns=columns).astype(dict.fromkeys(columns[6:10], float))


def _under_the_other_name(table):
    other = {"precision": "recall", "recall": "precision"}
    keys = KEYS[:-1]
    pairs = table[table["metric"].isin(other)]
    swapped = pairs.assign(metric=pairs["metric"].map(other))[[*KEYS, "reproduced"]]
    merged = table[KEYS].merge(swapped, on=[*keys, "metric"], how="left")
    return merged["reproduced"].to_numpy()


def _verdict(row):
    if np.isnan(row.reproduced):
        return "not available"
    if abs(row.difference) <= NEAR:
        return VERDICTS[0]
    if row.n_runs >= FEWEST_RUNS and row.ci_low <= row.published <= row.ci_high:
        return VERDICTS[1]
    return "better" if row.difference > 0 else "worse"


def shares(comparison, by):
    """How many numbers have which verdict, by paper or by method.

    Returns
    -------
    DataFrame, one row a group (and "all"), one column a verdict, then the number of numbers and
    the share within 2 points or the interval among those that are available.
    """
    counts = pd.crosstab(comparison[by], comparison["verdict"])
    counts = counts.reindex(columns=list(VERDICTS), fill_value=0)
    counts.loc["all"] = counts.sum()
    counts["numbers"] = counts[list(VERDICTS)].sum(axis=1)
    available = counts["numbers"] - counts["not available"]
    holds = counts[VERDICTS[0]] + counts[VERDICTS[1]]
    counts["holds (%)"] = (100 * holds / available.where(available > 0)).round(1)
    return counts.reset_index()


def exchanged_columns(published, class_sizes):
    """Whether a paper's precision and recall are exchanged: which way round gives its ARI.

    F, precision P and recall R of pairs, and the class sizes, fix the number of pairs in common and
    in each clustering, and so the adjusted Rand index.

    Parameters
    ----------
    published : DataFrame
        Numbers of one table: method, metric, mean (0 to 1).
    class_sizes : sequence of int

    Returns
    -------
    DataFrame
        method, precision and recall as printed, ari as printed, ari_as_printed and ari_exchanged
        (what follows from either reading).
    """
    wide = published.pivot(index="method", columns="metric", values="mean").reset_index()
    sizes = np.asarray(class_sizes)
    in_classes, all_pairs = (sizes * (sizes - 1) / 2).sum(), sizes.sum() * (sizes.sum() - 1) / 2

    def ari(precision, recall):
        common = recall * in_classes
        in_clusters = common / precision
        expected = in_classes * in_clusters / all_pairs
        return (common - expected) / ((in_classes + in_clusters) / 2 - expected)

    return wide[["method", "precision", "recall", "ari"]].assign(
        ari_as_printed=ari(wide["precision"], wide["recall"]),
        ari_exchanged=ari(wide["recall"], wide["precision"]),
    )


def exchanged_in_mpac(plan, published):
    """`exchanged_columns` of mPAC's table 2, on BBCSport."""
    _, facts = find_subset("bbcsport", plan.datasets["bbcsport"])
    item = published[(published["paper"] == "mpac") & (published["item"] == "table2")]
    return exchanged_columns(item, list(facts["classes"].values()))


def write_comparison(comparison, exchanged, folder):
    """Write published_vs_reproduced as tables and a figure under a results folder.

    Parameters
    ----------
    comparison : DataFrame, as `compare` makes it
    exchanged : DataFrame, as `exchanged_columns` makes it
    folder : Path
    """
    name = "published_vs_reproduced"
    by_paper, by_method = shares(comparison, "paper"), shares(comparison, "method")
    parts = [
        "# Published beside reproduced",
        "Percent points; ours with oracle tuning, as the papers'. Intervals are 95 % over masks; "
        f"only those of {FEWEST_RUNS} runs or more decide.",
        f"## By paper\n\n{markdown_table(by_paper)}",
        f"## By method\n\n{markdown_table(by_method)}",
        "## Precision and recall of mPAC\n\nThe adjusted Rand index that follows from the printed "
        "precision and recall, and from the two exchanged. It decides for mPAC, a single run; the "
        "others are means of ten runs, which need not fit either way.\n\n"
        + markdown_table(exchanged.round(4)),
        f"## All numbers\n\n{markdown_table(comparison.round(2))}",
    ]
    texts = {
        "csv": to_csv(comparison),
        "md": "\n\n".join(parts) + "\n",
        "tex": to_simple_latex(by_paper, "Published beside reproduced, by paper")
        + "\n"
        + to_simple_latex(by_method, "Published beside reproduced, by method"),
    }
    for suffix, text in texts.items():
        with completed(folder / "tables" / f"{name}.{suffix}") as unfinished:
            unfinished.write_text(text, encoding="utf-8")
    with mpl.rc_context(RC):
        save_figure(draw_comparison(comparison), folder / "figures" / name, f"mvclust {name}")


def draw_comparison(comparison):
    """Reproduced against published, a panel a paper; the band is two points wide to each side."""
    papers = list(dict.fromkeys(comparison["paper"]))
    figure = new_figure(PAGE, 2.3)
    panels = figure.subplots(1, len(papers), sharex=True, sharey=True, squeeze=False)[0]
    for i, (axes, paper) in enumerate(zip(panels, papers, strict=True)):
        part = comparison[comparison["paper"] == paper]
        there = part.dropna(subset="reproduced")
        axes.plot([0, 100], [0, 100], color="black", lw=0.6)
        axes.fill_between([0, 100], [-NEAR, 100 - NEAR], [NEAR, 100 + NEAR], color="#bbbbbb", lw=0)
        axes.plot(
            there["published"],
            there["reproduced"],
            MARKERS[i],
            color=COLOURS[i],
            ms=2.5,
            alpha=0.7,
            mew=0,
        )
        axes.set_title(f"{paper}: {len(there)} of {len(part)}")
        axes.set_xlabel("published (%)")
        axes.set_aspect("equal")
        axes.set_xlim(0, 100)
        axes.set_ylim(0, 100)
    panels[0].set_ylabel("reproduced (%)")
    return figure
