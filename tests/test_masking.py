"""Protocols of incomplete data."""

import hashlib

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import maximum_bipartite_matching

from mvclust.masking import apply_mask, incomplete_mask, paired_mask, random_mask

# The digests of masks drawn on complete data by the first version of these functions: results of
# earlier runs stay comparable.
RANDOM = {
    (10, 2, 0.5, 0): "95f9519e9c884ad7",
    (97, 3, 0.3, 1): "7c36a851df488f11",
    (200, 5, 0.8, 2): "f9c9fb79845ab461",
    (60, 4, 0.75, 7): "ba56a84c63bf50c3",
    (416, 3, 0.1, 3): "cb2670f01615aa19",
}
PAIRED = {
    (10, 0.4, 0): "de319e2cdd5c27d3",
    (97, 0.0, 1): "7681d60dff4d77a9",
    (200, 0.7, 2): "ebc3f038560cc0e1",
    (45, 1.0, 3): "8a517c8d2f8c62d6",
    (31, 0.1, 4): "a490d917b37902fe",
}


@pytest.mark.parametrize("arguments", RANDOM | PAIRED)
def test_masks_of_complete_data_never_change(arguments):
    draw, n_views = (random_mask, arguments[1]) if arguments in RANDOM else (paired_mask, 2)
    everything = np.ones((arguments[0], n_views), dtype=bool)
    for available in ({}, {"available": everything}):
        mask = draw(*arguments, **available)
        content = np.packbits(mask).tobytes() + str(mask.shape).encode()
        assert hashlib.sha256(content).hexdigest()[:16] == (RANDOM | PAIRED)[arguments]
    assert everything.all()


@st.composite
def availabilities(draw, most_views=5):
    """Complete data, or naturally incomplete: every sample has an instance, often only one."""
    n_samples, n_views = draw(st.integers(2, 60)), draw(st.integers(2, most_views))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    available = rng.random((n_samples, n_views)) < draw(st.just(1.0) | st.floats(0, 1))
    available[np.arange(n_samples), rng.integers(0, n_views, n_samples)] = True
    return available


def is_possible(available, kept):
    """Whether each sample can be given a view of its own, view v at most kept[v] times."""
    slots = np.repeat(np.arange(len(kept)), kept)
    match = maximum_bipartite_matching(sparse.csr_array(available[:, slots]), perm_type="column")
    return bool((match >= 0).all())


@given(available=availabilities(), rate=st.floats(0, 0.8), seed=st.integers(0, 1000))
@settings(max_examples=300, deadline=None)
def test_random_mask_removes_the_same_share_from_each_view(available, rate, seed):
    """It leaves each sample an instance, and fails only if it must."""
    removed = np.array([round(rate * int(n)) for n in available.sum(axis=0)])
    kept = available.sum(axis=0) - removed
    if not is_possible(available, kept):
        with pytest.raises(ValueError, match="is not possible"):
            random_mask(*available.shape, rate, seed, available)
        return
    presence = random_mask(*available.shape, rate, seed, available)
    assert (presence.sum(axis=0) == kept).all()
    assert presence.any(axis=1).all()
    assert not (presence & ~available).any()
    assert (presence == random_mask(*available.shape, rate, seed, available)).all()


@pytest.mark.parametrize(
    ("views", "times", "kept"),
    [
        ([[0, 0], [0, 1], [1, 2]], 4, [5, 5, 2]),
        ([[0, 0], [0, 1], [1, 2], [2, 3]], [4, 2, 2, 4], [4, 2, 4, 2]),
    ],
)
def test_random_mask_exchanges_over_as_many_samples_as_it_takes(views, times, kept):
    """View 0 may come to a sample by others, one or two, that each change views."""
    available = (np.repeat(views, times, axis=0)[:, :, None] == np.arange(len(kept))).any(axis=1)
    for seed in range(20):
        presence = random_mask(12, len(kept), 0.4, seed, available)
        assert (presence <= available).all()
        assert presence.any(axis=1).all()
        assert presence.sum(axis=0).tolist() == kept


def test_what_is_not_possible_is_said():
    available = np.ones((10, 6), dtype=bool)
    available[:6, 1:] = False
    with pytest.raises(ValueError, match=r"rate=0.5 .* 6 samples .* views than 0, .* keep 5 inst"):
        random_mask(10, 6, 0.5, 0, available)
    for rate in (0.6, 1.0):
        with pytest.raises(ValueError, match=r"keeps one only for rates from 0 to 0.5"):
            random_mask(10, 2, rate, 0)
    with pytest.raises(ValueError, match="asks for 2 incomplete samples, but only 1 of 2"):
        incomplete_mask(2, 2, 1.0, 0, np.array([[True, False], [True, True]]))


@given(available=availabilities(most_views=2), rate=st.floats(0, 1), seed=st.integers(0, 1000))
@settings(max_examples=200, deadline=None)
def test_paired_mask_halves_the_rest(available, rate, seed):
    n_samples, natural = len(available), ~available.all(axis=1)
    n_paired = round(rate * n_samples)
    if n_paired > n_samples - natural.sum():
        with pytest.raises(ValueError, match="is not possible"):
            paired_mask(n_samples, rate, seed, available)
        return
    presence = paired_mask(n_samples, rate, seed, available)
    assert presence.all(axis=1).sum() == n_paired
    assert presence.any(axis=1).all()
    assert not (presence & ~available).any()
    assert (presence[natural] == available[natural]).all()
    # The halves are equal unless the natural ones alone are more than a half.
    lacking, by_nature = (~presence).sum(axis=0), (~available).sum(axis=0)
    if lacking[0] > lacking[1]:
        assert lacking[0] == by_nature[0]
    elif lacking[1] > lacking[0] + 1:
        assert lacking[1] == by_nature[1]


