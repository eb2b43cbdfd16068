"""Means over the rates, and methods beside the best reference."""

import numpy as np
import pytest
from bench.report.made_up import describe, grid_of, scores_of

from mvclust.bench.score.overall import against_reference, over_rates, unlike_own

RATES = [0.1, 0.5, 0.9]
DATASETS = [f"d{i}" for i in range(8)]


def scored(methods):
    """Results of methods whose scores lie where `methods` says, each with an interval of ± 1."""
    rows = grid_of(dataset=DATASETS, missing_rate=RATES, method=list(methods), std=[1.0])
    noise = 0.1 * np.random.default_rng(0).normal(size=len(rows))
    return scores_of(
        [row | {"mean": methods[row["method"]] + e} for row, e in zip(rows, noise, strict=True)]
    )


def test_the_mean_over_the_rates_and_its_interval():
    numbers = zip(RATES, [50.0, 40.0, 30.0], [3.0, 4.0, 0.0], (0, 0, 1), strict=True)
    rows = [
        {"missing_rate": rate, "mean": mean, "std": std, "n_runs": 5, "points": [{"a": a}]}
        for rate, mean, std, a in numbers
    ]
    (row,) = over_rates(scores_of(rows)).to_dict("records")
    assert row["mean"] == pytest.approx(40.0)
    assert row["std"] == pytest.approx(np.sqrt(25 / 3))
    # The variance of the mean of three means of five runs; 12 degrees of freedom, t = 2.1788.
    half = 2.1788 * np.sqrt((9 / 5 + 16 / 5) / 9)
    assert (row["ci_low"], row["ci_high"]) == pytest.approx((40 - half, 40 + half), abs=1e-4)
    assert row["points"] == [{"a": 0}, {"a": 1}]
    assert np.isnan(row["missing_rate"])


def test_a_rate_without_a_score_leaves_the_mean_empty():
    rows = grid_of(missing_rate=RATES, method=["A", "B"])
    rows[1]["mean"] = np.nan
    found = over_rates(scores_of(rows)).set_index("method")
    assert found["mean"].isna().tolist() == [False, True]
    assert found.loc["A", "n_runs"] == 5


def test_a_reference_that_lacks_data_is_none():
    results = scored({"A": 60, "reference": 50, "other": 20})
    results.loc[(results["method"] == "reference") & (results["dataset"] == "d0"), "mean"] = np.nan
    table = against_reference(over_rates(results), ["key-reference", "key-other"])
    assert set(table["reference"]) == {"other"}
    assert table.set_index("method").loc["reference", "n_datasets"] == 7
    assert against_reference(over_rates(results), ["key-reference"]).empty


def test_means_that_differ_by_rounding_are_neither_above_nor_below_nor_in_another_order():
    low, high = sorted([100 * np.mean([0.1, 0.2, 0.3]), 100 * np.mean([0.3, 0.2, 0.1])])
    assert low < high
    means = {"A": low, "B": high, "reference": low, "second": high}
    rows = [
        row | dict.fromkeys(("mean", "ci_low", "ci_high"), means[row["method"]])
        for row in grid_of(dataset=DATASETS, method=list(means))
    ]
    table = against_reference(scores_of(rows), ["key-reference", "key-second"])
    assert table["reference"].tolist() == ["reference"] * 3
    assert table["method"].tolist() == ["A", "B", "second"]
    assert table[["above", "below"]].eq(0).all(axis=None)
    assert table["p_holm"].eq(1).all()


def test_nothing_is_tested_on_a_sweep_or_with_too_few_blocks():
    results = scored({"own": 60, "poor": 30})
    few = results[results["dataset"].isin(DATASETS[:2])]  # six blocks: p is 2 / 2**6 at least
    own = describe(own=["own"])
    assert len(unlike_own(own, few)) == 1
    assert unlike_own(own, few[few["missing_rate"] < 0.9]).empty
    assert unlike_own(own | {"sweep": True}, results).empty
    assert unlike_own(describe(), results).empty
