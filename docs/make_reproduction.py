"""The blocks of docs/reproduction.md, from results/multiverse and results/paper."""

from math import prod
from pathlib import Path

import numpy as np
import pandas as pd

from docs import pages
from mvclust.bench.claims.numbers import WORDS
from mvclust.bench.multiverse.tables import IDENTIFIES, summary_of
from mvclust.datasets.catalogue import REBUILT, is_rebuilt

RUN, STATED = pages.ROOT / "results/multiverse", pages.ROOT / "results/paper"
PRINTED = ("daimc", "ueaf", "mpac", "cmvnmf")
TUNINGS = ["oracle", "label-free", "default"]
METRICS = ("ACC", "F-score")  # the one that a table is compared by


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    names = ("multiverse", "multiverse_selection", "multiverse_effects", "consistency")
    rows, selection, effects, checked = (pd.read_csv(RUN / f"tables/{n}.csv") for n in names)
    found = summary_of(rows, selection)
    rows = _with_names(rows, rows["rebuilt"].astype(bool))
    effects = effects.assign(kind=effects["kind"].str.replace("_", " "))
    effects = effects.sort_values("difference", ascending=False, key=abs)
    return {
        "numbers": numbers(pd.read_csv(STATED / "tables/published_vs_reproduced.csv")),
        "parts": parts(),
        "tunings": tunings(),
        "contradictions": contradictions(checked),
        "findings": findings(found),
        "protocols": protocols(rows),
        "effects": pages.table_of("reproduction", "effects", effects),
        "rows": each_row(rows),
        "provenance": pages.provenance(RUN),
    }


def numbers(compared: pd.DataFrame) -> str:
    """How many published numbers of each table, and of all, are the same as ours or differ."""
    words = compared["verdict"].where(compared["verdict"].isin(WORDS), "not compared")
    of = compared["paper"] + " " + compared["item"]
    counts = pd.crosstab(of, words, margins=True, margins_name="all")
    shown = counts[["all", *WORDS, "not compared"]]
    return pages.table(["table", *shown], shown.reset_index().to_numpy())


def findings(found: dict) -> str:
    """What agrees, whether a choice tells more than its own row, and the controls."""
    values = {"identifies": IDENTIFIES}
    for name, chosen in (("by_halves", found["halves"]), ("by_others", found["elsewhere"])):
        low, high = (chosen["difference"] + sign * chosen["half_width"] for sign in (-1, 1))
        clear = "the published numbers identify protocols"
        word = clear if high < 0 else "no finding on protocols"
        chosen = chosen | {"low": low, "high": high, "word": word}
        values[name] = pages.said("reproduction", "chosen", **chosen)
    return pages.said("reproduction", "findings", **found | values)


def protocols(rows: pd.DataFrame) -> str:
    """How many rows of each table agree, and the controls."""
    sums = dict.fromkeys(["rows", "agree", "stated_agrees"], "sum")
    means = dict.fromkeys(["found", "accepted", "lead_kept"], "mean")
    rows = rows.assign(rows=1, agree=rows["agreeing"] > 0)
    by_table = rows.groupby(["paper", "item", "dataset"], sort=False).agg(sums | means)
    return pages.table_of("reproduction", "protocols", by_table.reset_index())


def _with_names(rows: pd.DataFrame, rebuilt: pd.Series) -> pd.DataFrame:
    """Rows with names of data sets that say where features are rebuilt."""
    named = rows["dataset"].where(~rebuilt, rows["dataset"] + f" ({REBUILT})")
    return rows.assign(dataset=named)


def each_row(rows: pd.DataFrame) -> str:
    """A table per paper with all its rows."""
    rows = rows.assign(stated=np.where(rows["stated_agrees"], "yes", ""))
    return "\n\n".join(
        f"#### {pages.label_of_paper(paper)}\n\n{pages.table_of('reproduction', 'rows', of)}"
        for paper, of in rows.groupby("paper", sort=False)
    )


def parts() -> str:
    """Each table and figure of the papers with its form, how many parts it has, and a verdict."""
    lines = []
    for paper in PRINTED:
        known = pages.read_config(f"experiments/{paper}.yaml")
        beside = {b for e in known.values() for b in e.get("form", {}).get("beside", [])}
        for name, entry in known.items():
            drawn = "form" in entry or entry["render"] in ("statistics", "partitions")
            if drawn and name not in beside and not name.endswith("own_masks"):
                lines.append(_part(paper, name, entry, known))
    rows = pd.DataFrame(lines)
    table = pages.table_of("reproduction", "parts", rows)
    return f"{rows['parts'].sum()} parts:\n\n{table}"


