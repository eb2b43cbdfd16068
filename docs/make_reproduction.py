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
Which claims of the papers hold is on [a page of its own](claims.md), with the printed differences and
rows beside ours. This page asks another question: which protocol gives a printed row.

## Which protocol gives a printed row",
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
