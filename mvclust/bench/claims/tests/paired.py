"""Kinds of tests of one method against another: above, much above, within a margin, gain."""

import numpy as np

from mvclust.bench.claims.cells import is_score
from mvclust.bench.claims.paired import power_text, states, within
from mvclust.bench.claims.sets import gain
from mvclust.bench.claims.source import Source
from mvclust.bench.claims.tests.places import chosen, groups_of, has_scores, name_of, units_of
from mvclust.bench.claims.tests.shared import (
    NOTHING,
    decided,
    effect_of,
    fair_states,
    grid_sizes,
    is_favoured,
    most_of,
    pair_of,
    pairs_in,
)
from mvclust.bench.claims.verdicts import HOLDS, OPEN, PARTLY, STATE_OF, Outcome, verdict_of
from mvclust.bench.config.models import MUCH, ClaimTest


def _above(test: ClaimTest, source: Source) -> Outcome:
    cells = chosen(source.cells(test), test)
    entries = [(g, [pair]) for g in units_of(test, cells) for pair in pairs_in(test, g)]
    if not entries:
        return NOTHING
    given = [d for _, ((*_, d),) in entries]
    kinds = [states(given, test.beyond), states(given)]
    fair = [fair_states(of_kind, entries, source.tunable) for of_kind in kinds]
    if test.quantifier == "most":
        verdicts = most_of(test, entries, source.tunable)
    else:
        verdicts = tuple(_much(test, *of_kind) for of_kind in (kinds, fair))
    names = [f"{a} - {b}: {name_of(test, g)}" for g, ((a, b, _),) in entries]
    methods = dict.fromkeys(name for _, ((a, b, _),) in entries for name in (a, b))
    named = zip(names, kinds[0], strict=True)
    effect = effect_of(test, cells)
    return decided(verdicts, named, power_text(given), effect, grid_sizes(entries, methods))


def _much(test: ClaimTest, beyond: list[str], above: list[str]) -> str:
    """Verdict beyond a margin; in part if only the direction is shown."""
    every = test.quantifier == "all"
    verdict = verdict_of(beyond, every)
    return PARTLY if verdict == OPEN and "+" in above else verdict


def _within(test: ClaimTest, source: Source) -> Outcome:
    cells = chosen(source.cells(test), test)
    entries = [(g, *pair) for g in units_of(test, cells) for pair in pairs_in(test, g)]
    if not entries:
        return NOTHING
    given = [entry[3] for entry in entries]
    found = within(given, MUCH if test.margin is None else test.margin)
    named = zip([name_of(test, g) for g, *_ in entries], found, strict=True)
    verdict = verdict_of(found, test.quantifier == "all")
    return decided((verdict,) * 2, named, power_text(given), effect_of(test, cells), "")


def _gain(test: ClaimTest, source: Source) -> Outcome:
    cells = chosen(source.cells(test), test)
    (method,) = test.methods
    entries, outcomes, groups = [], [], groups_of(cells)
    for group in groups:
        others = [m for m in test.against if all(has_scores(cell, m) for cell in group)]
        stated = {m: x for m, x in test.gain.items() if is_score(group[0].metric, [m])}
        if not others or not stated or not all(has_scores(cell, method) for cell in group):
            continue
        means = {m: np.mean([np.nanmean(cell.scores[m]) for cell in group]) for m in others}
        rival = max(means, key=means.get)  # pyright: ignore[reportArgumentType]
        ours, theirs = ([cell.scores[m] for cell in group] for m in (method, rival))
        (x,) = stated.values()
        verdict, *numbers = gain(ours, theirs, x, len(groups))
        entries.append((group, method, rival, pair_of(group, method, rival)))
        if verdict in (HOLDS, PARTLY) and is_favoured(group, method, rival, source.tunable):
            reason = f"grid: {grid_sizes([(group,)], [method, rival])}"
            verdict = OPEN
        else:
            reason = "underpowered" if verdict == OPEN else ""
        name = f"{method} / {rival}: {name_of(test, group)} ({x:g} % stated)"
        outcomes.append((verdict, numbers, reason, name))
    if not outcomes:
        return NOTHING
    power = power_text([entry[3] for entry in entries])
    found = [STATE_OF[o[0]] for o in outcomes]
    return Outcome(
        verdict_of(found, test.quantifier == "all"), power[0], *outcomes[0][1], power[1],
        "; ".join(dict.fromkeys(o[2] for o in outcomes if o[2])),
        tuple((o[3], s) for o, s in zip(outcomes, found, strict=True)),
    )  # fmt: skip


KINDS = {"above": _above, "much_above": _above, "within": _within, "gain": _gain}
