"""Whether missingness is informative: the test keeps its level, and finds what is planted."""

import itertools

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.linear_model import Ridge

from mvclust.masking import incomplete_mask, random_mask
from mvclust.mechanisms import class_scores, driven_mask, exclusive_mask, placed_mask, value_scores
from mvclust.missingness import describe_missingness, missingness_test

REPETITIONS = 100
LEVEL = 0.05


def two_views(seed, n=80):
    """Two views of three blobs, whose samples have sizes that the views share."""
    rng = np.random.default_rng(seed)
    y, size = np.arange(n) % 3, rng.lognormal(0, 0.4, (n, 1))
    return [rng.normal(size=(3, 4))[y] + size * rng.normal(size=(n, 4)) for _ in range(2)], y


def results_of(mask_of):
    """The tests on views and masks of other seeds."""
    for seed in range(REPETITIONS):
        Xs, y = two_views(seed)
        yield missingness_test(Xs, mask_of(Xs, y, seed), n_permutations=199, seed=seed)


@pytest.mark.parametrize("draw", [random_mask, incomplete_mask, exclusive_mask])
def test_the_size_is_at_most_the_level(draw):
    """More rejections would be as unlikely as one in a thousand; Bonferroni's are fewer."""
    results = results_of(lambda Xs, y, seed: draw(len(y), 2, 0.4, seed))
    count = sum(result.p <= LEVEL for result in results)
    assert count <= stats.binom.ppf(0.999, REPETITIONS, LEVEL)


def test_the_p_of_a_view_is_exact():
    """Where one view can be tested, nothing is corrected: at each level its share is rejected."""
    results = results_of(lambda Xs, y, seed: driven_mask(len(y), 2, 0.4, seed))
    p = np.array([result.p for result in results])
    for level in (LEVEL, 0.2, 0.5):
        low, high = stats.binom.ppf([0.001, 0.999], REPETITIONS, level)
        assert low <= (p <= level).sum() <= high


def test_the_auc_is_that_of_regressions_without_the_pair():
    rng = np.random.default_rng(0)
    X, there = rng.normal(size=(24, 3)), np.arange(24) % 3 > 0
    X[there, 0] += 1
    presence = np.column_stack([np.ones(24, bool), there])
    (of,) = missingness_test([X, X], presence, 1).views
    Z = (X - X.mean(axis=0)) / X.std(axis=0)
    penalty = 5 * (Z**2).sum() / 24
    leads = []
    for i, j in itertools.product(np.flatnonzero(there), np.flatnonzero(~there)):
        rest = np.setdiff1d(np.arange(24), [i, j])
        ridge = Ridge(alpha=penalty).fit(Z[rest], there[rest].astype(float))
        leads.append(np.diff(ridge.predict(Z[[j, i]]))[0] > 0)
    assert of.aucs[1] == pytest.approx(np.mean(leads))


SCORES = {
    "class": lambda Xs, y, seed: class_scores(y, len(Xs), seed),
    "value": lambda Xs, y, seed: value_scores(Xs),
}


@pytest.mark.parametrize(("mechanism", "power"), [("class", 0.9), ("value", 0.5)])
def test_a_planted_mechanism_is_found(mechanism, power):
    """Fewer rejections would be as unlikely as one in a thousand if the power were as stated.

    Sizes of a sample agree between views, so that one says which values the other lost: magnitude
    finds what location does not.
    """

    def mask_of(Xs, y, seed):
        base = random_mask(len(y), 2, 0.4, seed)
        return placed_mask(base, SCORES[mechanism](Xs, y, seed), 0.67, seed)

    results = list(results_of(mask_of))
    count = sum(result.p <= LEVEL for result in results)
    assert count >= stats.binom.ppf(0.001, REPETITIONS, power)
    by_location = sum(2 * min(of.p_location for of in r.views) <= LEVEL for r in results)
    assert mechanism == "class" or count > 1.5 * by_location


def test_p_is_that_of_all_permutations():
    """One view with eight samples, so small that all placements can be listed, repeated."""
    x = np.array([1.0, 2, 3, 4, 10, 11, 12, 13] * 3)[:, None]
    there = np.array([1, 1, 1, 0, 1, 0, 0, 0] * 3, dtype=bool)
    presence = np.column_stack([np.ones(24, dtype=bool), there])
    (of,) = missingness_test([x, np.zeros((24, 1))], presence, n_permutations=1999).views
    # The affinities and the statistic of location, written out.
    z = ((x - x.mean()) / x.std())[:, 0]
    D = (z[:, None] - z) ** 2
    kernel = np.exp(-D / np.median(D[np.triu_indices(24, 1)]))
    y = (there - there.mean()) / there.std()
    draws = np.array([np.random.default_rng(seed).permutation(y) for seed in range(2000)])
    as_large = np.sum((draws @ kernel) * draws, axis=1) >= y @ kernel @ y - 1e-9
    assert of.p_location == pytest.approx(as_large.mean(), abs=0.03)
    assert of.p_magnitude == 1.0  # as far from the mean with the view as without


def test_only_present_rows_and_no_units_count():
    Xs, y = two_views(0)
    presence = placed_mask(random_mask(80, 2, 0.4, 0), class_scores(y, 2, 0), 0.67, 0)
    expected = missingness_test(Xs, presence, 199)
    masked = [np.where(there[:, None], X, np.nan) for X, there in zip(Xs, presence.T, strict=True)]
    filled = [np.nan_to_num(X, nan=1e300) for X in masked]
    scaled = [Xs[0] * 1e6, Xs[1] / 1e6]
    assert missingness_test(masked, None, 199).p == expected.p
    assert missingness_test(filled, presence, 199).p == expected.p
    assert missingness_test(scaled, presence, 199).p == expected.p
    thin = [sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0)) for X in Xs]
    larger = [X * 1e6 for X in thin]
    assert missingness_test(thin, presence, 199).p == missingness_test(larger, presence, 199).p
    # Of samples of unit length the norms differ by rounding, which is no magnitude.
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 5))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    presence = random_mask(60, 2, 0.4, 0)
    assert np.ptp(np.linalg.norm(X, axis=1)) > 0
    result = missingness_test([sparse.csr_array(X)] * 2, presence, 99)
    assert {of.p_magnitude for of in result.views} == {1.0}


def test_what_cannot_be_tested_gives_no_p_and_of_many_samples_some_are_drawn():
    X = np.arange(19.0)[:, None]
    few = np.ones((19, 2), dtype=bool)
    few[:8, 1] = False
    assert np.isnan(missingness_test([X, X], few).p)
    X, complete = np.arange(40.0)[:, None], np.ones((40, 2), dtype=bool)
    result = missingness_test([X, X], complete)
    assert np.isnan(result.p)
    assert describe_missingness(result, ["a", "b"]) == []
    rng = np.random.default_rng(0)
    X, presence = rng.normal(size=(1100, 2)), random_mask(1100, 2, 0.05, 0)
    result = missingness_test([X, X], presence, 19)
    assert [of.n_samples for of in result.views] == [1000, 1000]
    assert result.p == missingness_test([X, X], presence, 19).p
