"""Fill the blocks of docs/claims.md: python docs/make_claims.py

From results/claims: which claims hold, how printed differences and rows stand to ours.
"""

import textwrap
from os.path import dirname, relpath
from pathlib import Path

import pandas as pd

from docs.pages import ROOT, fill, label_of_paper, read_manifest, table, write
from mvclust.bench.claims.ledger import NOT_RUN
from mvclust.bench.claims.verdicts import (
    FAILS,
    HOLDS,
    NO_DATA,
    OPEN,
    OUT_OF_SCOPE,
    PARTLY,
    VERDICTS,
)

RUN = "claims"
PAGE = "claims.md"
TEXTS = ("in_print", "open_because", "turns", "verdict")
# Of one claim, and of several.
WORDS = {
    HOLDS: ("holds", "hold"),
    PARTLY: ("holds in part", "hold in part"),
    FAILS: ("fails", "fail"),
    OPEN: ("is open", "are open"),
    NO_DATA: ("lacks its data or experiment yet", "lack their data or experiment yet"),
    OUT_OF_SCOPE: ("is out of scope", "are out of scope"),
}
COUNTS = """\
Of the {total} claims that the six papers make of their methods, {counts}. The papers' own numbers
contradict {contradicted} of them."""
FIGURE = "![One line per claim: printed effect, ours with its interval]({place}/figures/claims.svg)"
SUMMARY = """\
{sentence}

{figure}

| paper | {verdicts} | contradicted in print |
| --- | {rules} |
{papers}"""

DIRECTIONS = """\
Every printed difference of two methods, at each data set, setting and score. *Same*: ours has the
same sign. *Beyond*: it also excludes 0 with its 95 % interval, paired by mask. *Reversed*: the
interval lies on the other side of 0.

{table}"""

ROWS = """\
Every printed row, a method on one data set with all its numbers at once, against ours under the
protocol as stated: a margin of 3 points, {rows} rows.

{table}"""

MADE = """\
Made by `snakemake --cores 2 --configfile config/runs/{run}.yaml` (commit {commit}; {fits} fits,
{failed} without a result; {minutes} CPU minutes on {cpu}) and `make pages`.{again}
`mvclust redraw results/{run}` computes every verdict again from the committed fits, and draws all
tables and figures."""

AGAIN = """
Fits of methods whose code has changed since, and all that follows from fits, were made again at
commit {commit}, by `snakemake old_fits --cores 2 --configfile config/runs/{run}.yaml` and
`mvclust redraw results/{run}`."""


def sentence(claims):
    """How many claims have each verdict, in words; wrapped."""
    counts = claims["verdict"].value_counts()
    said = [f"{counts[v]} {WORDS[v][int(counts[v] > 1)]}" for v in VERDICTS if v in counts]
    text = COUNTS.format(
        total=len(claims),
        counts=", ".join(said[:-1]) + f" and {said[-1]}",
        contradicted=sum(claims["in_print"] == "no"),
    )
    return textwrap.fill(text, 100)


def opening(folder, page):
    """How pages begin: the sentence, where the claims are, and the figure.

    Parameters
    ----------
    folder : path
        The results of `config/runs/claims.yaml`.
    page : str
        Path of the page from the folder of the project.

    Returns
    -------
    str
    """
    claims, start = _read(folder / "tables" / "claims.csv"), dirname(page) or "."
    figure = FIGURE.format(place=relpath(f"results/{folder.name}", start))
    ledger = relpath(f"docs/{PAGE}", start)
    more = f"Each with its test, effect, interval and reason: [{ledger}]({ledger})."
    return f"{sentence(claims)}\n{more}\n\n{figure}"


