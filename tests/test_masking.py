"""Protocols of incomplete data."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust.masking import apply_mask, paired_mask, random_mask


@given(
    n_samples=st.integers(4, 60),
    n_views=st.integers(2, 5),
    share=st.floats(0, 1),
    seed=st.integers(0, 1000),
)
@settings(max_examples=100, deadline=None)
def test_random_mask_removes_the_same_from_each_view(n_samples, n_views, share, seed):
    rate = share * (n_samples * (n_views - 1) // n_views) / n_samples
    presence = random_mask(n_samples, n_views, rate, seed)
    assert ((~presence).sum(axis=0) == round(rate * n_samples)).all()
    assert presence.any(axis=1).all()
    assert (presence == random_mask(n_samples, n_views, rate, seed)).all()


@given(n_samples=st.integers(2, 60), rate=st.floats(0, 1), seed=st.integers(0, 1000))
@settings(max_examples=100, deadline=None)
def test_paired_mask_halves_the_rest(n_samples, rate, seed):
    presence = paired_mask(n_samples, rate, seed)
    both = presence.all(axis=1).sum()
    assert both == round(rate * n_samples)
    assert presence.any(axis=1).all()
    assert abs((~presence[:, 0]).sum() - (~presence[:, 1]).sum()) <= 1


def test_different_seeds_differ():
    assert (random_mask(100, 3, 0.3, 0) != random_mask(100, 3, 0.3, 1)).any()


@pytest.mark.parametrize("rate", [-0.1, 0.6, 1.0])
def test_impossible_rates_are_refused(rate):
    with pytest.raises(ValueError, match=r"every sample keeps one only for rates from 0 to 0.5"):
        random_mask(10, 2, rate, 0)
    with pytest.raises(ValueError, match="expected 0 to 1"):
        paired_mask(10, rate + 1.1 if rate > 0 else rate, 0)


def test_apply_mask_copies():
    X = np.arange(6).reshape(3, 2)
    (masked,) = apply_mask([X], [[True], [False], [True]])
    assert np.isnan(masked[1]).all()
    assert (masked[[0, 2]] == X[[0, 2]]).all()
    assert X.dtype == int


def test_apply_mask_marks_rows_of_sparse_views():
    X = sparse.csr_array(np.array([[0, 2.0], [3, 0], [0, 0]]))
    (masked,) = apply_mask([X], [[True], [False], [True]])
    assert sparse.issparse(masked)
    assert np.isnan(masked.toarray()[1]).any()
    assert (masked.toarray()[[0, 2]] == [[0, 2], [0, 0]]).all()


def test_apply_mask_checks_shapes():
    with pytest.raises(ValueError, match=r"expected \(n_samples, 1\)"):
        apply_mask([np.ones((3, 2))], np.ones((3, 2), dtype=bool))
    with pytest.raises(ValueError, match="the mask has 4 rows, view 0 has 3"):
        apply_mask([np.ones((3, 2))], np.ones((4, 1), dtype=bool))
