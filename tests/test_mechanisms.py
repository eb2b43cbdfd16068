"""Masks with a mechanism: the base says which patterns there are, the scores who gets them."""

import itertools
from collections import Counter

import numpy as np
import pytest
from scipy import sparse, stats
from sklearn.metrics import mutual_info_score

from mvclust.masking import incomplete_mask, paired_mask, random_mask
from mvclust.mechanisms import (
    batches_of,
    child_seed,
    class_scores,
    driven_mask,
    driven_scores,
    exclusive_mask,
    normal_scores,
    placed_mask,
    realised,
    standard_scores,
    value_scores,
)

U = np.array([[1, -1], [0.5, 0], [-0.5, 1], [-1, 0]])
U3 = np.array([[1, 0, -1], [0, 1, 0], [-1, 0, 1], [0, -1, 0]])


def base_of(rows):
    """A mask of four samples whose first rows lack the views that are named, the others none."""
    base = np.ones((4, len(rows[0])), dtype=bool)
    base[: len(rows)] = [[lacked == "0" for lacked in row] for row in rows]
    return base


# Rows that lack views (1: lacks), scores and strength.
ENUMERATED = [
    (["10"], U, 0.5),
    (["10", "10"], U, 0.5),
    (["10", "01"], U, 0.5),
    (["10", "01", "01"], U, 0.5),
    (["10", "10", "01", "01"], U, 0.5),
    (["10", "01"], U, 2 / 3),
    (["10", "10", "01", "01"], U, 1.0),
    (["110", "101", "000", "010"], U3, 0.5),
]


def enumerate_law(base, scores, strength):
    """The probability of every mask, over the orders of the rows and the choices of each."""
    rows = [tuple(row) for row in ~base if row.any()]
    law, orders = Counter(), list(itertools.permutations(rows))

    def go_on(left, placed, probability):
        if not left:
            mask = np.ones(base.shape, dtype=bool)
            for sample, row in placed:
                mask[sample] = ~np.array(row)
            law[mask.tobytes()] += probability
            return
        free = [i for i in range(len(base)) if i not in [sample for sample, _ in placed]]
        sums = scores[free] @ np.array(left[0])
        if strength == 1:
            weights = (sums == sums.max()).astype(float)
        else:
            weights = np.exp(strength / (1 - strength) * sums)
        for sample, share in zip(free, weights / weights.sum(), strict=True):
            if share:
                go_on(left[1:], [*placed, (sample, left[0])], probability * share)

    for order in orders:
        go_on(order, [], 1 / len(orders))
    return law


@pytest.mark.parametrize(("rows", "scores", "strength"), ENUMERATED)
def test_the_law_is_that_of_the_enumeration(rows, scores, strength):
    base = base_of(rows)
    law = enumerate_law(base, scores, strength)
    draws = Counter(placed_mask(base, scores, strength, seed).tobytes() for seed in range(1000))
    assert draws.keys() <= law.keys()
    counts = [draws[mask] for mask in law]
    assert stats.chisquare(counts, [1000 * p for p in law.values()]).pvalue > 1e-4


BASES = {
    "random": lambda n, rate, seed: random_mask(n, 3, rate * 2 / 3, seed),
    "incomplete": lambda n, rate, seed: incomplete_mask(n, 3, rate, seed),
    "paired": paired_mask,
    "exclusive": lambda n, rate, seed: exclusive_mask(n, 3, rate, seed),
    "driven": lambda n, rate, seed: driven_mask(n, 3, rate * (n - 1) / n, seed),
}


def test_patterns_are_those_of_the_base_at_every_strength():
    rng = np.random.default_rng(0)
    for case in range(150):
        draw = BASES[list(BASES)[case % len(BASES)]]
        base = draw(int(rng.integers(6, 40)), rng.random(), case)
        scores = rng.integers(-2, 3, base.shape).astype(float)  # with ties
        for strength in (0, 0.01, 0.5, 0.9, 1):
            placed = placed_mask(base, scores, strength, case)
            assert sorted(map(tuple, placed)) == sorted(map(tuple, base))
            assert placed.any(axis=1).all()
            assert (placed == placed_mask(base, scores, strength, case)).all()
            assert strength or (placed == base).all()