def blocks(folder):
    """The blocks of the page from the results of `config/runs/claims.yaml`.

    Parameters
    ----------
    folder : path

    Returns
    -------
    dict
        Name -> Markdown.
    """
    names = ("claims", "directions", "printed_rows")
    read = {name: _read(folder / "tables" / f"{name}.csv") for name in names}
    claims, place = read["claims"], Path("..", "results", folder.name)
    manifest = read_manifest(folder)
    fits, cost = manifest["fits"], manifest["cost"]
    made = MADE.format(
        run=folder.name,
        commit=manifest["commit"][:12],
        fits=fits["number"],
        failed=fits["failed"],
        minutes=f"{cost['cpu_seconds'] / 60:.0f}",
        cpu=manifest["machine"]["cpu"],
        again=_again(manifest, folder.name),
    )
    return {
        "summary": _summary(claims, place),
        "holds": _of_verdict(claims, HOLDS),
        "fails": _of_verdict(claims, FAILS),
        "directions": DIRECTIONS.format(table=_of_directions(read["directions"])),
        "rows": _of_rows(read["printed_rows"]),
        "made": made,
    } | {paper: _of_paper(of) for paper, of in claims.groupby("paper", sort=False)}


def _again(manifest, run):
    """What was made again later, if anything was."""
    drawn = manifest.get("drawn")
    return AGAIN.format(commit=drawn["commit"][:12], run=run) if drawn else ""


def _read(path):
    """A table; texts that are not there are empty."""
    read = pd.read_csv(path)
    texts = [name for name in TEXTS if name in read]
    return read.assign(**{name: read[name].fillna("") for name in texts})


def _summary(claims, place):
    papers = []
    for paper, of in claims.groupby("paper", sort=False):
        own = of["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
        cells = [label_of_paper(paper), *own, sum(of["in_print"] == "no")]
        papers.append(f"| {' | '.join(map(str, cells))} |")
    return SUMMARY.format(
        sentence=sentence(claims),
        figure=FIGURE.format(place=place),
        verdicts=" | ".join(VERDICTS),
        rules=" | ".join(["---:"] * (len(VERDICTS) + 1)),
        papers="\n".join(papers),
    )


def _of_verdict(claims, verdict):
    of = claims[claims["verdict"] == verdict]
    lines = [f"- {row.id}, {label_of_paper(row.paper)}: {row.claim}" for row in of.itertuples()]
    return "\n".join(lines)


def _of_paper(claims):
    lines = [
        [
            row.id, row.claim, f"**{row.verdict}**", row.in_print, _effect(row),
            "; ".join(_reasons(row)),
        ]
        for row in claims.itertuples()
    ]  # fmt: skip
    head = ["id", "claim", "verdict", "in print", "effect", "why open, and what turns it"]
    lines = [head, ["---"] * len(head), *lines]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def _reasons(row):
    parts = [row.open_because, *row.turns.split("; ")]
    return [part for part in parts if part not in ("", NOT_RUN)]


def _effect(row):
    if pd.isna(row.effect):
        return ""
    high = "∞)" if pd.isna(row.ci_high) else f"{row.ci_high:.2f}]"  # of a bound from below
    limits = "" if pd.isna(row.ci_low) else f" [{row.ci_low:.2f}, {high}"
    return f"{row.effect:.2f}{limits}"


def _of_directions(found):
    names = ["same direction", "beyond the interval", "reversed"]
    lines = []
    for kind, of in found.groupby("pair", sort=False):
        for gap, same in [*of.groupby("gap", sort=False), ("all", of)]:
            total = same["pairs"].sum()
            shares = [f"{100 * same[name].sum() / total:.0f} %" for name in names]
            lines.append([f"{kind}, printed difference {gap}", total, *shares])
    return table(["pairs of methods", "differences", "same", "beyond", "reversed"], lines)


def _of_rows(found):
    words = list(dict.fromkeys(sorted(found["verdict"])))
    counts = found.groupby(["role", "verdict"]).size().unstack(fill_value=0)
    lines = [
        [role, *(counts.loc[role].get(word, 0) for word in words), counts.loc[role].sum()]
        for role in counts.index
    ]
    return ROWS.format(rows=len(found), table=table(["role", *words, "all"], lines))


if __name__ == "__main__":
    results = ROOT / "results" / RUN
    for name, text in blocks(results).items():
        fill(PAGE, name, text)
    fill("../README.md", "claims", opening(results, "README.md"))
    write("claims")
