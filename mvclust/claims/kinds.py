"""The kinds of tests of claims, applied to the scores of a run.

Power is stated before the verdict. A verdict in favour of the side with the larger grid, by more
than twice, is open: tuning by the labels gains with the number of points.
"""

from itertools import groupby, product

import numpy as np

from mvclust.claims.cells import is_score
from mvclust.claims.curves import (
    FEWEST_CURVES,
    descent,
    settled,
    settled_by,
    share_bound,
)
from mvclust.claims.grids import MARGIN, insensitive, is_specific, less_spread, losses, window
from mvclust.claims.paired import (
    difference,
    interval,
    over_data_sets,
    power_text,
    states,
    within,
)
from mvclust.claims.repeats import one_run
from mvclust.claims.sets import best, gain, lead, not_best
from mvclust.claims.trends import rise_then_flat, slopes, trends
from mvclust.claims.verdicts import (
    FAILS,
    HOLDS,
    NO_DATA,
    OPEN,
    PARTLY,
    STATE_OF,
    Outcome,
    verdict_of,
)
from mvclust.pipeline.config.sentences import counted

MUCH = 3.0  # points
FAIR = 2  # times as many points of a grid are still as many
OF_STARTS = ("complete", "natural", "mapped")  # protocols whose repetitions differ by starts alone


def chosen(cells, test):
    """The places that a test names, in the measure that it compares.

    Parameters
    ----------
    cells : list of Cell
    test : ClaimTest

    Returns
    -------
    list of Cell
    """
    return MEASURES[test.measure]([cell for cell in cells if is_selected(cell, test)], test)


def is_selected(cell, test):
    """Whether a test names a place.

    Parameters
    ----------
    cell : Cell
    test : ClaimTest

    Returns
    -------
    bool
    """
    return (
        is_score(cell.metric, test.metrics)
        and (not test.datasets or cell.dataset in test.datasets)
        and (not test.rates or cell.rate is None or bool(np.isclose(cell.rate, test.rates).any()))
    )


def groups_of(cells, by=lambda cell: cell.unit):
    """The places that belong together, each in the order of what is missing."""
    ordered = sorted(cells, key=lambda cell: (*map(str, by(cell)), cell.missing))
    return [list(group) for _, group in groupby(ordered, key=by)]


def _as_they_are(cells, test):
    return cells


def _slopes(cells, test):
    """How scores change per 10 points more that are missing."""
    found = []
    for group in groups_of(cells):
        axis = [10 * cell.missing for cell in group]
        if len(set(axis)) < 2:
            continue
        names = set.intersection(*(set(cell.scores) for cell in group))
        scores = {
            m: slopes(np.stack([cell.scores[m] for cell in group], axis=1), axis)
            for m in group[0].scores
            if m in names
        }
        found.append(group[0]._replace(rate=None, missing=0.0, scores=scores, step=0.0))
    return found


def _leads(cells, test):
    """The lead over the mean of those that it is compared with."""
    found = []
    for cell in cells:
        others = [cell.scores[m] for m in test.against if m in cell.scores]
        scores = {m: cell.scores[m] - np.mean(others, axis=0) for m in test.methods}
        found.append(cell._replace(scores=scores))
    return found


def _worst_ranks(cells, test):
    """The worst rank over data sets of each method, negated; ranks are means over metrics."""
    wanted = [*test.methods, *test.against]
    by_data = {}
    for cell in cells:
        names = [m for m in wanted if m in cell.scores]
        table = np.array([cell.scores[m] for m in names])
        ranks = 1 + (table[None, :, :] > table[:, None, :]).sum(axis=1)
        places = dict(zip(names, ranks.astype(float), strict=True))
        by_data.setdefault(cell.dataset, []).append(places)
    means = [
        {m: np.mean([places[m] for places in of if m in places], axis=0) for m in of[0]}
        for of in by_data.values()
    ]
    names = set.intersection(*map(set, means)) if means else ()
    if not names:
        return []
    worst = {m: -np.max([mean[m] for mean in means], axis=0) for m in wanted if m in names}
    return [cells[0]._replace(dataset="all", rate=None, metric="rank", scores=worst, step=0.0)]


MEASURES = {
    "score": _as_they_are,
    "slope": _slopes,
    "lead": _leads,
    "worst_rank": _worst_ranks,
}


