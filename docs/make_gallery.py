"""The blocks of docs/gallery.md, from results/paper."""

import base64
import gzip
import json
import re

import pandas as pd
from scipy.spatial import cKDTree

from docs.make_claims import opening
from docs.pages import ROOT, read_config, read_manifest, said
from mvclust.bench.config.load import load
from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.datasets.catalogue import is_rebuilt

RUN = ROOT / "results/paper"
OTHERS = {"published_vs_reproduced": "Published beside reproduced", "cost": "Cost"}


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    manifest = read_manifest(RUN)
    configuration = load(manifest["config"], ROOT)
    names = [n for n in manifest["config"]["experiments"] if (RUN / f"tables/{n}.csv").exists()]
    declared = read_config(f"runs/{RUN.name}.yaml")["experiments"]
    lacking = ", ".join(f"`{name}`" for name in declared if name not in names)
    left_out = [said("gallery", "lacking", names=lacking)] if lacking else []
    return {
        "claims": opening(),
        "run": "\n\n".join([_about(manifest), *left_out]),
        "entries": "\n\n".join(_entries(configuration, names)),
    }


def _entries(configuration, names: list[str]) -> list[str]:
    """The tables and figures of each paper, then those of the run."""
    page = (RUN / "report.html").read_text(encoding="utf-8")
    packed = re.search('id="data">([^<]+)<', page)[1]
    on_page = json.loads(gzip.decompress(base64.b64decode(packed)))["experiments"]
    findings, parts = {each["id"]: each["finding"] for each in on_page}, []
    chosen = {name: configuration.experiments[name] for name in names}
    for paper, about in configuration.papers.items():
        of_paper = {name: each for name, each in chosen.items() if each.paper == paper}
        parts += [f"## {about.label}"] if of_paper else []
        for name, experiment in of_paper.items():
            here = findings.get(name) or _of_table(name)
            parts.append(_entry(name, experiment.title, experiment.claim, here))
    return parts + [_entry(name, title) for name, title in OTHERS.items()]


def _about(manifest: dict) -> str:
    """A table of what made the run."""
    rebuilt = [data["dataset"] for data in manifest["data"] if is_rebuilt(data["source"])]
    values = {
        "rebuilt": ", ".join(rebuilt) or "none",
        "cpu_minutes": manifest["cost"]["cpu_seconds"] / 60,
        "wall_minutes": manifest["fits"]["wall_seconds"] / 60,
    }
    return said("gallery", "run", **manifest, **values)


def _of_table(name: str) -> str:
    """What a table without fits says: agreements of a paper with the files, or of a picture."""
    stated = pd.read_csv(RUN / f"tables/{name}.csv", dtype=str, keep_default_na=False)
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
        parts.append(f"{name} {100 * (classes == classes[near[:, 1]]).mean():.0f} %")
    return f"The nearest neighbour has the same class: {', '.join(parts)}."


def _entry(name: str, title: str, claim: str = "", here: str = "") -> str:
    place, parts = f"../results/{RUN.name}", [f"### {title}"]
    parts += [f"*The paper:* {claim.strip()}"] if claim else []
    parts += [f"*Here:* {here}"] if here else []
    if (RUN / f"figures/{name}.svg").exists():
        parts.append(f"![{title}]({place}/figures/{name}.svg)")
    return "\n\n".join([*parts, f"[Table]({place}/tables/{name}.md)"])
