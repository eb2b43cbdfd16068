"""What the papers' own numbers say of a claim: the same comparisons, of printed means alone."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import NamedTuple

import numpy as np

from mvclust.bench.claims.cells import Cell, is_score
from mvclust.bench.claims.repeats import MOST
from mvclust.bench.claims.tests.places import chosen, groups_of, series_of
from mvclust.bench.claims.verdicts import FAILS, HOLDS, OPEN, verdict_of
from mvclust.bench.config.models import MUCH, ClaimTest
from mvclust.numerics.ties import SCORE_TOLERANCE

OF_PAIRS = ("above", "much_above", "within", "best", "worst", "not_best")
YES, NO, PARTLY, NOT_PRINTED = "yes", "no", "partly", "not printed"
WORDS = {HOLDS: YES, FAILS: NO, OPEN: NOT_PRINTED}


class Printed(NamedTuple):
    """The verdict of the printed numbers."""

    word: str
    text: str = ""  # how many cells agree, and the range of the differences
    effect: float = np.nan  # in the first metric over data sets, of the pair with the smallest


def in_print(test: ClaimTest, cells: list[Cell]) -> Printed:
    """Verdict of the printed cells on a test, by the rules for ours.

    Every cell of a table is a unit; of most, more than one half must agree.
    """
    rule = RULES.get(test.kind)
    found = rule(test, chosen(cells, test)) if rule else []
    if not found:
        return Printed(NOT_PRINTED)
    agree = sum(f.agrees for f in found)
    n = len(found)
    if test.quantifier == "most":
        word = YES if agree > n / 2 else NO if agree < n / 2 else PARTLY
    else:
        states = ["+" if f.agrees else "-" if f.reversed else "?" for f in found]
        verdict = verdict_of(states, test.quantifier == "all")
        word = WORDS.get(verdict, PARTLY)
    effects = [f.effect for f in found]
    first = test.metrics[0] if test.metrics else found[0].metric
    of_first = [f.effect for f in found if is_score(f.metric, [first])] or effects
    of_pairs = _effects_of_pairs(test, chosen(cells, test), first)
    text = f"{agree} of {n}; {min(effects):.2f} to {max(effects):.2f}"
    return Printed(word, text, min(of_pairs) if of_pairs else float(np.mean(of_first)))


def _effects_of_pairs(test: ClaimTest, cells: list[Cell], metric: str) -> list[float]:
    """Mean difference over data sets of each pair of methods; empty for other kinds."""
    if test.kind not in OF_PAIRS:
        return []
    sign, found = -1 if test.kind == "worst" else 1, {}
    for group in groups_of([cell for cell in cells if is_score(cell.metric, [metric])]):
        for a, b in product(test.methods or group[0].scores, test.against):
            gaps = [c.scores[a][0] - c.scores[b][0] for c in group if {a, b} <= set(c.scores)]
            if gaps and a != b:
                found.setdefault((a, b), []).append(sign * np.mean(gaps))
    return [float(np.mean(means)) for means in found.values()]


class _Found(NamedTuple):
    agrees: bool
    reversed: bool
    effect: float
    metric: str


def _of(cell: Cell, methods: Sequence[str]) -> list[float]:
    return [float(cell.scores[m][0]) for m in methods if m in cell.scores]


def _judged(effect: float, metric: str, margin: float = 0.0) -> _Found:
    beyond = effect > margin + SCORE_TOLERANCE
    return _Found(beyond, effect < margin - SCORE_TOLERANCE, effect, metric)


def _above(test: ClaimTest, cells: list[Cell]) -> list[_Found]:
    return [
        _judged(float(cell.scores[a][0] - cell.scores[b][0]), cell.metric, test.beyond)
        for cell in cells
        for a, b in product(test.methods or cell.scores, test.against)
        if {a, b} <= set(cell.scores) and a != b
    ]


def _sides(
    test: ClaimTest, cells: list[Cell], every: bool = False
) -> Iterator[tuple[str, list[float], list[float]]]:
    """Yield (metric, scores of the methods, of those against) where both, or `every`, have some."""
    for cell in cells:
        ours, others = _of(cell, test.methods), _of(cell, test.against)
        if others and len(ours) >= (len(test.methods) if every else 1):
            yield cell.metric, ours, others


def _best(test: ClaimTest, cells: list[Cell]) -> list[_Found]:
    sides = _sides(test, cells, every=True)
    return [_judged(min(ours) - max(others), m, test.beyond) for m, ours, others in sides]


def _worst(test: ClaimTest, cells: list[Cell]) -> list[_Found]:
    sides = _sides(test, cells, every=True)
    return [_judged(min(others) - max(ours), m) for m, ours, others in sides]


def _not_best(test: ClaimTest, cells: list[Cell]) -> list[_Found]:
    leads = [(m, max(ours) - max(others)) for m, ours, others in _sides(test, cells)]
    return [_Found(x <= SCORE_TOLERANCE, x > SCORE_TOLERANCE, x, m) for m, x in leads]


def _below_median(test: ClaimTest, cells: list[Cell]) -> list[_Found]:
    sides = _sides(test, cells)
    return [_judged(float(np.median(others)) - ours[0], m) for m, ours, others in sides]


def _within(test: ClaimTest, cells: list) -> list[_Found]:
    margin = MUCH if test.margin is None else test.margin
    return [
        f._replace(agrees=abs(f.effect) <= margin, reversed=abs(f.effect) > margin)
        for f in _above(test, cells)
    ]


def _trend(test: ClaimTest, cells: list[Cell]) -> list[_Found]:
    sign = 1 if test.direction == "rises" else -1
    found = []
    for name, _, scores in series_of(cells, test):
        steps = sign * np.diff(scores[0])
        wrong = bool((steps < -SCORE_TOLERANCE).any())
        metric = name.rpartition(", ")[2] if ", " in name else name.rpartition(": ")[2]
        found.append(_Found(not wrong, wrong, float(steps.sum()), metric))
    return found


def _several_runs(test: ClaimTest, cells: list[Cell]) -> list[_Found]:
    return [
        _Found(std > MOST, std == 0, std, cell.metric)
        for cell in cells
        for method, std in cell.stds.items()
        if method in test.methods or not test.methods
    ]


def _one_run(test: ClaimTest, cells: list) -> list[_Found]:
    return [
        f._replace(agrees=f.effect <= MOST, reversed=f.effect > MOST)
        for f in _several_runs(test, cells)
    ]


RULES = {
    "above": _above,
    "much_above": _above,
    "best": _best,
    "worst": _worst,
    "not_best": _not_best,
    "below_median": _below_median,
    "within": _within,
    "trend": _trend,
    "one_run": _one_run,
    "several_runs": _several_runs,
}