def outcome_of(test, source):
    """What a test says.

    Parameters
    ----------
    test : ClaimTest
    source : mvclust.claims.ledger.Source

    Returns
    -------
    Outcome
    """
    missing = source.why_not(test)
    if missing is not None:
        return Outcome(NO_DATA, because=missing)
    left_out = [m for m in (*test.methods, *test.against) if m in source.reconstructed]
    kept = {
        key: [m for m in getattr(test, key) if m not in left_out] for key in ("methods", "against")
    }
    if left_out and any(getattr(test, key) and not kept[key] for key in kept):
        return Outcome(OPEN, because=f"reconstructed: {', '.join(left_out)}")
    outcome = KINDS[test.kind](test.model_copy(update=kept), source)
    reduced = source.is_reduced(test)
    if reduced and outcome.verdict in (HOLDS, PARTLY, FAILS):
        outcome = outcome._replace(verdict=OPEN, because=reduced)
    note = f"without {', '.join(left_out)} (reconstructed)" if left_out else ""
    return outcome._replace(power="; ".join(filter(None, [outcome.power, note])))


def _nothing(test):
    return Outcome(OPEN, because="no run of this experiment has what the test compares")


def _units(test, cells):
    """The places of each unit: of a data set, or alone."""
    return [[cell] for cell in cells] if test.unit == "cell" else groups_of(cells)


def _pair(group, a, b, sign=1):
    """The difference of two methods over the places of a unit."""
    values = [sign * (cell.scores[a] - cell.scores[b]) for cell in group]
    exact = all(np.ptp(cell.scores[m]) == 0 for cell in group for m in (a, b))
    return difference(values, group[0].step, group[0].nested, exact)


def _pairs(test, group, sign=1):
    """(name of the first, of the second, their difference) for each pair in a unit."""
    there = set.intersection(*(set(cell.scores) for cell in group))
    return [
        (a, b, _pair(group, a, b, sign))
        for a, b in product(test.methods or sorted(there - set(test.against)), test.against)
        if {a, b} <= there and a != b
    ]


def _is_favoured(group, a, b, tunable):
    """Whether the first method had a grid more than twice that of the second, which has one."""
    points = group[0].points
    return b in tunable and points.get(a, 1) > FAIR * points.get(b, 1)


def _unfair(state, group, pairs, tunable, sign=1):
    """The state of a unit, not decided where the winner had the larger grid."""
    shown, reverse = ("+", "-") if sign > 0 else ("-", "+")
    if state == shown and any(_is_favoured(group, a, b, tunable) for a, b, _ in pairs):
        return "?"
    winners = [pair for pair in pairs if sign * pair[2].mean < 0]
    if (
        state == reverse
        and winners
        and all(_is_favoured(group, b, a, tunable) for a, b, _ in winners)
    ):
        return "?"
    return state


def _grids(entries, methods):
    """The sizes of the grids as text."""
    sizes = {m: max(entry[0][0].points.get(m, 1) for entry in entries) for m in methods}
    return "points per method: " + ", ".join(f"{m} {size}" for m, size in sizes.items())


def _effect(test, cells, sign=1):
    """The smallest effect over the pairs, over all data sets, in the first score."""
    if not cells:
        return np.nan, np.nan, np.nan
    first = test.metrics[0] if test.metrics else cells[0].metric
    groups = groups_of([cell for cell in cells if is_score(cell.metric, [first])])
    found = {}
    for group in groups:
        for a, b, given in _pairs(test, group, sign):
            found.setdefault((a, b), []).append(given)
    if not found:
        return np.nan, np.nan, np.nan
    smallest = min((over_data_sets(d) for d in found.values()), key=lambda d: d.mean)
    return (smallest.mean, *interval(smallest))


def _outcome(verdicts, named, power, effect, reason):
    """The outcome of a verdict as tuned, and of that without the wins of larger grids."""
    verdict, fair = verdicts
    text, smallest = power
    if fair != verdict:
        verdict, because = OPEN, f"grid: {reason}"
    else:
        because = "underpowered" if verdict == OPEN else ""
    return Outcome(verdict, text, *effect, smallest, because, tuple(named))