def test_natural_patterns_stay_with_their_samples():
    rng = np.random.default_rng(1)
    available = rng.random((40, 3)) < 0.7
    available[~available.any(axis=1)] = True
    base = random_mask(40, 3, 0.2, 0, available)
    for strength in (0.3, 1):
        placed = placed_mask(base, rng.normal(size=(40, 3)), strength, 0, available)
        assert not (placed & ~available).any()
        for kind in np.unique(available, axis=0):
            same = (available == kind).all(axis=1)
            assert sorted(map(tuple, placed[same])) == sorted(map(tuple, base[same]))


def test_scores_are_those_of_the_worked_numbers():
    np.testing.assert_allclose(
        standard_scores(normal_scores([2, 4, 6, 100])[:, None])[:, 0],
        [-1.3629, -0.3775, 0.3775, 1.3629], atol=5e-5,
    )  # fmt: skip
    for seed in range(5):
        scores = class_scores([0, 0, 1, 1], 2, seed)
        assert np.abs(scores).tolist() == [[1, 1]] * 4
        assert (scores[:, 0] == -scores[:, 1]).all()
        assert len(set(scores[:2, 0])) == 1
    dense = np.array([[0.0, 1], [3, 0], [0, 0], [4, 4]])
    for how in ("centre", "norm"):
        scores = [value_scores([X], how) for X in (dense, sparse.csr_array(dense))]
        np.testing.assert_allclose(*scores)
        np.testing.assert_allclose(value_scores([dense], how, sign=-1), -scores[0])


def blobs(n=120, n_views=3, apart=3.0, seed=0):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3
    return [apart * rng.normal(size=(3, 4))[y] + rng.normal(size=(n, 4)) for _ in range(n_views)], y


def scores_by_mechanism(Xs, y, seed):
    return {
        "class": class_scores(y, len(Xs), seed),
        "block": class_scores(batches_of(Xs), len(Xs), seed, what="block"),
        "value": value_scores(Xs),
        "other": driven_scores(Xs, seed),
        "exclusive": class_scores(y, len(Xs), seed),
    }


def base_of_mechanism(name, n, n_views, seed):
    if name == "exclusive":
        return exclusive_mask(n, n_views, 0.7, seed)
    draw = driven_mask if name == "other" else random_mask
    return draw(n, n_views, 0.4, seed)


def information(y, presence):
    return mutual_info_score(y, presence @ 2 ** np.arange(presence.shape[1]))


@pytest.mark.parametrize("name", ["class", "block", "value", "other", "exclusive"])
def test_missing_instances_differ_more_with_strength(name):
    Xs, y = blobs()
    r, bits = [], []
    for strength in (0, 0.2, 0.5, 0.75):
        found = []
        for seed in range(15):
            scores = scores_by_mechanism(Xs, y, seed)[name]
            base = base_of_mechanism(name, 120, 3, seed)
            presence = placed_mask(base, scores, strength, seed)
            found.append((np.nanmean(realised(scores, presence)), information(y, presence)))
        r.append(np.mean(found, axis=0)[0])
        bits.append(np.mean(found, axis=0)[1])
    assert (np.diff(r) > 0.1).all()
    assert abs(r[0]) < 0.1
    if name in ("class", "exclusive"):
        assert (np.diff(bits) > 0).all()


def test_permuted_labels_carry_no_information():
    """Placement and scores follow other streams than the base, also where classes are sorted."""
    y, rng = np.repeat(np.arange(3), 40), np.random.default_rng(0)
    bits = {"placed": [], "base": []}
    for seed in range(25):
        base = random_mask(120, 3, 0.4, seed)
        scores = class_scores(rng.permutation(y), 3, seed)
        bits["placed"].append(information(y, placed_mask(base, scores, 1.0, seed)))
        bits["base"].append(information(y, base))
    assert stats.ttest_ind(bits["placed"], bits["base"]).pvalue > 1e-3


