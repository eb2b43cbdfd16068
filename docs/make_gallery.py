"""Make docs/gallery.md from results/paper: python docs/make_gallery.py

Every table and figure of the papers with what the paper claims and what the results say.
"""

import json
from itertools import groupby
from pathlib import Path

import pandas as pd
from scipy.spatial import cKDTree

from docs.pages import ROOT, read_manifest, table, write
from mvclust.pipeline.plan.check import check_run
from mvclust.pipeline.plan.expected import Costs
from mvclust.pipeline.plan.plan import make_plan
from mvclust.pipeline.score.runs import read_runs
from mvclust.pipeline.score.tuning import results_of
from mvclust.report.findings import finding
from mvclust.report.ranks import blocks_of

RUN = "paper"
PAPERS = {
    "daimc": "DAIMC (Hu & Chen, IJCAI 2018)",
    "ueaf": "UEAF (Wen et al., AAAI 2019)",
    "mpac": "mPAC (Kang et al., IJCAI 2019)",
    "cmvnmf": "CMVNMF (Zhang et al., AAAI 2015)",
    "multinmf": "MultiNMF (Liu et al., SDM 2013)",
    "pvc": "PVC (Li et al., AAAI 2014)",
    "beyond": "Beyond the papers",
}


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
    science, uses = planned(folder.name)
    runs = read_runs(folder / "runs.parquet")
    manifest = read_manifest(folder)
    parts = ["# Gallery", _about(manifest, f"{folder.name}.yaml")]
    chosen = [(name, science["experiments"][name]) for name in science["config"]["experiments"]]
    chosen.sort(key=lambda pair: list(PAPERS).index(pair[1]["paper"]))
    for paper, experiments in groupby(chosen, key=lambda pair: pair[1]["paper"]):
        parts.append(f"## {PAPERS[paper]}")
        for name, experiment in experiments:
            if name in uses["render"]:
                use = uses["render"][name]
                said = finding(use, blocks_of(use, results_of(use, runs)), runs)
            else:
                said = _of_table(folder, name)
            parts.append(_entry(name, experiment, said, folder))
    for name, title in (
        ("published_vs_reproduced", "Published beside reproduced"),
        ("cost", "Cost"),
    ):
        parts.append(_entry(name, {"title": title}, "", folder))
    return "\n\n".join(parts) + "\n"


def planned(run):
    """The checked configuration of a run in config/runs, and what its plan says that rules use."""
    science = check_run(ROOT / "config/runs" / f"{run}.yaml", ROOT)
    return science, json.loads(json.dumps(make_plan(science, Costs({}))))["uses"]


def _about(manifest, file):
    fits, cost, machine = manifest["fits"], manifest["cost"], manifest["machine"]
    rows = [
        ["commit", manifest["commit"][:12]],
        ["machine", f"{machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB"],
        ["fits", f"{fits['number']}, {fits['failed']} without a result"],
        ["CPU time", f"{cost['cpu_seconds'] / 60:.0f} minutes in {cost['jobs']} jobs"],
        ["wall time of the fits", f"{fits['wall_seconds'] / 60:.0f} minutes, one after the other"],
    ]
    return (
        "Tables and figures of the six papers, made by "
        f"`snakemake --cores 2 --configfile config/runs/{file}`: what the paper claims, and what "
        "our numbers show. Both hold only for the settings of that figure. Unless stated "
        "otherwise, parameters are chosen by the true labels (tuning oracle), as in the papers. "
        "`make pages` makes this page from `results/paper`.\n\n" + table(["run", ""], rows)
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
    unknown = int((stated["source"] == "data not available").sum())
    return said + (f"; {unknown} are on data that are not available." if unknown else ".")


def _of_partitions(table):
    """How often the nearest neighbour in a picture of a partition has the same class."""
    parts = []
    for name, part in table.groupby("partition", sort=False):
        points, classes = part[["x", "y"]].to_numpy(dtype=float), part["class"].to_numpy()
        _, near = cKDTree(points).query(points, k=2)
        parts.append(f"{name} {100 * (classes == classes[near[:, 1]]).mean():.0f} %")
    return f"The nearest neighbour has the same class: {', '.join(parts)}."


def _entry(name, experiment, said, folder):
    parts = [f"### {experiment['title']}"]
    if experiment.get("claim"):
        parts.append(f"*The paper:* {experiment['claim'].strip()}")
    if said:
        parts.append(f"*Here:* {said}")
    place = Path("..", "results", folder.name)
    if (folder / "figures" / f"{name}.svg").exists():
        parts.append(f"![{experiment['title']}]({place}/figures/{name}.svg)")
    parts.append(f"[Table]({place}/tables/{name}.md)")
    return "\n\n".join(parts)


if __name__ == "__main__":
    write("gallery", gallery(ROOT / "results" / RUN))
