"""What the base of the estimators offers to others."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from mvclust import CMVNMF, DAIMC, PVC, ConstraintPropagation
from mvclust.estimators.base import MultiViewClusterer, ViewTags, tags_of


def test_tags_of_classes_and_instances():
    assert tags_of(PVC) == tags_of(PVC(3)) == ViewTags(sparse=True, nonnegative=True, n_views=2)
    assert tags_of(DAIMC).incomplete
    assert not tags_of(DAIMC).unmapped


def test_a_class_without_tags_gets_cautious_ones():
    tags = tags_of(KMeans(2))
    assert tags == ViewTags(incomplete=False)
    assert not tags.unmapped


def test_tags_of_methods_for_unmapped_views():
    assert tags_of(CMVNMF).constraints == "between"
    assert tags_of(ConstraintPropagation).constraints == "within"
    assert tags_of(CMVNMF).unmapped
    assert tags_of(ConstraintPropagation).unmapped


class NeedsPairs(MultiViewClusterer):
    """A class from outside: it sets tags and calls `check_input`, no more."""

    view_tags = ViewTags(incomplete=False, nonnegative=True, n_views=2)

    def __init__(self, n_clusters, *, random_state=None):
        self.n_clusters = n_clusters
        self.random_state = random_state

    def fit(self, Xs, y=None):
        Xs, presence = self.check_input(Xs)
        self.labels_ = np.arange(len(presence)) % self.n_clusters
        return self


@pytest.mark.parametrize(
    ("Xs", "message"),
    [
        ([np.ones((3, 2))], "NeedsPairs takes exactly 2 views, got 1"),
        ([np.ones((3, 2)), [[1], [np.nan], [1]]], "complete views, but view 1 lacks 1 of 3"),
        ([np.ones((3, 2)), -np.ones((3, 2))], "non-negative views, but view 1"),
        ([np.ones((1, 2)), np.ones((1, 2))], "n_clusters=2 is more than the 1 samples"),
    ],
)
def test_tags_decide_what_check_input_refuses(Xs, message):
    with pytest.raises(ValueError, match=message):
        NeedsPairs(2).fit(Xs)


def test_a_class_without_a_start_shares_none():
    assert NeedsPairs(2, random_state=0).start_key() is None
    assert len(NeedsPairs(2).fit([np.ones((3, 2)), np.ones((3, 1))]).labels_) == 3
