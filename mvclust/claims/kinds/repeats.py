"""Kinds of tests of one method alone: whether one run suffices, cost."""

from mvclust.claims.kinds.places import chosen
from mvclust.claims.kinds.shared import nothing
from mvclust.claims.repeats import one_run
from mvclust.claims.verdicts import FAILS, HOLDS, NO_DATA, STATE_OF, Outcome, verdict_of

OF_STARTS = ("complete", "natural", "mapped")  # protocols whose repetitions differ by starts alone


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
        return nothing()
    turned = {HOLDS: FAILS, FAILS: HOLDS} if wanted == FAILS else {}
    marks = [STATE_OF[turned.get(e[1], e[1])] for e in entries]
    named = tuple((e[0], s) for e, s in zip(entries, marks, strict=True))
    middle = sorted(entries, key=lambda e: e[2])[len(entries) // 2]
    return Outcome(verdict_of(marks), "", *middle[2:], because="underpowered", units=named)


def _several_runs(test, source):
    return _one_run(test, source, FAILS)


def _exponent(test, source):
    return Outcome(NO_DATA, because="times by size are not part of a run")


KINDS = {"one_run": _one_run, "several_runs": _several_runs, "exponent": _exponent}
