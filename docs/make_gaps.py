"""Make docs/gaps.md and its figure: python docs/make_gaps.py

From results/gaps. Scores and ranks of methods by why views are missing, and how strongly.
"""

import itertools
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd

from docs import pages
from docs.pages import ROOT, mean_of, number, said, table, with_interval
from mvclust.bench.config.protocols import BASE_OF
from mvclust.bench.report.style import add_legend, look_of
from mvclust.bench.score.significance import complete_part, mean_ranks, settled_table
from mvclust.bench.verify.finished import FinishedRun

RUN = ROOT / "results/gaps"
METRIC, CONTROL = "ACC", "control, what is present"


class Cell(NamedTuple):
    """The scores of one protocol at one strength."""

    protocol: str
    strength: float
    scores: pd.DataFrame  # data sets x methods, without the control
    control: float  # mean accuracy of the clusters of the mask alone


Cells = dict[tuple[str, float], Cell]


def cells_of_run(folder: Path, plan) -> Cells:
    """The cells of the run, in its order."""
    cells = {}
    for name, declared in plan.study.chosen.items():
        protocol, strength = declared.protocol, declared.strength or 0
        scores = _scores(folder, name)
        control = scores.pop(CONTROL).mean() if CONTROL in scores else np.nan
        cells[protocol, strength] = Cell(protocol, strength, scores, control)
    return cells


def _scores(folder: Path, name: str) -> pd.DataFrame:
    rows = pages.read_table(folder / f"tables/{name}.csv", metric=METRIC)
    order = list(dict.fromkeys(rows["method"]))
    return rows.pivot_table(index="dataset", columns="method", values="mean")[order]


def base_of(cell: Cell, cells: Cells) -> Cell:
    """The cell of strength 0 with the same rates, starts and random numbers."""
    return cells[BASE_OF.get(cell.protocol, cell.protocol), 0]


def mechanisms(cells: Cells) -> list[str]:
    """The protocols that have a strength, in the order of the run."""
    return list(dict.fromkeys(cell.protocol for cell in cells.values() if cell.strength))


class Change(NamedTuple):
    """What a mechanism at strength 1 changes: gains of methods, and order of pairs."""

    gains: dict  # method -> points of accuracy over strength 0, and their 95 % interval
    kept: list  # (better, worse), apart at strength 0 and at strength 1
    lost: list  # no longer apart
    turned: list  # apart the other way round

    @property
    def apart(self) -> int:
        """The number of pairs that are apart at strength 0."""
        return len(self.kept) + len(self.lost) + len(self.turned)


def change_of(cell: Cell, base: Cell) -> Change:
    """Compare two cells on the data sets that both have whole."""
    whole = cell.scores.notna().all(axis=1) & base.scores.notna().all(axis=1)
    after, before = cell.scores[whole], base.scores[whole]
    gains = {name: mean_of(after[name] - before[name]) for name in before}
    kept, lost, turned = [], [], []
    for pair in itertools.permutations(before, 2):
        if mean_of(before[pair[0]] - before[pair[1]])[1] > 0:
            _, low, high = mean_of(after[pair[0]] - after[pair[1]])
            (kept if low > 0 else turned if high < 0 else lost).append(pair)
    return Change(gains, kept, lost, turned)


def changes_of(cells: Cells) -> dict[str, Change]:
    """Protocol -> what it changes at strength 1."""
    return {p: change_of(cells[p, 1], base_of(cells[p, 1], cells)) for p in mechanisms(cells)}


def summary(cells: Cells, changes: dict[str, Change]) -> str:
    """One sentence on each mechanism at full strength."""
    lines = []
    for protocol, change in changes.items():
        cell = cells[protocol, 1]
        above = [name for name, (_, low, _) in change.gains.items() if low > 0]
        best = max(change.gains, key=lambda name: change.gains[name][0])
        turned = "; ".join(f"{worse} is then above {better}" for better, worse in change.turned)
        values = {
            "protocol": protocol, "before": base_of(cell, cells).control, "after": cell.control,
            "above": len(above), "n": len(change.gains), "best": best, "apart": change.apart,
            "gain": with_interval(*change.gains[best]), "kept": len(change.kept),
            "lost": len(change.lost), "turned": len(change.turned),
            "pairs": f": {turned}" if turned else "",
        }  # fmt: skip
        lines.append(said("gaps", "mechanism", **values))
    return "\n".join(lines)


