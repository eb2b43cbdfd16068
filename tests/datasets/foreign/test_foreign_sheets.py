"""Sheets beside the views, keys beside names, spectra, summaries, and folders with other files."""

import numpy as np
import pandas as pd
import pytest
from foreign_files import (
    IDS,
    ORDER,
    PATIENTS,
    WORDS,
    A,
    B,
    C,
    N,
    Y,
    same_values,
    understood,
    write_table,
)

from mvclust.datasets.foreign import NotUnderstood, find_views

MRN = np.random.default_rng(8).permutation(90000)[:N] + 10000
SYMBOLS = ["TP53", "BRCA1", "EGFR", "KRAS", "MYC", "PTEN"]
BARCODES = [f"TCGA-{n:02d}-A{n:03d}-01" for n in range(N)]


def two_views(folder, ids=PATIENTS, title="id"):
    """Two tables, the second in another order."""
    write_table(folder / "a.csv", A, "pqrst", ids, title)
    write_table(folder / "b.csv", B[ORDER], "uvwx", np.asarray(ids)[ORDER], title)


def told(found, text):
    return any(text in note for note in found.notes)


def framed(path, **columns):
    pd.DataFrame(columns).to_csv(path, index=False)


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("title", ["file", "Name", "visit date"])
def test_names_that_no_other_table_has_give_way_to_a_shared_key(tmp_path, title, both):
    numbers = [f"scan_{n}.nii" for n in range(N)]
    own = pd.DataFrame(A, columns=list("pqrst"))
    own.insert(0, "ward no", MRN)
    own[title] = numbers
    own.to_csv(tmp_path / "a.csv", index=False)
    other = pd.DataFrame(B[ORDER], columns=list("uvwx"))
    other.insert(0, "ward no", MRN[ORDER])
    if both:
        other[title] = [f"{n}.tif of another kind" for n in range(N)]
    other.to_csv(tmp_path / "b.csv", index=False)
    found = understood(tmp_path, [5, 4])
    same_values(found, A, B)
    assert told(found, "ward no of a and ward no of b hold the same numbers")


def test_numbers_with_more_digits_than_a_float_has_are_names(tmp_path):
    ids = [str(10**18 + n) for n in range(N)]
    two_views(tmp_path, ids, "objid")
    found = understood(tmp_path, [5, 4])
    same_values(found, A, B)
    assert found.ids == ids


@pytest.mark.parametrize("title", ["species", "Condition", "treatment", "dx"])
def test_texts_called_as_groups_are_labels_and_numbers_beside_them_are_not(tmp_path, title):
    two_views(tmp_path)
    columns = {"id": PATIENTS, title: WORDS, "year": 2019 + np.arange(N) % 3}
    framed(tmp_path / "sheet.csv", **columns)
    found = understood(tmp_path, [5, 4], classes=3)
    np.testing.assert_array_equal(found.y, Y)
    assert told(found, "the column year of sheet stands beside texts and is left out")


def test_an_age_beside_texts_is_no_view(tmp_path):
    two_views(tmp_path)
    sex = np.where(np.arange(N) % 2, "f", "m")
    framed(tmp_path / "people.csv", id=PATIENTS, age=40 + np.arange(N) / 3, sex=sex, group=WORDS)
    understood(tmp_path, [5, 4], classes=3)


def test_one_value_for_all_is_no_view_and_no_label(tmp_path):
    two_views(tmp_path)
    framed(tmp_path / "submission.csv", id=PATIENTS, target=np.zeros(N, int))
    understood(tmp_path, [5, 4])


@pytest.mark.parametrize("numeric", [False, True])
def test_a_table_of_the_features_of_others_is_left_out(tmp_path, numeric):
    for name, X in {"T1": A, "T2": A[::-1]}.items():
        write_table(tmp_path / f"{name}.csv", X, "pqrst", PATIENTS, "id")
    about = {"min": range(5), "max": range(1, 6)} if numeric else {"group": list("mmsss")}
    framed(tmp_path / "codebook.csv", variable=list("pqrst"), **about)
    found = understood(tmp_path, [5, 5])
    assert told(found, "codebook tells about the features of other tables (p, ...)")


@pytest.mark.parametrize("named", [True, False])
def test_a_file_per_class_is_refused(tmp_path, named):
    for place, name in enumerate(["healthy", "mild", "severe"]):
        rows = range(place, 8 + 2 * place)
        ids = [f"{name}{n}" for n in rows] if named else None
        write_table(tmp_path / f"{name}.csv", A[: len(rows)], "pqrst", ids, "id")
    with pytest.raises(NotUnderstood, match="have the same columns, and each has samples of its"):
        find_views(tmp_path)


def test_codes_of_archives_tell_where_samples_are(tmp_path):
    write_table(tmp_path / "rna.tsv", A.T, BARCODES, SYMBOLS[:5], "sample", mark="\t")
    write_table(tmp_path / "prot.tsv", B.T, BARCODES, SYMBOLS[1:5], "sample", mark="\t")
    found = understood(tmp_path, [4, 5])
    same_values(found, B, A)


