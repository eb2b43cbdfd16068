"""Layouts that were once misread without a word are asked about; each key says what is sure now."""

import shutil
import unicodedata

import h5py
import numpy as np
import pandas as pd
import pytest
import scipy.io
from own_files import ASKED as TWO_READINGS
from own_files import (
    COLOURS,
    GENES,
    IDS,
    WORDS,
    A,
    B,
    N,
    Y,
    beside,
    cells,
    h5ad,
    lying,
    mat,
    npz,
    standing,
    two,
)
from scipy import sparse

from mvclust.own.look import Changes, describe, look
from mvclust.own.read import read
from mvclust.own.views import load

AB = np.hstack([A, B])
U = np.random.default_rng(1).random(N)
NAMES = [f"{a}{b}" for a in ("Ann", "Bob", "Cyd", "Dan", "Eva", "Fay") for b in "klmnprst"]
MANY = ["abcdefgh"[j % 8].upper() * (1 + j // 8) + "q" for j in range(59)]
GENE_NAMES = [f"{a}{i}" for a in ("TP", "KR", "EG") for i in range(N // 3)]
FOLDS = [np.c_[share < U, U < 1] * 1.0 for share in (0.1, 0.3)]


def pair(X, ids=IDS, names=GENES):
    """A writer of two views, the first of which holds something unusual."""
    return lambda folder: [
        standing(folder / "a.csv", X, ids, names, "patient_id"),
        standing(folder / "b.csv", B, IDS, COLOURS, "patient_id"),
    ]


def more(columns, at=5):
    """A writer of two views, the first of which has more columns before one of its own."""
    X = np.column_stack([A[:, :at], *columns.values(), A[:, at:]])
    return pair(X, names=[*GENES[:at], *columns, *GENES[at:]])


def marked(mark, X=A):
    return pair(np.where((np.arange(N) % 9 == 0)[:, None] & (np.arange(5) > 2), mark, X))


def parts_in_another_order(folder):
    standing(folder / "train.csv", A[:30], range(30), GENES, "")
    standing(folder / "test.csv", A[30:, ::-1], range(30, N), GENES[::-1], "")


def counted_by(keys):
    """A writer of two tables without names of samples, the second one in the other order."""

    def write(folder):
        beside(folder / "a.csv", keys)
        beside(folder / "b.csv", {k: v[::-1] for k, v in keys.items()}, B[::-1], COLOURS)

    return write


def blanks_in_lines(folder):
    ids, X = [*IDS, "NEG_CTRL 1", "Control_Sample_A"], np.vstack([A, A[:2]])
    lines = {"sample": np.repeat(ids, 5), "gene": np.tile(GENES, N + 2), "value": X.ravel()}
    pd.DataFrame(lines).to_csv(folder / "a.csv", index=False)


def a_folder_per_person(folder):
    for k in range(4):
        (folder / f"p{k}").mkdir()
        for name in ("exons.csv", "introns.csv"):
            standing(folder / f"p{k}" / name, A + k)


ASKED = {
    "a_sum_is_no_feature": (more({"whole": A.sum(1)}), "whole (the sum of the others)"),
    "a_word_among_numbers_is_no_text": (marked("ND", A.astype(object)), "numbers and a text"),
    "fill_values_may_mark_gaps": (marked(9.96921e36), "the value 9.96921e+36 occurs"),
    "codes_of_some_columns_may_mark_gaps": (marked(99, A * [90, 90, 90, 1, 1]), "the value 99 oc"),
    "nines_may_mark_gaps": (marked(999.9, A * [90, 90, 90, 1, 1]), "the value 999.9 occurs"),
    "zeros_far_from_all_else_may_mark_gaps": (marked(0, 1e6 + abs(A)), "the value 0 occurs"),
    "flags_at_an_end_are_no_features": (
        more(dict(zip(("TWF", "HDF", "PWF"), (A[:, :3] > 0).T, strict=True))),
        "TWF (2 whole values)"),
    "nines_among_answers_may_mark_gaps": (marked(9, Y[:, None] + np.arange(5) % 2), "the value 9"),
    "a_code_brings_other_codes": (
        pair(np.where(np.arange(N)[:, None] == [3, 4, 5, 6, 7], [-9, -9, -9, -7, -1], abs(A))),
        "with -7; with -1"),
    "numbers_of_other_people_may_be_the_same": (
        lambda f: [standing(f / "a.csv", A, np.arange(1, N + 1)),
                   standing(f / "b.csv", B[:20], np.arange(1, 21))], "share 20 samples only"),
    "folds_are_no_views": (
        lambda f: [standing(f / f"x_fold{k}.csv", A + k * Y[:, None]) for k in range(3)],
        "several folds"),
    "a_total_in_another_language_is_no_sample": (
        pair(np.vstack([A, A.sum(0)]), [*NAMES, "Insgesamt"]), "Insgesamt no samples"),
    "errors_beside_values_are_no_features": (
        pair(A, names=["per", "pererr1", "pererr2", "mass", "masserr1"]), "pererr1 (how certain"),
    "a_code_below_another_may_mark_gaps": (
        pair(np.where(np.arange(N)[:, None] % 12 == range(5), [77, 77, 88, 88, 99], abs(A) // 1)),
        "the value 77"),
    "several_measurements_may_be_one_sample": (
        pair(A, [f"S{i // 3}_{i % 3 + 1}" for i in range(N)]), "measurements of 16 samples"),
    "people_of_other_sites_are_no_view": (
        lambda f: [np.savetxt(f / f"{k}.txt", np.c_[A[:, :3] + U[:, None] * n, Y, Y % 2])
                   for n, k in enumerate(("north", "south"))], "other samples in each table?"),
    "numbers_beside_words_may_be_facts": (
        lambda f: [standing(f / "a.csv", A, names=GENES),
                   pd.DataFrame({"type": WORDS, "kw": U}, IDS).to_csv(f / "b.csv")],
        "kw, one number per sample: a view"),
    "controls_among_lines_are_no_samples": (blanks_in_lines, "samples, and no blanks or controls"),
    "classes_may_stand_below_the_header": (
        lambda f: pd.DataFrame([WORDS, *A.T], ["what was found", *GENES], IDS).to_csv(
            f / "a.csv", index_label="Name"), "labels of the samples?"),
    "a_matrix_per_person_is_no_view": (
        lambda f: [standing(f / f"sub-{k}.csv", A[:5] @ A[:5].T + k, GENES, GENES, "")
                   for k in range(9)], "a file or folder per sample"),
    "a_folder_per_person_is_no_view": (a_folder_per_person, "8 files: a file or folder per"),
    "repeated_keys_in_other_orders_name_no_rows": (
        counted_by({"plate": Y, "well": np.arange(N) % 8}), "come in other orders"),
    "a_value_that_fills_rows_may_mark_gaps": (
        pair(np.where((np.arange(N) < 3)[:, None], -1, abs(A))), "-1 fills 3 rows"),
    "marks_in_each_cell_lose_no_table": (
        pair(np.array([[f"{v:.2f}*" for v in x] for x in A])), "are these no numbers?"),
    "thousands_are_no_decimals": (
        pair(np.array([[f"{int(300 + 400 * abs(v)):,}" for v in x] for x in A])), "no thousands"),
    "labels_follow_one_of_two_orders": (
        lambda f: [two(order=slice(None, None, -1), corner="sample")(f),
                   np.savetxt(f / "labels.txt", Y, "%d")], "labels: without names"),
    "lists_of_names_in_two_orders_are_no_order": (
        npz(a=A, b=B, a_ids=np.array(IDS), b_ids=np.array(IDS[::-1])), "a, b: without names"),
    "a_class_of_minus_one_may_be_none": (npz(a=A, b=B, y=np.r_[-1, -1, Y[2:]]), "is -1 a class"),
    "a_sample_may_stand_twice_in_a_header": (
        lambda f: lying(f / "a.csv", np.vstack([A, A[:1]]), [*NAMES, NAMES[0]]), "measured again"),
    "a_sample_may_be_measured_again": (
        pair(np.vstack([A, A[:1]]), [*IDS, f"{IDS[0]}_rep2"]), "_rep2 a sample that was measured"),
    "names_that_count_from_0_and_1_may_be_the_same": (
        two([f"S{i}" for i in range(N)], [f"S{i + 1}" for i in range(N)], corner="sample"),
        "share 47 samples only, of 48 and 48"),
    "numbers_in_a_header_are_names_too": (
        lambda f: [lying(f / "a.csv", A, [f"X{3001 + 7 * i}" for i in range(N)]),
                   standing(f / "b.csv", B, [3001 + 7 * i for i in range(N)], COLOURS, "subject")],
        "under names that differ"),
    "a_table_of_texts_is_not_lost": (pair(np.tile("[1, 2]", (N, 5))), "go on without it?"),
    "a_row_of_means_is_no_sample": (pair(np.vstack([A.mean(0), A]), ["Mean", *IDS]), "Mean no s"),
    "a_blank_is_no_sample": (pair(np.vstack([A, 0 * A[:2]]), [*IDS, "Blank 1", "QC"]), "QC no s"),
    "masses_are_no_sample": (
        lambda f: [lying(f / "a.csv", np.vstack([100 + U[:5], A]), ["mass", *NAMES]),
                   lying(f / "b.csv", B, NAMES, COLOURS)], "the columns mass are no samples"),
    "an_age_among_many_genes_is_no_feature": (
        lambda f: lying(f / "a.csv", np.tile(A, 12), NAMES, [*MANY, "Age"]), "the rows Age tell"),
    "counted_samples_may_be_others": (
        lambda f: [standing(f / f"{k}.csv", A[:20] + k * U[:20, None],
                            [f"S{i}" for i in range(20)]) for k in range(2)],
        "other samples in each table?"),
    "tables_may_stand_side_by_side": (more({"id": IDS}, at=2), "two tables side by side"),
    "folds_of_presence_are_no_views": (
        mat({"X": cells(A, B), "folds": cells(*FOLDS)}), "is it the mask of presence?"),
    "parts_have_their_columns_in_one_order": (parts_in_another_order, "of test the samples"),
    "places_are_no_view": (
        lambda f: [standing(f / "a.csv", A), standing(f / "b.csv", 9 * B[:, :2], names=["x", "y"])],
        "places of the samples"),
    "an_outcome_alone_is_no_view": (
        lambda f: [standing(f / "a.csv", A), standing(f / "b.csv", U[:, None], names=["octane"])],
        "octane, one number per sample"),
    "what_fits_beside_shares_is_no_share": (
        pair(np.c_[(S := abs(np.hstack([A, B]))) / S.sum(1, keepdims=True), U],
             names=[*"abcdefghi", "kurtosis"]), "kurtosis (beside columns that sum up to 1)"),
    "names_that_repeat_need_no_title": (
        lambda f: standing(f / "a.csv", np.vstack([A, A]), np.repeat(NAMES, 2), header=False),
        "names 48 in 96 rows: they repeat"),
    "rows_of_a_full_grid_may_be_one_sample": (
        lambda f: beside(f / "a.csv", {"step": np.tile(np.arange(12) ** 2, 4),
                                       "kind": np.repeat(np.arange(4), 12)}), "one row for each"),
    "files_of_one_name_and_a_number_may_be_people": (
        lambda f: [np.savetxt(f / f"sub-0{n}_ts.txt", A + n) for n in range(1, 5)],
        "other samples in each table?"),
    "short_names_may_be_those_of_others": (
        lambda f: [standing(f / f"{k}.csv", A + n, [f"M{i:02d}" for i in range(n, n + N)])
                   for n, k in enumerate(("old", "young"))], "other samples in each table?"),
    "facts_may_be_of_others": (
        lambda f: [beside(f / f"{k}.csv", dict.fromkeys("pqrs", WORDS), A[:, :2] + n, ["u", "v"])
                   for n, k in enumerate(("north", "south"))], "other samples in each table?"),
    "sequences_of_features_are_no_barcodes": (
        lambda f: standing(f / "a.csv", A, names=["ACGT" * 9 + "ACGTA"[j] + "A" * j
                                                  for j in range(5)], corner=""), "the samples ("),
    "a_class_of_each_gene_speaks_for_rows": (
        lambda f: beside(f / "a.csv", {"gene": GENE_NAMES, "function": WORDS}), "the samples ("),
    "groups_of_samples_are_no_views": (
        lambda f: lying(f / "a.csv", A, [f"{k}_{i}" for k in ("ctl", "low", "top")
                                         for i in range(16)]), "groups of samples"),
    "lines_of_other_lengths_are_no_prose": (
        lambda f: [standing(f / "a.csv", A), (f / "groups.tsv").write_text(
            "\n".join("\t".join(["Q9"] * (12 + (n % 9 == 0))) for n in range(60)))],
        "as in most lines"),
    "facts_may_hold_the_classes": (
        lambda f: [more({"dose": Y})(f), pd.DataFrame({"river": WORDS, "sort": WORDS[::-1]}, IDS)
                   .to_csv(f / "facts.csv", index_label="id")], "facts/river"),
    "a_sample_may_lie_under_nested_ends": (
        lambda f: lying(f / "a.csv", np.vstack([A[:24], B[:24, [0, 1, 2, 3, 0]]]),
                        [f"S{i:02d}{end}" for end in (" Intensity", " LFQ Intensity")
                         for i in range(24)]), "the samples occur 2 times"),
    "genes_are_no_cells": (
        lambda f: h5ad(f / "a.h5ad", A, GENE_NAMES, [f"GSM10{j}" for j in range(5)]),
        "are the rows of a the samples"),
    "conditions_without_a_header_are_no_view": (
        lambda f: [np.savetxt(f / "a.txt", A), np.savetxt(f / "profile.txt", np.c_[Y, Y % 2, Y * 9],
                                                          "%d")], "no conditions or facts"),
    "groups_of_rows_are_no_measurement": (more({"team": U[np.arange(N) // 6]}), "team (equal va"),
    "years_are_no_measurement": (more({"born": 1950.5 + 40 * U}), "born (years, by its values)"),
    "what_follows_from_others_is_no_measurement": (
        more({"left": A[:, 2] - A[:, 0]}), f"left ({GENES[2]} less {GENES[0]})"),
    "a_code_among_measurements_is_none": (more({"soil": 1 + Y % 3}, at=2), "soil (3 whole values)"),
    "codes_bring_others_that_begin_alike": (
        more({"in.set": Y, "in.pit": 1 + Y % 2}, at=2), "in.set ("),
    "features_that_stay_are_named": (more({"target": U}), f"Features: {', '.join(GENES)}."),
    "responses_may_be_no_view": (
        lambda f: [standing(f / "spectra.csv", A),
                   standing(f / "b.csv", B, names=[f"Y{j}" for j in range(B.shape[1])])],
        "is called as outcomes are"),
    "most_columns_of_another_table_are_a_version_of_it": (
        lambda f: [more({"u": U})(f), standing(f / "b.csv", A)], "another version of "),
    "numbers_of_people_and_places_are_no_view": (
        lambda f: [standing(f / "a.csv", A), beside(
            f / "b.csv", {"sample": IDS, "party": WORDS, "state": Y + 60, "no": np.arange(N) ** 2},
            np.full((N, 1), 7), ["cd"])], "beside others: a view, and no facts"),
    "rows_of_one_person_stand_together": (
        lambda f: standing(f / "a.csv", np.c_[np.repeat(np.arange(64) * 7 + 100002, 3),
                                              np.tile(A, (4, 1))], range(192), ["PTNUM", *GENES]),
        "64 groups of rows that stand together"),
    "a_coarser_copy_is_a_version": (
        lambda f: [standing(f / "resp.csv", (X := np.random.default_rng(0).integers(0, 3, (N, 5)))),
                   standing(f / "resp2.csv", 1 * (X > 0))], "another version of resp"),
    "times_and_events_of_one_stem_belong_together": (
        more({"pgstat": Y % 2, "pgtime": 100 * U}), "time pgtime"),
    "shares_in_all_tables_are_views": (
        lambda f: [standing(f / f"{k}.csv", (S := abs(A[:, :3]) + k) / S.sum(1, keepdims=True))
                   for k in (1, 2)], "a view, and no probabilities?"),
    "limits_of_a_value_are_no_measurement": (
        pair(A, names=["cov", "cov_conf_lo", "cov_conf_hi", "seen", "left"]),
        "cov_conf_lo (how certain"),
    "an_event_may_have_days": (more({"cens": Y % 2, "days": 100 * U}), "time days"),
    "what_is_measured_twice_may_be_two_views": (
        pair(np.hstack([A[:, :3], A[:, 2:]]), names=["ht1", "ht2", "wt1", "wt2", "bmi1", "bmi2"]),
        "1 (3), 2 (3) columns: a view each?"),
    "ranks_alone_decide_no_side": (
        lambda f: beside(f / "a.csv", {"Species": NAMES, "Order": WORDS, "Family": WORDS,
                                       "Genus": WORDS}, A, ["FW", "SB", "GL", "LY", "ML"]),
        "the samples ("),
    "a_table_may_be_called_places": (
        lambda f: [standing(f / "ozone.csv", A), standing(f / "lon_lat.csv", B[:, :2])],
        "places of the samples"),
    "a_short_header_of_numbers_is_one": (
        lambda f: (f / "a.txt").write_text("\n".join(["8336 8337 8315 8235 8316", *(
            f"{i} {' '.join(map(str, x))}" for i, x in enumerate(A, 1))])),
        ", 8336, 8337, 8315 ...: a header"),
    "words_that_name_rows_together_may_name_features": (
        lambda f: beside(f / "a.csv", {"Type": WORDS, "SubType": [f"A{i % 16}q" for i in range(N)]},
                         np.tile(A, 6), [f"Bone_{c}" for c in "abcdefghijklmnopqrstuvwxyzABCD"]),
        "the samples ("),
    "an_event_may_be_called_censored": (
        more({"durat": 9 * U // 0.1, "cens": Y % 2}), "time durat; does cens = 0"),
    "a_choice_is_no_feature": (more({"chosen": Y % 2}), "chosen ("),
    "a_sum_of_neighbours_is_no_measurement": (
        more({"all": A[:, 1:4].sum(axis=1)}), f"all (the sum of {GENES[1]} to {GENES[3]})"),
    "a_row_that_sums_up_all_others_is_no_sample": (
        pair(np.vstack([abs(A).sum(axis=0), abs(A)]), ["Scotland", *IDS]), "Scotland: the sum"),
    "features_are_named_without_those_between_them": (
        pair(np.hstack([A, B]), names=["x0", "x1", "x2", "x3", "age", "x4", "x5", "x6", "x8"]),
        "Features: x0 ... x3, x4 ... x8."),
    "rows_of_a_person_may_be_joined": (
        lambda f: beside(f / "a.csv", {"person_id": np.arange(N) // 3 * 7 % 1000}), "they repeat"),
    "outcomes_by_their_name_may_be_no_view": (
        lambda f: [standing(f / "spectra.csv", A), standing(f / "endpoints.csv", B)],
        "is called as outcomes are"),
    "how_certain_a_value_is_is_no_measurement": (
        pair(A, names=[n for g in GENES[:3] for n in (g, f"{g}_se")][: A.shape[1]]),
        f"{GENES[0]}_se (how certain {GENES[0]} is, by its name)"),
}  # fmt: skip
TITLES = "target", "PFS_months", "latitude", "wt_exam", "b_psu", "loc.start"
NO_FEATURES = dict.fromkeys(TITLES, U)
NO_FEATURES |= {"Age [years]": 50 * U, "StNum": np.arange(N) % 22 * 3}
ASKED |= {name: (more({name: X}), f"{name} (by its name)") for name, X in NO_FEATURES.items()}


def questions(folder):
    return [q.question for q in look(folder).views.ask]


@pytest.mark.parametrize(("write", "words"), [*TWO_READINGS.values(), *ASKED.values()])
def test_what_two_readings_fit_or_was_misread_is_asked(write, words, tmp_path):
    write(tmp_path)
    asked = questions(tmp_path)
    assert any(words in question for question in asked), asked


def test_counts_hold_no_marks_of_gaps_and_small_ones_are_not_those_of_another_table(tmp_path):
    counts = np.random.default_rng(0).negative_binomial(1, 0.05, (N, 400))
    lying(tmp_path / "a.csv", counts, NAMES, [f"g{j}q" for j in range(400)])
    assert not any("mark of gaps" in question for question in questions(tmp_path))
    (tmp_path / "a.csv").unlink()
    for k in range(4):
        counts = np.random.default_rng(k).integers(0, 6, (N, 6))
        standing(tmp_path / f"S{k}.csv", counts, names=["Pol", "Bur", "Pro", "Cor", "Ile", "Mac"])
    assert not any("also in another" in question for question in questions(tmp_path))


def cells_by_barcodes(folder):
    """The index of each table counts its cells; their barcodes are in another order."""
    order = np.random.default_rng(0).permutation(N)
    for name, X, at in (("a", A, np.arange(N)), ("b", B, order)):
        barcodes = [("barcode", [IDS[i] for i in at])]
        h5ad(folder / f"{name}.h5ad", X[at], [*map(str, range(N))], GENES[: X.shape[1]], barcodes)


@pytest.mark.parametrize("write", [
    two(order=slice(None, None, -1)),
    counted_by({"subject": np.arange(N) // 4, "trial": np.arange(N) % 4}),
    counted_by({"lemma": ["null", "nan", "none", *NAMES[3:]]}),
    counted_by({"objid": [str(1237648720693755918 + i) for i in range(N)]}),
    cells_by_barcodes,
])  # fmt: skip
def test_rows_are_matched_by_what_tables_share(write, tmp_path):
    write(tmp_path)
    np.testing.assert_array_equal(np.hstack(look(tmp_path).data.Xs), AB)


def more_than_views(folder):
    h5ad(folder / "a.h5ad")
    with h5py.File(folder / "a.h5ad", "a") as file:
        file["obsm/protein"] = B


UMLAUTS = [f"M\u00fcller {i}" for i in range(N)]
DESCRIBED = {
    "what_no_answer_can_change": (more({"seen": 20210301 + Y}), "a: seen (times) left out of the"),
    "limits_of_measurement": (marked("< LOD", A.astype(object)), "< LOD are read as gaps"),
    "comments_that_name_samples": (
        lambda f: [lying(f / "a.csv", A, NAMES), (f / "a.csv").write_text(
            f"!group = old\n#sick,{','.join(NAMES[:9])}\n{(f / 'a.csv').read_text()}")],
        "2 lines of comments name samples"),
    "more_than_views_of_annotated_data": (more_than_views, "a: obsm/protein are not read"),
    "views_side_by_side": (npz(a=A, b=B, both=AB, y=Y), "left out: both (a and b side by side)"),
    "a_copy_of_a_table": (
        lambda f: [pair(A)(f), shutil.copy(f / "a.csv", f / "a (1).csv")],
        "read: a (1).csv, b.csv\nleft out: a (the same as a_1)"),
    "links_between_rows": (
        lambda f: [standing(f / "a.csv", A, np.arange(N) + 3000, header=False), np.savetxt(
            f / "cites.txt", np.random.default_rng(0).integers(3000, 3000 + N, (60, 2)), "%d")],
        "left out: cites (links"),
    "far_numbers_of_samples": (
        lambda f: standing(f / "a.csv", A, 10**17 + np.arange(N) ** 2), "48 samples, no labels"),
    "accents_of_one_or_two_letters": (
        lambda f: [standing(f / "a.csv", A, UMLAUTS), standing(
            f / "b.csv", B, [unicodedata.normalize("NFD", n) for n in UMLAUTS], COLOURS)],
        "48 samples, no labels"),
    "counts_at_an_end_are_no_labels": (
        lambda f: standing(
            f / "a.csv", np.random.default_rng(0).poisson(3, (N, 8)) * (1 + np.arange(8)),
            names=[f"{a}us" for a in "abcdefgh"]), "48 samples, no labels"),
    "a_table_is_no_prose_by_its_name": (
        lambda f: standing(f / "description_of_items.csv", A), "read: description_of_items.csv"),
}  # fmt: skip


@pytest.mark.parametrize("layout", DESCRIBED)
def test_what_needs_no_answer_is_described(layout, tmp_path):
    write, words = DESCRIBED[layout]
    write(tmp_path)
    found = look(tmp_path)
    assert words in "\n".join(describe(found))
    assert not any(words in q.question for q in found.views.ask)
    assert layout != "what_no_answer_can_change" or found.views.ask == []


def answered(folder, words):
    """The data after the first offered answer that has these words."""
    answers = [lines for q in look(folder).views.ask for lines in q.answers]
    return look(folder, Changes(lines=next(a for a in answers if words in str(a)))).data


def test_rows_of_one_person_become_their_mean_and_a_repeated_sample_one(tmp_path):
    ASKED["rows_of_a_person_may_be_joined"][0](tmp_path)
    assert answered(tmp_path, "repeated: mean").n_samples == N / 3
    ASKED["a_sample_may_be_measured_again"][0](tmp_path)
    answers = [2 if "measured again" in question else 1 for question in questions(tmp_path)]
    assert look(tmp_path, Changes(answers=answers)).data.ids == IDS


def test_columns_that_are_kept_beside_several_views_are_one_more(tmp_path):
    names = [f"{k}.{c}" for k in ("ic", "oc") for c in ("gas", "oil", "tar", "air")]
    X = np.column_stack([Y + 2, A[:, :4], B])
    standing(tmp_path / "a.csv", X, NAMES, ["rooms", *names], "patient")
    assert "a_rest" in answered(tmp_path, "a_rest").view_names


def test_a_list_of_names_belongs_to_its_own_matrix(tmp_path):
    for name, X, ids in (("a", A, [*range(N)]), ("b", B[:40], [*range(8, N)])):
        scipy.io.mmwrite(tmp_path / f"{name}.mtx", sparse.csr_matrix(X))
        (tmp_path / f"{name}.docs").write_text("\n".join(f"{i}" for i in ids))
    assert look(tmp_path).data.presence.sum(axis=0).tolist() == [N, 40]


def test_a_table_that_lies_is_offered_as_one_that_lies(tmp_path):
    lying(tmp_path / "a.csv", A, [f"GSM{i + 100}" for i in range(N)], corner="ID_REF")
    lying(tmp_path / "b.csv", B[:, :3], [f"GSM{i + 200}" for i in range(N)], COLOURS[:3], "ID_REF")
    answers = [a for q in look(tmp_path).views.ask for each in q.answers for a in each]
    assert any(a.startswith("views.b: {") and "samples: columns" in a for a in answers)


@pytest.mark.parametrize("turn", [1, -1])
def test_labels_of_parts_are_in_the_order_of_the_parts(turn, tmp_path):
    parts = {"X_train": A[:30], "X_test": A[30:], "y_train": Y[:30], "y_test": Y[30:]}
    order = ["y_test", "X_train", "y_train", "X_test"][::turn]
    npz(**{name: parts[name] for name in order})(tmp_path)
    data = look(tmp_path).data
    known = {tuple(x): y for x, y in zip(A.tolist(), Y, strict=True)}
    assert [known[tuple(x)] for x in data.Xs[0].tolist()] == data.y.tolist()


def test_a_table_that_holds_another_one_loses_no_column_to_it(tmp_path):
    more({"kw": U})(tmp_path)
    standing(tmp_path / "b.csv", A[::-1], IDS[::-1], GENES, "patient_id")
    assert any("another version of" in question for question in questions(tmp_path))
    assert sorted(X.shape[1] for X in look(tmp_path).data.Xs) == [5, 6]


def test_an_answer_about_sides_is_what_is_proposed_for_them(tmp_path):
    columns = {"name": [f"g{i % 9}q" for i in range(N)], "mzmed": U, "rtmed": 9 * U, "peaks": Y}
    samples = [f"{k}{i}" for k in ("ko", "wt") for i in range(5)]
    beside(tmp_path / "a.csv", columns, np.hstack([A, A]), samples)
    answers = [1 + ("the samples (" in question) for question in questions(tmp_path)]
    assert sum(answers) == len(answers) + 1
    found = look(tmp_path, Changes(answers=answers))
    assert found.data.n_samples == 10
    assert any("rtmed" in q.question for q in found.views.open_questions())


def test_parts_are_stacked_by_the_names_of_their_columns(tmp_path):
    parts_in_another_order(tmp_path)
    parts = "parts: [{file: train.csv}, {file: test.csv}]"
    data = read(tmp_path, load("views:\n  a: {ids: column 1, " + parts + "}"))
    np.testing.assert_array_equal(data.Xs[0], A)


@pytest.mark.parametrize(
    ("time", "event", "values", "guess"),
    [
        ("time_days", "status", ["dead", "alive"], "dead"),
        ("months", "alive", [0, 1], "0"),
        ("follow_up_years", "alive", ["yes", "no"], "no"),
        ("surv_days", "outcome", ["dead", "alive"], "dead"),
        ("last_contact", "dead", ["y", "n"], "y"),
        ("time_to_event", "censored", [0, 1], "0"),
    ],
)
def test_survival_is_seen_under_the_names_that_people_use(tmp_path, time, event, values, guess):
    rng = np.random.default_rng(0)
    standing(tmp_path / "alpha.csv", A, NAMES)
    facts = {time: rng.integers(1, 900, N), event: values * 24, "age": rng.integers(30, 80, N)}
    pd.DataFrame(facts, NAMES).to_csv(tmp_path / "clinical.csv", index_label="id")
    found = look(tmp_path).views.survival
    assert (found.time, found.event.column, found.event.is_) == (time, event, guess)
