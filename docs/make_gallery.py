"""Make docs/gallery.md from results/paper and results/claims: python docs/make_gallery.py

Which claims hold, then every table and figure of the papers with what the paper claims and what the
results say.
"""

from pathlib import Path

import pandas as pd
import yaml
from scipy.spatial import cKDTree

from docs.make_claims import RUN as CLAIMS
from docs.make_claims import opening
from docs.pages import ROOT, read_manifest, table, write
from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.report.findings import finding
from mvclust.bench.score.overall import blocks_of
from mvclust.bench.score.runs import read_runs
from mvclust.bench.score.tuning import keys_of, results_of
from mvclust.bench.verify.recompute import plan_of
from mvclust.datasets.catalogue import is_rebuilt

RUN, PAGE = "paper", "gallery"


def gallery(folder):
    """The page, from the results folder of a run in config/runs.

    Parameters
    ----------
    folder : path
        It has the run's name.

    Returns
    -------
    str, Markdown
    """
    plan = plan_of(folder, ROOT)
    uses, experiments_of_run = plan.slices["experiment"], plan.study.chosen
    labels = {name: paper.label for name, paper in plan.configuration.papers.items()}
    runs = read_runs(folder / "runs.parquet")
    manifest = read_manifest(folder)
    claims = opening(ROOT / "results" / CLAIMS, f"docs/{PAGE}.md")
    parts = ["# Gallery", "## Which claims hold", claims]
    about, left_out = _about(manifest, f"{folder.name}.yaml"), _left_out(folder.name, plan.papers)
    parts += ["## Tables and figures", about, *filter(None, [left_out])]
    for paper, label in labels.items():
        mine = [name for name, of in plan.papers.items() if of == paper]
        parts += [f"## {label}"] if mine else []
        for name in mine:
            said = _finding(uses[name], runs) if name in uses else _of_table(folder, name)
            experiment = experiments_of_run[name]
            parts.append(_entry(name, experiment.title, experiment.claim, said, folder))
    for name, title in (
        ("published_vs_reproduced", "Published beside reproduced"),
        ("cost", "Cost"),
    ):
        parts.append(_entry(name, title, "", "", folder))
    return "\n\n".join(parts) + "\n"


def _left_out(run, made):
    """The experiments of a run in config/runs that were not made, in a sentence."""
    file = ROOT / "config/runs" / f"{run}.yaml"
    declared = yaml.safe_load(file.read_text(encoding="utf-8"))["experiments"]
    lacking = [f"`{name}`" for name in declared if name not in made]
    return f"Not in these results, since they take hours: {', '.join(lacking)}." if lacking else ""


def _finding(use, runs):
    """What the results of an experiment say; the committed runs must have its fits."""
    missing = keys_of(use) - set(runs["key"])
    if missing:
        raise SystemExit(
            f"results/{RUN} lacks {len(missing)} fits of {use['id']} as it is configured today: "
            f"run snakemake --configfile config/runs/{RUN}.yaml first."
        )
    return finding(use, blocks_of(use, results_of(use, runs)), runs)


def _about(manifest, file):
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
    return (
        "Tables and figures of the six papers, made by "
        f"`snakemake --cores 2 --configfile config/runs/{file}`: what the paper claims, and what "
        "our numbers show. Both hold only for the settings of that figure. Unless stated "
        "otherwise, parameters are chosen by the true labels (tuning oracle), as in the papers. "
        "`make pages` makes this page from `results/paper` and `results/claims`.\n\n"
        + table(["run", ""], rows)
    )


def _of_table(folder, name):
    """What a table without fits says: agreements of a paper with the files, or of a picture."""
    stated = pd.read_csv(folder / "tables" / f"{name}.csv", dtype=str, keep_default_na=False)
    if "partition" in stated:
        return _of_partitions(stated)
    if "agrees" not in stated:
        return ""
    counts = stated["agrees"].value_counts()
    said = f"{counts.get('yes', 0)} statements agree with the files, {counts.get('no', 0)} do not"
    unknown = int((stated["source"] == UNAVAILABLE).sum())
    return said + (f"; {unknown} are on data that are not available." if unknown else ".")


def _of_partitions(table):
    """How often the nearest neighbour in a picture of a partition has the same class."""
    parts = []
    for name, part in table.groupby("partition", sort=False):
        points, classes = part[["x", "y"]].to_numpy(dtype=float), part["class"].to_numpy()
        _, near = cKDTree(points).query(points, k=2)
        parts.append(f"{name} {100 * (classes == classes[near[:, 1]]).mean():.0f} %")
    return f"The nearest neighbour has the same class: {', '.join(parts)}."


def _entry(name, title, claim, said, folder):
    parts = [f"### {title}"]
    if claim:
        parts.append(f"*The paper:* {claim.strip()}")
    if said:
        parts.append(f"*Here:* {said}")
    place = Path("..", "results", folder.name)
    if (folder / "figures" / f"{name}.svg").exists():
        parts.append(f"![{title}]({place}/figures/{name}.svg)")
    parts.append(f"[Table]({place}/tables/{name}.md)")
    return "\n\n".join(parts)


if __name__ == "__main__":
    write(PAGE, gallery(ROOT / "results" / RUN))
