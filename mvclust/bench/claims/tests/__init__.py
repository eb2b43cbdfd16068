"""The kinds of tests of claims, applied to the scores of a run.

Each module is a family of kinds, and applies the mathematics of the module of the same name in the
room above; `places` says what a test looks at, `shared` what the families have in common,
`outcomes` which rule a kind has. Power is stated before the verdict. A verdict in favour of the
side with the larger grid, by more than twice, is open: tuning by the labels gains with the number
of points.
"""

from mvclust.bench.claims.tests.outcomes import KINDS, outcome_of

__all__ = ["KINDS", "outcome_of"]
