"""Make docs/reproduction.md: python docs/make_reproduction.py

From results/readings and results/paper.

Which published numbers are reproduced, under which protocol variant; effects of unstated choices.
"""

from pathlib import Path

import pandas as pd

from docs.pages import ROOT, label_of_paper, read_manifest, table, write
from mvclust.multiverse.luck import LEVEL, RANDOM_ROWS, explains
from mvclust.multiverse.readings import REPRODUCED, are_decided

RUN, STATED = "readings", "paper"
TUNINGS = ("oracle", "label-free", "default")
TABLES = ("readings", "readings_control", "readings_levels", "readings_effects", "consistency")
METRICS = ("ACC", "F-score")  # the one that a table is compared by
MEANING = {
    "as stated": "the protocol as the paper states it, within 2 points in the mean",
    "under a reading": "a protocol variant, within 2 points in the mean and 5 for each number, "
    "beyond what luck explains",
    "contradicts itself": "no partition has these numbers",
    "better": "above the published numbers under the stated protocol",
    "perhaps by luck": "a variant is within both limits, but random rows are explained as well",
    "not reproduced": "all variants tried are listed",
    "not decided": "the run was reduced",
    "rebuilt features": "the data are features rebuilt from images, not the papers' file",
    "no data": "the data are not available",
    "not in this run": "",
}

CLAIMS = """\
Which claims of the papers hold is on [a page of its own](claims.md), with the printed differences
and rows beside ours. This page asks another question: which protocol gives a printed row."""

SUMMARY = """\
The six papers print {printed} numbers, {available} of them on data that are available here.
Of these, {explained} ({share}) are in rows that are reproduced: as stated, or under a protocol
variant.

A row is one method on one data set in one table, with all its settings and metrics; it gets one
verdict. A **protocol variant** (in the files: a reading) fills what the paper leaves open: the
scaling of features, the treatment of missing instances, the start that counts (the mean of all, the
one with the lowest objective, the best by labels), the length of a run, the divisor of the mutual
information, and whether parameters are chosen per mask, per setting or once. All variants are tried
(a multiverse analysis), in searches that become wider: one scaling of the features for all methods
of a table; each row alone; any setting in a method's grid; the best start and setting for each
number separately, so that accuracy and mutual information may come from different partitions.

With so many variants, some match any row closely. So every search is repeated for {random} random
rows, with the means and covariances of the published rows on the same data. A variant counts only
if few random rows match as closely; the threshold keeps the false discovery rate of the {counted}
variants that count at {level} % (Benjamini & Hochberg 1995).

As a check, the same searches were made for the {others} rows of other methods on the same data:
{lucky} % come within both limits of some variant, and {wrong} % would count. The stated protocol is
within 2 points of {as_stated} % of them ({own_stated} % of its own rows). In {refused} more rows,
with {refused_numbers} numbers, a variant is within both limits but does not count: we cannot tell
which protocol produced them. The share of reproduced numbers depends on the luck that is allowed:

{levels}

Masks and starts are random, so even the right protocol may not repeat its row. On other draws, the
variants that count come within both limits of their own row in {counted_repeat} % of cases, the
nearest variants of the other rows on available data in {other_repeat} %.

{table}

Every published number beside ours, under the stated protocol and under the nearest variant:

![Published numbers beside ours]({place}/figures/readings_numbers.svg)"""

EFFECTS = """\
Effect of each unstated choice on accuracy, in points against the stated choice, all else equal:
the mean over methods and data sets, and its range. If a paper does not state its choice, its
numbers may differ by as much.

![Effect of each unstated choice on accuracy]({place}/figures/readings.svg)

{table}"""

CONTRADICTIONS = """\
{rows} published rows break a statement that holds for every partition, and for means over
partitions with the published deviations: purity is at least accuracy; F-score and adjusted Rand
index follow from precision, recall and the class sizes. Percent. The last column marks rows in
which all statements would hold with precision and recall exchanged. [All
statements]({place}/tables/consistency.md)

{table}"""

FAIR = """\
The papers choose parameters by the true labels, which a user does not have. This table shows the
methods of each published table under its stated protocol ([results/{run}]({place}/report.html)):
means over methods and settings, in percent. **Oracle**: the parameters with the best mean score
over the masks of a setting, as in the papers. **Label-free**: for each mask, the parameters that an
internal criterion prefers. **Default**: one choice for all data.

{table}

Over these {rows} rows, the mean with the choice by an internal criterion is {label_free} points
below that with the choice by labels; one choice for all data is {default} points below it."""

