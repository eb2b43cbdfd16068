"""Kinds of tests of one method alone: whether one run suffices, cost."""

from functools import partial

from mvclust.bench.claims.repeats import exponent, one_run
from mvclust.bench.claims.source import Source
from mvclust.bench.claims.tests.places import chosen
from mvclust.bench.claims.tests.shared import NOTHING
from mvclust.bench.claims.verdicts import STATE_OF, Outcome, states_of, verdict_of
from mvclust.bench.config.models import ClaimTest

OF_STARTS = ("complete", "natural", "mapped")  # protocols whose repetitions differ by starts alone


def _one_run(test: ClaimTest, source: Source, several: bool = False) -> Outcome:
    entries = []
    for cell in chosen(source.cells(test), test):
        if cell.protocol not in OF_STARTS:
            continue
        for method in test.methods or cell.scores:
            if method in cell.scores:
                entries.append((f"{method}: {cell.name}", *one_run(cell.scores[method])))
    if not entries:
        return NOTHING
    less, more = ([e[i] for e in entries] for i in (1, 2))
    marks = states_of(more, less) if several else states_of(less, more)
    named = tuple((e[0], s) for e, s in zip(entries, marks, strict=True))
    middle = sorted(entries, key=lambda e: e[3])[len(entries) // 2]
    verdict = verdict_of(marks, test.quantifier == "all")
    return Outcome(verdict, "", *middle[3:], because="underpowered", units=named)


def _exponent(test: ClaimTest, source: Source) -> Outcome:
    found = []
    for method in test.methods:
        times = source.growth.query("method == @method and grows == @test.grows")
        found.append((method, *exponent(times["size"], times["cpu_seconds"], test.stated)))
    marks = [STATE_OF[verdict] for _, verdict, *_ in found]
    named = tuple((f"{f[0]}: {test.grows}", s) for f, s in zip(found, marks, strict=True))
    _, _, slope, half = found[0]
    low, high = slope - half, slope + half
    power = f"{test.grows}: exponent {slope:.2f}, at most {high:.2f}, stated {test.stated:g}"
    because = "the interval is too wide" if "?" in marks else ""
    return Outcome(verdict_of(marks), power, slope, low, high, because=because, units=named)


KINDS = {"one_run": _one_run, "several_runs": partial(_one_run, several=True)}
KINDS |= {"exponent": _exponent}
