"""A job's fits: rows, failures, and what a killed job leaves."""

import json
from dataclasses import replace

import numpy as np
import pytest
from helpers import make_blobs

from mvclust import DAIMC
from mvclust.benchmark import run
from mvclust.benchmark.journal import Journal
from mvclust.benchmark.masks import draw_masks, no_masks, write_masks
from mvclust.benchmark.plan import Fit, Setting, canonical
from mvclust.benchmark.prepare import prepare_task
from mvclust.benchmark.runs import read_runs, runs_table, score_rows, write_runs
from mvclust.datasets.record import Dataset, write_dataset, write_unavailable
from mvclust.estimators.base import MultiViewClusterer
from mvclust.metrics import accuracy

SETTING = Setting("blobs", ("a", "b", "c"), "random", 0.3)
POINTS = [canonical({"alpha": a, "max_iter": 20}) for a in (0.1, 10)]
FITS = [Fit(SETTING, r, "DAIMC", point) for r in range(2) for point in POINTS]


class Failing(MultiViewClusterer):
    """Fails for one value of its parameter."""

    def __init__(self, n_clusters, *, alpha=1, max_iter=1, random_state=None):
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.max_iter = max_iter
        self.random_state = random_state

    def fit(self, Xs, y=None):
        if self.alpha == 10:
            raise ValueError("alpha must not be 10")
        self.labels_ = np.zeros(len(Xs[0]), dtype=int)
        return self


@pytest.fixture
def prepared(tmp_path):
    """A prepared data set and its masks on disk."""
    write_dataset(make_dataset(), tmp_path / "blobs.h5")
    write_masks(draw_masks(make_dataset(), SETTING, 2, 0), tmp_path / "masks.npz")
    return tmp_path


def make_dataset():
    Xs, y = make_blobs()
    return Dataset(
        name="blobs",
        Xs=Xs,
        view_names=["a", "b", "c"],
        y=y,
        label_names=["0", "1", "2"],
        presence=np.ones((len(y), 3), bool),
        source="made here",
        sha256="0" * 64,
    )


def run_fits(folder, fits=FITS, *, estimator=DAIMC, code="1", report=lambda row: None):
    return run.run_job(
        fits,
        estimator=estimator,
        seed=0,
        dataset_file=folder / "blobs.h5",
        mask_files={SETTING.id: folder / "masks.npz"},
        journals=folder / "journals",
        code=code,
        threads=1,
        report=report,
    )


def labels_of(rows):
    return [row["labels"] for row in rows]


def test_rows_are_in_order_and_hold_what_a_reader_needs(prepared):
    rows = run_fits(prepared)
    assert [row["key"] for row in rows] == [fit.key for fit in FITS]
    assert accuracy(make_blobs()[1], run.unpack_labels(rows[0]["labels"])) > 0.9
    for row in rows:
        assert row["error"] is None
        assert row["cpu_seconds"] > 0
        assert row["peak_mb"] > 10
        assert row["source"] == "made here"
        assert row["versions"]["numpy"] == np.__version__
        assert len(row["objective"]) == row["n_iter"]
    # Methods share the seed of a mask, masks do not share seeds.
    assert rows[0]["seed"] == rows[1]["seed"] != rows[2]["seed"]


def test_shared_start_gives_the_same_labels_as_a_fit_of_its_own(prepared):
    rows = run_fits(prepared)
    data, masks = run.read_dataset(prepared / "blobs.h5"), np.load(prepared / "masks.npz")
    task = prepare_task(DAIMC, data, masks, FITS[1].setting, 0, 0, {})
    alone = DAIMC(3, random_state=rows[1]["seed"], **json.loads(POINTS[1])).fit(task.calls[0][0])
    assert rows[1]["labels"] == run.pack_labels(alone.labels_)


def test_killed_job_goes_on_where_it_was(prepared):
    done = []

    def stop_after_two(row):
        done.append(row)
        if len(done) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_fits(prepared, report=stop_after_two)
    (journal,) = (prepared / "journals").iterdir()
    with open(journal, "ab") as file:
        file.write(b'{"key": "cut sho')  # a line that a crash cut
    before = journal.read_bytes()
    rows = run_fits(prepared)
    assert rows[:2] == done  # timings too: they were not run again
    assert journal.read_bytes().startswith(before)
    assert journal.read_text().count('"labels"') == len(FITS)
    (prepared / "journals").rename(prepared / "elsewhere")
    assert labels_of(run_fits(prepared)) == labels_of(rows)


