"""The test whether there are clusters: its size, its power, and what it says."""

import numpy as np
import pytest

from mvclust.masking import apply_mask, random_mask
from mvclust.structure import classes_as_clusters, clusters_exist, spectrum


def draw(n_samples, separation, seed, rate=0.3):
    """Two views of four features with a factor in common, two groups or one."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], n_samples // 2)
    factor = rng.standard_normal((n_samples, 1))
    Xs = [
        factor @ rng.normal(0, 0.5, (1, 4))
        + rng.standard_normal((n_samples, 4))
        + separation * y[:, None]
        for _ in range(2)
    ]
    return apply_mask(Xs, random_mask(n_samples, 2, rate, seed=seed))


def test_groups_far_apart_have_the_least_p_value():
    found = clusters_exist(draw(60, 20, seed=0), random_state=0)
    assert found.p_value == 1 / 100
    assert found.sentence == (
        "The samples are no even cloud (p ≤ 0.01): they fall into separate groups, or lie along a "
        "curve, or their features are skewed."
    )
    # Groups of few values.
    rng = np.random.default_rng(0)
    middle = np.where(np.arange(100) % 2, 4.3, 1.7)[:, None]
    answers = [np.clip(np.rint(middle + 0.7 * rng.standard_normal((100, 6))), 1, 5) for _ in "ab"]
    assert clusters_exist(answers, n_references=19, random_state=0).p_value == 0.05


def test_data_without_clusters_are_called_clusters_in_at_most_one_of_twenty_cases():
    """30 null data sets: more than 5 below 0.05 would have a chance below 1 % at that size."""
    p_values = [
        clusters_exist(draw(60, 0, seed), n_references=19, random_state=seed).p_value
        for seed in range(30)
    ]
    assert np.sum(np.array(p_values) <= 0.05) <= 5
    assert np.median(p_values) > 0.3


def discrete(law, rate, seed):
    """Two views of three features with few values and a factor in common."""
    rng = np.random.default_rng(seed)
    factor, views = rng.standard_normal((100, 1)), []
    for _ in range(2):
        X = factor @ rng.normal(0, 0.6, (1, 3)) + rng.standard_normal((100, 3))
        values = {
            "answers": np.clip(np.rint(4 + X), 1, 5),
            "counts": rng.poisson(np.exp(0.7 + 0.3 * X)),
            "binary": X > 0,
        }
        views.append(values[law].astype(float))
    return apply_mask(views, random_mask(100, 2, rate, seed=seed))


@pytest.mark.parametrize(
    ("law", "rate"), [("answers", 0), ("counts", 0), ("binary", 0), ("binary", 0.3)]
)
def test_few_values_are_no_groups(law, rate):
    """More than 4 of 20 would have a chance below 1 % at a size of 5 %."""
    p_values = [
        clusters_exist(discrete(law, rate, seed), n_references=19, random_state=seed).p_value
        for seed in range(20)
    ]
    assert np.sum(np.array(p_values) <= 0.05) <= 4


@pytest.mark.parametrize("where", ["all features", "a view", "a feature"])
def test_a_few_far_samples_are_a_group(where):
    rng = np.random.default_rng(1)
    Xs = [rng.standard_normal((100, 5)) for _ in range(2)]
    for X in Xs[: 2 if where == "all features" else 1]:
        X[:7, : 1 if where == "a feature" else 5] += 70
    assert clusters_exist(Xs, n_references=19, random_state=0).p_value == 0.05


def test_two_far_samples_and_missing_instances_are_no_groups():
    """Half of the samples have one view, half the other: a mask that k-means on zeros finds."""
    X = np.random.default_rng(1).standard_normal((100, 5))
    X[:2] += 70
    assert clusters_exist([X], n_references=19, random_state=0).p_value > 0.05
    rng = np.random.default_rng(0)
    Xs = [3 + rng.standard_normal((80, 6)) for _ in range(2)]
    Xs[0][:30], Xs[1][50:] = np.nan, np.nan
    found = clusters_exist(Xs, random_state=0)
    assert found.p_value > 0.05
    assert found.sentence.startswith("No evidence of separate groups")


def test_what_cannot_be_tested_is_said():
    for X in (np.eye(20), np.repeat(np.eye(20), 5, axis=0)):
        found = clusters_exist([X])
        assert np.isnan(found.p_value)
        why = "20 distinct samples, at least 40 are needed"
        assert found.sentence == f"Whether there are groups cannot be tested: {why}."
    Xs = np.random.default_rng(0).standard_normal((2, 60, 3))
    Xs[0, :30], Xs[1, 35:] = np.nan, np.nan
    assert "5 samples have two views, at least 10 must" in clusters_exist([*Xs]).sentence


def test_the_same_seed_gives_the_same_p_value_and_eigenvalues_near_one_count_groups():
    Xs = draw(60, 2, seed=1)
    first, second = (clusters_exist(Xs, n_references=9, random_state=3) for _ in range(2))
    assert first == second
    values = spectrum(draw(90, 20, seed=0, rate=0.1), 5)
    assert values[1] > 0.9
    assert values[1] - values[2] == max(values[:-1] - values[1:])


def test_of_wide_views_the_leading_components_are_tested():
    rng = np.random.default_rng(0)
    Xs = [rng.standard_normal((60, 400)) for _ in range(2)]
    assert clusters_exist(Xs, n_references=19, random_state=0).p_value > 0.05
    Xs[0][:30] += 3
    assert clusters_exist(Xs, n_references=19, random_state=0).p_value == 0.05


def test_classes_as_clusters_can_be_compared_between_data_sets():
    """Copies of samples, a scale and empty features change nothing; distance does."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    noise = rng.normal(size=(90, 4))
    values = [classes_as_clusters(d * np.eye(3, 4)[y] + noise, y) for d in (0, 1, 2, 4, 8)]
    assert values == sorted(values)
    assert 0 <= values[0] < 0.1
    assert values[-1] > 0.99
    X = 2 * np.eye(3, 4)[y] + noise
    same = [(7 * X + 3, y), (np.c_[X, np.zeros((90, 5))], y), (np.r_[X, X], np.r_[y, y])]
    for Z, classes in same:
        assert classes_as_clusters(Z, classes) == pytest.approx(values[2], rel=1e-9)
    with pytest.raises(ValueError, match="two classes"):
        classes_as_clusters(X, np.zeros(90))
