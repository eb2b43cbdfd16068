"""The ledger: every claim with its verdict, what print says, and what could be seen."""

from functools import cached_property

import numpy as np
import pandas as pd

from mvclust.bench.claims.cells import Cell, printed_cells
from mvclust.bench.claims.directions import directions
from mvclust.bench.claims.printed import NOT_PRINTED, Printed, in_print
from mvclust.bench.claims.source import DATA, Source
from mvclust.bench.claims.tables import pairs_of, rows
from mvclust.bench.claims.tests import outcome_of
from mvclust.bench.claims.verdicts import (
    HOLDS,
    NO_DATA,
    OPEN,
    OUT_OF_SCOPE,
    PARTLY,
    Outcome,
    joined,
)
from mvclust.bench.config.models import MUCH, Claim, ClaimTest

COLUMNS = (
    *("id", "paper", "place", "claim", "verdict", "in_print", "printed_cells", "printed_effect"),
    *("effect", "ci_low", "ci_high", "margin", "units", "power", "detectable", "open_because"),
    *("variant", "turns", "data", "experiments", "probes", "needs"),
)
UNITS = ("id", "unit", "state")
PRINTED, RELEASED, OURS = "printed", "released", "ours"  # variants of a method


class Ledger:
    """All claims, tested on a run; `used` are the inputs of the rule, `measured` as in `Source`."""

    def __init__(
        self, used: dict, runs: dict[str, pd.DataFrame], measured: dict | None = None
    ) -> None:
        self.used = used
        self.claims = {name: Claim.model_validate(entry) for name, entry in used["claims"].items()}
        self._printed = {
            name: printed_cells(declared, used["published"])
            for name, declared in used["declared"].items()
        }
        cells = [cell for of_table in self._printed.values() for cell in of_table]
        self.as_tuned = Source(used, runs, measured=measured, printed=cells)
        self.crossed = Source(used, runs, crossed=True, measured=measured, printed=cells)

    @cached_property
    def outcomes(self) -> dict[str, Outcome]:
        """Claim id -> Outcome: that of the printed equations and of the released code.

        Where the two differ a claim holds in part.
        """
        found = {}
        for name, of_claim in self._by_variant.items():
            others = [of_claim[v] for v in (PRINTED, RELEASED) if v in of_claim]
            first = (others or [of_claim[OURS]])[0]
            same = len({outcome.verdict for outcome in others}) < 2
            found[name] = first if same else first._replace(verdict=PARTLY, because="")
        return found

    @cached_property
    def _by_variant(self) -> dict[str, dict[str, Outcome]]:
        """Claim id -> outcome by variant; ours alone for claims on which it has no influence."""
        return {
            name: self._of_variants(claim) | {OURS: self._outcome(claim, self.as_tuned)}
            for name, claim in self.claims.items()
        }

    def _of_variants(self, claim: Claim) -> dict[str, Outcome]:
        """Outcomes with the printed equations and the released code, as far as they were run."""
        there = {m for test in claim.tests for m in (*test.methods, *test.against)}
        names = {name for test in claim.tests for name in test.experiments}
        run = {m for e in self.used["experiments"].values() for m in e["methods"]}
        found = {}
        for variant, steps in self.used["variants"].items():
            steps = {m: other for m, other in steps.items() if m in there and other in run}
            again = self.used["repeated"] if variant == PRINTED else {}
            again = {name: others for name, others in again.items() if name in names}
            about_curves = all(test.variant for test in claim.tests)  # of one variant
            if not about_curves and (steps or again):
                found[variant] = self._outcome(claim, self.as_tuned, steps, again)
        return found

    def _outcome(
        self,
        claim: Claim,
        source: Source,
        methods: dict | None = None,
        experiments: dict | None = None,
    ) -> Outcome:
        if claim.out_of_scope:
            return Outcome(OUT_OF_SCOPE, because=claim.out_of_scope)
        if claim.proof:
            return Outcome(HOLDS, power=f"proof: {claim.proof}")
        if not claim.tests:
            return Outcome(OPEN, because="experiment")
        there = self.used["extended"] | (experiments or {})
        tests = [self._exchanged(test, methods or {}, there) for test in claim.tests]
        return joined([outcome_of(test, source) for test in tests])

    def _exchanged(self, test: ClaimTest, methods: dict, experiments: dict) -> ClaimTest:
        """Replace experiments of a test, and the methods that these have under another name."""
        there = [other for name in test.experiments for other in experiments.get(name, [name])]
        used = self.used["experiments"]
        run = {m for name in there if name in used for m in used[name]["methods"]}
        changes = {
            key: [methods[m] if methods.get(m) in run else m for m in getattr(test, key)]
            for key in ("methods", "against")
        }
        return test.model_copy(update=changes | {"experiments": there})

    def printed(self, claim: Claim) -> Printed:
        """Verdict of the printed numbers on a claim."""
        found = []
        for test in claim.tests if claim.printed is None else claim.printed:
            cells = [cell for name in test.experiments for cell in self._printed.get(name, ())]
            unique = {cell.place: cell for cell in cells}  # tables that two experiments make
            found.append(in_print(test, list(unique.values())))
        words = [f for f in found if f.word != NOT_PRINTED]
        if len(words) < 2:
            return words[0] if words else Printed(NOT_PRINTED)
        same = len({f.word for f in words}) == 1
        return words[0]._replace(
            word=words[0].word if same else "partly", text=" | ".join(f.text for f in words)
        )

    def turns(self, name: str) -> str:
        """Which other choice changes a verdict on scores, that of the variant first."""
        claim = self.claims[name]
        by_variant = {v: outcome.verdict for v, outcome in self._by_variant[name].items()}
        if self.outcomes[name].verdict in (NO_DATA, OUT_OF_SCOPE) or not claim.tests:
            return ""
        turning = len(set(by_variant.values())) > 1
        parts = [", ".join(f"{v}: {word}" for v, word in by_variant.items())] if turning else []
        crossed = self._outcome(claim, self.crossed).verdict
        if crossed != by_variant[OURS]:
            parts.append(f"parameters chosen on other masks: {crossed}")
        return "; ".join(parts)

    def data(self, claim: Claim) -> str:
        """Which data a claim is decided on: the paper's, rebuilt from its images, or a stand-in."""
        kinds = {kind for test in self._run(claim) for kind in self.as_tuned.data_of(test)}
        return ", ".join(kind for kind in DATA if kind in kinds)

    def _run(self, claim: Claim) -> list[ClaimTest]:
        """Tests of a claim with the experiments that extend theirs."""
        return [self._exchanged(test, {}, self.used["extended"]) for test in claim.tests]

    def table(self) -> pd.DataFrame:
        """One row per claim with the columns `COLUMNS`, in points or the unit of the test."""
        entries = []
        for name, claim in self.claims.items():
            outcome, printed = self.outcomes[name], self.printed(claim)
            variants = self._by_variant[name]
            because = outcome.because if outcome.verdict in (OPEN, NO_DATA, OUT_OF_SCOPE) else ""
            smaller = np.isfinite(printed.effect) and outcome.high < printed.effect
            if outcome.verdict == OPEN and smaller:
                because += "; smaller than printed"
            entries.append({
                "id": name, "paper": claim.paper, "place": claim.place, "claim": claim.says,
                "verdict": outcome.verdict, "in_print": printed.word,
                "printed_cells": printed.text, "printed_effect": printed.effect,
                "effect": outcome.effect, "ci_low": outcome.low, "ci_high": outcome.high,
                "units": _counts(outcome), "power": outcome.power,
                "detectable": outcome.detectable, "open_because": because.removeprefix("; "),
                "variant": ", ".join(variants) if len(variants) > 1 else "",
                "turns": self.turns(name),
                "data": self.data(claim), "margin": _margin(claim),
                "experiments": " ".join(self._there(claim)),
                "probes": " ".join(dict.fromkeys(p for test in claim.tests for p in test.probes)),
                "needs": claim.needs,
            })  # fmt: skip
        return pd.DataFrame(entries, columns=COLUMNS)

    def _there(self, claim: Claim) -> list[str]:
        """Tables and figures of this run behind a claim."""
        named = dict.fromkeys(name for test in self._run(claim) for name in test.experiments)
        return [name for name in named if name in self.used["experiments"]]

    def units(self) -> pd.DataFrame:
        """The state of every unit of every claim, with the columns `UNITS`."""
        states = [(name, *unit) for name, of in self.outcomes.items() for unit in of.units]
        return pd.DataFrame(states, columns=UNITS)

    @cached_property
    def pairs(self) -> list[tuple[Cell, Cell]]:
        """Our numbers and the printed ones at the same places, for all tables in the run."""
        names = [name for name, used in self.used["experiments"].items() if used["item"]]
        ours = [cell for name in names for cell in self.as_tuned.cells_at(name, {})]
        return pairs_of(ours, [cell for cells in self._printed.values() for cell in cells])

    def directions(self) -> pd.DataFrame:
        """Directions of printed differences, see `claims.directions`."""
        return directions(self.pairs, self.used["proposed"])

    def rows(self) -> pd.DataFrame:
        """Every printed row against ours, see `claims.tables.rows`."""
        runs = {name: each["repetitions"] for name, each in self.used["declared"].items()}
        return rows(self.pairs, self.used["proposed"], self.used["reconstructed"], runs)


def _margin(claim: Claim) -> float:
    """Points that effects of a claim on scores are measured in: its own margin, or what is much."""
    kinds = ("above", "much_above", "best", "worst", "not_best", "below_median", "within")
    tests = [t for t in claim.tests if t.kind in kinds and t.measure in ("score", "lead")]
    scores = [t for t in tests if t.experiments]
    return (scores[0].margin or MUCH) if scores else np.nan


def _counts(outcome: Outcome) -> str:
    """Number of units in each state, as text."""
    marks = [state for _, state in outcome.units]
    return " ".join(f"{marks.count(mark)}{mark}" for mark in "+~-=?" if mark in marks)
