"""Labels are checked before anything is scored."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mvclust.bench.fit.labels import checked_labels, pack_labels, unpack_labels
from mvclust.metrics import accuracy


@pytest.mark.parametrize(
    ("labels", "sizes", "message"),
    [
        ([0, 1], [3], r"have shape \(2,\), expected \(3,\)"),
        ([[0], [1]], [2], r"have shape \(2, 1\)"),
        ([0.0, np.inf], [2], "hold inf"),
        ([0.0, 0.7], [2], "hold 0.7"),
        (["a", "b"], [2], "of type <U1"),
        ([None, 1], [2], "of type object"),
        ([0j, 1], [2], "of type complex128"),
        ([[0, 1], [0]], [2, 2], r"have shape \(1,\), expected \(2,\)"),
        ([[0, 1]], [2, 2], "for 1 views, expected 2"),
        (None, [2], r"have shape \(\)"),
        (np.ma.array([0, 1, 1], mask=[False, True, False]), [3], "hold masked entries"),
    ],
)
def test_invalid_labels_are_refused(labels, sizes, message):
    with pytest.raises(ValueError, match=message):
        checked_labels(labels, sizes)


@given(st.lists(st.integers(-(2**40), 2**40), min_size=1, max_size=30))
def test_numbering_and_packing_keep_the_partition(labels):
    kept = unpack_labels(pack_labels(checked_labels(labels, [len(labels)])))
    same = np.equal.outer(labels, labels)
    assert (np.equal.outer(kept, kept) == same).all()
    assert kept.min() == 0
    assert accuracy(labels, kept) == 1


def test_equal_labels_of_two_views_stay_equal():
    assert checked_labels([[5, 9], [9, 9, 5]], [2, 3]).tolist() == [0, 1, 1, 1, 0]