def _part(paper: str, name: str, entry: dict, known: dict) -> dict:
    """Line of a table or figure in the list of parts."""
    form = entry.get("form") or {"draw": entry["render"]}
    group = [name, *form.get("beside", [])]
    rows = pd.read_csv(STATED / f"tables/{name}.csv")
    number = {"statistics": "prepared", "partitions": "x"}.get(entry["render"], "mean")
    rows = rows.reindex(columns=[number, "published", "source"])
    ours, theirs = rows[number].notna(), rows["published"].notna()
    place = f"tables/{name}.md" if "table" in name else f"figures/{name}.svg"
    rebuilt = rows["source"].dropna().map(is_rebuilt).any()
    verdict = entry.get("differs", "as printed") if ours.all() else "data are missing"
    return {
        "paper": pages.label_of_paper(paper), "name": name, "place": place, "form": form["draw"],
        "parts": sum(_number_of_parts(known[each]) for each in group),
        "numbers": f"{ours.sum()} of {len(rows)}",
        "published": f"{(ours & theirs).sum()} of {theirs.sum()}" if theirs.any() else "",
        "verdict": f"{verdict}, {REBUILT}" if rebuilt else verdict,
    }  # fmt: skip


def _number_of_parts(entry: dict) -> int:
    """Panels of a figure; data sets of a table that has lines for each."""
    form = entry.get("form", {})
    if entry["render"] == "statistics":
        return 1
    if entry["render"] == "partitions":
        return len(entry["views"]) + 1
    grids = list(entry.get("grids", {}).values())
    sizes = {
        "dataset": len(form.get("datasets") or entry["data"]),
        "metric": len(form.get("metrics") or entry["metrics"]),
        "rate": len(entry.get("missing_rates", [0])),
        "rest": len(list(grids[0].values())[2]) if grids and len(grids[0]) > 2 else 1,
    }
    if form["draw"] == "table":
        return sizes["dataset"] if "dataset" in form["rows"] else 1
    return prod(sizes[part] for key in ("rows", "columns") for part in form.get(key, []))


def tunings() -> str:
    """The methods of each published table under each tuning, and the mean differences."""
    tables = sorted((STATED / "tables").glob("*_table*.csv"))
    extended = {path.with_stem(path.stem.removesuffix("_extended")): path for path in tables}
    rows = pd.concat(map(_published_rows, extended.values()))
    rows = rows.dropna().drop_duplicates(["dataset", "setting", "method", "published"])
    groups = rows.groupby(["table", "dataset"], sort=False)
    means = groups[["published", *TUNINGS]].mean()
    means.insert(0, "rows", groups.size())
    table = pages.table_of("reproduction", "table of tunings", means.reset_index())
    gaps = rows[TUNINGS].rsub(rows["oracle"], axis=0).mean()
    summary = pages.said("reproduction", "tunings", n=len(rows), **gaps)
    return f"{table}\n\n{summary}"


def _published_rows(path: Path) -> pd.DataFrame:
    """The published rows of a table, and ours under each tuning, in percent."""
    made = pd.read_csv(path)
    if not {"published", "tuning", "metric"} <= set(made) or made["published"].isna().all():
        return pd.DataFrame()
    metric = next(name for name in METRICS if name in set(made["metric"]))
    made = made[made["metric"] == metric]
    made = _with_names(made, made["source"].map(is_rebuilt))
    place = [name for name in ("dataset", "setting", "view", "method") if name in made]
    rows = made.pivot_table(index=place, columns="tuning", values="mean", sort=False)
    rows["published"] = made.pivot_table(index=place, values="published", aggfunc="first")
    rows = rows.reindex(columns=[*TUNINGS, "published"])
    rows *= 100 if rows["published"].max() <= 1 else 1
    rows = rows.reset_index().drop(columns="view", errors="ignore")
    return rows.assign(table=path.stem.removesuffix("_extended"))


def contradictions(checked: pd.DataFrame) -> str:
    """The rows that break a statement, and their number."""
    broken = checked[checked["holds"].astype(str) == "False"]
    n_rows = len(broken.drop_duplicates(["paper", "item", "dataset", "setting", "method"]))
    exchanged = np.where(broken["exchanged"].astype(str) == "True", "yes", "")
    text = pages.table_of("reproduction", "contradictions", broken.assign(exchanged=exchanged))
    return f"{n_rows} published rows break a statement, in percent:\n\n{text}"