def _above(test, source, margin=0.0):
    cells = chosen(source.cells(test), test)
    entries = [(g, *pair) for g in _units(test, cells) for pair in _pairs(test, g)]
    if not entries:
        return _nothing(test)
    given = [entry[3] for entry in entries]
    power = power_text(given)
    kinds = [states(given, margin), states(given)]
    fair = [
        [
            _unfair(s, g, [(a, b, d)], source.tunable)
            for s, (g, a, b, d) in zip(of_kind, entries, strict=True)
        ]
        for of_kind in kinds
    ]
    names = [f"{a} - {b}: {_name(test, g)}" for g, a, b, _ in entries]
    reason = _grids(entries, dict.fromkeys(name for _, a, b, _ in entries for name in (a, b)))
    named = zip(names, kinds[0], strict=True)
    verdicts = _much(*kinds), _much(*fair)
    return _outcome(verdicts, named, power, _effect(test, cells), reason)


def _much(beyond, above):
    """The verdict beyond a margin; in part if the direction alone is shown."""
    verdict = verdict_of(beyond)
    if "+" not in beyond and verdict_of(above) in (HOLDS, PARTLY):
        return PARTLY
    return verdict


def _name(test, group):
    if test.unit == "cell":
        return group[0].name
    view = f" view {group[0].view}" if group[0].view else ""
    return f"{group[0].dataset}{view}, {group[0].metric}"


def _much_above(test, source):
    return _above(test, source, MUCH if test.margin is None else test.margin)


def _leads_of(test, cells, sign):
    entries = [(g, _pairs(test, g, sign)) for g in _units(test, cells)]
    return [(g, pairs) for g, pairs in entries if pairs]


