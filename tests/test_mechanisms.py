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


def information(y, presence):
    return mutual_info_score(y, presence @ 2 ** np.arange(presence.shape[1]))


# Name -> the scores of views and classes by a seed, the base, its rate.
MECHANISMS = {
    "class": (lambda Xs, y, seed: class_scores(y, 3, seed), random_mask, 0.4),
    "block": (lambda Xs, y, seed: class_scores(batches_of(Xs), 3, seed, what="block"), random_mask,
              0.4),
    "value": (lambda Xs, y, seed: value_scores(Xs), random_mask, 0.4),
    "other": (lambda Xs, y, seed: driven_scores(Xs, seed), driven_mask, 0.4),
    "exclusive": (lambda Xs, y, seed: class_scores(y, 3, seed), exclusive_mask, 0.7),
}  # fmt: skip


@pytest.mark.parametrize("name", MECHANISMS)
def test_missing_instances_differ_more_with_strength(name):
    rng, y = np.random.default_rng(0), np.arange(120) % 3
    Xs = [3 * rng.normal(size=(3, 4))[y] + rng.normal(size=(120, 4)) for _ in range(3)]
    scores_of, draw, rate = MECHANISMS[name]
    means = []
    for strength in (0, 0.2, 0.5, 0.75):
        found = []
        for seed in range(15):
            scores = scores_of(Xs, y, seed)
            presence = placed_mask(draw(120, 3, rate, seed), scores, strength, seed)
            found.append((np.nanmean(realised(scores, presence)), information(y, presence)))
        means.append(np.mean(found, axis=0))
    r, bits = np.transpose(means)
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
    y = np.repeat([0, 1], 50)
    for seed in range(5):  # with the labels each view loses another class
        presence = placed_mask(paired_mask(100, 0, seed), class_scores(y, 2, seed), 1.0, seed)
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
        lost = np.delete((~driven).sum(axis=0), 1)
        assert (lost == round(0.8 * rate * n)).all()


ONES, UNIT = np.ones((4, 2), dtype=bool), [np.eye(4) / 3 * 3] * 2
LACKING = ONES & (np.arange(4)[:, None] + [0, 2] > 1)  # view 0 lacks two instances


@pytest.mark.parametrize(
    ("ask", "said"),
    [
        (lambda: placed_mask(ONES, np.zeros((4, 2)), 1.2, 0), r"strength=1.2 is not between 0 and"),
        (lambda: class_scores(None, 2, 0), "pass y, or choose another protocol"),
        (lambda: class_scores([1, 1, 1], 2, 0), "class: y has one class only; nothing can depend"),
        (lambda: value_scores(UNIT, how="norm"), r"view 0 have the same norm .*'centre'"),
        (lambda: driven_mask(4, 2, 0.1, 0, available=LACKING), "view 0 drives .* lacks 2"),
        (lambda: driven_mask(4, 2, 0.9, 0), "view 1 would lose all instances"),
        (lambda: exclusive_mask(4, 2, 1.0, 0, LACKING), "4 samples that .*, but only 2 of 4"),
        (lambda: placed_mask(ONES, np.zeros((4, 3)), 0.5, 0), "expected a finite score"),
    ],
)
def test_what_is_impossible_is_a_sentence(ask, said):
    with pytest.raises(ValueError, match=said):
        ask()


def test_children_of_a_seed_are_other_streams():
    draws = [np.random.default_rng(s).random() for s in (5, child_seed(5, 0), child_seed(5, 1))]
    assert len(set(draws)) == 3
    nested = np.random.SeedSequence(5)
    assert np.random.default_rng(child_seed(nested, 0)).random() == draws[1]
    assert nested.n_children_spawned == 0
