"""Samples of several tables are matched by their labels, in every public function."""

import inspect
import sys

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from mvclust import (
    CMVNMF,
    ConcatKMeans,
    ConcatNMF,
    MultiNMF,
    choosing,
    filling,
    label_certainty,
    masking,
    mechanisms,
    metrics,
    missingness,
    structure,
    unmapping,
)
from mvclust.canonical import read_labels
from mvclust.command import Command
from mvclust.masking import apply_mask
from mvclust.own import answer, certainty, survival
from mvclust.testing import make_blobs

(X1, X2, _), Y = make_blobs(20)
RNG = np.random.default_rng(0)
MASK = np.column_stack([np.ones(60, bool), RNG.permutation(60) < 40])
KMEANS = ConcatKMeans(3, random_state=0)
PARTS = f'{sys.executable} -c "{{}}"'.format(
    "import sys, h5py; X = h5py.File(sys.argv[1])['view_2'][:, 0]; "
    "open(sys.argv[2], 'w').write(' '.join(str(int(x > 4)) for x in X))"
)


def tables(index):
    """Views, masks, labels and more, each a data frame or a Series of its own index."""
    return {
        "A": pd.DataFrame(X1, index), "y": pd.Series(Y, index), "B": pd.DataFrame(X2, index),
        "z": pd.Series((Y + (np.arange(60) % 7 == 0)) % 3, index),
        "mask": pd.DataFrame(MASK, index),
        "scores": pd.DataFrame(RNG.permutation(X2)[:, :2], index),
        "event": pd.Series(np.arange(60) % 2, index), "inside": pd.Series(Y == 1, index),
    }  # fmt: skip


LABELLED = [
    metrics.contingency, metrics.accuracy, metrics.purity, metrics.adjusted_rand_index,
    metrics.pairwise_precision, metrics.pairwise_recall, metrics.pairwise_f_score, metrics.score,
]  # fmt: skip