def _best(test, source, sign=1):
    cells = chosen(source.cells(test), test)
    entries = _leads_of(test, cells, sign)
    if not entries:
        return _nothing(test)
    given = [d for _, pairs in entries for _, _, d in pairs]
    power = power_text(given)
    leads = [lead([d for _, _, d in pairs]) for _, pairs in entries]
    raw = best([_beyond(pairs, test.margin or 0.0) for _, pairs in entries])
    fair = [
        _unfair(
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
        else _effect(test, cells, sign)
    )
    named = zip([_name(test, g) for g, _ in entries], raw, strict=True)
    reason = _grids(entries, [*test.methods, *test.against])
    return _outcome((verdict_of(raw), verdict_of(fair)), named, power, effect, reason)


def _beyond(pairs, margin):
    """The lead beyond a margin; that it is none is judged without one."""
    moved = lead([d._replace(mean=d.mean - margin) for _, _, d in pairs])
    return moved._replace(not_best_p=lead([d for _, _, d in pairs]).not_best_p)


def _worst(test, source):
    return _best(test, source, -1)


def _not_best(test, source):
    cells = chosen(source.cells(test), test)
    entries = _leads_of(test, cells, 1)
    if not entries:
        return _nothing(test)
    power = power_text([d for _, pairs in entries for _, _, d in pairs])
    margin = MUCH if test.margin is None else test.margin
    verdicts = [not_best(lead([d for _, _, d in pairs]), margin) for _, pairs in entries]
    fair = [
        OPEN
        if v == FAILS and any(_is_favoured(g, a, b, source.tunable) for a, b, _ in pairs)
        else v
        for v, (g, pairs) in zip(verdicts, entries, strict=True)
    ]
    raw, fair = ([STATE_OF[v] for v in of_kind] for of_kind in (verdicts, fair))
    named = zip([_name(test, g) for g, _ in entries], raw, strict=True)
    reason = _grids(entries, [*test.methods, *test.against])
    both = verdict_of(raw), verdict_of(fair)
    return _outcome(both, named, power, _effect(test, cells), reason)


def _below_median(test, source):
    cells = chosen(source.cells(test), test)
    (method,) = test.methods
    entries = []
    for group in _units(test, cells):
        others = [[c.scores[m] for m in test.against if m in c.scores] for c in group]
        if all(others) and all(method in c.scores for c in group):
            values = [
                np.median(o, axis=0) - c.scores[method] for o, c in zip(others, group, strict=True)
            ]
            entries.append((group, difference(values, group[0].step, group[0].nested)))
    if not entries:
        return _nothing(test)
    given = [d for _, d in entries]
    power, raw = power_text(given), states(given)
    pairs = [[(b, method, None) for b in test.against] for _ in entries]
    fair = [
        "?" if s == "+" and all(_is_favoured(g, a, b, source.tunable) for a, b, _ in p) else s
        for s, (g, _), p in zip(raw, entries, pairs, strict=True)
    ]
    overall = over_data_sets(given)
    named = zip([_name(test, g) for g, _ in entries], raw, strict=True)
    effect = (overall.mean, *interval(overall))
    reason = _grids(entries, [method, *test.against])
    return _outcome((verdict_of(raw), verdict_of(fair)), named, power, effect, reason)


def _within(test, source):
    cells = chosen(source.cells(test), test)
    entries = [(g, *pair) for g in _units(test, cells) for pair in _pairs(test, g)]
    if not entries:
        return _nothing(test)
    given = [entry[3] for entry in entries]
    margin = MUCH if test.margin is None else test.margin
    power = power_text(given)
    found = [STATE_OF[within(d, margin)] for d in given]
    named = zip([_name(test, g) for g, *_ in entries], found, strict=True)
    return _outcome((verdict_of(found),) * 2, named, power, _effect(test, cells), "")


def _gain(test, source):
    cells = chosen(source.cells(test), test)
    (method,) = test.methods
    entries, outcomes = [], []
    for group in groups_of(cells):
        others = [m for m in test.against if all(_has_scores(cell, m) for cell in group)]
        stated = {m: x for m, x in test.gain.items() if is_score(group[0].metric, [m])}
        if not others or not stated or not all(_has_scores(cell, method) for cell in group):
            continue
        means = {m: np.mean([np.nanmean(cell.scores[m]) for cell in group]) for m in others}
        rival = max(means, key=means.get)
        ours, theirs = ([cell.scores[m] for cell in group] for m in (method, rival))
        (x,) = stated.values()
        verdict, *numbers = gain(ours, theirs, x)
        entries.append((group, method, rival, _pair(group, method, rival)))
        if verdict in (HOLDS, PARTLY) and _is_favoured(group, method, rival, source.tunable):
            reason = f"grid: {_grids([(group,)], [method, rival])}"
            verdict = OPEN
        else:
            reason = "underpowered" if verdict == OPEN else ""
        name = f"{method} / {rival}: {_name(test, group)} ({x:g} % stated)"
        outcomes.append((verdict, numbers, reason, name))
    if not outcomes:
        return _nothing(test)
    power = power_text([entry[3] for entry in entries])
    found = [STATE_OF[o[0]] for o in outcomes]
    return Outcome(
        verdict_of(found), power[0], *outcomes[0][1], power[1],
        "; ".join(dict.fromkeys(o[2] for o in outcomes if o[2])),
        tuple((o[3], s) for o, s in zip(outcomes, found, strict=True)),
    )  # fmt: skip


def series_of(cells, test):
    """The scores along the axis of a trend: (name, values of the axis, masks x points) triples.

    Parameters
    ----------
    cells : list of Cell
        Those that the test names.
    test : ClaimTest

    Returns
    -------
    list of (str, list, ndarray)
    """
    by_views = test.axis == "views"

    def unit(cell):
        return (cell.experiment, "", cell.metric, cell.rate) if by_views else cell.unit

    found = []
    for group in groups_of(cells, unit):
        at = sorted({cell.n_views if by_views else cell.missing for cell in group})
        for method in test.methods or group[0].scores:
            columns = [
                [
                    cell.scores[method]
                    for cell in group
                    if (cell.n_views if by_views else cell.missing) == x and method in cell.scores
                ]
                for x in at
            ]
            if all(columns) and len(at) > 1:
                scores = np.stack([np.mean(column, axis=0) for column in columns], axis=1)
                name = (
                    f"{method}: {group[0].metric}"
                    if by_views
                    else f"{method}: {_name(test, group)}"
                )
                found.append((name, at, scores))
    return found


def _has_scores(cell, method):
    return method in cell.scores and not np.isnan(cell.scores[method]).all()


def _trend(test, source):
    if test.axis == "parameter":
        series = [(n, x, y) for n, x, y, _ in _swept(test, source)]
        step = max((s.cell.step for s in source.sweeps(test)), default=0.0)
    else:
        cells = chosen(source.cells(test), test)
        series = series_of(cells, test)
        step = max((cell.step for cell in cells), default=0.0)
    if not series:
        return _nothing(test)
    sign = 1 if test.direction == "rises" else -1
    ends = [difference([sign * (y[:, -1] - y[:, 0])], step) for _, _, y in series]
    power = power_text(ends)
    verdicts = trends([y for _, _, y in series], test.direction == "rises", step)
    found = [STATE_OF[v] for v in verdicts]
    overall = over_data_sets(ends)
    named = [(name, s) for (name, _, _), s in zip(series, found, strict=True)]
    effect = (overall.mean, *interval(overall))
    return _outcome((verdict_of(found),) * 2, named, power, effect, "")


def _swept(test, source):
    """(name, values of the parameter, masks x points, step) of the sweeps of a test."""
    found = []
    for sweep in source.sweeps(test):
        points = [
            (float(values[test.parameter]), scores)
            for values, scores in zip(sweep.values, sweep.scores, strict=True)
            if test.parameter in values and _is_at(values, test)
        ]
        points = sorted(points, key=lambda point: point[0])
        if len(points) > 1 and len({x for x, _ in points}) == len(points):
            axis = [x for x, _ in points]
            scores = np.stack([y for _, y in points], axis=1)
            found.append(
                (f"{sweep.method}: {_name(test, [sweep.cell])}", axis, scores, sweep.cell.step)
            )
    return found


def _is_at(values, test):
    return all(values.get(name) in wanted for name, wanted in test.at.items())


def _rise_then_flat(test, source):
    series = _swept(test, source)
    if not series:
        return _nothing(test)
    power = power_text([difference([y[:, -1] - y[:, 0]], step) for _, _, y, step in series])
    found = [rise_then_flat(x, y, test.window, step) for _, x, y, step in series]
    marks = [STATE_OF[verdict] for verdict, _ in found]
    overall = over_data_sets([where for _, where in found])
    named = [(name, s) for (name, *_), s in zip(series, marks, strict=True)]
    effect = (overall.mean, *interval(overall))
    return _outcome((verdict_of(marks),) * 2, named, power, effect, "")


def _window(test, source):
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
            if _is_at(values, test) and (x not in best_at or loss[0] < best_at[x][0]):
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
        text = f"{_name(test, [sweep.cell])}: {shares[0]:.2f} good, {shares[1]:.2f} not bad"
        entries.append((text, verdict, because, worst, given))
    if not entries:
        return _nothing(test)
    power = power_text([d for *_, given in entries for d in given])
    marks = [STATE_OF[entry[1]] for entry in entries]
    return Outcome(
        verdict_of(marks), power[0], max(e[3] for e in entries), detectable=power[1],
        because="; ".join(dict.fromkeys(e[2] for e in entries if e[2])),
        units=tuple((e[0], s) for e, s in zip(entries, marks, strict=True)),
    )  # fmt: skip


def _insensitive(test, source):
    entries = []
    floors = {c.unit[1:]: c for c in chosen(source.cells(test), test)}
    for sweep in source.sweeps(test):
        if sweep.method not in test.methods or len(sweep.values) < 3:
            continue
        scores = sweep.scores[:, ~np.isnan(sweep.scores).any(axis=0)]
        if not scores.size:
            continue
        verdict, spread, low = insensitive(scores, MARGIN if test.margin is None else test.margin)
        floor = floors.get(sweep.cell.unit[1:])
        level = [np.mean(floor.scores[m]) for m in test.against if floor and m in floor.scores]
        if verdict == HOLDS and level and scores.mean() <= max(level):
            verdict = PARTLY  # flat at the floor
        entries.append((_name(test, [sweep.cell]), verdict, spread, low))
    if not entries:
        return _nothing(test)
    marks = [STATE_OF[e[1]] for e in entries]
    named = tuple((e[0], s) for e, s in zip(entries, marks, strict=True))
    return Outcome(verdict_of(marks), "", entries[0][2], entries[0][3], units=named)


def _less_spread(test, source):
    entries = []
    for sweep in source.sweeps(test):
        at = np.array([point.get(test.parameter, np.nan) for point in sweep.values], dtype=float)
        first, second = (sweep.scores[at == value] for value in (np.nanmin(at), np.nanmax(at)))
        enough = np.nanmin(at) < np.nanmax(at) and min(len(first), len(second)) > 2
        if enough and not np.isnan([*first, *second]).any():
            verdict, given = less_spread(first, second)
            entries.append((_name(test, [sweep.cell]), verdict, given))
    if not entries:
        return _nothing(test)
    marks = [STATE_OF[e[1]] for e in entries]
    overall = over_data_sets([e[2] for e in entries])
    named = tuple((e[0], s) for e, s in zip(entries, marks, strict=True))
    return Outcome(verdict_of(marks), "", overall.mean, *interval(overall), units=named)


def _curves(test, source):
    """(place, number of iterations of each point, scores, the longest curve of each mask)."""
    found, other = [], set()
    for sweep in source.sweeps(test):
        if not is_score(sweep.cell.metric, test.metrics[:1]):
            continue
        if test.variant is not None and set(sweep.variants) - {test.variant, ""}:
            other |= set(sweep.variants)
            continue
        lengths = [
            max((len(c) for c in curves if c is not None and not isinstance(c, float)), default=0)
            for curves in sweep.objectives
        ]
        longest = sweep.objectives[int(np.argmax(lengths))]
        curves = [c for c in longest if c is not None and not isinstance(c, float) and len(c) > 1]
        if curves:
            found.append((sweep, curves))
    because = f"the printed steps were not run: curves of variant {', '.join(sorted(other))} only"
    return found, because if other and not found else ""


def _descent(test, source):
    found, because = _curves(test, source)
    if not found:
        return Outcome(OPEN, because=because or "no objective curve in this run")
    by_place = {sweep.cell.unit[:2]: curves for sweep, curves in found}
    curves = [curve for given in by_place.values() for curve in given]
    verdict, rising = descent(curves)
    few = "underpowered: fewer than five curves" if len(curves) < FEWEST_CURVES else ""
    units = ((f"{rising} of {counted(len(curves), 'curve')} rise", STATE_OF[verdict]),)
    text = counted(len(curves), "curve")
    text += f"; if none rises, the share that does is below {share_bound(len(curves)):.2f}"
    return Outcome(verdict, text, because=few, units=units)


def _settled(test, source):
    found, because = _curves(test, source)
    if not found:
        return Outcome(OPEN, because=because or "no objective curve in this run")
    entries = [_settled_at(test, sweep, curves) for sweep, curves in found]
    marks = [STATE_OF[verdict] for _, verdict, _ in entries]
    named = tuple((name, mark) for (name, *_), mark in zip(entries, marks, strict=True))
    reasons = "; ".join(dict.fromkeys(reason for *_, reason in entries if reason))
    curves = sum(len(curves) for _, curves in found)
    return Outcome(verdict_of(marks), counted(curves, "curve"), because=reasons, units=named)


def _settled_at(test, sweep, curves):
    """(name, verdict, why it is open) of the curves of one place."""
    name = _name(test, [sweep.cell])
    if test.iteration is None:
        verdict = settled(curves)
        return name, verdict, "not converged" if verdict == OPEN else ""
    at = [int(values["max_iter"]) for values in sweep.values]
    then = min(range(len(at)), key=lambda i: abs(at[i] - test.iteration))
    scores = sweep.scores[then], sweep.scores[int(np.argmax(at))]
    verdict, left, because = settled_by(curves, test.iteration - 1, *scores, sweep.cell.step)
    return f"{name}: {100 * left:.2g} % of the descent left", verdict, because


def _one_run(test, source, wanted=HOLDS):
    entries = []
    for cell in chosen(source.cells(test), test):
        if cell.protocol not in OF_STARTS:
            continue
        for method in test.methods or cell.scores:
            if method in cell.scores:
                verdict, std, low, high = one_run(cell.scores[method])
                entries.append((f"{method}: {cell.name}", verdict, std, low, high))
    if not entries:
        return _nothing(test)
    turned = {HOLDS: FAILS, FAILS: HOLDS} if wanted == FAILS else {}
    marks = [STATE_OF[turned.get(e[1], e[1])] for e in entries]
    named = tuple((e[0], s) for e, s in zip(entries, marks, strict=True))
    middle = sorted(entries, key=lambda e: e[2])[len(entries) // 2]
    return Outcome(verdict_of(marks), "", *middle[2:], because="underpowered", units=named)


def _several_runs(test, source):
    return _one_run(test, source, FAILS)


def _exponent(test, source):
    return Outcome(NO_DATA, because="times by size are not part of a run")


KINDS = {
    "above": _above,
    "much_above": _much_above,
    "gain": _gain,
    "within": _within,
    "best": _best,
    "worst": _worst,
    "not_best": _not_best,
    "below_median": _below_median,
    "trend": _trend,
    "rise_then_flat": _rise_then_flat,
    "window": _window,
    "insensitive": _insensitive,
    "less_spread": _less_spread,
    "descent": _descent,
    "settled": _settled,
    "one_run": _one_run,
    "several_runs": _several_runs,
    "exponent": _exponent,
}
