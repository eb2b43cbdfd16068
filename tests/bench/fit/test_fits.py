"""A job's fits: rows, failures of any kind, and what a killed job leaves."""

import os
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from bench.blobs import POINTS, SETTING, fits_of, make_dataset, planned, prepare, run
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

from mvclust import CMVNMF, DAIMC, MVSC, ConcatKMeans, MultiNMF
from mvclust.bench.fit.adapt_views import adapt_views
from mvclust.bench.fit.guard import Limits
from mvclust.bench.fit.journal import read_rows, write_rows
from mvclust.bench.fit.labels import checked_labels, pack_labels, unpack_labels
from mvclust.bench.fit.masks import draw_masks, write_masks
from mvclust.bench.fit.perturbed import ChosenFit
from mvclust.datasets.files import DamagedFile
from mvclust.datasets.record import write_dataset
from mvclust.metrics import accuracy
from mvclust.own.certainty import Perturbation

COMPLETE = replace(SETTING, protocol="complete", rate=0)


class Plain:
    """A class without any of our attributes, with the labels that it is told."""

    def __init__(self, n_clusters, *, labels=None):
        self.labels = labels

    def fit(self, Xs):
        self.n_iter_, self.objective_ = [1, 2], "abc"
        if self.labels is not None:
            self.labels_ = self.labels
        return self


@pytest.fixture
def prepared(tmp_path):
    return prepare(tmp_path)


def seconds_of(rows):
    """CPU seconds, which tell whether a row was taken or fitted anew."""
    return [row["cpu_seconds"] for row in rows]


def test_rows_hold_what_a_reader_needs(prepared):
    expected = {"error": None, "source": "made here", "n_samples": 45, "n_samples_declared": 45}
    for row in run(prepared, planned()):
        assert row | expected == row
        assert row["peak_mb"] > 10
        assert row["versions"]["numpy"] == np.__version__
        assert len(row["objective"]) == row["n_iter"]


def test_shared_start_gives_the_same_labels_and_is_spent_once():
    fits = fits_of(DAIMC)
    first, second = (fits.fit(point, 0) for point in POINTS)
    ((views, _),) = adapt_views(DAIMC, fits.dataset, fits.masks, SETTING, 0, 0, {}).calls
    alone = DAIMC(3, random_state=second["seed"], **POINTS[1]).fit(views)
    assert np.array_equal(unpack_labels(second["labels"]), alone.labels_)
    assert first["start_cpu_seconds"] == second["start_cpu_seconds"] > 0
    for row, spared in (first, 0), (second, second["start_cpu_seconds"]):
        assert row["spent_cpu_seconds"] == pytest.approx(row["cpu_seconds"] - spared)


def test_shared_solution_gives_the_same_labels_and_is_spent_once():
    fits = fits_of(MultiNMF, COMPLETE, 2)
    points = [{"max_iter": 2, "labels": labels} for labels in ("kmeans", "argmax")]
    points += [point | {"view_labels": True} for point in points]
    first, *others = rows = [fits.fit(point, 0) for point in points]
    alone = MultiNMF(3, max_iter=2, labels="argmax", random_state=first["seed"])
    with pytest.warns(ConvergenceWarning, match="MultiNMF"):
        alone.fit(make_dataset().Xs)
    assert np.array_equal(unpack_labels(rows[1]["labels"]), alone.labels_)
    assert np.array_equal(unpack_labels(rows[3]["labels"]), np.concatenate(alone.label_views()))
    assert first["spent_cpu_seconds"] == pytest.approx(first["cpu_seconds"])
    assert any("MultiNMF" in warning for warning in first["warnings"])
    same = {name: first[name] for name in ("start_cpu_seconds", "objective", "warnings")}
    assert same["objective"] == alone.objective_.tolist()
    assert same["start_cpu_seconds"] > 0
    for row in others:
        assert row["spent_cpu_seconds"] < row["cpu_seconds"]
        assert row | same == row
    for other in (fits.fit(points[0], 1), fits.fit({"max_iter": 3}, 1)):  # nothing to share
        assert other["objective"] != first["objective"]


