"""The digest of what a fit is given changes with every value, and with nothing else."""

import numpy as np
import pytest
from scipy import sparse

from mvclust.bench.fit.given import digest_of_given, frozen, lent

X = np.arange(6.0).reshape(3, 2)
LINKS = sparse.csr_array(np.eye(3))
GIVEN = [([X, X + 1], {"must_links": [LINKS], "mapping": None}), [3, 3], None]


def test_layout_and_storage_do_not_count():
    unsorted = sparse.csr_array((np.ones(3), [2, 0, 1], [0, 2, 3, 3]), shape=(3, 3))
    doubled = sparse.coo_array(([0.5, 0.5, 1.0, 1.0], ([0, 0, 0, 1], [0, 0, 2, 1])), shape=(3, 3))
    assert digest_of_given(unsorted) == digest_of_given(doubled)
    assert digest_of_given(LINKS.tocsc()) == digest_of_given(LINKS)
    assert digest_of_given({"a": 1, "b": 2}) == digest_of_given({"b": 2, "a": 1})


def test_every_difference_counts():
    (views, keywords), sizes, last = GIVEN
    missing, links = X.copy(), LINKS.copy()
    missing[1], links.data[1] = np.nan, 2.0
    other_views = [[X, missing], [X + 1, X], [np.vstack(views)], [X.reshape(2, 3), X + 1]]
    other_views.append([X.astype(np.float32), X + 1])
    others = [{"must_links": [links]}, {"mapping": LINKS}]
    variants = [
        GIVEN, [(views, {"cannot_links": [LINKS], "mapping": None}), sizes, last],
        [(views, keywords), sizes, sizes], *([(Xs, keywords), sizes, last] for Xs in other_views),
        *([(views, keywords | other), sizes, last] for other in others),
    ]  # fmt: skip
    assert len(set(map(digest_of_given, variants))) == len(variants)


def test_what_has_no_digest_is_refused():
    with pytest.raises(TypeError, match="a set among what a fit is given has no digest"):
        digest_of_given([{1, 2}])
    with pytest.raises(TypeError, match="a ndarray among"):
        digest_of_given(np.array([None]))


def test_what_is_lent_cannot_change_what_is_lent_next():
    kept = frozen(GIVEN)
    before = digest_of_given(kept)
    Xs, keywords = lent(kept)[0]
    link = keywords["must_links"][0]
    for array in (Xs[0], Xs[0].base, link.data, link.indices, link.indptr):
        with pytest.raises((ValueError, AttributeError)):
            array.flags.writeable = True
    for place in ((0, 0), (0, 1)):  # an entry that is stored, and one that is not
        with pytest.raises(ValueError, match="read-only"):
            link[place] = 7.0
    link.data = 7 * link.data
    keywords["mapping"] = 1
    Xs[0].shape = 2, 3
    Xs.pop()
    assert digest_of_given(kept) == digest_of_given(lent(kept)) == before


@pytest.mark.parametrize("of", [np.asfortranarray, np.ascontiguousarray, lambda X: X[:0]])
def test_what_is_kept_has_the_same_values_in_the_same_order(of):
    kept = frozen(of(X))
    np.testing.assert_array_equal(kept, of(X))
    assert (kept.strides, kept.dtype) == (of(X).strides, X.dtype)
