"""The words of the ledger, and how the states of several units become one verdict."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

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


def verdict_of(states: Sequence[str]) -> str:
    """Verdict of several units; the first rule that applies.

    States are "+" shown, "~" shown in part, "-" reversed, "=" equal within a point, "?" not
    decided.

    Examples
    --------
    >>> verdict_of("+-??"), verdict_of("+++?"), verdict_of("--+?"), verdict_of("????")
    ('partly', 'holds', 'fails', 'open')
    """
    shown, part = states.count("+"), states.count("~")
    reverse, equal, half = states.count("-"), states.count("="), len(states) / 2
    if reverse > shown + part or (not shown + part and reverse + equal > half):
        return FAILS
    if not reverse and shown > half:
        return HOLDS
    return PARTLY if shown + part else OPEN


def joined(outcomes: Sequence[Outcome]) -> Outcome:
    """Join the outcomes of the tests of a claim with several parts.

    Effect and power are those of the first test that has some. It holds if all hold, fails if one
    fails and nothing is shown; an undecided part keeps it open.
    """
    verdicts = [outcome.verdict for outcome in outcomes]
    first = next((o for o in outcomes if not np.isnan(o.effect)), outcomes[0])
    if len(set(verdicts)) == 1:
        verdict = verdicts[0]
    elif FAILS in verdicts:
        verdict = PARTLY if {HOLDS, PARTLY} & set(verdicts) else FAILS
    elif {OPEN, NO_DATA} & set(verdicts):
        verdict = OPEN
    else:
        verdict = PARTLY
    return first._replace(
        verdict=verdict,
        power="; ".join(dict.fromkeys(o.power for o in outcomes if o.power)),
        because="; ".join(dict.fromkeys(o.because for o in outcomes if o.because)),
        units=tuple(unit for outcome in outcomes for unit in outcome.units),
    )
