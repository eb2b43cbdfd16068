"""The masks that the authors published: as many instances missing as they say."""

import numpy as np
import pytest
import scipy.io

from mvclust.datasets import published_masks
from mvclust.datasets.published_masks import published_orders

MISSING = {"3sources": {0.1: 16, 0.3: 50, 0.5: 84}, "bbcsport": {0.1: 11, 0.3: 34, 0.5: 58}}


@pytest.mark.parametrize("rate", [0.1, 0.3, 0.5])
@pytest.mark.parametrize("name", MISSING)
def test_masks(name, rate, mirror):
    n, n_views, n_masks = {"3sources": (169, 3, 10), "bbcsport": (116, 4, 30)}[name]
    masks = published_masks(name, rate, mirror / name)
    assert len(masks) == n_masks
    orders = np.sort(published_orders(name, mirror / name), axis=1)
    assert (orders == np.tile(np.arange(n), (30, 1))).all()
    for mask in masks:
        assert mask.shape == (n, n_views)
        assert mask.dtype == bool
        assert ((~mask).sum(axis=0) == MISSING[name][rate]).all()
        assert mask.any(axis=1).all()
    assert len({mask.tobytes() for mask in masks}) == n_masks
    if name == "3sources":
        file = mirror / name / f"3sources3vbigRnSp_percentDel_{rate}.mat"
        assert np.array_equal(masks[0], scipy.io.loadmat(file)["folds"][0, 0])


@pytest.mark.parametrize(
    ("rate", "n_paired"), [(0, 90), (0.1, 81), (0.3, 63), (0.5, 45), (0.7, 27), (0.9, 9), (1, 0)]
)
def test_pairs_of_buaa(rate, n_paired, mirror):
    masks = published_masks("buaa", rate, mirror / "buaa")
    orders = published_orders("buaa", mirror / "buaa")
    assert len(masks) == 30
    assert (np.sort(orders, axis=1) == np.tile(np.arange(90), (30, 1))).all()
    for mask, order in zip(masks, orders, strict=True):
        assert mask.shape == (90, 2)
        assert mask.any(axis=1).all()
        assert set(np.flatnonzero(mask.all(axis=1))) == set(order[:n_paired])
        rest = 90 - n_paired
        assert (~mask).sum(axis=0).tolist() == [rest // 2, rest - rest // 2]
        # Of the rest the first in the order keep the first view.
        assert mask[order[n_paired : n_paired + rest - rest // 2], 0].all()


def test_what_is_not_published(mirror, tmp_path):
    with pytest.raises(ValueError, match=r"for the rate 0.2, only \(0.1, 0.3, 0.5\)"):
        published_masks("3sources", 0.2, mirror / "3sources")
    with pytest.raises(ValueError, match="Unknown data set with published masks 'cora'"):
        published_masks("cora", 0.3, mirror / "cora")
    with pytest.raises(ValueError, match=r"Unknown data set with published orders 'bua'. .*'buaa'"):
        published_orders("bua", mirror)
    with pytest.raises(ValueError, match="expected 0 to 1"):
        published_masks("buaa", 1.5, mirror / "buaa")
    with pytest.raises(FileNotFoundError, match="fetch the data set first"):
        published_masks("bbcsport", 0.3, tmp_path)