# What is called: a function of A and y in one order, and of the others in another.
CASES = {f.__name__: lambda t, f=f: f(t["y"], t["z"]) for f in LABELLED} | {
    "fit": lambda t: KMEANS.fit([t["A"], t["B"]]).labels_,
    "predict": lambda t: KMEANS.fit([X1, X2]).predict([t["A"], t["B"]]),
    "transform": lambda t: ConcatNMF(3, random_state=0).fit([X1, X2]).transform([t["A"], t["B"]]),
    "draw_start": lambda t: MultiNMF(3, random_state=0).draw_start([t["A"], t["B"]]),
    "Command": lambda t: Command(2, command=PARTS).fit([t["A"], t["B"]]).labels_,
    "nmi": lambda t: metrics.nmi(t["y"], t["z"], "max"),
    "stability": lambda t: metrics.stability([t["y"], t["z"], t["y"]]),
    "simplified_silhouette": lambda t: metrics.simplified_silhouette(
        [t["A"], t["B"]], t["mask"], t["z"]
    ),
    "Silhouettes": lambda t: metrics.Silhouettes([t["A"], t["B"]], MASK).of(t["z"]),
    "fill_missing": lambda t: filling.fill_missing([t["A"], _gaps(t["B"])]),
    "fill_missing of a tuple": lambda t: filling.fill_missing((t["A"], _gaps(t["B"]))),
    "apply_mask": lambda t: apply_mask([t["A"], t["B"]], t["mask"]),
    "missingness_test": lambda t: missingness.missingness_test([t["A"], t["B"]], t["mask"], 99),
    "classes_as_clusters": lambda t: structure.classes_as_clusters(t["B"], t["y"]),
    "class_scores": lambda t: mechanisms.class_scores(t["y"], 2, 0, t["mask"]),
    "value_scores": lambda t: mechanisms.value_scores([t["A"], t["B"]], available=t["mask"]),
    "driven_scores": lambda t: mechanisms.driven_scores([t["A"], t["B"]], 0, 1),
    "batches_of": lambda t: mechanisms.batches_of([t["A"], t["B"]], 4, t["mask"]),
    "placed_mask": lambda t: mechanisms.placed_mask(t["y"].to_frame() > 0, t["z"].to_frame(), 1, 0),
    "standard_scores": lambda t: mechanisms.standard_scores(t["A"].iloc[:, :2], t["mask"]),
    "realised": lambda t: mechanisms.realised(t["A"].iloc[:, :2], t["mask"]),
    "unmap": lambda t: unmapping.unmap([t["A"], t["B"]], t["z"], seed=0),
    "mapped_constraints": lambda t: unmapping.mapped_constraints(
        [t["y"] * 0 + np.arange(60)] * 2, [t["z"]] * 2, 0.5, 0.1, seed=0, drawn="samples"
    ),
    "clusters_exist": lambda t: structure.clusters_exist(
        [t["A"], t["B"]], n_references=3, random_state=0
    ),
    "spectrum": lambda t: structure.spectrum([t["A"], t["B"]], 5).round(9),
    "tune": lambda t: choosing.tune(KMEANS, {"n_clusters": [2, 3]}, [t["A"], t["B"]]).scores,
    "select_n_clusters": lambda t: choosing.select_n_clusters(
        KMEANS, [t["A"], t["B"]], [2, 3], criterion="stability", random_state=0
    ),
    "label_certainty": lambda t: label_certainty(
        KMEANS, [t["A"], t["B"]], n_draws=2, random_state=0
    )[:2],
    "matched": lambda t: certainty.matched(t["y"], t["z"]),
    "differences": lambda t: answer.differences(t["A"], t["inside"]),
    "can_be_tested": lambda t: survival.can_be_tested(t["y"] % 2, t["z"]),
    "scan": lambda t: survival.scan(
        t["A"].iloc[:, 0], t["event"], [t["z"]], survival.drawn_orders(60, 9, 0)
    ),
    "kaplan_meier": lambda t: survival.kaplan_meier(t["A"].iloc[:, 0], t["event"]),
    "survival_of": lambda t: survival.survival_of(
        t["A"].iloc[:, 0], t["event"], {"m": t["z"]}, "m", 0
    ),
}


def _gaps(X):
    return X.where(X.to_numpy() < 6.2)


def in_another_order(given):
    """The same tables, of which all but A and y have their rows in another order."""
    return {
        name: X if name in "Ay" else X.sample(frac=1, random_state=number)
        for number, (name, X) in enumerate(given.items())
    }


