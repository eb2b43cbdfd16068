"""Every variable gets a role before anything is a view."""

import numpy as np
import pytest
import scipy.io
from foreign_files import IDS, WORDS, A, B, C, N, Y, cells, same_values, texts, understood

from mvclust.datasets.foreign import NotUnderstood, find_views

THERE = np.random.default_rng(3).random((N, 2)) > 0.3
THERE[~THERE.any(axis=1)] = True
GONE = (~THERE).sum(axis=0).tolist()
HOLES = [np.where(THERE[:, [v]], X, np.nan) for v, X in enumerate((A, B))]


def npz(folder, **content):
    np.savez(folder / "mine.npz", **content)
    return folder


def mat(folder, **content):
    scipy.io.savemat(folder / "mine.mat", content)
    return folder


@pytest.mark.parametrize("name", ["mask", "presence", "X_mask", "available", "observed", "ind"])
def test_a_mask_by_its_name_says_what_is_there(tmp_path, name):
    found = understood(
        npz(tmp_path, a=A, b=B, y=Y, **{name: THERE}), [5, 4], classes=3, missing=GONE
    )
    assert (found.presence == THERE).all()
    assert found.roles[name] == "mask"
    assert np.isnan(found.Xs[0][~THERE[:, 0]]).all()


def test_a_mask_may_lie_or_come_first_or_name_the_views(tmp_path):
    found = understood(npz(tmp_path, mask=THERE.T, a=A, b=B, y=Y), [5, 4], classes=3, missing=GONE)
    assert (found.presence == THERE).all()


@pytest.mark.parametrize("name", ["m", "missing", "W"])
def test_a_mask_may_be_one_where_an_instance_is_missing(tmp_path, name):
    """Rows of NaN show it."""
    a, b = HOLES
    found = understood(
        npz(tmp_path, a=a, b=b, y=Y, **{name: (~THERE).astype(int)}),
        [5, 4],
        classes=3,
        missing=GONE,
    )
    assert (found.presence == THERE).all()


def test_a_mask_whose_sense_is_open_is_asked_for(tmp_path):
    halves = np.column_stack([np.arange(N) % 3 > 0, np.arange(N) % 3 != 1, np.arange(N) % 3 != 2])
    path = npz(tmp_path, a=A, b=B, c=C, y=Y, missing=halves)
    with pytest.raises(NotUnderstood, match="--role missing=missing or --role missing=mask"):
        find_views(path)
    understood(path, [5, 4, 6], classes=3, missing=[10] * 3, roles={"missing": "mask"})
    understood(path, [5, 4, 6], classes=3, missing=[20] * 3, roles={"missing": "missing"})
    found = understood(npz(tmp_path, a=A, b=B, y=Y, missing=THERE), [5, 4], classes=3, missing=GONE)
    assert any("missing is 1 where an instance is there" in note for note in found.notes)


def test_zeros_and_ones_without_a_name_are_asked_for_or_a_view(tmp_path):
    path = npz(tmp_path, a=A, b=B, y=Y, q=THERE.astype(int))
    with pytest.raises(NotUnderstood, match="--role q=mask or --role q=view"):
        find_views(path)
    understood(path, [5, 4, 2], classes=3, roles={"q": "view"})
    understood(path, [5, 4], classes=3, missing=GONE, roles={"q": "mask"})
    habits = np.random.default_rng(0).random((N, 2)) > 0.5  # leaves samples without a view
    found = understood(npz(tmp_path, a=A, b=B, y=Y, q=habits), [5, 4, 2], classes=3)
    assert any("--role q=mask" in note for note in found.notes)


def test_rows_of_zeros_agree_with_the_mask(tmp_path):
    a, b = (np.nan_to_num(X) for X in HOLES)
    found = understood(npz(tmp_path, a=a, b=b, y=Y, q=THERE), [5, 4], classes=3, missing=GONE)
    assert (found.presence == THERE).all()


def test_a_mask_that_contradicts_the_empty_rows_is_left_out(tmp_path):
    status = THERE | (np.random.default_rng(1).random(THERE.shape) > 0.5)
    a, b = HOLES
    found = understood(npz(tmp_path, status=status, a=a, b=b, y=Y), [5, 4], classes=3, missing=GONE)
    assert any("the empty rows decide" in note for note in found.notes)


