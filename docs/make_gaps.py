"""The blocks and the figure of docs/gaps.md: ranks of methods by why views are missing."""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from itertools import permutations

import pandas as pd

from docs import pages
from docs.pages import ROOT, mean_of, number, said, table, with_interval
from mvclust.bench.config.protocols import BASE_OF
from mvclust.bench.report.style import add_legend, look_of
from mvclust.bench.score.significance import complete_part, mean_ranks, settled_table
from mvclust.bench.verify.finished import FinishedRun

RUN = ROOT / "results/gaps"
METRIC, CONTROL = "ACC", "control, what is present"
Place = tuple[str, float]  # a protocol and its strength


@cache
def plan_of_run():
    """The plan of the run, from its configuration."""
    return FinishedRun(RUN, ROOT).plan()


@cache
def cells() -> dict[Place, pd.DataFrame]:
    """Place -> accuracies, data sets x methods with the control, in the order of the run."""
    found = {}
    for name, declared in plan_of_run().study.chosen.items():
        rows = pages.read_table(RUN / f"tables/{name}.csv", metric=METRIC)
        scores = rows.pivot_table(index="dataset", columns="method", values="mean")
        order = list(dict.fromkeys(rows["method"]))
        found[declared.protocol, declared.strength or 0] = scores[order]
    return found


def methods_at(place: Place) -> pd.DataFrame:
    """The accuracies of the methods without those of the mask alone."""
    return cells()[place].drop(columns=CONTROL, errors="ignore")


def base_of(place: Place) -> Place:
    """The place of strength 0 with the same rates, starts and random numbers."""
    return BASE_OF.get(place[0], place[0]), 0


def mechanisms() -> list[str]:
    """The protocols that have a strength, in the order of the run."""
    return list(dict.fromkeys(protocol for protocol, strength in cells() if strength))


@cache
def change_of(protocol: str) -> tuple[dict, dict]:
    """Compare strength 1 and its base on the data sets that both have whole.

    Returns gains: method -> points of accuracy and their 95 % interval, and pairs: (better, worse)
    that are apart at strength 0 -> whether at strength 1 this is "kept", "lost" or "turned" round.
    """
    after, before = methods_at((protocol, 1)), methods_at(base_of((protocol, 1)))
    whole = after.notna().all(axis=1) & before.notna().all(axis=1)
    after, before = after[whole], before[whole]
    gains = {name: mean_of(after[name] - before[name]) for name in before}
    pairs = {}
    for better, worse in permutations(before, 2):
        if mean_of(before[better] - before[worse])[1] > 0:
            _, low, high = mean_of(after[better] - after[worse])
            pairs[better, worse] = "kept" if low > 0 else "turned" if high < 0 else "lost"
    return gains, pairs


def summary() -> str:
    """One sentence on each mechanism at full strength."""
    lines = []
    for protocol in mechanisms():
        (gains, pairs), place = change_of(protocol), (protocol, 1)
        before, after = (cells()[at][CONTROL].mean() for at in (base_of(place), place))
        best = max(gains, key=gains.get)
        turned = [f"{b} is then above {a}" for (a, b), fate in pairs.items() if fate == "turned"]
        values = {
            "protocol": protocol, "before": before, "after": after,
            "above": sum(low > 0 for _, low, _ in gains.values()),
            "n": len(gains), "best": best, "gain": with_interval(*gains[best]),
            "apart": len(pairs), "pairs": f": {'; '.join(turned)}" if turned else "",
            "kept": 0, "lost": 0, "turned": 0, **Counter(pairs.values()),
        }  # fmt: skip
        lines.append(said("gaps", "mechanism", **values))
    return "\n".join(lines)


def reversed_text() -> str:
    """How many pairs of methods each mechanism reverses, in a sentence."""
    pairs = {protocol: list(change_of(protocol)[1].values()) for protocol in mechanisms()}
    counts = [f"{name} {each.count('turned')} of {len(each)}" for name, each in pairs.items()]
    return said("gaps", "reversed", counts=", ".join(counts))


def means_table() -> str:
    """Mean accuracies by protocol and strength."""
    means = {place: complete_part(methods_at(place)).mean() for place in cells()}
    controls = {at: number(each[CONTROL].mean()) for at, each in cells().items() if CONTROL in each}
    return _by_place(means, CONTROL, controls)


def ranks_table() -> str:
    """Mean ranks by protocol and strength, and their likeness to strength 0."""
    ranks = {place: mean_ranks(complete_part(methods_at(place))) for place in cells()}
    alike = {place: f"{likeness(place):.2f}" for place in cells() if base_of(place) != place}
    return _by_place(ranks, "likeness", alike)


def _by_place(numbers: dict, name: str, last: Mapping[Place, str]) -> str:
    """A line per place: a number for each method, and a last column of a name."""
    methods = methods_at(next(iter(cells())))
    rows = []
    for place, of in numbers.items():
        shown = (number(of.get(method)) for method in methods)
        rows.append([place[0], f"{place[1]:g}", *shown, last.get(place, "")])
    return table(["protocol", "strength", *methods, name], rows)


def likeness(place: Place) -> float:
    """The mean over the data sets of the rank correlation of methods with those of the base."""
    scores, base = methods_at(place), methods_at(base_of(place))
    datasets = scores.index.intersection(base.index)
    one, other = (settled_table(each.loc[datasets]) for each in (scores, base))
    return one.corrwith(other, axis=1, method="spearman").mean()


def draw() -> None:
    """Mean accuracy against the strength, a panel per mechanism."""
    looks, handles = look_of(plan_of_run().slices["report"]["report"]["looks"]), {}
    with pages.figure("gaps", 2.9) as figure:
        panels = figure.subplots(1, len(mechanisms()), sharey=True)
        for axes, protocol in zip(panels, mechanisms(), strict=True):
            of = [place for place in cells() if place[0] == protocol and place[1]]
            of = [base_of((protocol, 1)), *of]
            means = pd.DataFrame([complete_part(methods_at(place)).mean() for place in of])
            means[CONTROL] = [cells()[place][CONTROL].mean() for place in of]
            x = [strength for _, strength in of]
            for name in means:
                (handles[name],) = axes.plot(x, means[name], lw=1, **looks[name])
            axes.set(title=protocol, xticks=[0, 0.5, 1], xlabel="strength")
        panels[0].set_ylabel(f"{METRIC} (%), mean over data sets")
        add_legend(figure, handles)


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    gains = {protocol: change_of(protocol)[0] for protocol in mechanisms()}
    methods = gains[mechanisms()[0]]
    rows = [[name, *(with_interval(*of[name]) for of in gains.values())] for name in methods]
    return {
        "summary": summary(),
        "gains": table(["method", *gains], rows),
        "means": means_table(),
        "ranks": ranks_table(),
        "provenance": pages.provenance(RUN),
    }
