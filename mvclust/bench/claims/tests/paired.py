"""Kinds of tests of one method against another: above, much above, within a margin, gain."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from mvclust.bench.claims.cells import is_score
from mvclust.bench.claims.paired import power_text, states, within
from mvclust.bench.claims.sets import gain
from mvclust.bench.claims.tests.places import MUCH, chosen, groups_of, has_scores, name_of, units_of
from mvclust.bench.claims.tests.shared import (
    decided,
    effect_of,
    fair_state,
    grid_sizes,
    is_favoured,
    nothing,
    pair_of,
    pairs_in,
)
from mvclust.bench.claims.verdicts import HOLDS, OPEN, PARTLY, STATE_OF, Outcome, verdict_of

if TYPE_CHECKING:
    from mvclust.bench.claims.ledger import Source
    from mvclust.bench.config.models import ClaimTest


def _above(test: ClaimTest, source: Source, margin: float = 0.0) -> Outcome:
    cells = chosen(source.cells(test), test)
    entries = [(g, *pair) for g in units_of(test, cells) for pair in pairs_in(test, g)]
    if not entries:
        return nothing()
    given = [entry[3] for entry in entries]
    power = power_text(given)
    kinds = [states(given, margin), states(given)]
    fair = [
        [
            fair_state(s, g, [(a, b, d)], source.tunable)
            for s, (g, a, b, d) in zip(of_kind, entries, strict=True)
        ]
        for of_kind in kinds
    ]
    names = [f"{a} - {b}: {name_of(test, g)}" for g, a, b, _ in entries]
    reason = grid_sizes(entries, dict.fromkeys(name for _, a, b, _ in entries for name in (a, b)))
    named = zip(names, kinds[0], strict=True)
    verdicts = _much(*kinds), _much(*fair)
    return decided(verdicts, named, power, effect_of(test, cells), reason)


def _much(beyond: list[str], above: list[str]) -> str:
    """Verdict beyond a margin; in part if only the direction is shown."""
    verdict = verdict_of(beyond)
    if "+" not in beyond and verdict_of(above) in (HOLDS, PARTLY):
        return PARTLY
    return verdict


def _much_above(test: ClaimTest, source: Source) -> Outcome:
    return _above(test, source, MUCH if test.margin is None else test.margin)


def _within(test: ClaimTest, source: Source) -> Outcome:
    cells = chosen(source.cells(test), test)
    entries = [(g, *pair) for g in units_of(test, cells) for pair in pairs_in(test, g)]
    if not entries:
        return nothing()
    given = [entry[3] for entry in entries]
    margin = MUCH if test.margin is None else test.margin
    power = power_text(given)
    found = [STATE_OF[within(d, margin)] for d in given]
    named = zip([name_of(test, g) for g, *_ in entries], found, strict=True)
    return decided((verdict_of(found),) * 2, named, power, effect_of(test, cells), "")


def _gain(test: ClaimTest, source: Source) -> Outcome:
    cells = chosen(source.cells(test), test)
    (method,) = test.methods
    entries, outcomes = [], []
    for group in groups_of(cells):
        others = [m for m in test.against if all(has_scores(cell, m) for cell in group)]
        stated = {m: x for m, x in test.gain.items() if is_score(group[0].metric, [m])}
        if not others or not stated or not all(has_scores(cell, method) for cell in group):
            continue
        means = {m: np.mean([np.nanmean(cell.scores[m]) for cell in group]) for m in others}
        rival = max(means, key=means.get)  # pyright: ignore[reportArgumentType]
        ours, theirs = ([cell.scores[m] for cell in group] for m in (method, rival))
        (x,) = stated.values()
        verdict, *numbers = gain(ours, theirs, x)
        entries.append((group, method, rival, pair_of(group, method, rival)))
        if verdict in (HOLDS, PARTLY) and is_favoured(group, method, rival, source.tunable):
            reason = f"grid: {grid_sizes([(group,)], [method, rival])}"
            verdict = OPEN
        else:
            reason = "underpowered" if verdict == OPEN else ""
        name = f"{method} / {rival}: {name_of(test, group)} ({x:g} % stated)"
        outcomes.append((verdict, numbers, reason, name))
    if not outcomes:
        return nothing()
    power = power_text([entry[3] for entry in entries])
    found = [STATE_OF[o[0]] for o in outcomes]
    return Outcome(
        verdict_of(found), power[0], *outcomes[0][1], power[1],
        "; ".join(dict.fromkeys(o[2] for o in outcomes if o[2])),
        tuple((o[3], s) for o, s in zip(outcomes, found, strict=True)),
    )  # fmt: skip


KINDS = {"above": _above, "much_above": _much_above, "within": _within, "gain": _gain}
