"""Data frames in, names of samples out; MuData in and out."""

import numpy as np
import pandas as pd
import pytest

from mvclust import CMVNMF, ConcatKMeans, from_mudata, label_certainty, to_mudata
from mvclust.metrics import accuracy
from mvclust.own.annotated import from_frames
from mvclust.testing import make_blobs

Xs, Y = make_blobs()
NAMES = [f"patient {n}" for n in range(len(Y))]
FRAMES = [pd.DataFrame(X, NAMES).add_prefix("f") for X in Xs]
TURNED = [FRAMES[0], FRAMES[1][::-1], FRAMES[2].sample(frac=1, random_state=0)]


def test_frames_that_lack_samples_become_views_with_missing_instances():
    views = from_frames([FRAMES[0][5:], FRAMES[1][:-4], TURNED[2]])
    order = NAMES[5:] + NAMES[:5]  # those of the first frame, then what it lacks
    lacking = [set(X.index[X.isna().all(axis=1)]) for X in views]
    assert [X.index.tolist() for X in views] == [order] * 3
    assert lacking == [set(NAMES[:5]), set(NAMES[-4:]), set()]
    pd.testing.assert_frame_equal(views[2], FRAMES[2].loc[order])
    labels = ConcatKMeans(3, impute="knn", random_state=0).fit(views).labels_
    assert accuracy(Y, labels.loc[NAMES].to_numpy()) == 1


def test_frames_that_cannot_be_matched_are_refused():
    twice = FRAMES[1].rename({"patient 3": "patient 4"})
    for matching in (from_frames, ConcatKMeans(3).fit):
        with pytest.raises(ValueError, match="view 1 names sample 'patient 4' twice"):
            matching([FRAMES[0], twice])
    with pytest.raises(ValueError, match="view 2, which names 'patient 40', has no sample in com"):
        from_frames([FRAMES[0][:9], FRAMES[1][:9], FRAMES[2][40:]])
    for unnamed in (Xs[1], FRAMES[1].reset_index(drop=True)):
        with pytest.raises(ValueError, match="view 1 is no data frame whose index names samples"):
            from_frames([FRAMES[0], unnamed])


def test_certainty_has_the_names_of_samples():
    found = label_certainty(ConcatKMeans(3, random_state=0), TURNED, n_draws=4, random_state=0)
    assert found.certainty.index.tolist() == NAMES
    assert (found.certainty.dropna() == 1).all()
    assert set(found.stability.values()) == {1.0}
    with pytest.raises(ValueError, match="CMVNMF labels every view apart"):
        label_certainty(CMVNMF(3), Xs)
    # Samples between clusters are less sure.
    rng = np.random.default_rng(0)
    X = np.r_[rng.normal(0, 1, (40, 2)), rng.normal(6, 1, (40, 2)), rng.normal(3, 0.3, (10, 2))]
    found = label_certainty(ConcatKMeans(2, random_state=0), [X], random_state=0)
    assert found.certainty[:80].mean() > 0.95
    assert np.nanmin(found.certainty[80:]) < 0.9


def test_labels_and_certainty_go_into_mudata_and_views_come_from_it():
    mudata = pytest.importorskip("mudata", reason="mudata is not installed")
    anndata = pytest.importorskip("anndata")
    parts = {name: anndata.AnnData(X) for name, X in zip("abc", FRAMES, strict=True)}
    parts["b"] = parts["b"][:-4].copy()
    mdata = mudata.MuData(parts)
    views = from_mudata(mdata)
    assert [X.shape for X in views] == [X.shape for X in FRAMES]
    lacking = views[1].isna().all(axis=1)
    assert lacking[lacking].index.tolist() == NAMES[-4:]
    found = label_certainty(ConcatKMeans(3, random_state=0), views, n_draws=4, random_state=0)
    to_mudata(mdata, found.labels.sample(frac=1, random_state=0), found.certainty)
    assert accuracy(Y, mdata.obs["mvclust"].loc[NAMES].to_numpy()) == 1
    assert mdata.obs["mvclust"].dtype == "category"
    assert (mdata.obs["mvclust_certainty"].dropna() > 0.5).all()
    with pytest.raises(ValueError, match="mvclust has 3 values, the data 45 samples"):
        to_mudata(mdata, [0, 1, 2])
