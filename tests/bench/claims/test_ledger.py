"""The claims of the six papers: what print says of them, without a single run."""

import re

import pytest
from bench.claims.made_up import MadeUp, points
from helpers import ROOT

from mvclust.bench.claims.ledger import COLUMNS, Ledger
from mvclust.bench.claims.verdicts import NO_DATA, OPEN, OUT_OF_SCOPE
from mvclust.bench.config.load import load
from mvclust.bench.plan import job_inputs
from mvclust.bench.plan.costs import Costs
from mvclust.bench.plan.resources import Packing
from mvclust.bench.plan.selection import Study

# What was counted by hand in the papers: word, cells that agree, cells.
IN_PRINT = {
    "D9": ("yes", 8, 8), "D10": ("yes", 6, 6), "D18": ("yes", 8, 8), "D19": ("no", 0, 2),
    "U1": ("no", 88, 96), "U2": ("no", 15, 42), "U3": ("yes", 67, 72), "U4": ("yes", 71, 72),
    "U5": ("yes", 18, 18), "U6": ("partly", 22, 24), "U7": ("yes", 42, 42), "U15": ("no", 1, 6),
    "U17": ("no", 0, 12), "U18": ("yes", 35, 42), "M1": ("yes", 15, 20), "M2": ("yes", 33, 40),
    "M3": ("yes", 31, 40), "M4": ("yes", 33, 40), "M12": ("partly", 10, 20), "C2": ("yes", 10, 10),
    "C3": ("yes", 11, 12), "C4": ("no", 10, 12), "C10": ("yes", 12, 12),
}  # fmt: skip
PRINTED_TOO = {"M13", "M15"}  # by ranks and deviations


@pytest.fixture(scope="module")
def used():
    """The slice of a run that has none of the experiments."""
    config = {"run": "none", "experiments": ["ueaf_table1"], "datasets": None}
    return job_inputs.claims(Study(load(config, ROOT), Costs({}), Packing()), "claims")


@pytest.fixture(scope="module")
def table(used):
    return Ledger(used, {}).table().set_index("id", drop=False)


def test_print_is_asked_by_the_same_comparisons(table):
    for name, (word, agree, n) in IN_PRINT.items():
        row = table.loc[name]
        assert row["in_print"] == word, name
        assert row["printed_cells"].startswith(f"{agree} of {n};"), name
    others = set(table.index[table["in_print"] != "not printed"]) - set(IN_PRINT)
    assert others == PRINTED_TOO


def test_six_claims_are_contradicted_by_the_papers_own_numbers(table):
    assert set(table.index[table["in_print"] == "no"]) == {"U1", "U2", "C4", "D19", "U15", "U17"}


def test_print_follows_from_the_published_numbers(used):
    """Another number in published.csv, another answer: nothing is typed in."""
    changed = [
        row | {"mean": row["mean"] + 20 * (row["method"] == "MULTINMF" and row["item"] == "table2")}
        for row in used["published"]
    ]
    ledger = Ledger(used | {"published": changed}, {})
    assert ledger.printed(ledger.claims["C3"]).text.startswith("12 of 12")


def test_a_run_without_their_experiments_leaves_all_claims_undecided(table):
    assert list(table.columns) == list(COLUMNS)
    assert len(table) == 74
    assert set(table["verdict"]) <= {OPEN, NO_DATA, OUT_OF_SCOPE}
    open_rows = table[table["verdict"] != OUT_OF_SCOPE]
    assert (open_rows["open_because"] != "").all()
    assert (table.loc[table["open_because"] == "experiment", "needs"] != "").all()


def test_a_method_that_chooses_a_view_has_no_grid_that_is_too_small(used):
    """BSV has as many points as views, so that wins over it are not those of a larger grid."""
    assert "BestSingleView" not in used["tunable"]
    assert {"IMG", "MIC", "UEAF"} <= set(used["tunable"])


def test_the_ledger_has_the_claims_of_the_texts(table):
    counts = dict.fromkeys("DUMCN", 0)
    for name in table.index:
        counts[re.match(r"[A-Z]", name)[0]] += 1
    assert counts == {"D": 22, "U": 21, "M": 15, "C": 11, "N": 5}


def with_steps(means, named=("e",), **keys):
    """A ledger with one claim, whose experiment is repeated with the printed steps."""
    made = MadeUp()
    for name, mean in means.items():
        made.add(name, {"A": points(mean), "B": points(60)})
    claim = {"paper": "toys", "place": "1", "says": "A is above B."}
    tests = [{"kind": "above", "experiments": list(named), "methods": ["A"], "against": ["B"]}]
    used, runs = made.slice(), made.runs()
    used |= {
        "claims": {"T1": claim | {"tests": tests}}, "published": [], "proposed": {},
        "printed_steps": {}, "repeated": {}, "extended": {}, "own_steps": ["A"],
    } | keys  # fmt: skip
    for name in used["declared"]:
        used["declared"][name] |= {"id": name, "item": "", "repetitions": 5}
    return Ledger(used, runs).table().loc[0]


def test_the_ledger_says_whether_a_verdict_turns_with_the_printed_steps():
    assert with_steps({"e": 70})["turns"] == "variant paper: not run"
    again = {"repeated": {"e": ["f"]}}
    assert with_steps({"e": 70, "f": 50}, **again)["turns"] == "variant paper: fails"
    assert with_steps({"e": 70, "f": 70}, **again)["turns"] == "variant paper: the same"
    assert with_steps({"e": 70}, own_steps=[])["turns"] == ""
    partly = with_steps({"e": 70, "f": 70, "g": 70}, named=["e", "g"], **again)
    assert partly["turns"] == "variant paper (f alone): the same"


def test_a_claim_is_tested_on_what_extends_its_experiment():
    """In its place, where a run has it; one that repeats it by the printed steps stands for all."""
    means = {"e": 70, "f": 50, "g": 50}
    assert with_steps(means)["verdict"] == "holds"
    extended = with_steps(means, extended={"e": ["f", "g"]})
    assert (extended["verdict"], extended["experiments"]) == ("fails", "f g")
    again = with_steps(means | {"h": 70}, extended={"e": ["f", "g"]}, repeated={"e": ["h"]})
    assert again["turns"] == "variant paper: holds"
