"""What methods are given: filled, shifted, paired, unmapped and constrained views."""

from dataclasses import replace

import numpy as np
import pytest
from bench.blobs import SETTING, VIEWS, fits_of, make_dataset, prepare, scored
from scipy import sparse

from mvclust import ASCR, CMVNMF, DAIMC, HCPIMSC, ConcatKMeans, ConstraintPropagation, MultiNMF
from mvclust.bench.fit.adapt_views import adapt_views
from mvclust.bench.fit.fits import READS_ORDER
from mvclust.bench.fit.labels import checked_labels, pack_labels, unpack_labels
from mvclust.bench.fit.masks import draw_masks, rows_of_views
from mvclust.bench.plan.settings import Setting
from mvclust.estimators.nmf_clustering import NMFClustering
from mvclust.metrics import accuracy
from mvclust.numerics.features import scale_features

MAPPED = Setting("blobs", VIEWS, "mapped", 1)


def task_of(estimator, setting, how, data=None):
    data = data or make_dataset()
    masks = draw_masks(data, setting, 1, 0)
    return adapt_views(estimator, data, masks, setting, 0, 0, how), masks


def views_of(estimator, setting, how, data=None):
    task, masks = task_of(estimator, setting, how, data)
    return task.calls[0][0], masks


def test_missing_rows_are_nan_unless_filled():
    given, masks = views_of(DAIMC, SETTING, {})
    filled, _ = views_of(DAIMC, SETTING, {"fill": "mean"})
    for X, Y, present in zip(filled, given, masks["presence"][0].T, strict=True):
        assert (np.isnan(Y).all(axis=1) == ~present).all()
        np.testing.assert_array_equal(X[present], Y[present])
        assert np.allclose(X[~present], Y[present].mean(axis=0), rtol=1e-7)


def test_only_negative_views_are_shifted():
    setting = Setting("blobs", VIEWS, "complete", 0)
    plain, _ = views_of(DAIMC, setting, {"shift": True})
    shifted, _ = views_of(DAIMC, setting, {"shift": True}, make_dataset(shift=3.0))
    np.testing.assert_array_equal(plain[0], make_dataset().Xs[0])
    for X, original in zip(shifted, make_dataset().Xs, strict=True):
        np.testing.assert_allclose(X, original - original.min(), atol=1e-12)


def test_pair_keeps_every_sample():
    setting = Setting("blobs", VIEWS, "random", 0.5)
    (a, c), masks = views_of(DAIMC, setting, {"views": ["a", "c"]})
    presence = masks["presence"][0]
    nowhere = ~(presence[:, 0] | presence[:, 2])
    assert nowhere.any()
    mean = make_dataset().Xs[0][presence[:, 0]].mean(axis=0)
    assert np.allclose(a[nowhere], mean, rtol=1e-7)
    assert (np.isnan(c).all(axis=1) == ~presence[:, 2]).all()


def test_scale_is_that_of_the_setting():
    Xs, _ = views_of(DAIMC, Setting("blobs", VIEWS, "complete", 0, scale="view_range"), {})
    assert [(X.min(), X.max()) for X in Xs] == [(-1, 1)] * 3


def test_features_are_scaled_before_instances_are_removed():
    Xs, masks = views_of(DAIMC, SETTING, {"features": "feature_minmax"})
    whole = scale_features(make_dataset().Xs, make_dataset().presence, "feature_minmax")
    for X, Y, present in zip(Xs, whole, masks["presence"][0].T, strict=True):
        np.testing.assert_array_equal(X[present], Y[present])


def test_constraints_may_be_drawn_among_samples():
    setting = Setting("blobs", VIEWS, "mapped", 0)
    how = {"constraints": 0.2, "constrained": "samples"}
    for estimator, view, expected in ((CMVNMF, 1, 81), (ConstraintPropagation, 0, 36)):
        links = task_of(estimator, setting, how)[0].calls[0][1]
        drawn = links["must_links"][0, view] + links["cannot_links"][0, view]
        assert drawn.nnz == expected  # of 9 samples


def test_a_known_mapping_may_be_ignored():
    for how, expected in ({}, 45), ({"mapping": "known"}, 45), ({"mapping": "ignored"}, 0):
        task, _ = task_of(CMVNMF, MAPPED, {"constraints": 0.0} | how)
        assert task.calls[0][1]["must_links"][0, 1].nnz == expected


