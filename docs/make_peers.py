"""Accuracy and CPU of methods of other packages, in docs/peers.md: python docs/make_peers.py FOLDER

The folder holds the results of config/runs/peers.yaml.
"""

import json
import sys
from pathlib import Path

import pandas as pd

from docs.pages import fill, read_manifest, read_table, said, table
from mvclust.bench.record.provenance import library_versions


def comparison(folder: Path) -> str:
    """Accuracy and CPU of all methods of a run of peers, and what it was made with."""
    scores = read_table(folder / "tables/peers.csv", tuning="default", metric="ACC")
    cost = pd.read_csv(folder / "tables" / "cost.csv").set_index("method")["cpu_seconds"]
    settings = list(dict.fromkeys(scores["setting"]))
    rows = [
        [method, *(_score(mine, setting) for setting in settings), f"{cost[method]:.2f}"]
        for method, mine in scores.groupby("method", sort=False)
    ]
    heads = [f"ACC (%), {setting.replace('_', ' ').replace('=', ' ')}" for setting in settings]
    return f"{table(['method', *heads, 'CPU s'], rows)}\n\n{_about(folder)}"


def _score(rows, setting):
    row = rows.set_index("setting").loc[setting]
    return "no result" if pd.isna(row["mean"]) else f"{row['mean']:.1f} ± {row['std']:.1f}"


def _about(folder):
    manifest = read_manifest(folder)
    runs = pd.read_parquet(folder / "runs.parquet", columns=["versions"])
    brought = {}
    for text in runs["versions"].dropna().unique():
        brought |= json.loads(text)
    theirs = [f"{n} {v}" for n, v in sorted(brought.items()) if n not in library_versions()]
    ours = [f"{n} {manifest['libraries'][n]}" for n in ("numpy", "scipy", "scikit-learn")]
    fits = manifest["fits"]
    values = {
        "reasons": f" ({'; '.join(fits['reasons'])})" if fits["reasons"] else "",
        "minutes": fits["cpu_seconds"] / 60, "cpu": manifest["machine"]["cpu"],
        "commit": manifest["commit"][:10], "created": manifest["created"][:10],
        "theirs": ", ".join(theirs), "ours": ", ".join(ours), "python": manifest["python"],
    }  # fmt: skip
    return said("peers", "about", number=fits["number"], failed=fits["failed"], **values)


if __name__ == "__main__":
    fill("peers.md", "peers", comparison(Path(sys.argv[1])))
