"""Samples of several files are matched by their names, or a sentence says why not."""

import numpy as np
import pytest
from foreign_files import IDS, ORDER, A, B, C, N, Y, same_values, understood, write_table

from mvclust.datasets.foreign import NotUnderstood, find_views


def two(folder, first, second, order=range(N)):
    write_table(folder / "a.csv", A, "pqrst", first, "id")
    write_table(folder / "b.csv", B[list(order)], "uvwx", [second[n] for n in order], "id")
    return folder


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (IDS, [i.replace("-", ".") for i in IDS]),
        (IDS, [i.lower() for i in IDS]),
        (IDS, [i + "-RNA" for i in IDS]),
        (["rna_" + i for i in IDS], ["prot_" + i for i in IDS]),
        ([f"{n:03d}" for n in range(N)], list(range(N))),
        ([f"P{n:03d}" for n in range(1, N + 1)], [f"P{n}" for n in range(1, N + 1)]),
        ([f"{n}" for n in range(100, 130)], [f"X{n}" for n in range(100, 130)]),
        (
            [f"TCGA-{n}-{7 * n}-01A-11R-A{n}" for n in range(N)],
            [f"TCGA.{n}.{7 * n}.01A.21D.B{n % 3}" for n in range(N)],
        ),
        ([f"TCGA-{n}-{7 * n}-01A-11R" for n in range(N)], [f"TCGA-{n}-{7 * n}" for n in range(N)]),
        ([f" {i} " for i in IDS], IDS),
    ],
)
def test_names_that_are_written_otherwise_are_matched_and_told(tmp_path, first, second):
    found = understood(two(tmp_path, first, second, ORDER), [5, 4])
    same_values(found, A, B)
    if [str(i).strip() for i in first] != [str(i) for i in second]:
        assert any("after a change" in note for note in found.notes)


def test_names_in_part_are_missing_instances(tmp_path):
    write_table(tmp_path / "a.csv", A[:20], "pqrst", IDS[:20], "id")
    write_table(tmp_path / "b.csv", B[8:], "uvwx", IDS[8:], "id")
    understood(tmp_path, [5, 4], missing=[10, 8])


def test_names_that_differ_by_case_within_a_file_are_two(tmp_path):
    ids = [f"{'ab'[n % 2] if n < 15 else 'AB'[n % 2]}{n // 2 % 7}{n}" for n in range(N)]
    same_values(understood(two(tmp_path, ids, ids, ORDER), [5, 4]), A, B)


def test_no_sample_in_common_is_a_sentence(tmp_path):
    with pytest.raises(NotUnderstood, match="have no sample in common: a names S-0-200, b Q0"):
        find_views(two(tmp_path, IDS, [f"Q{n * n}" for n in range(N)]))


@pytest.mark.parametrize("numbers", [False, True])
def test_a_name_that_is_there_twice_is_a_sentence(tmp_path, numbers):
    ids = list(range(500, 500 + N)) if numbers else list(IDS)
    ids[4] = ids[9]
    with pytest.raises(NotUnderstood, match=f"id {ids[9]} is there twice"):
        find_views(two(tmp_path, ids, ids))


def test_row_numbers_of_files_of_different_lengths_are_a_sentence(tmp_path):
    write_table(tmp_path / "a.csv", A, "pqrst", range(N), "")
    write_table(tmp_path / "b.csv", B[:20], "uvwx", range(20), "")
    with pytest.raises(NotUnderstood, match="only number their rows"):
        find_views(tmp_path)


def test_a_selection_of_row_numbers_names_samples(tmp_path):
    kept = [n for n in range(N) if n % 4]
    write_table(tmp_path / "a.csv", A, "pqrst", range(N), "")
    write_table(tmp_path / "b.csv", B[kept], "uvwx", kept, "")
    found = understood(tmp_path, [5, 4], missing=[0, N - len(kept)])
    assert np.isnan(found.Xs[1][[0, 4, 8]]).all()


def test_a_file_without_names_is_taken_in_order_only_if_there_is_one(tmp_path):
    write_table(tmp_path / "a.csv", A, "pqrst", IDS, "id")
    write_table(tmp_path / "c.csv", C, "uvwxyz")
    found = understood(tmp_path, [5, 6])
    assert any("c: without names of samples" in note for note in found.notes)
    two(tmp_path, IDS, IDS, ORDER)
    with pytest.raises(NotUnderstood, match="some files name their samples, but not c"):
        find_views(tmp_path)


def test_labels_without_names_need_one_order(tmp_path):
    two(tmp_path, IDS, IDS, ORDER)
    (tmp_path / "labels.txt").write_text("\n".join(map(str, Y)) + "\n")
    with pytest.raises(NotUnderstood, match="labels does not name its samples"):
        find_views(tmp_path)
    two(tmp_path, IDS, IDS)
    understood(tmp_path, [5, 4], classes=3)


def test_labels_by_name(tmp_path):
    two(tmp_path, IDS, IDS)
    lines = [f"{IDS[n].lower()},{Y[n]}" for n in ORDER]
    (tmp_path / "labels.csv").write_text("id,label\n" + "\n".join(lines) + "\nother,1\n")
    found = understood(tmp_path, [5, 4], classes=3)
    assert found.y.tolist() == Y.tolist()
    (tmp_path / "labels.csv").write_text("id,label\n" + "\n".join(lines[:-1]) + "\n")
    found = understood(tmp_path, [5, 4], classes=3)
    assert found.y is None
    assert any("the label of 1 of 30 samples is not known" in note for note in found.notes)


def test_labels_of_strangers_are_a_sentence(tmp_path):
    two(tmp_path, IDS, IDS)
    (tmp_path / "labels.csv").write_text(
        "id,label\n" + "\n".join(f"Q{n * n},{Y[n]}" for n in range(N)) + "\n"
    )
    with pytest.raises(NotUnderstood, match="labels/label and the views have no sample in common"):
        find_views(tmp_path)


def test_a_mask_with_names(tmp_path):
    two(tmp_path, IDS, IDS)
    there = np.ones((N, 2))
    there[3, 1] = there[7, 0] = 0
    write_table(tmp_path / "mask.csv", there[ORDER][:, ::-1], "ba", [IDS[n] for n in ORDER], "id",
                number="%d")  # fmt: skip
    found = understood(tmp_path, [5, 4], missing=[1, 1])
    assert not found.presence[3, 1]
    assert not found.presence[7, 0]


def test_names_of_each_view_in_an_archive(tmp_path):
    kept = np.arange(6, N)
    np.savez(tmp_path / "a.npz", X1=A, X2=B[kept], ids1=np.array(IDS), ids2=np.array(IDS)[kept])
    understood(tmp_path, [5, 4], missing=[0, 6])
