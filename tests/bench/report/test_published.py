"""Published numbers beside ours."""

import pytest
from bench.report.made_up import describe, methods_of, printed_number, result, table_of

from mvclust.bench.claims.published import FEW, NOT_DECIDED, compare
from mvclust.bench.report.published import write_comparison

METHODS = methods_of("A", "B", published={"A": ["A"], "B": ["B", "Bee"]})
DESCRIBED = [describe(item="table1", methods=["A", "B"])]


def verdict_of(number, printed_std=None, **changes):
    """The verdict on one number, and the note."""
    numbers, results = [printed_number(mean=number, std=printed_std)], table_of([result(**changes)])
    (row,) = compare(DESCRIBED, {"toy": results}, numbers, METHODS).to_dict("records")
    return row["verdict"], row["note"]


VERDICTS = {(51, 1): "same", (51, 0.3): "negligible difference", (52, 3): "undecided"}
VERDICTS |= {(46, 1): "different", (53, 1): "different"}
VERDICTS |= {(53, 1, 5.0): "undecided"}  # a printed deviation widens the interval


@pytest.mark.parametrize("numbers", VERDICTS)
def test_verdicts_of_a_whole_run(numbers):
    number, std, *printed_std = numbers
    assert verdict_of(number, *printed_std, std=std) == (VERDICTS[numbers], "")


@pytest.mark.parametrize(
    ("changes", "verdict", "note"),
    [
        ({"n_samples": 80}, NOT_DECIDED, "Cut run: 80 of 100 samples."),
        ({"grid_points": 1}, "not decided", "Cut run: 1 of 4 grid points."),
        ({"repetitions": 2, "n_runs": 2}, "not decided", "Cut run: 2 of 5 masks."),
        ({"repetitions": 3, "n_runs": 3}, "undecided", "Cut run: 3 of 5 masks."),
        ({"n_runs": 2, "note": "3 of 5 fits failed"}, "not decided", "3 of 5 fits failed"),
        ({"repetitions": 1, "repetitions_declared": 1, "n_runs": 1}, FEW, ""),
        ({"mean": None, "note": "no data", "n_runs": 0}, "not available", "no data"),
    ],
)
def test_no_verdict_on_cut_data(changes, verdict, note):
    assert verdict_of(50.0, **changes) == (verdict, note)


# What a run has, and the keys under which the paper prints it; then keys that no run has.
FOUND = [
    ({"method": "A"}, {}),
    ({"method": "B"}, {"method": "Bee"}),
    ({"missing_rate": 0.1 + 0.2, "metric": "F-score"}, {"metric": "f_score"}),
    ({"missing_rate": None, "mapped_rate": 1.0, "view": 2}, {"missing_rate": None, "view": 2}),
    ({"missing_rate": None, "protocol": "complete"}, {"missing_rate": None}),
    ({"missing_rate": None, "paired_rate": 0.3}, {"missing_rate": None, "paired_rate": 0.3}),
]
UNKNOWN = [{"missing_rate": 0.5}, {"method": "Z"}, {"dataset": "elsewhere"}]


def test_numbers_are_found_by_typed_keys():
    rows = [result(mean=10.0 * i, **row) for i, (row, _) in enumerate(FOUND, 1)]
    rows.append(result(mean=11.0, tuning="default"))
    numbers = [printed_number(mean=10.0 * i, **place) for i, (_, place) in enumerate(FOUND, 1)]
    numbers += [printed_number(**place) for place in UNKNOWN]
    comparison = compare(DESCRIBED, {"toy": table_of(rows)}, numbers, METHODS)
    matches, others = comparison[: len(FOUND)], comparison[len(FOUND) :]
    assert matches["reproduced"].tolist() == matches["published"].tolist()
    settings = [*["missing_rate=0.3"] * 3, "view=2", "random", "paired_rate=0.3"]
    assert matches["setting"].tolist() == settings
    assert others["reproduced"].isna().all()
    assert set(others["note"]) == {"not in this run"}
    assert set(others["verdict"]) == {"not available"}


def test_a_run_that_reproduces_no_number_says_so(tmp_path):
    write_comparison(compare([], {}, [printed_number()], []), tmp_path)
    assert "not in this run" in (tmp_path / "tables/published_vs_reproduced.md").read_text()
    figure = (tmp_path / "figures/published_vs_reproduced.svg").read_text()
    assert "No published number was reproduced" in figure.replace("\n", " ")


def test_points_of_a_sweep_are_not_chosen_from():
    rows = table_of([result(tuning="fixed", points=[{"alpha": alpha}]) for alpha in (1, 2)])
    (row,) = compare(DESCRIBED, {"toy": rows}, [printed_number()], METHODS).to_dict("records")
    assert (row["verdict"], row["note"]) == ("not available", "several results, none chosen")
