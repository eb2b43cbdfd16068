"""The claims of the six papers: what print says of them, without a single run."""

import numpy as np
import pytest
from bench.claims.made_up import MadeUp, points, test_of
from helpers import ROOT

from mvclust.bench.claims.ledger import COLUMNS, Ledger
from mvclust.bench.claims.printed import in_print
from mvclust.bench.claims.source import Source
from mvclust.bench.claims.tests import outcome_of
from mvclust.bench.claims.verdicts import NO_DATA, OPEN, OUT_OF_SCOPE
from mvclust.bench.config.load import load
from mvclust.bench.plan import job_inputs
from mvclust.bench.plan.costs import Costs
from mvclust.bench.plan.jobs import Packing
from mvclust.bench.plan.selection import Study

# What was counted by hand in the papers: word, cells that agree, cells.
IN_PRINT = {
    "D9": ("yes", 8, 8), "D10": ("yes", 6, 6), "D18": ("yes", 8, 8), "D19": ("no", 0, 2),
    "U1": ("no", 88, 96), "U2": ("no", 15, 42), "U3": ("yes", 67, 72), "U4": ("yes", 71, 72),
    "U5": ("yes", 18, 18), "U6": ("no", 22, 24), "U7": ("yes", 42, 42), "U15": ("no", 1, 6),
    "U17": ("no", 0, 12), "M1": ("yes", 15, 20), "M2": ("yes", 33, 40),
    "M3": ("yes", 31, 40), "M4": ("yes", 33, 40), "C2": ("yes", 10, 10),
    "C3": ("partly", 11, 12), "C4": ("no", 10, 12), "C10": ("yes", 12, 12),
}  # fmt: skip


@pytest.fixture(scope="module")
def used():
    """The slice of a run that has none of the experiments."""
    config = {"run": "none", "experiments": ["ueaf_table1"], "datasets": None}
    return job_inputs.claims(Study(load(config, ROOT), Costs({}), Packing()))


@pytest.fixture(scope="module")
def table(used):
    return Ledger(used, {}).table().set_index("id", drop=False)


def test_print_is_asked_by_the_same_comparisons(table):
    for name, (word, agree, n) in IN_PRINT.items():
        row = table.loc[name]
        assert row["in_print"] == word, name
        assert row["printed_cells"].startswith(f"{agree} of {n};"), name
    assert table.loc["D19", "printed_effect"] == pytest.approx(-2.187, abs=1e-3)  # in ACC
    others = {"M13", "M15"}  # by ranks and deviations
    assert set(table.index[table["in_print"] != "not printed"]) == {*IN_PRINT, *others}


def test_effects_on_scores_have_the_margin_of_their_claim(table):
    margins = table["margin"].loc[["D2", "D4", "U1", "M5"]].tolist()  # own, much; no score
    np.testing.assert_array_equal(margins, [1.0, 3.0, np.nan, np.nan])


def test_print_is_asked_for_each_part_of_a_claim(used):
    ledger = Ledger(used, {})
    tests = {name: (c.printed or c.tests) for name, c in ledger.claims.items()}
    for other, word in {"D18": "yes", "D19": "partly"}.items():
        of_parts = {"tests": [*tests["D9"], *tests[other]]}
        printed = ledger.printed(ledger.claims["D9"].model_copy(update=of_parts))
        assert printed.word == word
        assert printed.text.count(" of ") == len(printed.text.split(" | ")) == 2


@pytest.mark.parametrize(("std", "words"), [(0.0, ("yes", "no")), (5.0, ("no", "yes"))])
def test_printed_deviations_tell_whether_runs_differ(std, words):
    (cell,) = MadeUp().add("e", {"A": points(70)}).source().cells(test_of("one_run"))
    tests = map(test_of, ("one_run", "several_runs"))
    assert tuple(in_print(of, [cell._replace(stds={"A": std})]).word for of in tests) == words


@pytest.mark.parametrize(("ahead", "word"), [(3, "yes"), (2, "partly"), (1, "no")])
def test_most_printed_cells_are_more_than_one_half(ahead, word):
    test = test_of("worst", methods=["A"], against=["B"], quantifier="most")
    (cell,) = MadeUp().add("e", {"A": points(70)}).source().cells(test)
    gaps = [2.0] * ahead + [-2.0] * (4 - ahead)
    cells = [cell._replace(scores={"A": [60.0], "B": [60.0 + gap]}) for gap in gaps]
    printed = in_print(test, cells)
    assert (printed.word, printed.effect) == (word, np.mean(gaps))


def test_a_run_without_their_experiments_leaves_all_claims_undecided(table):
    assert list(table.columns) == list(COLUMNS)
    assert table.index.is_unique
    assert list(table.index[table["power"].str.startswith("proof")]) == ["D15"]
    others = table.drop("D15")
    assert set(others["verdict"]) <= {OPEN, NO_DATA, OUT_OF_SCOPE}
    assert others.loc[others["verdict"] != OUT_OF_SCOPE, "open_because"].ne("").all()
    assert table.loc[table["open_because"] == "experiment", "needs"].ne("").all()


def test_a_method_that_chooses_a_view_has_no_grid_that_is_too_small(used):
    """BSV has as many points as views, so that wins over it are not those of a larger grid."""
    assert {"IMG", "MIC", "UEAF"} <= set(used["tunable"])
    assert "BestSingleView" not in used["tunable"]


@pytest.mark.parametrize("run", [{"B": points(90)}, {}])
def test_a_reconstructed_rival_is_compared_by_its_printed_row(run):
    made = MadeUp("A", reconstructed=["B"]).add("e", {"A": points(70)} | run)
    test = test_of("above", methods=["A"], against=["B"], against_printed=True)
    (cell,) = made.source().cells(test)
    for mean, verdict in ((60.0, "holds"), (80.0, "fails")):
        printed = cell._replace(scores={"B": np.array([mean])})
        source = Source(made.slice(), made.runs(), printed=[printed])
        assert outcome_of(test, source).verdict == verdict


def test_any_identity_with_orthonormal_columns_gives_the_same_factors():
    """The proof in the ledger: steps of B and U with U* = Q and with U* = I."""
    rng, found = np.random.default_rng(0), []
    d, k, p = 12, 3, 7
    X, V = rng.random((d, 40)), rng.random((40, k))
    for target in (np.eye(k), np.linalg.qr(rng.normal(size=(p, k)))[0]):
        U, scale = np.random.default_rng(1).random((d, k)), np.ones(d)
        for _ in range(20):
            B = np.linalg.solve(U @ U.T + np.diag(scale), U @ target.T)
            scale = 1 / np.sqrt((B**2).sum(axis=1) + 1e-3)
            left, right = 10 * B @ B.T, V.T @ V
            system = np.kron(right, np.eye(d)) + np.kron(np.eye(k), left)
            terms = (X @ V + 10 * B @ target).ravel(order="F")
            U = np.linalg.solve(system, terms).reshape((d, k), order="F")
        found.append((U, B @ target))
    for one, other in zip(*found, strict=True):
        assert np.abs(one - other).max() < 1e-12