@pytest.mark.parametrize("start", [0, 1])
def test_lists_of_the_samples_that_are_there(tmp_path, start):
    lists = [np.flatnonzero(THERE[:, v]) + start for v in range(2)]
    if start:
        path = mat(tmp_path, index=cells(*lists), data=cells(A.T, B.T), gt=Y)
    else:
        path = npz(tmp_path, index1=lists[0], index2=lists[1], a=A, b=B, gt=Y)
    found = understood(path, [5, 4], classes=3, missing=GONE)
    assert (found.presence == THERE).all()


def test_views_may_hold_only_the_instances_that_are_there(tmp_path):
    lists = [np.flatnonzero(THERE[:, v])[:, None] + 1 for v in range(2)]
    compact = cells(A[THERE[:, 0]].T, B[THERE[:, 1]].T)
    found = understood(mat(tmp_path, data=compact, index=cells(*lists), truelabel=cells(Y, Y)),
                       [5, 4], classes=3, missing=GONE)  # fmt: skip
    same_values(found, *HOLES)


def test_several_masks_are_named_and_none_is_applied(tmp_path):
    other = THERE[::-1]
    found = understood(
        mat(tmp_path, X=cells(A, B), Y=Y, folds=cells(THERE, other)), [5, 4], classes=3
    )
    assert any("none is applied" in note and "--role folds1=mask" in note for note in found.notes)
    understood(tmp_path, [5, 4], classes=3, missing=GONE, roles={"folds1": "mask"})


@pytest.mark.parametrize("name", ["y", "gt", "classLabel", "data_labels", "Y_true", "group", "zzz"])
def test_labels_by_name_or_by_few_distinct_values(tmp_path, name):
    found = understood(npz(tmp_path, a=A, b=B, **{name: Y + 4}), [5, 4], classes=3)
    assert found.label_names == ["4", "5", "6"]
    assert found.roles[name] == "labels"


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("low", [0, -1])
def test_one_column_per_class_is_labels(tmp_path, turned, low):
    one_hot = np.where(np.eye(3)[Y] == 1, 1, low)
    found = understood(mat(tmp_path, fea=cells(A, B), Z=one_hot.T if turned else one_hot), [5, 4],
                       classes=3)  # fmt: skip
    assert found.y.tolist() == Y.tolist()


def test_labels_per_view_as_columns_or_cells(tmp_path):
    understood(mat(tmp_path, X=cells(A, B), gt=np.column_stack([Y, Y])), [5, 4], classes=3)
    understood(mat(tmp_path, X=cells(A, B), gt=cells(Y, Y)), [5, 4], classes=3)


def test_labels_as_texts(tmp_path):
    for content in (texts(*WORDS), np.array(WORDS)):
        found = understood(mat(tmp_path, X=cells(A.T, B.T), species=content), [5, 4], classes=3)
        assert found.label_names == ["ash", "birch", "cedar"]


def test_one_hot_beside_labels_is_no_view(tmp_path):
    found = understood(npz(tmp_path, a=A, b=B, y=Y, codes=np.eye(3)[Y]), [5, 4], classes=3)
    assert found.roles["codes"] == "copy"


def test_a_vector_that_says_something_else_is_no_label(tmp_path):
    found = understood(npz(tmp_path, a=A, b=B, batch=np.arange(N) % 2, weights=A[:, 0]), [5, 4])
    assert found.roles["batch"] == found.roles["weights"] == "unknown"
    understood(tmp_path, [5, 4], classes=2, roles={"batch": "labels"})


def test_two_vectors_that_may_be_labels_are_named(tmp_path):
    found = understood(
        npz(tmp_path, a=A, b=B, diet=np.arange(N) % 5, strain=np.arange(N) % 2), [5, 4]
    )
    assert any("diet (5 classes) and strain (2 classes) may be labels" in n for n in found.notes)
    understood(tmp_path, [5, 4], classes=2, roles={"strain": "labels"})
    # a name decides
    found = understood(npz(tmp_path, a=A, b=B, diet=np.arange(N) % 5, y=Y), [5, 4], classes=3)


def test_a_view_that_is_called_y_is_a_view(tmp_path):
    understood(npz(tmp_path, X=A, Y=B), [5, 4])


@pytest.mark.parametrize("values", [np.arange(N), np.ones(N), np.linspace(0, 1, N)])
def test_labels_that_are_no_classes(tmp_path, values):
    found = understood(npz(tmp_path, a=A, b=B, y=values), [5, 4])
    assert found.y is None


def test_facts_are_left_out_and_named(tmp_path):
    content = {"X": cells(A, B), "gt": Y, "k": 3, "dims": [[5, 4]], "name": "trees", "lambda": 0.5,
               "centres": A[:3], "class_names": texts("ash", "birch", "cedar"),
               "features": texts(*"pqrst")}  # fmt: skip
    found = understood(mat(tmp_path, **content), [5, 4], classes=3)
    told = "\n".join(found.notes)
    for name in ("k", "dims", "name", "centres", "class_names"):
        assert name in told
        assert found.roles[name] in ("facts", "ids")


