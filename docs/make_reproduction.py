"""Make docs/reproduction.md: python docs/make_reproduction.py

From results/multiverse and results/paper.

What choosing parameters without labels costs, printed numbers that no partition can have, and as an
appendix which protocols agree with a printed row.
"""

from pathlib import Path

import pandas as pd

from docs.pages import ROOT, label_of_paper, read_manifest, table, write
from mvclust.bench.multiverse.tables import IDENTIFIES, summary_of
from mvclust.datasets.catalogue import REBUILT, is_rebuilt

RUN, STATED = "multiverse", "paper"
TUNINGS = ("oracle", "label-free", "default")
COUNTED = ("rows", "numbers", "some", "none", "stated", "near", "rebuilt")
METRICS = ("ACC", "F-score")  # the one that a table is compared by

CLAIMS = """\
Which claims of the papers hold is on [a page of its own](claims.md), with the printed differences
and rows beside ours. This page has what choosing parameters without labels costs, printed numbers
that no partition can have, and, as an appendix, which protocol gives a printed row."""

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

PROTOCOLS = """\
A paper never says everything: how features were scaled, how missing instances were filled, how
often k-means started, by what the mutual information is divided. So we tried the usual options of
such questions, all in combination (a multiverse analysis). Which questions a row gets follows from
the kind of its method alone, and the list was frozen before any score was read
([config/multiverse.yaml](../config/multiverse.yaml); what the options mean, and where they come
from: [questions.yaml](../config/questions.yaml)). Everything else is as in our table. A row is one
method on one data set in one table, with all its settings and metrics.

**What agrees.** Of {rows} rows with {numbers} numbers, {some} agree with at least one of their
protocols within noise, {none} with none; {stated} agree with the stated one. If an implementation
may differ by 3 points besides, {near} have a protocol that agrees. The {rebuilt} rows on
[rebuilt features](images.md) count in none of these sentences.

**Whether a choice tells more than its own row.** Some protocol is always nearest. So a protocol is
chosen on one part of the print and judged on the rest. {halves} {elsewhere}

**Controls.** A protocol whose row we made ourselves, from other masks, is found in {found} of
cases. The printed row of another method agrees with some protocol in {accepted} of cases. In
{cannot_tell} rows the two are so near (found less accepted below {identifies}) that the table
cannot tell protocols.

![The papers' own methods under all protocols]({place}/figures/multiverse.svg)

{table}

Within noise: in the 90 % confidence set, the protocols under which chance alone may separate our
numbers from the printed ones. Lead kept: the share of pairs of protocols, of the paper's own method
and of a baseline, that keep a printed lead. All: [rows]({place}/tables/multiverse.md),
[protocols]({place}/tables/multiverse_protocols.csv),
[controls]({place}/tables/multiverse_controls.md),
[choices]({place}/tables/multiverse_selection.md)."""

CHOSEN = """\
Chosen {where}, it misses {judged} by {chosen} points on average ({rows} rows); the stated protocol
by {stated}, any by {at_random}. Chosen less stated: {difference} (95 % interval {low} to {high}):
{word}."""

EFFECTS = """\
Accuracy in points against the stated option, all else equal: mean and range over the rows of a
kind. If a paper does not state its choice, its numbers may differ by as much. The share is that of
the variance over protocols that the question explains with its interactions.

![What each option is worth]({place}/figures/multiverse_effects.svg)

{table}"""

PROVENANCE = """\
Made by `snakemake --cores 2 --configfile config/runs/{run}.yaml` (commit {commit}; {fits}
fits, {failed} without a result; {minutes} CPU minutes on {cpu}) and `make pages`."""


def reproduction(folder, stated):
    """The page, from two results folders.

    Parameters
    ----------
    folder : path
        Of `config/runs/multiverse.yaml`.
    stated : path
        Of `config/runs/paper.yaml`.

    Returns
    -------
    str, Markdown
    """
    names = ("multiverse", "multiverse_selection", "multiverse_effects", "consistency")
    read = {name: pd.read_csv(folder / "tables" / f"{name}.csv") for name in names}
    place = Path("..", "results", folder.name)
    rows = read["multiverse"]
    parts = [
        "# Published numbers beside reproduced ones",
        CLAIMS,
        "## Tuning without labels",
        _of_tunings(stated),
        "## Numbers that no partition can have",
        _of_contradictions(read["consistency"], place),
        "## Appendix: which protocol gives a printed row",
        _of_protocols(rows, read["multiverse_selection"], place),
        "### What each option is worth",
        _of_effects(read["multiverse_effects"], place),
        "### Row by row",
        *_rows(rows),
        _provenance(read_manifest(folder), folder.name),
    ]
    return "\n\n".join(parts) + "\n"


