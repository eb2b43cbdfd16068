"""Fill the blocks of docs/gallery.md from results/paper.

python docs/make_gallery.py
"""

from pathlib import Path

import pandas as pd
from scipy.spatial import cKDTree

from docs.make_claims import opening
from docs.pages import ROOT, percent, read_config, read_manifest, said, table, write
from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.report.findings import finding
from mvclust.bench.score.overall import blocks_of
from mvclust.bench.score.runs import read_runs
from mvclust.bench.score.tuning import keys_of, results_of
from mvclust.bench.verify.finished import FinishedRun
from mvclust.datasets.catalogue import is_rebuilt

RUN, PAGE = ROOT / "results/paper", "gallery"
OTHERS = {"published_vs_reproduced": "Published beside reproduced", "cost": "Cost"}


def blocks(folder: Path = RUN) -> dict[str, str]:
    """The blocks of the page by name, from the results of a run in config/runs."""
    plan = FinishedRun(folder, ROOT).plan()
    about = _about(read_manifest(folder))
    return {
        "claims": opening(RUN, f"docs/{PAGE}.md"),
        "run": "\n\n".join(filter(None, [about, _left_out(folder.name, plan.papers)])),
        "entries": "\n\n".join(_entries(folder, plan)),
    }


def _entries(folder: Path, plan) -> list[str]:
    """The tables and figures of each paper, then those of the run."""
    uses, runs, parts = plan.slices["experiment"], read_runs(folder / "runs.parquet"), []
    for paper, about in plan.configuration.papers.items():
        names = [name for name, of in plan.papers.items() if of == paper]
        parts += [f"## {about.label}"] if names else []
        for name in names:
            here = _finding(uses[name], runs) if name in uses else _of_table(folder, name)
            experiment = plan.study.chosen[name]
            parts.append(_entry(folder, name, experiment.title, experiment.claim, here))
    return parts + [_entry(folder, name, title) for name, title in OTHERS.items()]


def _left_out(run: str, made) -> str:
    """The experiments of a run in config/runs that were not made, in a sentence."""
    declared = read_config(f"runs/{run}.yaml")["experiments"]
    lacking = [f"`{name}`" for name in declared if name not in made]
    return said("gallery", "lacking", names=", ".join(lacking)) if lacking else ""


def _finding(use: dict, runs: pd.DataFrame) -> str:
    """What the results of an experiment say; the committed runs must have its fits."""
    missing = keys_of(use) - set(runs["key"])
    if missing:
        raise SystemExit(
            f"results/{RUN.name} lacks {len(missing)} fits of {use['id']} as it is configured "
            f"today: run snakemake --configfile config/runs/{RUN.name}.yaml first."
        )
    return finding(use, blocks_of(use, results_of(use, runs)), runs)


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


if __name__ == "__main__":
    write(PAGE, blocks())