PROVENANCE = """\
Differences are ours minus published, in percent points. Luck: the share of random rows that the
same searches match as closely. Repeats: the share of other draws of masks or starts on which the
nearest variant comes within both limits of its own row; blank if there is one draw. See also
[all variants that were tried]({place}/tables/readings_tried.md),
[all numbers]({place}/tables/readings_numbers.md), [the
control]({place}/tables/readings_control.md), and the [explanation of the
variants](../config/readings.yaml).

Made by `snakemake --cores 2 --configfile config/runs/{run}.yaml` (commit {commit}; {fits}
fits, {failed} without a result; {minutes} CPU minutes on {cpu}) and `make pages`."""


def reproduction(folder, stated):
    """The page, from two results folders.

    Parameters
    ----------
    folder : path
        Of `config/runs/readings.yaml`.
    stated : path
        Of `config/runs/paper.yaml`.

    Returns
    -------
    str, Markdown
    """
    read = {
        name: pd.read_csv(folder / "tables" / f"{name}.csv", keep_default_na=False)
        for name in TABLES
    }
    manifest = read_manifest(folder)
    place = Path("..", "results", folder.name)
    parts = [
        "# Published numbers beside reproduced ones",
        CLAIMS,
        "## Which protocol gives a printed row",
        _summary(read["readings"], read["readings_control"], read["readings_levels"], place),
        "## Effect of each unstated choice",
        _of_effects(read["readings_effects"], place),
        "## Tuning without labels",
        _of_tunings(stated),
        "## Numbers that no partition can have",
        _of_contradictions(read["consistency"], place),
        "## Row by row",
        *_rows(read["readings"]),
        _provenance(manifest, folder.name, place),
    ]
    return "\n\n".join(parts) + "\n"


def _summary(rows, control, levels, place):
    there = rows[are_decided(rows)]
    total = there["numbers"].sum()
    counts = rows.groupby("verdict").agg(rows=("numbers", "size"), numbers=("numbers", "sum"))
    lines = [
        [
            verdict,
            counts.loc[verdict, "rows"],
            counts.loc[verdict, "numbers"],
            _share(counts.loc[verdict, "numbers"], total)
            if verdict in set(there["verdict"])
            else "",
            meaning,
        ]
        for verdict, meaning in MEANING.items()
        if verdict in counts.index
    ]
    explained = there[there["verdict"].isin(REPRODUCED)]["numbers"].sum()
    counted = rows[rows["verdict"] == "under a reading"]
    near = explains(*(pd.to_numeric(rows[name]) for name in ("mean_abs", "largest_abs")))
    others = ~rows["verdict"].isin(REPRODUCED)
    refused = rows[near & others]
    head = ["verdict", "rows", "numbers", "share of the numbers", "meaning"]
    return SUMMARY.format(
        printed=rows["numbers"].sum(),
        available=total,
        explained=explained,
        share=_share(explained, total),
        random=RANDOM_ROWS,
        level=f"{100 * LEVEL:g}",
        lucky=_percent_true(control["explained"]),
        wrong=_percent_true(control["counts"]),
        as_stated=_percent_true(control["as_stated"]),
        own_stated=_percent_true(there["verdict"] == "as stated"),
        others=len(control),
        counted=len(counted),
        refused=len(refused),
        refused_numbers=refused["numbers"].sum(),
        counted_repeat=_mean_percent(counted["repeated"]),
        other_repeat=_mean_percent(rows.loc[others, "repeated"]),
        levels=_of_levels(levels),
        table=table(head, lines),
        place=place,
    )


def _of_levels(levels):
    lines = levels[["expected luck", "rows", "numbers", "share (%)"]].to_numpy().tolist()
    return table(["luck at most", "rows", "numbers", "share of the numbers (%)"], lines)


def _percent_true(column):
    return f"{100 * (column.astype(str) == 'True').mean():.1f}"


def _mean_percent(shares):
    return _number(100 * pd.to_numeric(shares).mean(), 0)


def _share(part, total):
    return f"{100 * part / total:.1f} %" if total else ""


