"""The kinds of tests of claims, applied to the scores of a run.

Each module is a family of kinds, and applies the mathematics of the module of the same name in the
room above; `places` says what a test looks at, `shared` what the families have in common. A verdict
in favour of the side with the larger grid, by more than twice, is open: tuning by the labels gains
with the number of points.
"""

from mvclust.bench.claims.source import Source
from mvclust.bench.claims.tests import curves, grids, paired, repeats, sets, trends
from mvclust.bench.claims.verdicts import FAILS, HOLDS, NO_DATA, OPEN, PARTLY, Outcome
from mvclust.bench.config.models import ClaimTest

KINDS = {
    kind: rule
    for family in (paired, sets, trends, grids, curves, repeats)
    for kind, rule in family.KINDS.items()
}


def outcome_of(test: ClaimTest, source: Source) -> Outcome:
    """Outcome of a test: its gates, then its kind."""
    missing = source.why_not(test)
    if missing is not None:
        return Outcome(NO_DATA, because=missing)
    ours = test.methods if test.against_printed else (*test.methods, *test.against)
    left_out = [m for m in ours if m in source.reconstructed]
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