def test_rows_of_other_code_are_not_taken_over(prepared):
    first = run_fits(prepared)
    assert run_fits(prepared) == first
    again = run_fits(prepared, code="2")
    assert labels_of(again) == labels_of(first)
    assert [row["cpu_seconds"] for row in again] != [row["cpu_seconds"] for row in first]


def test_failed_fit_is_a_row_with_its_reason(prepared):
    rows = run_fits(prepared, estimator=Failing)
    errors = [row["error"] for row in rows]
    assert errors[0] is None
    assert errors[1].startswith("ValueError: alpha must not be 10 (test_run.py:")
    table = runs_table(
        score_rows(rows, prepared / "blobs.h5", {SETTING.id: prepared / "masks.npz"})
    )
    assert table["acc"].isna().sum() == 2
    write_runs(table, prepared / "runs.parquet")
    assert read_runs(prepared / "runs.parquet")["error"].notna().sum() == 2


def test_full_disk_leaves_no_file_under_the_final_name(prepared, monkeypatch):
    rows = run_fits(prepared)
    table = runs_table(
        score_rows(rows, prepared / "blobs.h5", {SETTING.id: prepared / "masks.npz"})
    )

    def full(self, path, **_):
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(type(table), "to_parquet", full)
    with pytest.raises(OSError, match="No space left"):
        write_runs(table, prepared / "runs.parquet")
    assert not [p for p in prepared.iterdir() if "runs.parquet" in p.name]


def test_metrics_come_from_the_stored_labels(prepared):
    rows = run_fits(prepared)
    scored = score_rows(rows, prepared / "blobs.h5", {SETTING.id: prepared / "masks.npz"})
    y = make_blobs()[1]
    for row in scored:
        assert row["acc"] == accuracy(y, run.unpack_labels(row["labels"]))
        assert -1 <= row["simplified_silhouette"] <= 1


def test_journal_survives_garbage(tmp_path):
    path = tmp_path / "journal.jsonl"
    path.write_bytes(b"\x00\xff garbage\n[1]\n{}\n")
    journal = Journal(path, "f")
    assert journal.rows == {}
    journal.append({"key": "k"})
    assert list(Journal(path, "f").rows) == ["k"]
    assert Journal(path, "g").rows == {}


def test_data_that_are_not_available_become_rows_that_say_so(prepared):
    write_unavailable("blobs", "no source answered", prepared / "blobs.h5")
    write_masks(no_masks(SETTING, 2), prepared / "masks.npz")
    rows = run_fits(prepared)
    assert [row["error"] for row in rows] == ["data not available"] * len(FITS)
    table = runs_table(
        score_rows(rows, prepared / "blobs.h5", {SETTING.id: prepared / "masks.npz"})
    )
    assert table["acc"].isna().all()
    write_runs(table, prepared / "runs.parquet")
    assert len(read_runs(prepared / "runs.parquet")) == len(FITS)


def test_samples_per_class_is_a_seeded_choice():
    dataset = make_dataset()
    masks = draw_masks(dataset, SETTING, 2, 0, samples_per_class=4)
    assert np.bincount(dataset.y[masks["rows"]]).tolist() == [4, 4, 4]
    assert masks["presence"].shape == (2, 12, 3)
    again = draw_masks(dataset, SETTING, 3, 0, samples_per_class=4)
    assert (again["presence"][:2] == masks["presence"]).all()  # more masks keep the first ones
    assert (masks["presence"][0] != masks["presence"][1]).any()


def test_natural_missingness_stays_and_samples_without_a_view_leave():
    presence = np.ones((45, 3), bool)
    presence[3] = [True, False, False]
    presence[7] = [False, False, True]
    dataset = replace(make_dataset(), presence=presence)
    natural = Setting("blobs", ("a", "b"), "natural", 0)
    masks = draw_masks(dataset, natural, 2, 0)
    assert 7 not in masks["rows"]
    assert (masks["presence"][1] == presence[masks["rows"]][:, :2]).all()


def test_published_masks_are_those_of_the_authors(mirror):
    dataset = replace(make_dataset(), name="3sources", y=np.zeros(169, int))
    dataset = replace(dataset, presence=np.ones((169, 3), bool))
    setting = Setting("3sources", ("a", "b", "c"), "published", 0.3)
    masks = draw_masks(dataset, setting, 2, 0, raw_folder=mirror / "3sources")
    assert ((~masks["presence"]).sum(axis=1) == 50).all()
    with pytest.raises(ValueError, match="has 10 published masks, 11 are asked for"):
        draw_masks(dataset, setting, 11, 0, raw_folder=mirror / "3sources")