def _of_protocols(rows, selection, place):
    found = summary_of(rows, selection)
    by_table = _with_names(rows, rows["rebuilt"].astype(bool)).groupby(
        ["paper", "item", "dataset"], sort=False
    )
    head = ["table", "data", "rows", "agree", "stated agrees", "found", "accepted", "lead kept"]
    lines = [
        [
            f"{paper} {item}",
            data,
            len(of),
            int((of["agreeing"] > 0).sum()),
            int(of["stated_agrees"].sum()),
            _percent(of["found"].mean()),
            _percent(of["accepted"].mean()),
            _percent(of["lead_kept"].mean()),
        ]
        for (paper, item, data), of in by_table
    ]
    return PROTOCOLS.format(
        **{name: found[name] for name in COUNTED},
        halves=_chosen(found["halves"], "on every second setting of a row", "the others"),
        elsewhere=_chosen(found["elsewhere"], "on the method's other rows", "this one"),
        found=_percent(found["found"]),
        accepted=_percent(found["accepted"]),
        cannot_tell=found["cannot_tell"],
        identifies=_percent(IDENTIFIES),
        place=place,
        table=table(head, lines),
    )


def _with_names(rows, rebuilt):
    """Rows with names of data sets that say where features are rebuilt."""
    named = rows["dataset"].where(~rebuilt, rows["dataset"] + f" ({REBUILT})")
    return rows.assign(dataset=named)


def _chosen(found, where, judged):
    """How far a chosen protocol misses what did not choose it, in one sentence."""
    low, high = (found["difference"] + sign * found["half_width"] for sign in (-1, 1))
    word = "the print tells of protocols" if high < 0 else "no finding on protocols"
    numbers = {name: f"{found[name]:.1f}" for name in ("chosen", "stated", "at_random")}
    return CHOSEN.format(
        where=where, judged=judged, rows=found["rows"], difference=f"{found['difference']:+.1f}",
        low=f"{low:+.1f}", high=f"{high:+.1f}", word=word, **numbers,
    )  # fmt: skip


def _of_effects(effects, place):
    effects = effects.sort_values("difference", ascending=False, key=abs)
    head = ["kind", "option", "not", "mean", "range", "rows", "share"]
    lines = [
        [
            row.kind.replace("_", " "),
            row.option,
            row.stated,
            f"{row.difference:+.1f}",
            f"{row.lowest:+.1f} to {row.highest:+.1f}",
            row.rows,
            _percent(row.total),
        ]
        for row in effects.itertuples()
    ]
    return EFFECTS.format(place=place, table=table(head, lines))


def _rows(rows):
    parts = []
    head = ["table", "data", "method", "protocols", "within noise", "at 3 points"]
    head += ["stated agrees", "stated: difference", "nearest", "its distance", "found", "accepted"]
    rows = _with_names(rows, rows["rebuilt"].astype(bool))
    for paper, of in rows.groupby("paper", sort=False):
        lines = [
            [
                row.item, row.dataset, row.method, row.protocols, row.agreeing, row.agreeing_at_3,
                "yes" if row.stated_agrees else "", f"{row.stated_difference:+.1f}", row.nearest,
                f"{row.nearest_mean_abs:.1f}", _percent(row.found), _percent(row.accepted),
            ]
            for row in of.itertuples()
        ]  # fmt: skip
        parts += [f"#### {label_of_paper(paper)}", table(head, lines)]
    return parts


def _percent(share):
    return "" if pd.isna(share) else f"{100 * share:.0f} %"


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
    made = _with_names(made, made["source"].map(is_rebuilt))
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
    broken = broken.fillna({"setting": ""})
    n_rows = len(broken.drop_duplicates(["paper", "item", "dataset", "setting", "method"]))
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


def _provenance(manifest, run):
    fits, cost, machine = manifest["fits"], manifest["cost"], manifest["machine"]
    return PROVENANCE.format(
        run=run,
        commit=manifest["commit"][:12],
        fits=fits["number"],
        failed=fits["failed"],
        minutes=f"{cost['cpu_seconds'] / 60:.0f}",
        cpu=machine["cpu"],
    )


if __name__ == "__main__":
    write("reproduction", reproduction(ROOT / "results" / RUN, ROOT / "results" / STATED))