def test_repetitions_on_complete_views_share_what_no_seed_drives():
    fits = fits_of(MVSC, COMPLETE, 2)
    first, second = (fits.fit({}, repetition) for repetition in (0, 1))
    assert first["seed"] != second["seed"]
    assert first["spent_cpu_seconds"] == pytest.approx(first["cpu_seconds"])
    assert second["spent_cpu_seconds"] < second["cpu_seconds"]
    alone = MVSC(3, random_state=second["seed"]).fit(make_dataset().Xs)
    assert np.array_equal(unpack_labels(second["labels"]), alone.labels_)
    assert second["objective"] == alone.objective_.tolist()
    assert (fits.same_views, fits_of(CMVNMF, COMPLETE, 2).same_views) == (True, False)


def test_repetitions_that_no_seed_tells_apart_are_fitted_once(tmp_path):
    folder, points = prepare(tmp_path, [COMPLETE]), [{"max_iter": 2}, {"max_iter": 3}]
    for estimator, fitted in (("mpac.MPAC", 2), ("daimc.DAIMC", 4)):
        used = planned(f"mvclust.estimators.{estimator}", points, setting=COMPLETE)
        rows = run(folder, used)
        assert len(rows) == 4
        assert len({row["seed"] for row in rows}) == 2
        assert sum(row["spent_cpu_seconds"] > 0 for row in rows) == fitted
        assert all(row["cpu_seconds"] > 0 for row in rows)
        assert run(folder, used) == rows  # from the journal, as it was


def test_killed_job_resumes(prepared):
    left = [1]

    def stop_after_two(*_):
        if not left:
            raise KeyboardInterrupt
        left.pop()

    with pytest.raises(KeyboardInterrupt):
        run(prepared, planned(), stop_after_two)
    (journal,) = (prepared / "journals").iterdir()
    with open(journal, "ab") as file:
        file.write(b'{"id": "cut sho')  # a line that a crash cut
    before = journal.read_bytes()
    run(prepared, planned())
    assert journal.read_bytes().startswith(before)
    assert journal.read_text().count('"labels"') == 4


def test_a_fit_is_known_by_what_it_is_given(prepared):
    first = run(prepared, planned())
    data = make_dataset()
    write_dataset(replace(data, source="elsewhere", sha256="1" * 64), prepared / "blobs.h5")
    masks = draw_masks(data, SETTING, 3, 0)  # one more
    write_masks({SETTING.id: masks}, prepared / "blobs.npz")
    again = run(prepared, planned())
    assert seconds_of(again) == seconds_of(first)
    assert {row["source"] for row in again} == {"elsewhere"}
    there = masks["presence"][:, :, 1]
    entry = np.flatnonzero(there[0] & ~there[1])[0]
    data.Xs[1][entry, 0] += 1e-9  # the first mask shows it, the second removes it
    write_dataset(data, prepared / "blobs.h5")
    same = np.equal(seconds_of(run(prepared, planned())), seconds_of(first))
    assert same.tolist() == [False, False, True, True]


def test_a_default_spelled_out_or_another_name_of_the_method_runs_no_fit_again(prepared):
    first = run(prepared, planned())
    renamed = run(prepared, planned(method="DAIMC-other"))
    assert {row["method"] for row in renamed} == {"DAIMC-other"}
    assert seconds_of(renamed) == seconds_of(first)
    assert not {row["key"] for row in renamed} & {row["key"] for row in first}
    spelled = [point | {"beta": 1.0, "scale": "sample_unit"} for point in POINTS]
    again = run(prepared, planned(points=spelled))
    assert seconds_of(again) == seconds_of(first)
    assert [row["params"] for row in again] == 2 * spelled
    other = run(prepared, planned(points=[point | {"beta": 2.0} for point in POINTS]))
    assert not {*seconds_of(other)} & {*seconds_of(first)}