def test_orders_of_the_samples_are_no_view(tmp_path):
    orders = np.array([np.random.default_rng(s).permutation(N) for s in range(4)])
    path = mat(tmp_path, X=cells(A, B), gt=Y, orders=orders + 1, perm=orders[0])
    found = understood(path, [5, 4],
                       classes=3)  # fmt: skip
    assert found.roles["orders"] == "facts"


def test_copies_count_once(tmp_path):
    path = npz(tmp_path, a=A, again=A, b=B, turned=B.T, both=np.hstack([A, B]), y=Y)
    found = understood(path, [5, 4], classes=3)
    assert [found.roles[name] for name in ("again", "turned", "both")] == ["copy"] * 3
    scaled = (A - A.mean(axis=0)) / A.std(axis=0)
    found = understood(npz(tmp_path, a=A, b=B, z=scaled, y=Y), [5, 4, 5], classes=3)
    assert any("z is a with features scaled" in note for note in found.notes)


def test_kernels_distances_and_graphs_are_told(tmp_path):
    D = np.linalg.norm(A[:, None] - A, axis=2)
    G = np.where(np.quantile(D, 0.2) > D, 1.0, 0) - np.eye(N)
    found = understood(npz(tmp_path, K=A @ A.T, D=D, G=G, b=B, y=Y), [N, N, N, 4], classes=3)
    assert list(found.kinds) == ["kernel", "distances", "graph", "features"]


def test_a_feature_that_is_the_label_stops_a_run(tmp_path):
    found = understood(npz(tmp_path, a=np.column_stack([A, Y]), b=B, y=Y), [6, 4], classes=3)
    assert "the feature 5 of a gives the classes away" in found.open[0]
    understood(tmp_path, [5, 4], classes=3, roles={"a/5": "ignore"})


def test_a_role_that_cannot_be_given_is_a_sentence(tmp_path):
    path = npz(tmp_path, pixels=A, b=B, y=Y)
    with pytest.raises(NotUnderstood, match="no variable pixel; did you mean pixels"):
        find_views(path, roles={"pixel": "view"})
    with pytest.raises(NotUnderstood, match="the roles are view, views, labels"):
        find_views(path, roles={"pixels": "vew"})
    understood(path, [4], classes=3, roles={"pixels": "ignore"})
    understood(path, [4], roles={"pixels": "ignore", "y": "ignore"})


def test_train_and_test_are_parts(tmp_path):
    path = npz(tmp_path, x_train=A[:20], x_test=A[20:], z_train=B[:20], z_test=B[20:],
               y_train=Y[:20], y_test=Y[20:])  # fmt: skip
    found = understood(path, [5, 4], classes=3)
    same_values(found, A, B)
    assert found.y.tolist() == Y.tolist()
    assert any("parts of one data set" in note for note in found.notes)


def test_two_files_named_train_and_test_are_one_view(tmp_path):
    np.save(tmp_path / "train.npy", A[:15])
    np.save(tmp_path / "test.npy", A[15:])
    found = understood(tmp_path, [5])
    same_values(found, A[[*range(15, N), *range(15)]])


def test_ranks_are_a_view(tmp_path):
    ranks = A.argsort(axis=1).argsort(axis=1) + 1
    understood(npz(tmp_path, ranks=ranks, b=B, y=Y), [5, 4], classes=3)


def test_a_view_without_a_test_part_is_missing_there(tmp_path):
    path = npz(tmp_path, x_train=A[:20], x_test=A[20:], z_train=B[:20], labels_train=Y[:20],
               labels_test=Y[20:])  # fmt: skip
    understood(path, [5, 4], classes=3, missing=[0, 10])


def test_names_of_samples_beside_the_views(tmp_path):
    found = understood(npz(tmp_path, a=A, b=B, sample_names=np.array(IDS), y=Y), [5, 4], classes=3)
    assert found.ids == IDS
    assert found.roles["sample_names"] == "ids"


def test_every_variable_has_one_role(tmp_path):
    path = npz(tmp_path, a=A, c=C, mask=THERE, y=Y, ids=np.array(IDS), note=np.array("hm"), k=3)
    found = find_views(path)
    assert found.roles == {"a": "view", "c": "view", "mask": "mask", "y": "labels", "ids": "ids",
                           "note": "facts", "k": "facts"}  # fmt: skip
