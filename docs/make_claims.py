"""The blocks of docs/claims.md: which claims hold, and published differences beside ours."""

import textwrap

import pandas as pd

from docs import pages
from docs.pages import ROOT, SENTENCES, label_of_paper, listed, said, table, table_of, texts_of
from mvclust.bench.claims.verdicts import FAILS, HOLDS, VERDICTS

RUN = ROOT / "results/paper"


def sentence(claims: pd.DataFrame) -> str:
    """How many claims have each verdict, in words; wrapped."""
    counts = claims["verdict"].value_counts()
    words = SENTENCES["claims"]["verdicts"]
    parts = [f"{counts[v]} {words[v][int(counts[v] > 1)]}" for v in VERDICTS if v in counts]
    values = {"n": len(claims), "verdicts": listed(parts), "no": sum(claims["in_print"] == "no")}
    return textwrap.fill(said("claims", "first page", **values), 100)


def opening(to_docs: str = "", to_root: str = "../") -> str:
    """What pages begin with: the sentence, a link to the claims, and the figure."""
    more = said("claims", "details", page=f"{to_docs}claims.md")
    figure = said("claims", "figure", root=to_root)
    return f"{sentence(_read('claims'))}\n{more}\n\n{figure}"


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    claims, rows = _read("claims"), _read("printed_rows")
    made, drawn = pages.provenance(RUN), pages.read_manifest(RUN).get("drawn")
    made += f" {said('claims', 'repeated', **drawn)}" if drawn else ""
    counts = pd.crosstab(rows["role"], rows["verdict"])
    counts["all"] = counts.sum(axis=1)
    return {
        "README": opening("docs/", ""),
        "summary": _summary(claims),
        "holds": _of_verdict(claims, HOLDS),
        "fails": _of_verdict(claims, FAILS),
        "directions": _of_directions(_read("directions")),
        "rows": table(["role", *counts], counts.reset_index().to_numpy()),
        "made": made,
    } | {paper: _of_paper(of) for paper, of in claims.groupby("paper", sort=False)}


def _read(name: str) -> pd.DataFrame:
    return pd.read_csv(RUN / f"tables/{name}.csv")


def _summary(claims: pd.DataFrame) -> str:
    lines = []
    for paper, of in claims.groupby("paper", sort=False):
        counts = of["verdict"].value_counts().reindex(VERDICTS, fill_value=0)
        lines.append([label_of_paper(paper), *counts, sum(of["in_print"] == "no")])
    figure = said("claims", "figure", root="../")
    text = table(["paper", *VERDICTS, "contradicted in print"], lines)
    return f"{sentence(claims)}\n\n{figure}\n\n{text}"


def _of_verdict(claims: pd.DataFrame, verdict: str) -> str:
    of = claims.assign(paper=claims["paper"].map(label_of_paper))[claims["verdict"] == verdict]
    return "\n".join(texts_of(of, "- {id}, {paper}: {claim}"))


def _of_paper(claims: pd.DataFrame) -> str:
    texts = claims[["turns", "open_because", "experiments"]].fillna("")
    experiments = texts["experiments"].str.split()
    links = [", ".join(said("claims", "link", name=name) for name in of) for of in experiments]
    claims = claims.assign(
        links=[f" {of}" if of else "" for of in links],
        reasons=(texts["turns"] + "; " + texts["open_because"]).str.strip("; "),
        shown=[*map(_effect, claims.itertuples())],
    )
    return table_of("claims", "claims", claims)


def _effect(row) -> str:
    if pd.isna(row.effect):
        return ""
    high = "∞)" if pd.isna(row.ci_high) else f"{row.ci_high:.2f}]"  # of a bound from below
    limits = "" if pd.isna(row.ci_low) else f" [{row.ci_low:.2f}, {high}"
    return f"{row.effect:.2f}{limits}"


def _of_directions(pairs: pd.DataFrame) -> str:
    names, rows = ["same direction", "beyond the interval", "reversed"], []
    for kind, of in pairs.groupby("pair", sort=False):
        for gap, same in [*of.groupby("gap"), ("all", of)]:
            total = same["pairs"].sum()
            rows.append({"kind": kind, "gap": gap, "pairs": total, **same[names].sum() / total})
    return table_of("claims", "differences", pd.DataFrame(rows))
