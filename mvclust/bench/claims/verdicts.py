"""The words of the ledger, and how the states of several units become one verdict."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mvclust.numerics.multiple import holm

ALPHA = 0.05
HOLDS, PARTLY, FAILS, OPEN = "holds", "partly", "fails", "open"
NO_DATA, OUT_OF_SCOPE = "no data", "out of scope"
VERDICTS = (HOLDS, PARTLY, FAILS, OPEN, NO_DATA, OUT_OF_SCOPE)

# The state of a unit: shown, shown in part, reversed, equal, not decided.
STATE_OF = {HOLDS: "+", PARTLY: "~", FAILS: "-", OPEN: "?"}


class Outcome(NamedTuple):
    """The verdict of a test on a claim; effect with its 95 % interval, NaN if the kind has none."""

    verdict: str  # one of `VERDICTS`
    power: str = ""  # what the data can show, independent of the verdict
    effect: float = np.nan
    low: float = np.nan
    high: float = np.nan
    detectable: float = np.nan  # smallest difference found with 80 % power, in points
    because: str = ""  # why the verdict is open
    units: Sequence = ()  # name and state of each unit


def verdict_of(states: Sequence[str], every: bool = False) -> str:
    """Verdict of several units: a claim holds only if it is shown in all of them.

    States are "+" shown, "~" shown in part, "-" reversed, "=" equal within a point, "?" not
    decided. With `every` the claim says "all", so that one reversed unit refutes it.

    >>> verdict_of("+++"), verdict_of("+++?"), verdict_of("+-??"), verdict_of("--+?")
    ('holds', 'partly', 'partly', 'fails')
    >>> verdict_of("++-", every=True), verdict_of("????")
    ('fails', 'open')
    """
    shown, reverse = states.count("+") + states.count("~"), states.count("-")
    if reverse > (0 if every else shown):
        return FAILS
    if not shown:
        return FAILS if reverse + states.count("=") > len(states) / 2 else OPEN
    return HOLDS if states.count("+") == len(states) else PARTLY


def states_of(shown: Sequence[float], against: Sequence[float]) -> list[str]:
    """State of each unit from its p-values for and against, with Holm's correction over the units.

    >>> states_of([0.01, 0.03, 0.9], [1, 1, 0.02])
    ['+', '?', '?']
    """
    both = holm(shown), holm(against)
    return ["+" if p < ALPHA else "-" if q < ALPHA else "?" for p, q in zip(*both, strict=True)]


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    """Join the outcomes of the tests of a claim with several parts.

    Parts of different verdicts make it hold in part, unless none of them is decided.
    """
    verdicts = {outcome.verdict for outcome in outcomes}
    first = next((o for o in outcomes if not np.isnan(o.effect)), outcomes[0])
    if len(verdicts) == 1:
        (verdict,) = verdicts
    else:
        verdict = OPEN if verdicts <= {OPEN, NO_DATA} else PARTLY
    return first._replace(
        verdict=verdict,
        power="; ".join(dict.fromkeys(o.power for o in outcomes if o.power)),
        because="; ".join(dict.fromkeys(o.because for o in outcomes if o.because)),
        units=tuple(unit for outcome in outcomes for unit in outcome.units),
    )
