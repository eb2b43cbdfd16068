"""The blocks of docs/claims.md: which claims hold, and published differences beside ours."""

import textwrap
from os.path import dirname, relpath
from pathlib import Path

import pandas as pd

from docs import pages
from docs.pages import ROOT, label_of_paper, listed, percent, table, table_of
from mvclust.bench.claims import verdicts
from mvclust.bench.claims.verdicts import FAILS, HOLDS, VERDICTS

RUN, PAGE = ROOT / "results/paper", "claims"
TEXTS = ("in_print", "open_because", "turns", "verdict", "experiments", "data")
# Of one claim, and of several.
WORDS = {
    HOLDS: ("holds", "hold"),
    verdicts.PARTLY: ("holds in part", "hold in part"),
    FAILS: ("fails", "fail"),
    verdicts.OPEN: ("is open", "are open"),
    verdicts.NO_DATA: ("lacks its data or experiment yet", "lack their data or experiment yet"),
    verdicts.OUT_OF_SCOPE: ("is out of scope", "are out of scope"),
}
FIGURE = "![The claims of each paper by verdict, and their effects]({}/figures/claims.svg)"
CLAIMS = {
    "id, place": "{id}, {place}", "claim": "{claim}{links}", "verdict": "**{verdict}**",
    "in print": "{in_print}", "effect": "{shown}", "what turns it, and why open": "{reasons}",
}  # fmt: skip


def sentence(claims: pd.DataFrame) -> str:
    """How many claims have each verdict, in words; wrapped."""
    counts = claims["verdict"].value_counts()
    parts = [f"{counts[v]} {WORDS[v][int(counts[v] > 1)]}" for v in VERDICTS if v in counts]
    values = {"n": len(claims), "verdicts": listed(parts), "no": sum(claims["in_print"] == "no")}
    return textwrap.fill(pages.said(PAGE, "first page", **values), 100)


def opening(folder: Path, page: str) -> str:
    """What pages begin with: the sentence, a link to the claims, and the figure.

    `folder` has the results of a run with `claims`, `page` is a path from the project's root.
    """
    claims, start = _read(folder, "claims"), dirname(page) or "."
    figure = FIGURE.format(relpath(f"results/{folder.name}", start))
    ledger = relpath(f"docs/{PAGE}.md", start)
    more = f"Each with its test, effect, interval and reason: [{ledger}]({ledger})."
    return f"{sentence(claims)}\n{more}\n\n{figure}"


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    claims = _read(RUN, "claims")
    return {
        "README": opening(RUN, "README.md"),
        "summary": _summary(claims),
        "holds": _of_verdict(claims, HOLDS),
        "fails": _of_verdict(claims, FAILS),
        "directions": _of_directions(_read(RUN, "directions")),
        "rows": _of_rows(_read(RUN, "printed_rows")),
        "made": f"{pages.provenance(RUN)}{_repeated()}",
    } | {paper: _of_paper(of) for paper, of in claims.groupby("paper", sort=False)}


def _repeated() -> str:
    drawn = pages.read_manifest(RUN).get("drawn")
    return f" {pages.said(PAGE, 'repeated', commit=drawn['commit'][:12])}" if drawn else ""


def _read(folder: Path, name: str) -> pd.DataFrame:
    """A table; missing texts are empty."""
    return pd.read_csv(folder / f"tables/{name}.csv").fillna(dict.fromkeys(TEXTS, ""))


def _summary(claims: pd.DataFrame) -> str:
    lines = []
    for paper, of in claims.groupby("paper", sort=False):
        counts = of["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
        lines.append([label_of_paper(paper), *counts, sum(of["in_print"] == "no")])
    figure = FIGURE.format(f"../results/{RUN.name}")
    text = table(["paper", *VERDICTS, "contradicted in print"], lines)
    return f"{sentence(claims)}\n\n{figure}\n\n{text}"


def _of_verdict(claims: pd.DataFrame, verdict: str) -> str:
    of = claims[claims["verdict"] == verdict]
    lines = [f"- {row.id}, {label_of_paper(row.paper)}: {row.claim}" for row in of.itertuples()]
    return "\n".join(lines)


def _of_paper(claims: pd.DataFrame) -> str:
    texts = {
        "links": list(map(_links, claims["experiments"])),
        "reasons": (claims["turns"] + "; " + claims["open_because"]).str.strip("; "),
        "shown": list(map(_effect, claims.itertuples())),
    }
    return table_of(claims.assign(**texts), CLAIMS, align="---")


def _links(experiments: str) -> str:
    """Links to the table and figure of each experiment behind a claim."""
    folder, names = f"../results/{RUN.name}", experiments.split()
    links = [f"[{n}]({folder}/tables/{n}.md) ([figure]({folder}/figures/{n}.svg))" for n in names]
    return f" {', '.join(links)}" if links else ""


def _effect(row) -> str:
    if pd.isna(row.effect):
        return ""
    high = "∞)" if pd.isna(row.ci_high) else f"{row.ci_high:.2f}]"  # of a bound from below
    limits = "" if pd.isna(row.ci_low) else f" [{row.ci_low:.2f}, {high}"
    return f"{row.effect:.2f}{limits}"


def _of_directions(pairs: pd.DataFrame) -> str:
    names = ["same direction", "beyond the interval", "reversed"]
    lines = []
    for kind, of in pairs.groupby("pair", sort=False):
        for gap, same in [*of.groupby("gap"), ("all", of)]:
            total = same["pairs"].sum()
            shares = [percent(same[name].sum() / total) for name in names]
            lines.append([f"{kind}, published difference {gap}", total, *shares])
    return table(["pairs of methods", "differences", "same", "beyond", "reversed"], lines)


def _of_rows(rows: pd.DataFrame) -> str:
    counts = pd.crosstab(rows["role"], rows["verdict"])
    counts["all"] = counts.sum(axis=1)
    return table(["role", *counts], [[role, *counts.loc[role]] for role in counts.index])
