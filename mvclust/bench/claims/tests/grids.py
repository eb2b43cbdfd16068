"""Kinds of tests over a grid of parameters: a window, insensitive, less spread."""

import numpy as np

from mvclust.bench.claims.grids import MARGIN, insensitive, is_specific, less_spread, losses, window
from mvclust.bench.claims.paired import (
    difference,
    interval,
    over_data_sets,
    p_above,
    p_below,
    power_text,
)
from mvclust.bench.claims.source import Source
from mvclust.bench.claims.tests.places import chosen, is_at, name_of
from mvclust.bench.claims.tests.shared import NOTHING
from mvclust.bench.claims.verdicts import HOLDS, STATE_OF, Outcome, states_of, verdict_of
from mvclust.bench.config.models import ClaimTest


def _window(test: ClaimTest, source: Source) -> Outcome:
    margin, entries = MARGIN if test.margin is None else test.margin, []
    for sweep in source.sweeps(test):
        if len(sweep.values) < 2 or any(test.parameter not in v for v in sweep.values):
            continue
        if np.isnan(sweep.scores).any():
            continue
        found = losses(sweep.scores, sweep.cell.step, margin)
        best_at = {}
        for values, loss in zip(sweep.values, found, strict=True):
            x = float(values[test.parameter])
            if is_at(values, test) and (x not in best_at or loss[0] < best_at[x][0]):
                best_at[x] = loss
        axis = sorted(best_at)
        names = [best_at[x][2] for x in axis]
        decades = len(axis) > 1 and axis[0] > 0 and axis[-1] / axis[0] >= 100
        verdict, shares, because = window(axis, names, test.window, decades)
        if verdict == HOLDS and not is_specific(axis, names, test.window):
            because = "not specific: points outside are as good"
        inside = [best_at[x] for x in axis if test.window[0] <= x <= test.window[1]]
        worst = max((loss for loss, _, _ in inside), default=np.nan)
        given = [difference([sweep.scores[0] - s], sweep.cell.step) for s in sweep.scores[1:]]
        text = f"{name_of(test, [sweep.cell])}: {shares[0]:.2f} good, {shares[1]:.2f} not bad"
        entries.append((text, verdict, because, worst, given))
    if not entries:
        return NOTHING
    power = power_text([d for *_, given in entries for d in given])
    marks = [STATE_OF[entry[1]] for entry in entries]
    return Outcome(
        verdict_of(marks), power[0], max(e[3] for e in entries), detectable=power[1],
        because="; ".join(dict.fromkeys(e[2] for e in entries if e[2])),
        units=tuple((e[0], s) for e, s in zip(entries, marks, strict=True)),
    )  # fmt: skip


def _insensitive(test: ClaimTest, source: Source) -> Outcome:
    entries = []
    floors = {c.unit[1:]: c for c in chosen(source.cells(test), test)}
    for sweep in source.sweeps(test):
        if sweep.method not in test.methods or len(sweep.values) < 3:
            continue
        scores = sweep.scores[:, ~np.isnan(sweep.scores).any(axis=0)]
        if not scores.size:
            continue
        found = insensitive(scores, MARGIN if test.margin is None else test.margin)
        floor = floors.get(sweep.cell.unit[1:])
        level = [np.mean(floor.scores[m]) for m in test.against if floor and m in floor.scores]
        at_floor = bool(level) and scores.mean() <= max(level)
        entries.append((name_of(test, [sweep.cell]), *found, at_floor))
    if not entries:
        return NOTHING
    marks = states_of([e[1] for e in entries], [e[2] for e in entries])
    # What is flat at the floor is not robust.
    marks = ["~" if s == "+" and e[-1] else s for e, s in zip(entries, marks, strict=True)]
    named = tuple((e[0], s) for e, s in zip(entries, marks, strict=True))
    because = "underpowered" if "?" in marks else ""
    return Outcome(
        verdict_of(marks), "", entries[0][3], entries[0][4], because=because, units=named
    )


def _less_spread(test: ClaimTest, source: Source) -> Outcome:
    entries = []
    for sweep in source.sweeps(test):
        at = np.array([point.get(test.parameter, np.nan) for point in sweep.values], dtype=float)
        first, second = (sweep.scores[at == value] for value in (np.nanmin(at), np.nanmax(at)))
        enough = np.nanmin(at) < np.nanmax(at) and min(len(first), len(second)) > 2
        if enough and not np.isnan([*first, *second]).any():
            entries.append((name_of(test, [sweep.cell]), *less_spread(first, second)))
    if not entries:
        return NOTHING
    given = [e[1] for e in entries]
    marks = states_of([p_below(d) for d in given], [p_above(d) for d in given])
    marks = ["~" if s == "+" and not e[2] else s for e, s in zip(entries, marks, strict=True)]
    overall = over_data_sets(given)
    named = tuple((e[0], s) for e, s in zip(entries, marks, strict=True))
    return Outcome(verdict_of(marks), "", overall.mean, *interval(overall), units=named)


KINDS = {"window": _window, "insensitive": _insensitive, "less_spread": _less_spread}
