"""Unmapped views and their constraints."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from mvclust.masking import apply_mask, random_mask
from mvclust.testing import next_draw
from mvclust.unmapping import (
    _pairs,
    known_mapping,
    mapped_constraints,
    random_constraints,
    random_intra_constraints,
    unmap,
)


@pytest.fixture
def views():
    X = np.arange(60.0)[:, None]
    return [X, X + 100, sparse.csr_array(X + 200)], np.arange(60) % 4


@given(share=st.floats(0.05, 1), seed=st.integers(0, 10_000))
@settings(max_examples=40, deadline=None)
def test_unmap_keeps_a_share_and_the_labels(share, seed):
    X, y = np.arange(60.0)[:, None], np.arange(60) % 4
    data = unmap([X, X + 100], y, share=share, seed=seed)
    for v in (0, 1):
        assert len(data.ids[v]) == round(share * 60) == len(set(data.ids[v].tolist()))
        np.testing.assert_array_equal(data.Xs[v][:, 0], data.ids[v] + 100 * v)
        np.testing.assert_array_equal(data.ys[v], y[data.ids[v]])


def test_views_are_permuted_apart_and_sparse_stays_sparse(views):
    Xs, y = views
    data = unmap(Xs, y, share=0.95, seed=0)
    assert [len(ids) for ids in data.ids] == [57] * 3
    assert sparse.issparse(data.Xs[2])
    np.testing.assert_array_equal(data.Xs[2].toarray()[:, 0], data.ids[2] + 200)
    for a, b in ((0, 1), (0, 2), (1, 2)):
        assert (data.ids[a] == data.ids[b]).mean() < 0.2
    assert (data.ids[0] == np.sort(data.ids[0])).mean() < 0.2
    # Missing instances are never taken.
    presence = random_mask(60, 3, 0.4, seed=0)
    data = unmap(apply_mask(Xs, presence), y, share=1.0, seed=0)
    for v, X in enumerate(data.Xs):
        assert sorted(data.ids[v].tolist()) == np.flatnonzero(presence[:, v]).tolist()
        assert not np.isnan(X.sum())
    masked = np.ma.masked_equal([[1, 2], [77, 77], [5, 6]], 77)
    assert sorted(unmap([masked], [0, 1, 1], share=1.0, seed=0).ids[0].tolist()) == [0, 2]


@given(
    share=st.sampled_from([0.0, 0.01, 0.05, 0.5, 1.0]),
    sizes=st.tuples(st.integers(1, 40), st.integers(1, 30), st.integers(1, 30)),
    seed=st.integers(0, 10_000),
)
@settings(max_examples=60, deadline=None)
def test_constraints_are_as_many_as_asked_for_and_true(share, sizes, seed):
    """Between views, and within them, where a pair is in the upper triangle."""
    rng = np.random.default_rng(seed)
    ys = [rng.integers(3, size=n) for n in sizes]
    between, within = random_constraints(ys, share, seed), random_intra_constraints(ys, share, seed)
    assert set(between[0]) == set(between[1]) == {(0, 1), (0, 2), (1, 2)}
    assert set(within[0]) == set(within[1]) == {(0, 0), (1, 1), (2, 2)}
    for (a, b), must in (between[0] | within[0]).items():
        cannot, same = (between[1] | within[1])[a, b], ys[a][:, None] == ys[b]
        pairs = np.triu(np.ones_like(same), 1) if a == b else np.ones_like(same)
        assert sparse.issparse(must)
        assert must.shape == cannot.shape == same.shape
        assert must.nnz + cannot.nnz == round(share * pairs.sum())
        assert set(must.data) | set(cannot.data) <= {1.0}  # a pair drawn twice would be a 2
        assert (must.toarray() <= (same & pairs)).all()
        assert (cannot.toarray() <= (~same & pairs)).all()
    again = random_intra_constraints(ys, share, seed)[0]
    assert all((again[key] != within[0][key]).nnz == 0 for key in again)


def samples_of(links, ids):
    """The samples that links join: each with itself in another view."""
    linked = set()
    for (a, b), M in links.items():
        rows, columns = M.nonzero()
        np.testing.assert_array_equal(ids[a][rows], ids[b][columns])
        linked |= set(ids[a][rows].tolist())
    return linked


@given(mapped=st.floats(0, 1), share=st.sampled_from([0.0, 0.1]), seed=st.integers(0, 1000))
@settings(max_examples=40, deadline=None)
def test_a_share_of_the_samples_in_several_views_is_mapped_in_all_of_these(mapped, share, seed):
    _, ys, ids = unmap([np.ones((40, 1))] * 3, np.arange(40) % 3, share=0.8, seed=seed)
    must_links, cannot_links = mapped_constraints(ids, ys, mapped, share, seed)
    drawn, refused = random_constraints(ys, share, seed)
    for pair, must in must_links.items():
        assert set(must.data) <= {1.0}
        assert (must - drawn[pair]).min() >= 0
        assert (cannot_links[pair] != refused[pair]).nnz == 0
    samples, counts = np.unique(np.concatenate(ids), return_counts=True)
    several = set(samples[counts > 1].tolist())
    assert samples_of({p: must_links[p] - drawn[p] for p in drawn}, ids) <= several
    for mapping in (known_mapping(ids, mapped, seed), *([must_links] if share == 0 else [])):
        known = samples_of(mapping, ids)
        assert known <= several
        assert len(known) == round(mapped * len(several))
        for (a, b), M in mapping.items():
            assert M.nnz == len(known & set(np.intersect1d(ids[a], ids[b]).tolist()))


def test_seeds_and_the_global_generator(views):
    Xs, y = views
    following = next_draw()
    one, two, other = (unmap(Xs, y, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.ids, two.ids)
    assert (np.array(one.ids) != np.array(other.ids)).any()
    drawn = [random_constraints(one.ys, 0.1, seed)[0][0, 1] for seed in (1, 1, 2)]
    assert (drawn[0] != drawn[1]).nnz == 0
    assert (drawn[0] != drawn[2]).nnz > 0
    assert next_draw() == following


IMPOSSIBLE = [
    (lambda Xs, y: unmap(Xs, y, share=0), "share=0"),
    (lambda Xs, y: unmap(Xs, y, share=1.1), "share=1.1"),
    (lambda Xs, y: unmap(Xs, y[1:]), "view 0 has 60 rows, y has 59 labels"),
    (lambda Xs, y: random_constraints([y, y], 2), "share=2 is not a share"),
    (lambda Xs, y: random_intra_constraints([y], -1), "share=-1 is not a share"),
    (lambda Xs, y: mapped_constraints([y, y], [y, y], -1, 0.1), "mapped=-1 is not a share"),
    (lambda Xs, y: known_mapping([y], 2), "mapped=2 is not a share"),
    (lambda Xs, y: unmap([np.c_[Xs[0], np.where(y == 3, np.nan, 1)]], y),
     "view 0 is NaN in 1 of 2 features of row 3"),
    (lambda Xs, y: unmap(Xs, [np.nan, *y[1:]]), "y lacks the label of 1 of 60 samples"),
    (lambda Xs, y: random_intra_constraints([y], 0.5, drawn="sample"),
     "drawn='sample' is unknown; expected 'pairs' or 'samples'"),
    (lambda Xs, y: mapped_constraints([y] * 2, [y] * 2, 0.5, 0.5, drawn="sample"),
     "drawn='sample' is unknown"),
    (lambda Xs, y: random_constraints([[0, 0, 1], [0, None, 1]], 0.5),
     r"ys\[1\] lacks the label of 1 of 3 samples"),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "said"), IMPOSSIBLE)
def test_impossible_requests_are_said(views, ask, said):
    with pytest.raises(ValueError, match=said):
        ask(*views)


def test_pairs_are_numbered_without_rounding_errors():
    last = 10**8 * (10**8 - 1) // 2
    i, j = _pairs(np.array([last - 1, last]))
    assert i.tolist() == [10**8 - 2, 0]
    assert j.tolist() == [10**8 - 1, 10**8]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.5, 1.0])
def test_constraints_among_a_share_of_the_samples(share):
    rng = np.random.default_rng(0)
    ids = [rng.permutation(60)[:50] for _ in range(3)]
    ys = [own % 4 for own in ids]
    must, cannot = mapped_constraints(ids, ys, 0.0, share, seed=1, drawn="samples")
    known = {int(ids[0][row]) for row in (must[0, 1] + cannot[0, 1]).nonzero()[0]}
    n_known = round(share * len(np.unique(np.concatenate(ids))))
    for (a, b), links in must.items():
        both = links + cannot[a, b]
        assert set(both.data) <= {1.0}
        rows, columns = both.nonzero()
        n_rows, n_columns = len(set(rows)), len(set(columns))
        assert both.nnz == n_rows * n_columns
        assert max(n_rows, n_columns) <= n_known
        assert (ys[a][links.nonzero()[0]] == ys[b][links.nonzero()[1]]).all()
        if a == 0:
            assert {int(i) for i in ids[0][rows]} <= known
    must, cannot = random_intra_constraints(ys, share, seed=1, drawn="samples")
    n = round(share * 50)
    for v in range(3):
        both = must[v, v] + cannot[v, v]
        assert both.nnz == n * (n - 1) // 2
        assert (both.nonzero()[0] < both.nonzero()[1]).all()
        assert (ys[v][must[v, v].nonzero()[0]] == ys[v][must[v, v].nonzero()[1]]).all()
