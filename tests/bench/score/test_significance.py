"""Tests over data sets: known values, and what must not matter."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from mvclust.bench.score import significance
from mvclust.bench.score.significance import compare_methods, holm, is_best
from mvclust.numerics.ties import best_of


def scores(n_blocks=20, seed=0):
    rng = np.random.default_rng(seed)
    quality = {"good": 3.0, "fair": 2.0, "alike": 2.0, "poor": 0.0}
    return pd.DataFrame({m: q + rng.normal(size=n_blocks) for m, q in quality.items()})


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
    data = scores()
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