def test_each_view_loses_other_classes():
    y = np.repeat([0, 1], 50)
    for seed in range(5):
        base = paired_mask(100, 0, seed)
        presence = placed_mask(base, class_scores(y, 2, seed), 1.0, seed)
        assert information(y, presence) == pytest.approx(np.log(2))


def test_batches_follow_the_largest_structure_and_not_the_missing_rows():
    rng = np.random.default_rng(0)
    along = rng.permutation(np.arange(60.0))
    Xs = [np.outer(along, rng.normal(size=5)) + rng.normal(size=(60, 5)) for _ in range(2)]
    batches = batches_of(Xs)
    assert np.bincount(batches).tolist() == [6] * 10
    assert abs(stats.spearmanr(batches, along).statistic) > 0.95
    Xs[0][7] = np.nan
    there = np.ones((60, 2), dtype=bool)
    there[7, 0] = False
    same = [np.where(np.isnan(X), 1e9, X) for X in Xs]
    assert (batches_of(Xs) == batches_of(same, available=there)).all()
    apart = [sparse.csr_array(np.nan_to_num(X)) for X in Xs]
    assert (batches_of(apart, available=there) == batches_of(Xs)).all()


def test_bases_keep_what_they_say():
    for n, n_views, rate in ((7, 3, 1.0), (5, 2, 0.8), (50, 4, 0.3)):
        presence = exclusive_mask(n, n_views, rate, 0)
        single = presence.sum(axis=1) == 1
        assert single.sum() == round(rate * n)
        assert presence[~single].all()
        counts = presence[single].sum(axis=0)
        assert np.ptp(counts) <= 1
        assert (np.diff(counts) <= 0).all()
        driven = driven_mask(n, n_views, rate * 0.8, 0, driver=1)
        assert driven[:, 1].all()
        assert (
            (~driven).sum(axis=0)[[v for v in range(n_views) if v != 1]] == round(0.8 * rate * n)
        ).all()


def test_what_is_impossible_is_a_sentence():
    ones = np.ones((4, 2), dtype=bool)
    lacking = ones.copy()
    lacking[:2, 0] = False
    unit = [np.eye(4), np.eye(4)]
    with pytest.raises(ValueError, match=r"strength=1.2 is not between 0 and 1\."):
        placed_mask(ones, np.zeros((4, 2)), 1.2, 0)
    with pytest.raises(ValueError, match="pass y, or choose another protocol"):
        class_scores(None, 2, 0)
    with pytest.raises(ValueError, match="class: y has one class only; nothing can depend on it"):
        class_scores([1, 1, 1], 2, 0)
    with pytest.raises(ValueError, match=r"all instances of view 0 have the same norm .*'centre'"):
        value_scores([X / 3 * 3 for X in unit], how="norm")
    with pytest.raises(ValueError, match="view 0 drives the others and lacks 2 instances"):
        driven_mask(4, 2, 0.1, 0, available=lacking)
    with pytest.raises(ValueError, match="view 1 would lose all instances"):
        driven_mask(4, 2, 0.9, 0)
    with pytest.raises(ValueError, match="asks for 4 samples that keep one view, but only 2 of 4"):
        exclusive_mask(4, 2, 1.0, 0, lacking)
    with pytest.raises(ValueError, match="expected a finite score"):
        placed_mask(ones, np.zeros((4, 3)), 0.5, 0)


def test_children_of_a_seed_are_other_streams():
    draws = [np.random.default_rng(s).random() for s in (5, child_seed(5, 0), child_seed(5, 1))]
    assert len(set(draws)) == 3
    nested = np.random.SeedSequence(5)
    assert np.random.default_rng(child_seed(nested, 0)).random() == draws[1]
    assert nested.n_children_spawned == 0
