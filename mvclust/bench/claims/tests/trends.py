"""Kinds of tests along an axis: a trend, a rise that becomes flat."""

import numpy as np

from mvclust.bench.claims.paired import difference, interval, over_data_sets, power_text
from mvclust.bench.claims.source import Source
from mvclust.bench.claims.tests.places import chosen, is_at, name_of, series_of
from mvclust.bench.claims.tests.shared import NOTHING, decided
from mvclust.bench.claims.trends import rises_then_flat, trends
from mvclust.bench.claims.verdicts import STATE_OF, Outcome, verdict_of
from mvclust.bench.config.models import ClaimTest


def _trend(test: ClaimTest, source: Source) -> Outcome:
    if test.axis == "parameter":
        series = [(n, x, y) for n, x, y, _ in _swept(test, source)]
        step = max((s.cell.step for s in source.sweeps(test)), default=0.0)
    else:
        cells = chosen(source.cells(test), test)
        series = series_of(cells, test)
        step = max((cell.step for cell in cells), default=0.0)
    if not series:
        return NOTHING
    sign = 1 if test.direction == "rises" else -1
    ends = [difference([sign * (y[:, -1] - y[:, 0])], step) for _, _, y in series]
    power = power_text(ends)
    verdicts = trends([y for _, _, y in series], test.direction == "rises", step)
    found = [STATE_OF[v] for v in verdicts]
    overall = over_data_sets(ends)
    named = [(name, s) for (name, _, _), s in zip(series, found, strict=True)]
    effect = (overall.mean, *interval(overall))
    verdict = verdict_of(found, test.quantifier == "all")
    return decided((verdict,) * 2, named, power, effect, "")


def _swept(test: ClaimTest, source: Source) -> list[tuple[str, list, np.ndarray, float]]:
    """(name, values of the parameter, masks x points, step) of the sweeps of a test."""
    found = []
    for sweep in source.sweeps(test):
        points = {
            i: float(values[test.parameter])
            for i, values in enumerate(sweep.values)
            if test.parameter in values and is_at(values, test)
        }
        order = sorted(points, key=points.__getitem__)
        if len(points) > 1 and len(set(points.values())) == len(points):
            name = f"{sweep.method}: {name_of(test, [sweep.cell])}"
            axis, scores = [points[i] for i in order], np.ascontiguousarray(sweep.scores[order].T)
            found.append((name, axis, scores, sweep.cell.step))
    return found


def _rise_then_flat(test: ClaimTest, source: Source) -> Outcome:
    series = _swept(test, source)
    if not series:
        return NOTHING
    power = power_text([difference([y[:, -1] - y[:, 0]], step) for _, _, y, step in series])
    found = rises_then_flat([unit for _, *unit in series], test.window)
    marks = [STATE_OF[verdict] for verdict, _ in found]
    overall = over_data_sets([where for _, where in found])
    named = [(name, s) for (name, *_), s in zip(series, marks, strict=True)]
    effect = (overall.mean, *interval(overall))
    return decided((verdict_of(marks),) * 2, named, power, effect, "")


KINDS = {"trend": _trend, "rise_then_flat": _rise_then_flat}
