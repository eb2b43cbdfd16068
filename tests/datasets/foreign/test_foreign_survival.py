"""Survival times beside the views are facts: never views, never labels."""

import numpy as np
import pytest
import scipy.io
from foreign_files import IDS, A, B, N, Y, write_table

from mvclust.datasets.foreign import as_record, find_views

RNG = np.random.default_rng(1)
TIME = RNG.integers(5, 900, N)
EVENT = (RNG.random(N) < 0.6).astype(int)
DEAD = EVENT == 1
AGE = RNG.integers(30, 80, N)


def table(**columns):
    """Columns as lists of texts, by their names."""
    return {name.replace("__", " "): [str(x) for x in column] for name, column in columns.items()}


TCGA = table(
    days_to_death=np.where(DEAD, TIME, -1),
    days_to_last_followup=np.where(DEAD, -1, TIME),
    vital_status=np.where(DEAD, "Dead", "Alive"),
)
TCGA = {name: [x.replace("-1", "[Not Available]") for x in column] for name, column in TCGA.items()}
TABLES = {
    "numbers": table(**{"OS.time": TIME, "OS": EVENT, "age": AGE}),
    "other endpoints": table(
        **{"PFI": 1 - EVENT, "PFI.time": 2 * TIME, "OS": EVENT, "OS.time": TIME}
    ),
    "of cBioPortal": table(
        OS_MONTHS=TIME, OS_STATUS=np.where(DEAD, "1:DECEASED", "0:LIVING"), SEX=["Male"] * N
    ),
    "of the GDC": TCGA,
    "of R": table(time=TIME, status=EVENT + 1),
    "in words": table(
        Overall__Survival__Months=TIME, Overall__Survival__Status=np.where(DEAD, "dead", "alive")
    ),
}


def folder_with(folder, clinical, order):
    """Two views, and a table about the samples in another order."""
    for name, X in {"rna": A, "protein": B}.items():
        header = [f"{name} {j}" for j in range(X.shape[1])]
        write_table(folder / f"{name}.csv", X, header, IDS, corner="sample")
    lines = [",".join(["sample", *clinical])]
    lines += [",".join([IDS[i], *(column[i] for column in clinical.values())]) for i in order]
    (folder / "clinical.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("kind", TABLES)
def test_columns_of_time_and_event_are_survival_and_no_view_and_no_labels(tmp_path, kind):
    found = find_views(folder_with(tmp_path, TABLES[kind], RNG.permutation(N)))
    assert found.view_names == ["protein", "rna"]
    assert found.y is None
    assert found.ids == IDS
    np.testing.assert_array_equal(found.survival.time, TIME)
    np.testing.assert_array_equal(found.survival.event, EVENT)
    assert {found.roles[name] for name in found.survival.columns} == {"facts"}
    (note,) = [note for note in found.notes if note.startswith("survival: clinical/")]
    assert f"known of {N} of {N} samples, with {EVENT.sum()} events" in note
    assert as_record(found)["survival"] == found.survival.columns


def test_samples_without_survival_are_not_known(tmp_path):
    found = find_views(folder_with(tmp_path, TABLES["numbers"], range(9, N)))
    assert np.isnan(found.survival.time[:9]).all()
    assert np.isnan(found.survival.event[:9]).all()
    np.testing.assert_array_equal(found.survival.time[9:], TIME[9:])


@pytest.mark.parametrize(
    "clinical",
    [
        table(time=TIME, status=RNG.integers(0, 4, N)),
        table(status=EVENT, age=AGE),
        table(OS=EVENT, OSBPL3=TIME, age=AGE),
        table(OS=EVENT, **{"PFI.time": TIME}),
    ],
)
def test_a_name_alone_makes_no_survival(tmp_path, clinical):
    assert find_views(folder_with(tmp_path, clinical, range(N))).survival is None


def test_a_table_that_is_to_be_a_view_keeps_its_columns(tmp_path):
    path = folder_with(tmp_path, TABLES["numbers"], range(N))
    found = find_views(path, roles={"clinical": "view"})
    assert found.survival is None
    assert found.view_names == ["clinical", "protein", "rna"]
    found = find_views(path, roles={"clinical/OS.time": "ignore"})
    assert found.survival is None


def test_the_other_columns_of_the_only_table_are_the_view(tmp_path):
    columns = table(a=A[:, 0], b=A[:, 1], c=A[:, 2], **{"OS.time": TIME, "OS": EVENT})
    path = folder_with(tmp_path, columns, range(N)) / "clinical.csv"
    found = find_views(path)
    assert [X.shape[1] for X in found.Xs] == [3]
    np.testing.assert_array_equal(found.survival.time, TIME)


def test_vectors_beside_matrices_are_survival_too(tmp_path):
    content = {"X1": A, "X2": B, "survival_time": TIME, "death": EVENT, "gt": Y}
    scipy.io.savemat(tmp_path / "mine.mat", content)
    found = find_views(tmp_path / "mine.mat")
    assert found.view_names == ["X1", "X2"]
    np.testing.assert_array_equal(found.y, Y)
    np.testing.assert_array_equal(found.survival.event, EVENT)
