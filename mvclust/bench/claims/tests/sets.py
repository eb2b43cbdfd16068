"""Kinds of tests of a method against a set of others: best, worst, not best, below the median."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mvclust.bench.claims.paired import difference, interval, over_data_sets, power_text, states
from mvclust.bench.claims.sets import best, lead, not_best
from mvclust.bench.claims.tests.places import MUCH, chosen, name_of, units_of
from mvclust.bench.claims.tests.shared import (
    decided,
    effect_of,
    fair_state,
    grid_sizes,
    is_favoured,
    nothing,
    pairs_in,
)
from mvclust.bench.claims.verdicts import FAILS, OPEN, STATE_OF, verdict_of

if TYPE_CHECKING:
    from mvclust.bench.claims.cells import Cell
    from mvclust.bench.claims.ledger import Source
    from mvclust.bench.claims.paired import Difference
    from mvclust.bench.claims.sets import Lead
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
    leads = [lead([d for _, _, d in pairs]) for _, pairs in entries]
    raw = best([_beyond(pairs, test.margin or 0.0) for _, pairs in entries])
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
    effect = (
        (leads[0].mean, leads[0].low, leads[0].high)
        if len(leads) == 1
        else effect_of(test, cells, sign)
    )
    named = zip([name_of(test, g) for g, _ in entries], raw, strict=True)
    reason = grid_sizes(entries, [*test.methods, *test.against])
    return decided((verdict_of(raw), verdict_of(fair)), named, power, effect, reason)


def _beyond(pairs: list[tuple[str, str, Difference]], margin: float) -> Lead:
    """Lead beyond a margin; that there is none is judged without the margin."""
    moved = lead([d._replace(mean=d.mean - margin) for _, _, d in pairs])
    return moved._replace(not_best_p=lead([d for _, _, d in pairs]).not_best_p)


def _worst(test: ClaimTest, source: Source) -> Outcome:
    return _best(test, source, -1)


def _not_best(test: ClaimTest, source: Source) -> Outcome:
    cells = chosen(source.cells(test), test)
    entries = _leads_of(test, cells, 1)
    if not entries:
        return nothing()
    power = power_text([d for _, pairs in entries for _, _, d in pairs])
    margin = MUCH if test.margin is None else test.margin
    verdicts = [not_best(lead([d for _, _, d in pairs]), margin) for _, pairs in entries]
    fair = [
        OPEN if v == FAILS and any(is_favoured(g, a, b, source.tunable) for a, b, _ in pairs) else v
        for v, (g, pairs) in zip(verdicts, entries, strict=True)
    ]
    raw, fair = ([STATE_OF[v] for v in of_kind] for of_kind in (verdicts, fair))
    named = zip([name_of(test, g) for g, _ in entries], raw, strict=True)
    reason = grid_sizes(entries, [*test.methods, *test.against])
    both = verdict_of(raw), verdict_of(fair)
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
            entries.append((group, difference(values, group[0].step, group[0].nested)))
    if not entries:
        return nothing()
    given = [d for _, d in entries]
    power, raw = power_text(given), states(given)
    pairs = [[(b, method, None) for b in test.against] for _ in entries]
    fair = [
        "?" if s == "+" and all(is_favoured(g, a, b, source.tunable) for a, b, _ in p) else s
        for s, (g, _), p in zip(raw, entries, pairs, strict=True)
    ]
    overall = over_data_sets(given)
    named = zip([name_of(test, g) for g, _ in entries], raw, strict=True)
    effect = (overall.mean, *interval(overall))
    reason = grid_sizes(entries, [method, *test.against])
    return decided((verdict_of(raw), verdict_of(fair)), named, power, effect, reason)


KINDS = {"best": _best, "worst": _worst, "not_best": _not_best, "below_median": _below_median}