def _of_effects(effects, place):
    lines = [
        [
            row.choice,
            f"{row.difference:+.1f}",
            f"{row.lowest:+.1f} to {row.highest:+.1f}",
            row.cases,
        ]
        for row in effects.itertuples()
    ]
    return EFFECTS.format(place=place, table=table(["choice", "mean", "range", "cases"], lines))


def _of_tunings(folder):
    rows = pd.concat(map(_printed_rows, sorted((folder / "tables").glob("*_table*.csv"))))
    rows = rows.dropna().drop_duplicates(["dataset", "setting", "method", "printed"])
    lines = []
    for (name, data), of in rows.groupby(["table", "dataset"], sort=False):
        numbers = [of["printed"], *(of[tuning] for tuning in TUNINGS)]
        lines.append([name, data, len(of), *(f"{number.mean():.1f}" for number in numbers)])
    gaps = {name: (rows["oracle"] - rows[name]).mean() for name in ("label-free", "default")}
    return FAIR.format(
        run=folder.name,
        place=Path("..", "results", folder.name),
        table=table(["table", "data", "rows", "published", *TUNINGS], lines),
        rows=len(rows),
        label_free=f"{gaps['label-free']:.1f}",
        default=f"{gaps['default']:.1f}",
    )


def _printed_rows(path):
    """The rows of a table that a paper prints: what it prints, and ours under each tuning."""
    made = pd.read_csv(path)
    if not {"published", "tuning", "metric"} <= set(made) or made["published"].isna().all():
        return pd.DataFrame()
    metric = next(name for name in METRICS if name in set(made["metric"]))
    made = made[made["metric"] == metric]
    place = [name for name in ("dataset", "setting", "view", "method") if name in made]
    rows = made.pivot_table(index=place, columns="tuning", values="mean", sort=False)
    rows["printed"] = made.pivot_table(index=place, values="published", aggfunc="first")
    rows = rows[rows["printed"].notna()].reset_index()
    numbers = [name for name in (*TUNINGS, "printed") if name in rows]
    if rows["printed"].max() <= 1:
        rows[numbers] *= 100
    return rows.assign(table=path.stem)[["table", "dataset", "setting", "method", *numbers]]


def _of_contradictions(checked, place):
    broken = checked[checked["holds"].astype(str) == "False"]
    if broken.empty:
        return "None."
    n_rows = len(broken.groupby(["paper", "item", "dataset", "setting", "method"]))
    lines = [
        [
            f"{row.paper} {row.item}", row.dataset, row.setting, row.method, row.statement,
            f"{float(row.printed):.2f}", f"{float(row.lowest):.2f} to {float(row.highest):.2f}",
            "yes" if str(row.exchanged) == "True" else "",
        ]
        for row in broken.itertuples()
    ]  # fmt: skip
    head = ["table", "data", "setting", "method", "statement", "published", "possible"]
    return CONTRADICTIONS.format(
        rows=n_rows, place=place, table=table([*head, "if exchanged"], lines)
    )


def _rows(rows):
    parts = []
    for paper, of in rows.groupby("paper", sort=False):
        parts.append(f"### {label_of_paper(paper)}")
        lines = [
            [
                row.item, row.dataset, row.method, row.verdict, row.reading,
                _number(row.mean_difference), _number(row.mean_abs), _number(row.largest_abs),
                _number(row.stated_mean_difference), row.scope, row.tried, _percent(row.luck),
                _percent(row.repeated, 0),
            ]
            for row in of.itertuples()
        ]  # fmt: skip
        head = ["table", "data", "method", "verdict", "nearest variant", "difference", "absolute"]
        head += ["largest", "as stated", "found for", "tried", "luck (%)", "repeats (%)"]
        parts.append(table(head, lines))
    return parts


def _number(value, digits=1):
    return "" if value in ("", None) or pd.isna(value) else f"{float(value):.{digits}f}"


def _percent(share, digits=1):
    return _number("" if share == "" else 100 * float(share), digits)


def _provenance(manifest, run, place):
    fits, cost, machine = manifest["fits"], manifest["cost"], manifest["machine"]
    return PROVENANCE.format(
        place=place,
        run=run,
        commit=manifest["commit"][:12],
        fits=fits["number"],
        failed=fits["failed"],
        minutes=f"{cost['cpu_seconds'] / 60:.0f}",
        cpu=machine["cpu"],
    )


if __name__ == "__main__":
    write("reproduction", reproduction(ROOT / "results" / RUN, ROOT / "results" / STATED))