@pytest.mark.parametrize(
    ("available", "message"),
    [
        (np.ones((4, 3), bool), r"available has the shape \(4, 3\), expected \(4, 2\)"),
        (np.ones((4, 2)), "type float64"),
        (np.eye(4, 2, dtype=bool), "2 samples have no available instance, the first is sample 2"),
    ],
)
def test_wrong_availability_is_refused(available, message):
    with pytest.raises(ValueError, match=message):
        random_mask(4, 2, 0.1, 0, available)
    with pytest.raises(ValueError, match=message):
        paired_mask(4, 0.1, 0, available)


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_apply_mask_marks_rows_of_a_copy_of_the_same_kind(kind):
    X = kind([[0, 2], [3, 0], [0, 0]])
    (masked,) = apply_mask([X], [[True], [False], [True]])
    assert sparse.issparse(masked) == sparse.issparse(X)
    values = masked.toarray() if sparse.issparse(X) else masked
    gone = np.isnan(values[1])
    assert gone.any()
    assert gone.all() or sparse.issparse(X)  # where an entry is enough
    assert (values[[0, 2]] == [[0, 2], [0, 0]]).all()
    assert X.dtype == int
    # Masked entries of views stay missing.
    X = np.ma.masked_equal([[1, 2], [77, 77], [5, 6]], 77)
    (masked,) = apply_mask([X], [[True], [True], [False]])
    np.testing.assert_array_equal(masked, [[1, 2], [np.nan] * 2, [np.nan] * 2])
    assert X.data[1, 0] == 77  # what was given is as it was


@given(
    n_samples=st.integers(1, 60),
    n_views=st.integers(2, 5),
    share=st.floats(0, 1),
    lacking=st.floats(0, 0.7),
    seed=st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_incomplete_mask_takes_some_views_from_a_share(n_samples, n_views, share, lacking, seed):
    rng = np.random.default_rng(seed)
    available = rng.random((n_samples, n_views)) >= lacking
    available[np.arange(n_samples), rng.integers(n_views, size=n_samples)] = True
    rate = share * (available.sum(axis=1) > 1).sum() / n_samples
    presence = incomplete_mask(n_samples, n_views, rate, seed, available)
    assert not (presence & ~available).any()
    assert presence.any(axis=1).all()
    assert (presence != available).any(axis=1).sum() == round(rate * n_samples)
    assert (presence == incomplete_mask(n_samples, n_views, rate, seed, available)).all()


NO_TRUTH = "expected truth values: True where present"


@pytest.mark.parametrize(
    ("mask", "said"),
    [
        ([["yes"], ["no"], [""]], NO_TRUTH),
        ([[1.0], [np.nan], [0.0]], NO_TRUTH),
        ([[1], [0], [1]], NO_TRUTH),
        (np.ma.array(np.ones((3, 1), bool), mask=[[False], [True], [False]]), NO_TRUTH),
        (np.ones((3, 2), dtype=bool), r"expected \(n_samples, 1\)"),
        (np.ones((4, 1), dtype=bool), "the mask has 4 rows, view 0 has 3"),
    ],
)
def test_a_mask_of_anything_but_truth_values_of_the_samples_is_refused(mask, said):
    with pytest.raises(ValueError, match=said):
        apply_mask([np.ones((3, 2))], mask)


def test_incomplete_masks_are_uniform_over_samples_and_over_what_each_keeps():
    """With unequal numbers of instances, the masks themselves are not; the docstring says so."""
    available = np.array([[True, True, True], [True, True, False]])
    masks = [incomplete_mask(2, 3, 0.5, seed, available) for seed in range(3000)]
    first = np.array([(mask != available)[0].any() for mask in masks])
    assert abs(first.mean() - 1 / 2) < 0.03
    kept = {tuple(mask[0]) for mask, own in zip(masks, first, strict=True) if own}
    shares = [np.mean([tuple(mask[0]) == row for mask in masks]) for row in kept]
    assert len(kept) == 6
    np.testing.assert_allclose(shares, 1 / 12, atol=0.02)
    shares = [np.mean([tuple(mask[1]) == row for mask in masks]) for row in ((1, 0, 0), (0, 1, 0))]
    np.testing.assert_allclose(shares, 1 / 4, atol=0.03)


@pytest.mark.parametrize(
    "draw", [random_mask, incomplete_mask, lambda n, v, *o: paired_mask(n, *o)]
)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((True, 2, 0.1, 0), "n_samples=True, expected a whole number from 1"),
        ((8, 2, -0.1, 0), "rate=-0.1 is not a share; expected 0 to 1"),
        ((8, 2, 1.1, 0), "rate=1.1 is not a share; expected 0 to 1"),
        ((8, 2, float("nan"), 0), "rate=nan is not a share; expected 0 to 1"),
        ((8, 2, "a", 0), "rate='a' is not a share; expected 0 to 1"),
        ((8, 2, 0.1, -1), "seed=-1, expected a whole number from 0"),
    ],
)
def test_numbers_that_are_none_are_refused(draw, arguments, said):
    with pytest.raises(ValueError, match=said):
        draw(*arguments)
