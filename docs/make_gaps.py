"""Scores and ranks by mechanism and strength, in docs/gaps.md: python docs/make_gaps.py FOLDER

The folder holds the results of config/runs/gaps.yaml.
"""

import sys
from pathlib import Path

import pandas as pd
import yaml

from docs.pages import ROOT, fill, table
from mvclust.pipeline.config.protocols import BASE_OF
from mvclust.pipeline.score.significance import complete_part, mean_ranks, settled_table

METRIC, CONTROL = "ACC", "control, what is present"


def cells_of_run():
    """Experiment -> its protocol and strength, in the order of the run."""
    run = yaml.safe_load((ROOT / "config/runs/gaps.yaml").read_text(encoding="utf-8"))
    declared = yaml.safe_load((ROOT / "config/experiments/gaps.yaml").read_text(encoding="utf-8"))
    entries = {name: declared[name] for name in run["experiments"]}
    return {name: (each["protocol"], each.get("strength", 0)) for name, each in entries.items()}


def by_mechanism(folder):
    """Two tables: mean accuracies, and mean ranks beside their likeness to strength 0.

    Parameters
    ----------
    folder : path
        The results of the run, or of one that leaves out some experiments or data sets.

    Returns
    -------
    str, Markdown
    """
    cells = cells_of_run()
    scores = {name: _scores(folder, name) for name in cells if _file(folder, name).exists()}
    methods = list(next(iter(scores.values())).columns.drop(CONTROL, errors="ignore"))
    means, ranks = [], []
    for name, of_cell in scores.items():
        protocol, strength = cells[name]
        start = [protocol, f"{strength:g}"]
        mean = complete_part(of_cell).mean()
        means.append([*start, *(_number(mean.get(m)) for m in [*methods, CONTROL])])
        rank = mean_ranks(complete_part(of_cell[methods]))
        base = next(n for n, cell in cells.items() if cell == (BASE_OF.get(protocol, protocol), 0))
        alike = "" if name == base or base not in scores else _likeness(of_cell, scores[base])
        ranks.append([*start, *(_number(rank.get(m)) for m in methods), alike])
    head = ["protocol", "strength", *methods]
    read = pd.concat([pd.read_csv(_file(folder, name)) for name in scores])
    n_datasets, n_masks = read["dataset"].nunique(), read["n_runs"].max()
    return (
        f"Made from {n_datasets} data sets, {n_masks:.0f} masks each.\n\n"
        f"{METRIC} (%), mean over the data sets:\n\n{table([*head, CONTROL], means)}\n\n"
        f"Mean ranks, without the control:\n\n{table([*head, 'likeness'], ranks)}"
    )


def _file(folder, name):
    return Path(folder, "tables", f"{name}.csv")


def _scores(folder, name):
    """Data sets x methods."""
    rows = pd.read_csv(_file(folder, name))
    rows = rows[rows["metric"] == METRIC]
    order = list(dict.fromkeys(rows["method"]))
    return rows.pivot_table(index="dataset", columns="method", values="mean")[order]


def _likeness(scores, base):
    """The mean over the data sets of the rank correlation of methods with those of the base."""
    methods = scores.columns.intersection(base.columns).drop(CONTROL, errors="ignore")
    datasets = scores.index.intersection(base.index)
    one, other = (settled_table(each.loc[datasets, methods]) for each in (scores, base))
    return f"{one.corrwith(other, axis=1, method='spearman').mean():.2f}"


def _number(value):
    return "" if value is None or pd.isna(value) else f"{value:.1f}"


def main():
    fill("gaps.md", "gaps", by_mechanism(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
