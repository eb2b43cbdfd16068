"""Tests over data sets and means over rates: known values, and what must not matter."""

import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import describe, grid_of, scores_of
from scipy import stats

from mvclust.bench.score import significance
from mvclust.bench.score.overall import against_reference, over_rates, unlike_own
from mvclust.bench.score.significance import compare_methods, holm, is_best
from mvclust.numerics.ties import best_of

# Equal means that differ in their last digit.
ONE, OTHER = np.mean([0.1, 0.2, 0.3]), np.mean([0.3, 0.2, 0.1])


def test_means_that_differ_by_rounding_are_ties_in_ranks_wins_and_tests():
    factor, turns = np.linspace(1, 2, 9), np.arange(9) % 3 == 0
    a, b = np.where(turns, [[ONE], [OTHER]], [[OTHER], [ONE]]) * factor  # in turn the higher
    data = pd.DataFrame({"a": a, "b": b, "c": 0.5 * ONE * factor})
    assert ONE != OTHER
    assert (data["a"] != data["b"]).all()
    table = compare_methods(data)[0].set_index("method")
    numbers = table.loc[["a", "b", "c"], ["rank", "wins", "losses"]].to_numpy().tolist()
    assert numbers == [[1.5, 9, 0], [1.5, 9, 0], [3.0, 0, 18]]
    assert table.loc["b", "p_holm"] == 1.0
    assert not significance.win_matrix(data).loc[["a", "b"], ["a", "b"]].any(axis=None)
    assert compare_methods(data)[1] == pytest.approx(compare_methods(data.round(6))[1])


def test_equal_differences_have_equal_ranks_in_wilcoxon_s_test():
    base = np.linspace(0.1, 0.9, 8)
    steps = np.array([0.1, -0.1, 0.1, 0.1, 0.2, 0.1, -0.1, 0.3])
    assert len(set(np.abs((base + steps) - base))) > 3  # by rounding; in truth they are 3
    assert significance.wilcoxon_p(base + steps, base) == stats.wilcoxon(np.round(steps, 3)).pvalue


def test_the_first_of_equal_scores_is_chosen_and_all_are_marked():
    assert best_of([OTHER, ONE]) == best_of([ONE, OTHER]) == 0
    assert best_of([np.nan, 0.1, OTHER, ONE]) == 2
    marks = is_best(np.array([[OTHER, 0.1, np.nan], [ONE, 0.3, np.nan], [0.1, np.nan, np.nan]]))
    assert marks.tolist() == [[True, False, False], [True, True, False], [False, False, False]]


def test_table_of_methods():
    rng, quality = np.random.default_rng(0), {"good": 3.0, "fair": 2.0, "alike": 2.0, "poor": 0.0}
    data = pd.DataFrame({name: mean + rng.normal(size=20) for name, mean in quality.items()})
    table, friedman_p = compare_methods(data)
    assert table["method"].iloc[[0, -1]].tolist() == ["good", "poor"]
    assert table["rank"].sum() == pytest.approx(1 + 2 + 3 + 4)
    assert friedman_p == pytest.approx(stats.friedmanchisquare(*data.to_numpy().T).pvalue)
    assert friedman_p < 1e-4
    assert table["wins"].sum() == table["losses"].sum() == 20 * 6
    raw = [stats.wilcoxon(data["good"], data[m]).pvalue for m in table["method"][1:]]
    assert (table["p_holm"][1:] >= np.array(raw) - 1e-15).all()
    assert table["p_holm"][1:].min() == pytest.approx(3 * min(raw))
    assert ((table["ci_low"] < table["mean"]) & (table["mean"] < table["ci_high"])).all()


def test_holm_corrects_the_least_first():
    p_values = np.array([0.02, 0.9, 0.011, 0.011, 0.3])
    corrected = holm(p_values)
    assert corrected == pytest.approx([0.06, 0.9, 0.055, 0.055, 0.6])
    order = np.random.default_rng(0).permutation(5)
    assert holm(p_values[order]) == pytest.approx(corrected[order])
    assert len(holm([])) == 0


def test_bootstrap_interval_covers_the_mean():
    samples = np.random.default_rng(0).normal(size=(100, 40))
    ends = [significance.bootstrap_interval(sample, n_draws=300) for sample in samples]
    low, high = np.transpose(ends)
    assert ((low <= 0) & (high >= 0)).sum() > 85


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
    assert over_rates(results).dtypes.equals(results.dtypes)
    table = against_reference(over_rates(results), ["key-reference", "key-other"])
    assert set(table["reference"]) == {"other"}
    assert table.set_index("method").loc["reference", "n_datasets"] == 7
    assert against_reference(over_rates(results), ["key-reference"]).empty


def test_means_that_differ_by_rounding_are_neither_above_nor_below_nor_in_another_order():
    low, high = sorted([100 * ONE, 100 * OTHER])
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
