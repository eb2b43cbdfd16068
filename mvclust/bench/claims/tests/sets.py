"""Kinds of tests of a method against a set of others: best, worst, not best, below the median."""

from functools import partial

import numpy as np

from mvclust.bench.claims.cells import Cell
from mvclust.bench.claims.paired import difference, interval, over_data_sets, power_text, states
from mvclust.bench.claims.sets import best, lead, not_best
from mvclust.bench.claims.shares import most
from mvclust.bench.claims.source import Source
from mvclust.bench.claims.tests.places import chosen, name_of, units_of
from mvclust.bench.claims.tests.shared import (
    NOTHING,
    Entries,
    decided,
    effect_of,
    fair_states,
    grid_sizes,
    is_favoured,
    most_of,
    pairs_in,
)
from mvclust.bench.claims.verdicts import Outcome, verdict_of
from mvclust.bench.config.models import MUCH, ClaimTest


def _leads_of(test: ClaimTest, cells: list[Cell], sign: int = 1) -> Entries:
    entries = [(g, pairs_in(test, g, sign)) for g in units_of(test, cells)]
    return [(g, pairs) for g, pairs in entries if pairs]


def _outcome(
    test: ClaimTest, entries: Entries, raw: list[str], verdicts: tuple[str, str], effect: tuple
) -> Outcome:
    """Outcome of units with their pairs, from their states and the verdicts."""
    power = power_text([d for _, pairs in entries for _, _, d in pairs])
    named = zip([name_of(test, g) for g, _ in entries], raw, strict=True)
    sizes = grid_sizes(entries, [*test.methods, *test.against])
    return decided(verdicts, named, power, effect, sizes)


def _both(test: ClaimTest, raw: list[str], fair: list[str]) -> tuple[str, str]:
    """Verdicts as tuned, and if wins of larger grids are undecided."""
    every = test.quantifier == "all"
    return verdict_of(raw, every), verdict_of(fair, every)


def _best(test: ClaimTest, source: Source, sign: int = 1) -> Outcome:
    cells = chosen(source.cells(test), test)
    entries = _leads_of(test, cells, sign)
    if not entries:
        return NOTHING
    leads = [lead([d for _, _, d in pairs], test.beyond) for _, pairs in entries]
    raw = best(leads)
    fair = fair_states(raw, entries, source.tunable, sign)
    verdicts = _both(test, raw, fair)
    if test.quantifier == "most":
        verdicts = most_of(test, entries, source.tunable, sign)
    effect = leads[0][:3] if len(leads) == 1 else effect_of(test, cells, sign)
    return _outcome(test, entries, raw, verdicts, effect)


def _not_best(test: ClaimTest, source: Source) -> Outcome:
    cells = chosen(source.cells(test), test)
    entries = _leads_of(test, cells)
    if not entries:
        return NOTHING
    margin = MUCH if test.margin is None else test.margin
    raw = not_best([[d for _, _, d in pairs] for _, pairs in entries], margin)
    fair = [
        "?" if s == "-" and any(is_favoured(g, a, b, source.tunable) for a, b, _ in pairs) else s
        for s, (g, pairs) in zip(raw, entries, strict=True)
    ]
    return _outcome(test, entries, raw, _both(test, raw, fair), effect_of(test, cells))


def _below_median(test: ClaimTest, source: Source) -> Outcome:
    cells = chosen(source.cells(test), test)
    (method,) = test.methods
    entries = []
    for group in units_of(test, cells):
        others = [[c.scores[m] for m in test.against if m in c.scores] for c in group]
        if all(others) and all(method in c.scores for c in group):
            values = [
                np.median(o, axis=0) - c.scores[method] for o, c in zip(others, group, strict=True)
            ]
            entries.append((group, values))
    if not entries:
        return NOTHING
    given = [difference(values, g[0].step, g[0].nested) for g, values in entries]
    raw = states(given)
    favoured = [
        all(is_favoured(g, b, method, source.tunable) for b in test.against) for g, _ in entries
    ]
    overall = over_data_sets(given)
    named = zip([name_of(test, g) for g, _ in entries], raw, strict=True)
    effect = (overall.mean, *interval(overall))
    reason = grid_sizes(entries, [method, *test.against])
    if test.quantifier == "most":
        units = [[dict(enumerate(values))] for _, values in entries]
        verdicts = most(units), most(units, 0.0, favoured, [False] * len(units))
    else:
        fair = ["?" if s == "+" and of else s for s, of in zip(raw, favoured, strict=True)]
        verdicts = _both(test, raw, fair)
    return decided(verdicts, named, power_text(given), effect, reason)


KINDS = {"best": _best, "worst": partial(_best, sign=-1)}
KINDS |= {"not_best": _not_best, "below_median": _below_median}