def reversed_text(changes: dict[str, Change]) -> str:
    """How many pairs of methods each mechanism reverses, in a sentence."""
    counts = [f"{p} {len(each.turned)} of {each.apart}" for p, each in changes.items()]
    return said("gaps", "reversed", counts=", ".join(counts))


def gains_table(changes: dict[str, Change]) -> str:
    """Points of accuracy that each method gains or loses at strength 1."""
    methods = list(next(iter(changes.values())).gains)
    rows = [[m, *(with_interval(*change.gains[m]) for change in changes.values())] for m in methods]
    return table(["method", *changes], rows)


def means_table(cells: Cells) -> str:
    """Mean accuracies by protocol and strength."""
    means = {place: complete_part(cell.scores).mean() for place, cell in cells.items()}
    return _by_cell(cells, means, {CONTROL: lambda cell: number(cell.control)})


def ranks_table(cells: Cells) -> str:
    """Mean ranks by protocol and strength, and their likeness to strength 0."""

    def alike(cell):
        base = base_of(cell, cells)
        return "" if cell is base else f"{likeness(cell.scores, base.scores):.2f}"

    ranks = {place: mean_ranks(complete_part(cell.scores)) for place, cell in cells.items()}
    return _by_cell(cells, ranks, {"likeness": alike})


def _by_cell(cells: Cells, numbers: dict, last: dict) -> str:
    """A line per cell: a number for each method, and a last column of a name."""
    methods = list(next(iter(cells.values())).scores)
    ((name, text_of),) = last.items()
    rows = []
    for place, cell in cells.items():
        own = (number(numbers[place].get(method)) for method in methods)
        rows.append([cell.protocol, f"{cell.strength:g}", *own, text_of(cell)])
    return table(["protocol", "strength", *methods, name], rows)


def likeness(scores: pd.DataFrame, base: pd.DataFrame) -> float:
    """The mean over the data sets of the rank correlation of methods with those of the base."""
    datasets = scores.index.intersection(base.index)
    one, other = (settled_table(each.loc[datasets]) for each in (scores, base))
    return one.corrwith(other, axis=1, method="spearman").mean()


def draw(cells: Cells, looks: dict[str, dict]) -> None:
    """Mean accuracy against the strength, a panel per mechanism."""
    protocols, handles = mechanisms(cells), {}
    with pages.figure("gaps", 2.9) as figure:
        panels = figure.subplots(1, len(protocols), sharey=True)
        for axes, protocol in zip(panels, protocols, strict=True):
            of = [base_of(cells[protocol, 1], cells)]
            of += [cell for cell in cells.values() if cell.protocol == protocol and cell.strength]
            x = [cell.strength for cell in of]
            means = pd.DataFrame([complete_part(cell.scores).mean() for cell in of])
            means[CONTROL] = [cell.control for cell in of]
            for name in means:
                (handles[name],) = axes.plot(x, means[name], lw=1, **looks[name])
            axes.set(title=protocol, xticks=[0, 0.5, 1], xlabel="strength")
        panels[0].set_ylabel(f"{METRIC} (%), mean over data sets")
        add_legend(figure, handles)


def main():
    plan = FinishedRun(RUN, ROOT).plan()
    cells = cells_of_run(RUN, plan)
    changes = changes_of(cells)
    blocks = {
        "summary": summary(cells, changes),
        "gains": gains_table(changes),
        "means": means_table(cells),
        "ranks": ranks_table(cells),
        "provenance": pages.provenance(RUN),
    }
    draw(cells, look_of(plan.slices["report"]["report"]["looks"]))
    pages.write("gaps", blocks)


if __name__ == "__main__":
    main()
