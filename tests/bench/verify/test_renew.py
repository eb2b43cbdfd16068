"""Fits of a table of runs are replaced where other code made them, and nothing else is."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from bench.blobs import SETTING, planned, prepare, run, scored

from mvclust.bench.arithmetic import of_process
from mvclust.bench.fit.jobs import NOT_AVAILABLE
from mvclust.bench.fit.journal import write_rows
from mvclust.bench.record.records import checksums, write_json
from mvclust.bench.score.runs import runs_table, scores_and_fitted
from mvclust.bench.verify.renew import old_fits, renewed


@pytest.fixture
def made(tmp_path):
    """(rows of today's code, table of a run by older code, plan of today)."""
    folder = prepare(tmp_path)
    used, before = planned(code="2"), planned(code="1")
    data, masks = {"blobs": str(folder / "blobs.h5")}, {SETTING.masks: str(folder / "blobs.npz")}
    table, _ = scores_and_fitted(runs_table(scored(folder, run(folder, before))), [])
    plan = SimpleNamespace(
        slices={"fit": {"j": used}, "runs": {"runs": {"curves": []}}},
        folders=SimpleNamespace(
            work=str(folder / "work"), data_and_masks=lambda _: {"data": data, "masks": masks}
        ),
        study=SimpleNamespace(settings={SETTING.id: SETTING}),
        arithmetic=of_process(),
    )
    return run(folder, used), table.assign(acc=0.5), plan


def write(plan, rows):
    """Write the file of a job of fits, with its record."""
    path = Path(plan.folders.work, "fits/blobs/j.jsonl")
    path.parent.mkdir(parents=True)
    write_rows(rows, path)
    content = {"slice": plan.slices["fit"]["j"], "inputs": {}, "outputs": checksums([path])}
    write_json(f"{path}.record", content)
    return path


@pytest.mark.parametrize(
    ("changes", "edit"), [({"code": "3"}, ""), (NOT_AVAILABLE, ""), ({}, '"n_iter": 1')]
)
def test_what_is_no_fit_of_today_replaces_none(made, changes, edit):
    rows, table, plan = made
    path = write(plan, [row | changes for row in rows])
    if edit:
        path.write_text(path.read_text().replace('"n_iter": ', edit))
    assert renewed(plan, table) is table


def test_what_had_no_data_is_not_older_than_the_code(made):
    """Or a run would be told to be old for good where nobody has the data."""
    rows, table, plan = made
    write(plan, [row | NOT_AVAILABLE for row in rows])
    after = renewed(plan, table.assign(tries=0, error=NOT_AVAILABLE["error"]))
    assert set(after["code"]) == {"2"}
    assert set(after["error"]) == {"data not available"}


def test_a_fit_of_other_libraries_or_another_arithmetic_is_old(made):
    _, table, plan = made
    ours = table.assign(code="2")
    assert not old_fits(plan, ours)
    others = {"versions": '{"numpy": "1.0"}'}, {"kernel": "Nehalem"}
    for other in (*(ours.assign(**each) for each in others), ours.drop(columns="kernel")):
        assert set(old_fits(plan, other)) == set(table["key"])
