"""The sentences on what results say, against numbers that are known."""

import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import FAILED, describe, result, table_of
from bench.report.test_render import CASE, KINDS, RUNS, scores_of

from mvclust.bench.report.findings import finding

OWN = {"paper": "key-a"}  # the key of the method A


def test_who_has_the_highest_mean_and_how_far_we_are_from_print():
    rows = [
        result(method=method, missing_rate=rate, mean=mean, published=printed,
               difference=mean - printed)
        for method, rate, mean, printed in (
            ("A", 0.1, 60.0, 50.0), ("A", 0.5, 40.0, 36.0), ("B", 0.1, 55.0, 55.0),
            ("B", 0.5, 45.0, 41.0),
        )
    ]  # fmt: skip
    worse = [row | {"tuning": "default", "mean": 99.0} for row in rows]  # does not count
    said = finding(describe(**OWN), table_of(rows + worse), RUNS)
    assert (
        "Highest mean of the methods compared there in 2 cells, oracle tuning. A: 1; B: 1." in said
    )
    assert "A from missing rate 0.1 to 0.5: ACC 60.0 % to 40.0 % on toy." in said
    assert "on average: +4.5 points for all (4 numbers), +7.0 points for A (2 numbers)." in said


def test_a_tie_counts_for_each_of_the_highest():
    one, other = 100 * np.mean([0.1, 0.2, 0.3]), 100 * np.mean([0.3, 0.2, 0.1])
    assert one != other
    rows = [
        result(method=method, missing_rate=rate, mean=mean)
        for rate in (0.1, 0.5)
        for method, mean in zip("AB", (one, other) if rate == 0.1 else (other, one), strict=True)
    ]
    text = finding(describe(**OWN), table_of(rows), RUNS)
    head = "Highest mean of the methods compared there in 2 cells, oracle tuning"
    assert f"{head}, ties counted for each. A: 2; B: 2." in text


def test_the_range_of_a_sweep():
    rows = [
        result(tuning="fixed", mean=mean, points=[{"alpha": alpha}])
        for alpha, mean in ((0.1, 50.0), (1, 80.0), (10, 77.0), (100, 20.0))
    ]
    described = describe(x="parameter", sweep=True, axes=["alpha"], methods=["A"])
    assert finding(described, table_of(rows), RUNS) == (
        "ACC from 20.0 % to 80.0 % (best at alpha=1; 50 % of the points within 5 points of it)."
    )


def test_where_a_run_has_settled():
    rows = [
        result(tuning="fixed", mean=mean, points=[{"max_iter": n}])
        for n, mean in ((1, 0.4), (2, 0.6), (5, 0.5))
    ]
    described = describe(
        "convergence", sweep=True, axes=["max_iter"], methods=["A"], cases=[CASE], unit="fraction"
    )
    said = finding(described, table_of(rows), RUNS)
    assert "the objective never rises and is within 0.1 % of its end from iteration 5 on" in said
    assert "ACC 0.40 after 1, 0.50 after 5" in said
    runs = RUNS.assign(objective=[[9.0], [9.0, 8.0], [9.0, 8.0, 8.5, 7.001, 7.0], [1.0] * 9])
    said = finding(described, table_of(rows), runs)
    assert "rises in 1 of 4 steps and is within 0.1 % of its end from iteration 4 on" in said


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_has_a_finding(kind):
    described, rows = kind()
    said = finding(described, scores_of(rows), RUNS)
    assert said.endswith(".")
    assert "nan" not in said
    nothing = pd.DataFrame(columns=["key", "n_iter", "objective"])
    failed = table_of([result(**row | FAILED) for row in rows])
    assert finding(described, failed, nothing) == "No results: data not available."
    assert finding(described, table_of([]), nothing) == "No results."


def test_data_sets_without_results_are_named():
    rows = [result(method=method) for method in "AB"]
    rows += [result(method=method, dataset="far", **FAILED) for method in "AB"]
    assert finding(describe(), table_of(rows), RUNS).endswith("Not available: far.")
