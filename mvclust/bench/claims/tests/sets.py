"""Kinds of tests of a method against a set of others: best, worst, not best, below the median."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mvclust.bench.claims.paired import difference, interval, over_data_sets, power_text, states
from mvclust.bench.claims.sets import best, lead, not_best
from mvclust.bench.claims.shares import most
from mvclust.bench.claims.tests.places import chosen, name_of, units_of
from mvclust.bench.claims.tests.shared import (
    decided,
    effect_of,
    fair_state,
    grid_sizes,
    is_favoured,
    most_of,
    nothing,
    pairs_in,
)
from mvclust.bench.claims.verdicts import verdict_of
from mvclust.bench.config.models import MUCH

if TYPE_CHECKING:
    from mvclust.bench.claims.cells import Cell
    from mvclust.bench.claims.ledger import Source
    from mvclust.bench.claims.paired import Difference
    from mvclust.bench.claims.verdicts import Outcome
    from mvclust.bench.config.models import ClaimTest


def _leads_of(
    test: ClaimTest, cells: list[Cell], sign: int
) -> list[tuple[list[Cell], list[tuple[str, str, Difference]]]]:
    entries = [(g, pairs_in(test, g, sign)) for g in units_of(test, cells)]
    return [(g, pairs) for g, pairs in entries if pairs]


def _best(test: ClaimTest, source: Source, sign: int = 1) -> Outcome:
    cells = chosen(source.cells(test), test)
    entries = _leads_of(test, cells, sign)
    if not entries:
        return nothing()
    given = [d for _, pairs in entries for _, _, d in pairs]
    power = power_text(given)
    leads = [lead([d for _, _, d in pairs], test.beyond) for _, pairs in entries]
    raw = best(leads)
    fair = [
        fair_state(
            s,
            g,
            [(a, b, d._replace(mean=sign * d.mean)) for a, b, d in pairs],
            source.tunable,
            sign,
        )
        for s, (g, pairs) in zip(raw, entries, strict=True)
    ]
    if test.quantifier == "most":
        verdicts = most_of(test, entries, source.tunable, sign)
    else:
        verdicts = tuple(verdict_of(of, test.quantifier == "all") for of in (raw, fair))
    effect = (
        (leads[0].mean, leads[0].low, leads[0].high)
        if len(leads) == 1
        else effect_of(test, cells, sign)
    )
    named = zip([name_of(test, g) for g, _ in entries], raw, strict=True)
    reason = grid_sizes(entries, [*test.methods, *test.against])
    return decided(verdicts, named, power, effect, reason)


def _worst(test: ClaimTest, source: Source) -> Outcome:
    return _best(test, source, -1)


def _not_best(test: ClaimTest, source: Source) -> Outcome:
    cells = chosen(source.cells(test), test)
    entries = _leads_of(test, cells, 1)
    if not entries:
        return nothing()
    power = power_text([d for _, pairs in entries for _, _, d in pairs])
    margin = MUCH if test.margin is None else test.margin
    raw = not_best([[d for _, _, d in pairs] for _, pairs in entries], margin)
    fair = [
        "?" if s == "-" and any(is_favoured(g, a, b, source.tunable) for a, b, _ in pairs) else s
        for s, (g, pairs) in zip(raw, entries, strict=True)
    ]
    named = zip([name_of(test, g) for g, _ in entries], raw, strict=True)
    reason = grid_sizes(entries, [*test.methods, *test.against])
    both = tuple(verdict_of(of, test.quantifier == "all") for of in (raw, fair))
    return decided(both, named, power, effect_of(test, cells), reason)


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
        return nothing()
    given = [difference(values, g[0].step, g[0].nested) for g, values in entries]
    power, raw = power_text(given), states(given)
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
        verdicts = tuple(verdict_of(of, test.quantifier == "all") for of in (raw, fair))
    return decided(verdicts, named, power, effect, reason)


KINDS = {"best": _best, "worst": _worst, "not_best": _not_best, "below_median": _below_median}