def flat(value):
    """What a function returned, as numbers and arrays of its order."""
    if isinstance(value, dict):
        return {key: flat(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [flat(part) for part in value]
    return value.toarray() if sparse.issparse(value) else np.asarray(value)


INDICES = {"names": [f"patient {n}" for n in range(60)], "the default index": None}


@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("name", CASES)
def test_tables_in_another_order_are_aligned(name, index):
    given = tables(INDICES[index])
    expected = flat(CASES[name](given))
    np.testing.assert_equal(flat(CASES[name](in_another_order(given))), expected)


@pytest.mark.parametrize("name", CASES)
def test_tables_of_other_samples_are_refused(name):
    given = tables(INDICES["names"])
    for other in ({"patient 3": "patient x"}, dict(zip(INDICES["names"], range(60), strict=True))):
        renamed = {key: X if key in "Ay" else X.rename(other) for key, X in given.items()}
        with pytest.raises(ValueError, match="data frames of other samples"):
            CASES[name](renamed)


TABLES = {
    "Xs", "X", "presence", "available", "base", "scores", "y", "y_true", "y_pred", "labels",
    "others", "inside", "time", "event", "ys", "ids", "partitions",
}  # fmt: skip
OF_ARRAYS = {
    "perturbations", "certainty", "cluster_stability",  # of arrays that `label_certainty` made
    "effects_of", "values_of", "joint_components",  # of views that were read
    "random_constraints", "random_intra_constraints", "known_mapping",  # of views with own rows
}  # fmt: skip


def test_every_public_function_of_several_tables_is_among_these():
    modules = (answer, certainty, choosing, filling, masking, mechanisms, metrics, missingness)
    for module in (*modules, structure, survival, unmapping):
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ != module.__name__ or name.startswith("_"):
                continue
            taken = TABLES & set(inspect.signature(function).parameters)
            if {"Xs", "ys", "partitions"} & taken or len(taken) > 1:
                assert name in CASES or name in OF_ARRAYS, f"{module.__name__}.{name}"


def test_labels_are_named_in_the_order_of_the_first_table_and_arrays_by_position():
    turned = in_another_order(tables(None))
    for views in ([turned["A"], turned["B"]], [turned["B"], turned["A"]]):
        assert KMEANS.fit(views).labels_.index.equals(views[0].index)
        assert KMEANS.predict(views).index.equals(views[0].index)
    again = MultiNMF(3, random_state=0).fit([turned["B"], turned["A"]])
    assert again.set_params(labels="argmax").relabel().labels_.index.equals(turned["B"].index)
    apart = CMVNMF(3, random_state=0).fit([turned["A"], turned["B"].iloc[:30]]).labels_
    assert apart[1].index.equals(turned["B"].index[:30])  # views with rows of their own
    counted = tables(None)
    expected = KMEANS.fit([X1, X2]).labels_
    for views in ([counted["A"], counted["B"]], [X1, counted["B"]]):
        assert isinstance(KMEANS.fit(views).labels_, np.ndarray)
        np.testing.assert_array_equal(KMEANS.labels_, expected)
    named = tables(INDICES["names"])
    np.testing.assert_array_equal(KMEANS.fit([named["A"], X2]).labels_, expected)


def test_masked_labels_masks_and_scores_and_links_with_names_are_refused():
    hidden = np.arange(60) == 7
    y = np.ma.array(Y, mask=hidden)
    calls = [
        lambda: metrics.accuracy(Y, y),
        lambda: metrics.simplified_silhouette([X1], MASK[:, :1], y),
        lambda: unmapping.unmap([X1], y),
        lambda: mechanisms.class_scores(y, 2, 0),
        lambda: unmapping.mapped_constraints([y, Y], [Y, Y], 0.5, 0.1),
        lambda: survival.scan(X1[:, 0], Y, [y], survival.drawn_orders(60, 9, 0)),
        lambda: read_labels(["a", np.ma.masked], "y"),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="lacks the label of 1 of"):
            call()
    links = pd.DataFrame(np.eye(60), INDICES["names"])
    with pytest.raises(ValueError, match=r"must_links\[0, 1\] is a data frame whose index names"):
        CMVNMF(3).fit([X1, X2], must_links={(0, 1): links})
    masked = np.ma.array(MASK, mask=np.zeros_like(MASK))
    masked[3, 1] = np.ma.masked
    for presence in (masked, list(masked)):
        with pytest.raises(ValueError, match="has masked entries, expected truth values"):
            apply_mask([X1, X2], presence)
    scores = np.ma.masked_greater(X1[:, :2], 7)
    with pytest.raises(ValueError, match="expected a finite score for each available instance"):
        mechanisms.placed_mask(MASK, scores, 1, 0)
    with pytest.raises(ValueError, match="init U has missing values"):
        ConcatNMF(3, init={"U": np.ma.masked_less(np.ones((9, 3)), 2), "V": np.ones((60, 3))}).fit(
            [X1, X2]
        )
    # What is masked in rows of a list of views is missing.
    rows = list(np.ma.array(X1, mask=np.repeat(~MASK[:, 1:], 5, axis=1)))
    presence = missingness.read_views([X2, rows], "this")[1]
    np.testing.assert_array_equal(presence, MASK)
