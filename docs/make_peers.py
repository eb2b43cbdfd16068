"""Accuracy and CPU of methods of other packages, in docs/peers.md: python docs/make_peers.py FOLDER

The folder holds the results of config/runs/peers.yaml.
"""

import json
import sys
from collections import ChainMap
from pathlib import Path

import numpy as np
import pandas as pd

from docs.pages import fill, read_manifest, read_table, said, table, texts_of
from mvclust.bench.record.provenance import library_versions


def comparison(folder: Path) -> str:
    """Accuracy and CPU of all methods of a run of peers, and what it was made with."""
    scores = read_table(folder / "tables/peers.csv", tuning="default", metric="ACC")
    cost = pd.read_csv(folder / "tables" / "cost.csv").set_index("method")["cpu_seconds"]
    texts = texts_of(scores, "{mean:.1f} ± {std:.1f}")
    texts = np.where(scores["mean"].notna(), texts, "no result")
    heads = "ACC (%), " + scores["setting"].str.replace(r"[_=]", " ", regex=True)
    wide = scores.assign(head=heads, text=texts).pivot(index="method", columns="head")["text"]
    wide = wide.loc[scores["method"].unique(), heads.unique()]
    rows = wide.assign(cost=cost.map("{:.2f}".format)).reset_index()
    return f"{table(['method', *wide, 'CPU s'], rows.to_numpy())}\n\n{_about(folder)}"


def _about(folder):
    manifest = read_manifest(folder)
    runs = pd.read_parquet(folder / "runs.parquet", columns=["versions"])
    versions = dict(ChainMap(*map(json.loads, runs["versions"].dropna().unique())))
    theirs = [f"{n} {v}" for n, v in sorted(versions.items()) if n not in library_versions()]
    reasons, minutes = manifest["fits"]["reasons"], manifest["fits"]["cpu_seconds"] / 60
    values = {"reasons": f" ({'; '.join(reasons)})" if reasons else "", "minutes": minutes}
    return said("peers", "about", **manifest, **values, theirs=", ".join(theirs))


if __name__ == "__main__":
    fill("peers.md", "peers", comparison(Path(sys.argv[1])))