def test_another_start_is_another_seed_on_the_same_views():
    fits = fits_of(ConcatKMeans)
    seeds = [fits.fit(how, 0)["seed"] for how in ({}, {"start": 0}, {"start": 1}, {"start": 2})]
    assert seeds[0] == seeds[1]
    assert len(set(seeds)) == 3
    assert len(fits.tasks) == 1


def test_reordered_samples_get_their_own_labels_back():
    plain, *others = (task_of(DAIMC, SETTING, {"order": number})[0] for number in range(3))
    assert plain.order is None
    for task in others:
        for X, Y in zip(task.calls[0][0], plain.calls[0][0], strict=True):
            np.testing.assert_array_equal(np.sort(X, axis=1), np.sort(Y[task.order], axis=1))
            assert (Y[task.order] != X).any(), "the features stand as they stood"
    assert (others[0].order != others[1].order).any()
    fits = fits_of(ConcatKMeans)
    for number in range(3):
        labels = unpack_labels(fits.fit({"impute": "knn", "order": number}, 0)["labels"])
        assert accuracy(make_dataset().y, labels) == 1.0
    assert len({fits.given({"order": number}, 0)[2] for number in range(3)}) == 3
    assert fits.given({}, 0)[2] == fits.given({"order": 0}, 0)[2]


@pytest.mark.parametrize("name", ["sorted", "interleaved", "by_norm", "reversed", "shuffle_1"])
def test_named_orders_move_samples_with_what_they_lack_and_nothing_else(name):
    task, _ = task_of(DAIMC, SETTING, {"order": name})
    for X, Y in zip(task.calls[0][0], views_of(DAIMC, SETTING, {})[0], strict=True):
        np.testing.assert_array_equal(X, Y[task.order])
    if name == "sorted":
        assert (np.diff(task.order[:15]) < 0).any(), "a class keeps the order of the file"
    elif name == "by_norm":
        lengths = np.linalg.norm(task.calls[0][0][0], axis=1)
        assert (np.diff(lengths[~np.isnan(lengths)]) >= 0).all()
    elif name == "reversed":
        assert task.order.tolist() == [*range(44, -1, -1)]


def test_tensor_methods_are_labelled_in_the_order_of_the_data():
    """Without a transform along the samples, no order changes a label: the null is exact."""
    fits, own = fits_of(ASCR), {"alpha": 0.5, "axis": "views"}
    plain = fits.fit(own, 0)["labels"]
    for name in ("shuffle_1", "sorted", "reversed"):
        assert fits.fit(own | {"order": name}, 0)["labels"] == plain


def test_a_method_that_reads_the_order_is_warned_of_on_a_file_in_order():
    def warned(estimator, **how):
        return READS_ORDER in fits_of(estimator).fit(how, 0)["warnings"]

    assert warned(ASCR, order="sorted")
    assert warned(ASCR, order="interleaved")
    assert not warned(ASCR, order="shuffle_1")
    assert not warned(ASCR, order="sorted", axis="views")
    assert not warned(ASCR, order="sorted", tubes="identity")
    assert not warned(HCPIMSC, order="sorted")
    assert not warned(DAIMC, order="sorted")


def test_noise_in_each_view_keeps_what_is_missing():
    noise, _ = views_of(DAIMC, SETTING, {"control": "noise_views"})
    plain, _ = views_of(DAIMC, SETTING, {})
    for X, Y in zip(noise, plain, strict=True):
        np.testing.assert_array_equal(np.isnan(X).any(axis=1), np.isnan(Y).any(axis=1))
    assert (noise[0][~np.isnan(noise[0])][:3] != noise[1][~np.isnan(noise[1])][:3]).all()


def test_controls_see_no_view():
    data = make_dataset()
    labels = fits_of(ConcatKMeans).fit({"control": "labels"}, 0)["labels"]
    assert accuracy(data.y, unpack_labels(labels)) == 1.0
    (presence,), masks = views_of(ConcatKMeans, SETTING, {"control": "presence"})
    np.testing.assert_array_equal(presence, masks["presence"][0])
    unlabelled = replace(data, y=None)
    fits = fits_of(ConcatKMeans, repetitions=2, data=unlabelled)
    assert len({fits.given({"control": "noise"}, repetition)[2] for repetition in (0, 1)}) == 2
    with pytest.raises(ValueError, match="no classes for a control"):
        task_of(ConcatKMeans, SETTING, {"control": "labels"}, unlabelled)


