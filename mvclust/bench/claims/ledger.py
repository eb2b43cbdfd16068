"""The ledger: every claim with its verdict, what print says, and what could be seen."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mvclust.bench.claims.cells import cells_of, has_data, printed_cells, probed_cells, sweeps_of
from mvclust.bench.claims.directions import directions
from mvclust.bench.claims.printed import NOT_PRINTED, Printed, in_print
from mvclust.bench.claims.tables import pairs_of, rows
from mvclust.bench.claims.tests import outcome_of
from mvclust.bench.claims.tests.places import is_selected
from mvclust.bench.claims.verdicts import (
    HOLDS,
    NO_DATA,
    OPEN,
    OUT_OF_SCOPE,
    PARTLY,
    Outcome,
    joined,
)
from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.config.models import MUCH, Claim
from mvclust.datasets.catalogue import is_rebuilt
from mvclust.metrics import SCORES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from mvclust.bench.claims.cells import Cell, Sweep
    from mvclust.bench.config.models import ClaimTest

COLUMNS = (
    *("id", "paper", "place", "claim", "verdict", "in_print", "printed_cells", "printed_effect"),
    *("effect", "ci_low", "ci_high", "margin", "units", "power", "detectable", "open_because"),
    *("variant", "turns", "data", "experiments", "probes", "needs"),
)
UNITS = ("id", "unit", "state")
DATA = PAPERS, REBUILT, STAND_IN = "paper's", "rebuilt", "stand-in"
PRINTED, RELEASED, OURS = "printed", "released", "ours"  # variants of a method


# The columns of the runs that tests look at.
LOOKED_AT = ("key", *SCORES, "error", "n_samples", "per_view", "objective", "source")


def looked_at(runs: dict[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """The tables of runs, reduced to the columns that tests read."""
    return {name: table[[c for c in table if c in LOOKED_AT]] for name, table in runs.items()}


class Source:
    """The scores that tests ask for.

    `used` holds "experiments" (id -> its inputs), "tunable" (methods with parameters to tune) and
    "reconstructed" (methods on which no claim is decided); with `crossed` parameters are chosen on
    the other masks. `printed` are the published numbers as cells. `measured` holds "growth" (see
    `claims.growth`) and "probes" (see `claims.probing`).
    """

    def __init__(
        self,
        used: dict,
        runs: dict[str, pd.DataFrame],
        crossed: bool = False,
        measured: dict | None = None,
        printed: Iterable[Cell] = (),
    ) -> None:
        self.experiments, self.tunable = used["experiments"], set(used["tunable"])
        self.reconstructed, self._declared = set(used["reconstructed"]), used["declared"]
        measured = measured or {}
        self._probed = used.get("probed", {})
        self.growth, self._probes = measured.get("growth"), measured.get("probes")
        self.crossed, self._printed = crossed, {cell.place: cell for cell in printed}
        self._runs = {name: table.set_index("key") for name, table in looked_at(runs).items()}
        self._cells, self._sweeps = {}, {}

    def why_not(self, test: ClaimTest) -> str | None:
        """Why no experiment of a test can be used; None if one can."""
        if test.kind == "exponent":
            return "times by size are not part of this run" if self.growth is None else None
        if test.probes:
            if self._probes is None:
                return "probes are not part of this run"
            return None if self.cells(test) else UNAVAILABLE
        there = [name for name in test.experiments if name in self.experiments]
        if not there:
            return f"not in this run: {', '.join(test.experiments)}"
        labels = {case["label"] for name in there for case in self.experiments[name]["cases"]}
        if test.datasets and labels.isdisjoint(test.datasets):
            return f"not in this run: {', '.join(test.datasets)}"
        if not any(has_data(self.experiments[n], self._runs[n], test.datasets) for n in there):
            return UNAVAILABLE
        return None

    def is_reduced(self, test: ClaimTest) -> str:
        """How this run is reduced against the declared experiments of a test; "" if it is not."""
        missing = [name for name in test.experiments if name not in self.experiments]
        if missing:
            return f"not in this run: {', '.join(missing)}"
        cut = [name for name in test.experiments if self.experiments[name]["cut"]]
        for name in test.experiments:
            there = {case["label"] for case in self.experiments[name]["cases"]}
            wanted = set(self._declared[name]["data"])
            cut += [name] if (wanted & set(test.datasets or wanted)) - there else []
        return f"reduced run: {', '.join(dict.fromkeys(cut))}" if cut else ""

    def cells(self, test: ClaimTest) -> list[Cell]:
        """Scores by place of all experiments of a test."""
        if test.probes:
            return probed_cells(self._probes, test)
        cells = [c for name in test.experiments for c in self.cells_at(name, test.at)]
        if not test.against_printed:
            return cells
        return [self._beside_print(cell, test.against) for cell in cells]

    def _beside_print(self, cell: Cell, methods: list[str]) -> Cell:
        """A place with the printed numbers of some methods in the place of ours."""
        printed = self._printed.get(cell.place)
        there = {m: printed.scores[m] for m in methods if printed and m in printed.scores}
        n = len(next(iter(cell.scores.values()), ()))
        ours = {m: scores for m, scores in cell.scores.items() if m not in methods}
        means = {m: np.repeat(mean, n) for m, mean in there.items()}
        return cell._replace(scores=ours | means, stds=dict.fromkeys(there, np.nan))

    def cells_at(self, name: str, at: dict) -> list[Cell]:
        """Scores by place of an experiment; of a sweep, at some values of its parameters."""
        key = name, repr(at)
        if key not in self._cells:
            used = self.experiments.get(name)
            given = used and cells_of(used, self._runs[name], self.crossed, at)
            self._cells[key] = given or []
        return self._cells[key]

    def sweeps(self, test: ClaimTest) -> list[Sweep]:
        """Scores over grids of all experiments of a test, at the data sets that it names."""
        found = []
        for name in test.experiments:
            if name in self.experiments and name not in self._sweeps:
                self._sweeps[name] = sweeps_of(self.experiments[name], self._runs[name])
            found += self._sweeps.get(name, [])
        return [
            sweep
            for sweep in found
            if is_selected(sweep.cell, test) and (not test.methods or sweep.method in test.methods)
        ]

    def data_of(self, test: ClaimTest) -> set[str]:
        """Kinds of data that a test looks at, of `DATA`."""
        if test.probes:
            return {_kind_of(name) for p in test.probes for name in self._probed[p].values()}
        there = [name for name in test.experiments if name in self.experiments]
        cases = [
            (case["setting"]["dataset"], next(iter(case["points"].values()))[0]["keys"][0])
            for name in there
            for case in self.experiments[name]["cases"]
            if not test.datasets or case["label"] in test.datasets
        ]
        sources = {}
        for name in there:
            sources |= self._runs[name]["source"].to_dict()
        return {_kind_of(name, str(sources.get(key, ""))) for name, key in cases}


def _kind_of(dataset: str, source: str = "") -> str:
    """Kind of the data of a data set, one of `DATA`."""
    if dataset.partition("-rebuilt")[1]:
        return STAND_IN
    return REBUILT if is_rebuilt(source) else PAPERS


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
            if not _is_of_steps(claim) and (steps or again):
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

    def _variants(self, name: str) -> str:
        """Variants that a claim was tested with; none if they are no matter."""
        found = self._by_variant[name]
        return ", ".join(found) if len(found) > 1 else ""

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
        there = self.used["extended"]
        tests = [self._exchanged(test, {}, there) for test in claim.tests]
        kinds = {kind for test in tests for kind in self.as_tuned.data_of(test)}
        return ", ".join(kind for kind in DATA if kind in kinds)

    def table(self) -> pd.DataFrame:
        """One row per claim with the columns `COLUMNS`, in points or the unit of the test."""
        entries = []
        for name, claim in self.claims.items():
            outcome, printed = self.outcomes[name], self.printed(claim)
            because = outcome.because if outcome.verdict in (OPEN, NO_DATA, OUT_OF_SCOPE) else ""
            if outcome.verdict == OPEN and _is_smaller(outcome, printed.effect):
                because += "; smaller than printed"
            entries.append({
                "id": name, "paper": claim.paper, "place": claim.place, "claim": claim.says,
                "verdict": outcome.verdict, "in_print": printed.word,
                "printed_cells": printed.text, "printed_effect": printed.effect,
                "effect": outcome.effect, "ci_low": outcome.low, "ci_high": outcome.high,
                "units": _counts(outcome), "power": outcome.power,
                "detectable": outcome.detectable, "open_because": because.removeprefix("; "),
                "variant": self._variants(name), "turns": self.turns(name),
                "data": self.data(claim), "margin": _margin(claim),
                "experiments": " ".join(self._there(claim)),
                "probes": " ".join(dict.fromkeys(p for test in claim.tests for p in test.probes)),
                "needs": claim.needs,
            })  # fmt: skip
        return pd.DataFrame(entries, columns=COLUMNS)

    def _there(self, claim: Claim) -> list[str]:
        """Tables and figures of this run behind a claim."""
        tests = [self._exchanged(test, {}, self.used["extended"]) for test in claim.tests]
        named = dict.fromkeys(name for test in tests for name in test.experiments)
        return [name for name in named if name in self.used["experiments"]]

    def units(self) -> pd.DataFrame:
        """The state of every unit of every claim, with the columns `UNITS`."""
        states = [
            (name, unit, state)
            for name, outcome in self.outcomes.items()
            for unit, state in outcome.units
        ]
        return pd.DataFrame(states, columns=UNITS)

    @cached_property
    def pairs(self) -> list[tuple[Cell, Cell]]:
        """Our numbers and the printed ones at the same places, for all tables in the run."""
        ours = [
            cell
            for name, used in self.used["experiments"].items()
            if used["item"]
            for cell in self.as_tuned.cells_at(name, {})
        ]
        return pairs_of(ours, [cell for cells in self._printed.values() for cell in cells])

    def directions(self) -> pd.DataFrame:
        """Directions of printed differences, see `claims.directions`."""
        return directions(self.pairs, self.used["proposed"])

    def rows(self) -> pd.DataFrame:
        """Every printed row against ours, see `claims.tables.rows`."""
        runs = {name: each["repetitions"] for name, each in self.used["declared"].items()}
        return rows(self.pairs, self.used["proposed"], self.used["reconstructed"], runs)


def _is_of_steps(claim: Claim) -> bool:
    """Whether a claim is about curves of one variant."""
    return all(test.variant for test in claim.tests)


def _margin(claim: Claim) -> float:
    """Points that effects of a claim on scores are measured in: its own margin, or what is much."""
    kinds = ("above", "much_above", "best", "worst", "not_best", "below_median", "within")
    tests = [t for t in claim.tests if t.kind in kinds and t.measure in ("score", "lead")]
    scores = [t for t in tests if t.experiments]
    return (scores[0].margin or MUCH) if scores else np.nan


def _is_smaller(outcome: Outcome, printed: float) -> bool:
    return bool(np.isfinite(printed) and outcome.high < printed)


def _counts(outcome: Outcome) -> str:
    """Number of units in each state, as text."""
    marks = [state for _, state in outcome.units]
    return " ".join(f"{marks.count(mark)}{mark}" for mark in "+~-=?" if mark in marks)