@pytest.mark.parametrize(
    ("labels", "error"),
    [
        ([0] * 45, None),
        (np.arange(45) % 3 * 65536, None),
        (np.full(45, 0.7), "ValueError: the labels hold 0.7"),
        (None, "AttributeError: 'Plain' object has no attribute 'labels_'"),
    ],
    ids=["list", "large", "fractions", "none"],
)
def test_a_plain_class_has_its_labels_or_a_reason_in_the_row(labels, error):
    row = fits_of(Plain).fit({"labels": labels}, 0)
    assert (row["n_iter"], row["objective"]) == (None, None)
    if error is None:
        assert row["error"] is None
        assert accuracy(labels, unpack_labels(row["labels"])) == 1
    else:
        assert row["error"].startswith(error)
        assert row["labels"] is None


class OneStep:
    """A class with `fit_predict` alone, as some packages have."""

    n_iter_ = 0  # number of fits

    def __init__(self, n_clusters):
        self.n_clusters = n_clusters

    def fit_predict(self, Xs):
        self.n_iter_ += 1
        return np.arange(len(Xs[0])) % self.n_clusters


class BothSteps(OneStep):
    """A class that fits in both, and keeps no labels."""

    def fit(self, Xs):
        self.n_iter_ += 1
        return self


@pytest.mark.parametrize("estimator", [OneStep, BothSteps])
def test_a_class_with_fit_predict_is_fitted_once(estimator):
    row = fits_of(estimator).fit({}, 0)
    assert row["error"] is None
    assert unpack_labels(row["labels"]).tolist() == (np.arange(45) % 3).tolist()
    assert row["n_iter"] == 1


def test_wrong_parameters_are_a_row():
    fits = fits_of(DAIMC)
    assert fits.fit({"betta": 1}, 0)["error"].startswith("TypeError: ")
    assert fits.fit({"variant": "nonsense"}, 0)["error"].startswith("InvalidParameterError: ")


def test_a_cut_file_of_fits_is_named(prepared):
    path = prepared / "DAIMC.0.jsonl"
    write_rows(run(prepared, planned()), path)
    keys = [key for key, *_ in planned()["fits"]]
    assert [row["key"] for row in read_rows(path, keys)] == keys
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:-1]))  # at a line end
    with pytest.raises(DamagedFile, match="1 of 4 fits are not in it"):
        read_rows(path, keys)


def test_a_row_of_another_package_names_its_version(prepared):
    used = planned("sklearn.cluster.KMeans", [{"fill": "mean"}], method="KMeans")
    assert {row["versions"]["scikit-learn"] for row in run(prepared, used)} == {sklearn.__version__}


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


# Fits of the answer fail as those of the table of runs do: they take nothing else with them.
LESS = 30  # samples with which the classes below end, or fail


class Ends(ConcatKMeans):
    def fit(self, Xs, y=None):
        if len(Xs[0]) == LESS:
            os._exit(3)
        return super().fit(Xs)


class Fails(ConcatKMeans):
    def fit(self, Xs, y=None):
        if len(Xs[0]) == LESS:
            raise SystemExit("no")
        return super().fit(Xs)


def chosen(estimator):
    path, fits = f"{__name__}.{estimator.__name__}", fits_of(estimator)
    return ChosenFit(path, fits.dataset, fits.masks, SETTING, 0, {}, Limits())


@pytest.mark.parametrize("estimator", [Ends, Fails])
def test_a_perturbed_fit_that_ends_its_process_is_left_out(estimator):
    fits = chosen(estimator)
    presence = fits.masks["presence"][0]
    parts = [Perturbation(np.arange(size), presence[:size]) for size in (40, LESS, 35)]
    partitions = fits.partitions(parts)
    assert [None if labels is None else len(labels) for labels in partitions] == [40, None, 35]


@pytest.mark.parametrize("estimator", [Ends, Fails, OneStep])
def test_a_representation_that_cannot_be_had_is_none(estimator, monkeypatch):
    monkeypatch.setitem(globals(), "LESS", 45)
    assert chosen(estimator).embedding() is None