@pytest.mark.parametrize("title", ["wavelength", "Wavenumber (cm-1)", "m/z", "ppm", "nm"])
def test_a_scale_down_the_first_column_is_no_sample(tmp_path, title):
    names = [f"oil{n:03d}" for n in range(N)]
    write_table(tmp_path / "nir.csv", C.T, names, 1000 + 2.5 * np.arange(6), title)
    write_table(tmp_path / "vis.csv", A.T, names, 400 + np.arange(5), title)
    found = understood(tmp_path, [6, 5])
    same_values(found, C, A)
    assert not found.open


def test_rows_that_sum_up_a_table_are_no_samples(tmp_path):
    for name, X in {"a": A, "b": B}.items():
        rows = np.vstack([X, X.sum(axis=0), X.mean(axis=0)])
        ids = [*PATIENTS, "Total", "Mean"]
        write_table(tmp_path / f"{name}.csv", rows, list("pqrst")[: X.shape[1]], ids, "id")
    found = understood(tmp_path, [5, 4])
    assert told(found, "called Total, Mean sum up the others")


def test_a_comma_that_splits_the_titles_too_is_no_decimal_mark(tmp_path):
    two_views(tmp_path)
    lines = [f"{name},ward {n % 3},{n}" for n, name in enumerate(PATIENTS)]
    (tmp_path / "visits.csv").write_text("\n".join(["id,ward,score", *lines]))
    found = understood(tmp_path, [5, 4])
    assert told(found, "the column ward of visits.csv holds 3 different texts")


@pytest.mark.parametrize("code", [9, 99, -9, -1])
def test_codes_for_no_answer_are_told(tmp_path, code):
    answers = np.random.default_rng(1).integers(1, 6, (N, 6)).astype(float)
    answers[np.random.default_rng(2).random(answers.shape) < 0.1] = code
    write_table(tmp_path / "a.csv", answers, "pqrstu", PATIENTS, "id", number="%g")
    write_table(tmp_path / "b.csv", B, "vwxy", PATIENTS, "id")
    assert told(understood(tmp_path, [6, 4]), f"the value {code} is")


def test_many_columns_called_as_labels_are_features(tmp_path):
    ratings = np.random.default_rng(1).integers(1, 6, (N, 5))
    write_table(tmp_path / "a.csv", ratings, [f"y{n}" for n in range(5)], PATIENTS, "id")
    write_table(tmp_path / "b.csv", B, "vwxy", PATIENTS, "id")
    assert told(understood(tmp_path, [5, 4]), "y0, y1, y2, y3, y4 of a.csv are called as labels")


@pytest.mark.parametrize("mixed", [False, True])
def test_columns_that_end_alike_are_told_and_may_be_views(tmp_path, mixed):
    order = np.argsort([0, 2, 4, 6, 8, 1, 3, 5, 7, 9]) if mixed else np.arange(10)
    columns = np.array([f"{gene}_{view}" for view in ("rna", "prot") for gene in SYMBOLS[:5]])
    wide = np.hstack([A, A + 1])[:, order]
    write_table(tmp_path / "wide.csv", wide, columns[order], PATIENTS, "id")
    assert told(understood(tmp_path, [10]), "--role wide=views makes each ending one")
    found = understood(tmp_path, [5, 5], roles={"wide": "views"})
    same_values(found, A, A + 1)
    assert found.view_names == ["rna", "prot"]


def test_none_is_a_class_beside_others(tmp_path):
    two_views(tmp_path)
    framed(tmp_path / "labels.csv", id=PATIENTS, label=np.array(["none", "mild", "severe"])[Y])
    assert "none" in understood(tmp_path, [5, 4], classes=3).label_names


def test_files_for_people_beside_folders_of_views_are_no_data(tmp_path):
    for name, X in {"rna": A, "protein": B}.items():
        (tmp_path / name).mkdir()
        write_table(tmp_path / name / "data.csv", X, list("pqrst")[: X.shape[1]], IDS, "id")
        (tmp_path / name / "README.txt").write_text("made by us")
    (tmp_path / "README.txt").write_text("two views")
    framed(tmp_path / "labels.csv", id=IDS, label=Y)
    understood(tmp_path, [4, 5], classes=3)


@pytest.mark.parametrize("beside", ["scripts", "results", "analysis"])
def test_the_one_folder_with_data_is_read(tmp_path, beside):
    for name in ("data", beside):
        (tmp_path / name).mkdir()
    two_views(tmp_path / "data")
    framed(tmp_path / beside / "clusters.csv", id=PATIENTS, cluster=Y)
    (tmp_path / "README.md").write_text("two views")
    found = understood(tmp_path, [5, 4])
    assert beside in found.not_read
