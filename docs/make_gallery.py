"""The blocks of docs/gallery.md, from results/paper."""

import base64
import gzip
import json
import re
from pathlib import Path

import pandas as pd
from scipy.spatial import cKDTree

from docs.make_claims import opening
from docs.pages import ROOT, percent, read_config, read_manifest, said, table
from mvclust.bench.config.load import load
from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.datasets.catalogue import is_rebuilt

RUN = ROOT / "results/paper"
OTHERS = {"published_vs_reproduced": "Published beside reproduced", "cost": "Cost"}


def blocks(folder: Path = RUN) -> dict[str, str]:
    """The blocks of the page by name, from the results of a run in config/runs."""
    manifest = read_manifest(folder)
    configuration = load(manifest["config"], ROOT)
    names = [n for n in manifest["config"]["experiments"] if (folder / f"tables/{n}.csv").exists()]
    return {
        "claims": opening(RUN, "docs/gallery.md"),
        "run": "\n\n".join(filter(None, [_about(manifest), _left_out(folder.name, names)])),
        "entries": "\n\n".join(_entries(folder, configuration, names)),
    }


def _entries(folder: Path, configuration, names: list[str]) -> list[str]:
    """The tables and figures of each paper, then those of the run."""
    findings, parts = _findings(folder / "report.html"), []
    chosen = {name: configuration.experiments[name] for name in names}
    for paper, about in configuration.papers.items():
        of_paper = {name: each for name, each in chosen.items() if each.paper == paper}
        parts += [f"## {about.label}"] if of_paper else []
        for name, experiment in of_paper.items():
            here = findings.get(name) or _of_table(folder, name)
            parts.append(_entry(folder, name, experiment.title, experiment.claim, here))
    return parts + [_entry(folder, name, title) for name, title in OTHERS.items()]


def _findings(page: Path) -> dict[str, str]:
    """What the report page of a run says of the results of each experiment."""
    packed = re.search('id="data">([^<]+)<', page.read_text(encoding="utf-8"))[1]
    experiments = json.loads(gzip.decompress(base64.b64decode(packed)))["experiments"]
    return {experiment["id"]: experiment["finding"] for experiment in experiments}


def _left_out(run: str, made: list[str]) -> str:
    """The experiments of a run in config/runs that were not made, in a sentence."""
    declared = read_config(f"runs/{run}.yaml")["experiments"]
    lacking = [f"`{name}`" for name in declared if name not in made]
    return said("gallery", "lacking", names=", ".join(lacking)) if lacking else ""


def _about(manifest: dict) -> str:
    """A table of what made the run."""
    fits, cost, machine = manifest["fits"], manifest["cost"], manifest["machine"]
    rebuilt = [data["dataset"] for data in manifest["data"] if is_rebuilt(data["source"])]
    rows = [
        ["commit", manifest["commit"][:12]],
        ["machine", f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB"],
        ["fits", f"{fits['number']}, {fits['failed']} without a result"],
        ["rebuilt features", ", ".join(rebuilt) or "none"],
        ["CPU time", f"{cost['cpu_seconds'] / 60:.0f} minutes in {cost['jobs']} jobs"],
        ["wall time of the fits", f"{fits['wall_seconds'] / 60:.0f} minutes, one after the other"],
    ]
    return table(["run", ""], rows)


def _of_table(folder: Path, name: str) -> str:
    """What a table without fits says: agreements of a paper with the files, or of a picture."""
    stated = pd.read_csv(folder / "tables" / f"{name}.csv", dtype=str, keep_default_na=False)
    if "partition" in stated:
        return _of_partitions(stated)
    if "agrees" not in stated:
        return ""
    counts = stated["agrees"].value_counts().to_dict()
    text = said("gallery", "agreeing", **{"yes": 0, "no": 0} | counts)
    unknown = int((stated["source"] == UNAVAILABLE).sum())
    return text + (f"; {unknown} are on data that are not available." if unknown else ".")


def _of_partitions(stated: pd.DataFrame) -> str:
    """How often the nearest neighbour in a picture of a partition has the same class."""
    parts = []
    for name, part in stated.groupby("partition", sort=False):
        points, classes = part[["x", "y"]].to_numpy(dtype=float), part["class"].to_numpy()
        _, near = cKDTree(points).query(points, k=2)
        parts.append(f"{name} {percent((classes == classes[near[:, 1]]).mean())}")
    return f"The nearest neighbour has the same class: {', '.join(parts)}."


def _entry(folder: Path, name: str, title: str, claim: str = "", here: str = "") -> str:
    place, parts = f"../results/{folder.name}", [f"### {title}"]
    parts += [f"*The paper:* {claim.strip()}"] if claim else []
    parts += [f"*Here:* {here}"] if here else []
    if (folder / "figures" / f"{name}.svg").exists():
        parts.append(f"![{title}]({place}/figures/{name}.svg)")
    return "\n\n".join([*parts, f"[Table]({place}/tables/{name}.md)"])
