"""Kinds of tests of objective curves: descent, settled."""

import numpy as np

from mvclust.bench.claims.cells import Sweep, is_score
from mvclust.bench.claims.curves import FEWEST_CURVES, descent, settled, settled_by, share_bound
from mvclust.bench.claims.source import Source
from mvclust.bench.claims.tests.places import name_of
from mvclust.bench.claims.verdicts import OPEN, STATE_OF, Outcome, verdict_of
from mvclust.bench.config.messages import counted
from mvclust.bench.config.models import ClaimTest


def _curves(test: ClaimTest, source: Source) -> tuple[list[tuple[Sweep, list]], str]:
    """Sweeps with the curves of their longest point, and why there are none."""
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


def _descent(test: ClaimTest, source: Source) -> Outcome:
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


def _settled(test: ClaimTest, source: Source) -> Outcome:
    found, because = _curves(test, source)
    if not found:
        return Outcome(OPEN, because=because or "no objective curve in this run")
    entries = [_settled_at(test, sweep, curves) for sweep, curves in found]
    marks = [STATE_OF[verdict] for _, verdict, _ in entries]
    named = tuple((name, mark) for (name, *_), mark in zip(entries, marks, strict=True))
    reasons = "; ".join(dict.fromkeys(reason for *_, reason in entries if reason))
    curves = sum(len(curves) for _, curves in found)
    return Outcome(verdict_of(marks), counted(curves, "curve"), because=reasons, units=named)


def _settled_at(test: ClaimTest, sweep: Sweep, curves: list[list[float]]) -> tuple[str, str, str]:
    """Name, verdict and reason of the curves of one place."""
    name = name_of(test, [sweep.cell])
    if test.iteration is None:
        verdict = settled(curves)
        return name, verdict, "not converged" if verdict == OPEN else ""
    at = [int(values["max_iter"]) for values in sweep.values]
    then = min(range(len(at)), key=lambda i: abs(at[i] - test.iteration))
    scores = sweep.scores[then], sweep.scores[int(np.argmax(at))]
    verdict, left, because = settled_by(curves, test.iteration - 1, *scores, sweep.cell.step)
    return f"{name}: {100 * left:.2g} % of the descent left", verdict, because


KINDS = {"descent": _descent, "settled": _settled}