@pytest.mark.parametrize("how", [{"order": 1}, {"control": "noise"}])
def test_order_and_controls_are_for_methods_that_label_samples(how):
    with pytest.raises(ValueError, match=f"'{next(iter(how))}' is for methods that label samples"):
        task_of(CMVNMF, Setting("blobs", VIEWS, "mapped", 0), how)


def test_unmapped_rows_are_permuted_and_incomplete():
    masks = draw_masks(make_dataset(), Setting("blobs", VIEWS, "unmapped", 0), 1, 0)
    for rows in rows_of_views(masks, 0):
        assert len(set(rows)) == len(rows) == 43  # 95 % of 45
        assert (np.diff(rows) < 0).any()


@pytest.mark.parametrize(("protocol", "rate"), [("unmapped", 0), ("mapped", 0.5), ("mapped", 1)])
def test_constraints_follow_the_labels_and_the_mapping(protocol, rate):
    setting = Setting("blobs", VIEWS, protocol, rate)
    task, masks = task_of(CMVNMF, setting, {"constraints": 0.1})
    (Xs, links), ids = task.calls[0], rows_of_views(masks, 0)
    for X, rows, original in zip(Xs, ids, make_dataset().Xs, strict=True):
        np.testing.assert_array_equal(X, original[rows])
    mapped = round(rate * 45) if protocol == "mapped" else 0
    for (a, b), must in links["must_links"].items():
        same, cannot = np.equal.outer(*make_dataset().y[[ids[a], ids[b]]]), links["cannot_links"]
        assert same[must.nonzero()].all()
        assert not same[cannot[a, b].nonzero()].any()
        assert 0 <= must.nnz + cannot[a, b].nnz - round(0.1 * same.size) <= mapped
    none, _ = task_of(CMVNMF, setting, {})
    assert none.calls[0][1]["must_links"][0, 1].nnz == mapped


def test_labels_of_every_view_are_those_of_its_instances():
    fits = fits_of(MultiNMF)
    row = fits.fit({"fill": "mean", "view_labels": True}, 0)
    assert row["error"] is None
    Xs, masks = views_of(MultiNMF, SETTING, {"fill": "mean"})
    model, ids = MultiNMF(3, random_state=row["seed"]).fit(Xs), rows_of_views(masks, 0)
    assert row["sizes"] == [len(rows) for rows in ids] == [31, 31, 31]
    expected = [of[rows] for of, rows in zip(model.label_views(), ids, strict=True)]
    assert row["labels"] == pack_labels(checked_labels(expected, row["sizes"]))
    error = fits_of(ConcatKMeans, MAPPED).fit({"view_labels": True}, 0)["error"]
    assert "ConcatKMeans has no labels by view; take view_labels out." in error


def test_scores_of_every_view(tmp_path):
    prepare(tmp_path, [MAPPED], 1)
    params = {NMFClustering: {"each_view": True, "view": 0}, CMVNMF: {"constraints": 0.1}}
    rows = [fits_of(of, MAPPED).fit(how, 0) for of, how in (params | {ConcatKMeans: {}}).items()]
    about = {"setting": MAPPED.id, "repetition": 0, "key": "a"}
    for row in scored(tmp_path, [row | about for row in rows], MAPPED):
        assert row["error"] is None
        assert len(row["per_view"]) == 3
        assert row["acc"] == pytest.approx(np.mean([view["acc"] for view in row["per_view"]]))
        assert row["acc"] > 0.95
    assert [row["sizes"] for row in rows] == [[45, 45, 45], [45, 45, 45], None]


@pytest.mark.parametrize("kind", [np.array, sparse.csr_array])
def test_no_fit_can_change_the_views_of_the_next(kind):
    data = make_dataset()
    data = replace(data, Xs=[kind(X) for X in data.Xs])
    task, _ = task_of(DAIMC, Setting("blobs", VIEWS, "complete", 0), {}, data)
    for X, given in zip(task.calls[0][0], data.Xs, strict=True):
        before = given.copy()
        with pytest.raises(ValueError, match="read-only"):
            (X.data if sparse.issparse(X) else X)[...] = 0
        with pytest.raises(ValueError, match="read-only"):
            X *= 2
        assert not abs(given - before).max()
