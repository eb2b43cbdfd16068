"""A damaged file of the pipeline is read, passed over, or named as damaged; nothing else."""

import shutil

import numpy as np
import pytest
import scipy.io
from bench.blobs import SETTING, planned, prepare, run, scored
from bench.report.made_up import describe, grid_of, scores_of
from damage import damaged, fuzzed

from mvclust.bench.fit.journal import Journal, read_rows, write_rows
from mvclust.bench.fit.masks import read_masks
from mvclust.bench.plan.costs import read_costs
from mvclust.bench.record.records import read_record, write_json
from mvclust.bench.report.tables import write_tables
from mvclust.bench.score.comparing import compare_tables, described
from mvclust.bench.score.runs import read_runs, runs_table, write_costs, write_runs
from mvclust.datasets.files import DamagedFile
from mvclust.datasets.readers.matlab import read_columns, read_mat
from mvclust.datasets.record import read_dataset

pytestmark = pytest.mark.usefixtures("warm_python")  # MATLAB files are tried in another process


def compared(path):
    """A table of results against its undamaged copy."""
    return described(compare_tables(path.parents[1], path.parents[2] / "whole"))


READERS = {  # of each kind the file, what reads it, and the errors that the reader may raise
    "prepared data": ("blobs.h5", read_dataset, (DamagedFile, ValueError)),
    "masks": ("blobs.npz", lambda path: read_masks(path, SETTING.id), DamagedFile),
    "rows of fits": ("fits.jsonl", lambda path: read_rows(path, []), DamagedFile),
    "journal": ("journal.jsonl", Journal, ()),
    "runs": ("runs.parquet", read_runs, DamagedFile),
    "costs": ("costs.csv", read_costs, ()),
    "record": ("fits.record", read_record, ()),
    "raw MATLAB": ("raw.mat", lambda path: read_mat(path, ["X"]), DamagedFile),
    "raw packed": ("packed.mat", lambda path: read_columns(path, "X"), (DamagedFile, KeyError)),
    "compared": ("results/tables/a.csv", compared, (DamagedFile, FileNotFoundError)),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A folder with an undamaged file of each kind."""
    folder = prepare(tmp_path_factory.mktemp("made"))
    rows = run(folder, planned())
    write_rows(rows, folder / "fits.jsonl")
    table = runs_table(scored(folder, rows))
    write_runs(table, folder / "runs.parquet")
    write_costs(table, folder / "costs.csv")
    parts = {"slice": {"fits": [[1, "a"]]}, "inputs": {"a": "b"}, "outputs": {}}
    write_json(folder / "fits.record", parts)
    shutil.copy(next((folder / "journals").iterdir()), folder / "journal.jsonl")
    scipy.io.savemat(folder / "raw.mat", {"X": np.eye(30, 5)})
    scipy.io.savemat(folder / "packed.mat", {"X": np.eye(30, 5)}, do_compression=True)
    for name in ("results", "whole"):
        write_tables(describe(), scores_of(grid_of(method=["A", "B"])), folder / f"{name}/tables/a")
    return folder


@pytest.mark.parametrize("kind", READERS)
@fuzzed
def test_damaged_files_are_named(made, kind, seed):
    name, read, errors = READERS[kind]
    path = made / name
    whole = path.read_bytes()
    path.write_bytes(damaged(whole, seed))
    said = ""
    try:
        read(path)
    except errors as error:
        said = str(error)
    finally:
        path.write_bytes(whole)
    assert "\n" not in said


def test_undamaged_files_are_read(made):
    for name, read, _ in READERS.values():
        assert read(made / name) is not None
