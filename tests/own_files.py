"""Invented data of one's own, in layouts that people have."""

import struct

import h5py
import numpy as np
import pandas as pd
import scipy.io
from scipy import sparse

N = 48
Y = np.repeat([0, 1, 2], 16)
WORDS = np.array(["ash", "elm", "oak"])[Y]
IDS = [f"P-{i % 7}-{1000 + i}" for i in range(N)]
GENES = ["TP53", "BRCA1", "EGFR", "KRAS", "MYC"]
PROTEINS = ["AKT", "ERK", "JNK", "P38"]
RNG = np.random.default_rng(0)
A, B = (np.round(4 * RNG.normal(size=(3, d))[Y] + RNG.normal(size=(N, d)), 3) for d in (5, 4))
LENGTH = RNG.normal(size=N)[RNG.permutation(N) % 40]
SIZES = ["height", "girth", "age_of", "width", "depth"]
COLOURS = ["red", "green", "blue", "alpha"]
COUNTED = np.arange(1, N + 1)


def standing(path, X, ids=IDS, names=None, corner="id", **options):
    """Samples in rows; without names where `names` is None."""
    frame = pd.DataFrame(X, ids, names if names is not None else [f"m{j}" for j in range(len(X.T))])
    frame.to_csv(path, index_label=corner, **options)


def lying(path, X, ids=IDS, names=GENES, corner="gene", **options):
    """Features in rows."""
    pd.DataFrame(X.T, names, ids).to_csv(path, index_label=corner, **options)


def beside(path, columns, X=A, names=GENES):
    """Columns before those of a table without names of samples."""
    pd.DataFrame({**columns, **dict(zip(names, X.T, strict=True))}).to_csv(path, index=False)


def cells(*items):
    cell = np.empty((1, len(items)), dtype=object)
    cell[0] = items
    return cell


def mat(content):
    return lambda folder: scipy.io.savemat(folder / "d.mat", content)


def npz(**arrays):
    return lambda folder: np.savez(folder / "d.npz", **arrays)


def lines(path, texts):
    path.write_text("\n".join(texts))


def anndata(group, X, obs, var, columns=()):
    """What h5ad holds of one modality; columns are facts about its samples."""
    group["X"] = X
    for name, index, facts in (("obs", obs, columns), ("var", var, ())):
        frame = group.create_group(name)
        frame.attrs["_index"] = "_index"
        for title, values in (("_index", index), *facts):
            frame[title] = np.array(values, dtype=h5py.string_dtype())


def h5ad(path, X=A, obs=IDS, var=GENES, columns=()):
    with h5py.File(path, "w") as file:
        anndata(file, X, obs, var, columns)


def table_per_view(folder):
    standing(folder / "size.csv", A, names=SIZES)
    standing(folder / "leaves.csv", B[10:], IDS[10:], COLOURS)
    pd.DataFrame({"species": WORDS}, IDS).to_csv(folder / "labels.csv", index_label="id")


def two(ids=IDS, others=IDS, order=slice(None), **options):
    """A writer of two tables; the samples of the second in some order."""
    return lambda folder: [
        standing(folder / "a.csv", A, ids, SIZES, **options),
        standing(folder / "b.csv", B[order], np.array(others)[order], COLOURS, **options),
    ]


def matlab_73(folder):
    with h5py.File(folder / "d.mat", "w") as file:
        file["fea1"], file["fea2"], file["gt"] = A.T, B.T, Y[None, :].astype(float)


def sparse_with_lists(folder):
    scipy.io.mmwrite(folder / "news.mtx", sparse.csr_matrix(np.abs(A).round()).T)
    lines(folder / "news.terms", (f"word{j}" for j in range(5)))
    lines(folder / "news.docs", (f"text.{i:03d}" for i in range(N)))
    np.savetxt(folder / "labels.txt", Y, "%d")


def kinds_of_10x(folder):
    scipy.io.mmwrite(folder / "matrix.mtx", sparse.csr_matrix(np.abs(np.hstack([A, B])).round()).T)
    codes = ("".join("ACGT"[(i // 4**k) % 4] for k in range(12)) + "-1" for i in range(N))
    lines(folder / "barcodes.tsv", codes)
    kinds = ["Gene Expression"] * 5 + ["Antibody Capture"] * 4
    lines(folder / "features.tsv", (f"ENSG{j:011d}\tG{j}\t{k}" for j, k in enumerate(kinds)))


def mudata(folder):
    with h5py.File(folder / "d.h5mu", "w") as file:
        modes = file.create_group("mod")
        anndata(modes.create_group("rna"), A, IDS, GENES)
        anndata(modes.create_group("prot"), B[10:], IDS[10:], COLOURS)


def folder_per_view(folder):
    for name, X in (("rna", A), ("protein", B)):
        (folder / name).mkdir()
        standing(folder / name / "data.csv", X)


def a_text_in_each_row_beside_numbers(folder):
    two(PEOPLE, PEOPLE, TURNED, corner="eid")(folder)
    frame = pd.read_csv(folder / "a.csv")
    frame.insert(1, "described", [f"{w} no. {i}" for i, w in enumerate(WORDS)])
    frame.to_csv(folder / "a.csv", index=False)


def quoted_between_blanks(folder):
    for name, X, names in (("a", A, SIZES), ("b", B, COLOURS)):
        rows = [f'"ind {i}" {" ".join(map(str, x))}' for i, x in zip(IDS, X, strict=True)]
        lines(folder / f"{name}.txt", [" ".join(f'"{n}"' for n in names), *rows])


def comments_above_the_header(folder):
    table_per_view(folder)
    for name, width in (("size", 6), ("leaves", 5)):
        marks = "".join("#" + ",".join([text] * width) + "\n" for text in ("a title", "1"))
        path = folder / f"{name}.csv"
        path.write_text(marks + path.read_text())


def train_and_test_of_capital_x(folder):
    for part, rows in PARTS.items():
        np.savetxt(folder / f"X{part}.txt", A[rows])
        np.savetxt(folder / f"z_{part}.txt", B[rows])
        np.savetxt(folder / f"labels_{part}.txt", Y[rows], "%d")


TURNED = slice(None, None, -1)
PEOPLE = 90000 - 37 * np.arange(N) ** 2
CHINESE = [f"{a}{b}" for a in "甲乙丙丁戊己庚辛" for b in "子丑寅卯辰巳"]
WAVES = [1100.5, 1102.5, 1104.5, 1106.5, 1108.5], [400.0, 402.0, 404.0, 406.0]
OILS = [f"oil{i:03d}" for i in range(N)]
TRUTH = Y[:, None] + 1
MASK = np.ones((N, 2), int)
MASK[[3, 7], [0, 1]] = 0
PARTS = {"train": slice(32), "test": slice(32, None)}
HALVES = {f"{name}_{part}": X[rows] for name, X in zip("xzy", (A, B, Y), strict=True)
          for part, rows in PARTS.items()}  # fmt: skip
LONG = {"sample": np.repeat(IDS, 5), "feature": np.tile(GENES, N), "value": A.ravel()}

# Layout -> how it is written, features of each view, classes, missing instances; N samples each.
PLAIN = {
    "table_per_view": (table_per_view, [4, 5], 3, [10, 0]),
    "numbers_only": (
        lambda f: [np.savetxt(f / "a.txt", A), np.savetxt(f / "b.txt", B),
                   np.savetxt(f / "labels.txt", Y, "%d")], [5, 4], 3, [0, 0]),
    "genes_by_samples": (
        lambda f: [lying(f / "rna.tsv", A, sep="\t"),
                   lying(f / "protein.tsv", B, names=PROTEINS, corner="protein", sep="\t")],
        [4, 5], 0, [0, 0]),
    "spectra": (
        lambda f: [lying(f / "nir.csv", A, OILS, WAVES[0], "wavelength"),
                   lying(f / "raman.csv", B, OILS, WAVES[1], "wavelength")], [5, 4], 0, [0, 0]),
    "npz": (npz(pix=A, fou=B, y=Y), [5, 4], 3, [0, 0]),
    "npz_with_mask": (npz(a=A, b=B, mask=MASK, y=Y), [5, 4], 3, [1, 1]),
    "cell_array": (mat({"X": cells(A, B), "Y": TRUTH}), [5, 4], 3, [0, 0]),
    "cell_array_lying": (mat({"data": cells(A.T, B.T), "truth": TRUTH}), [5, 4], 3, [0, 0]),
    "matlab_73": (matlab_73, [5, 4], 3, [0, 0]),
    "struct": (mat({"data": {"X1": A, "X2": B, "label": TRUTH}}), [5, 4], 3, [0, 0]),
    "sparse_with_lists": (sparse_with_lists, [5], 3, [0]),
    "kinds_of_10x": (kinds_of_10x, [5, 4], 0, [0, 0]),
    "mudata": (mudata, [4, 5], 0, [10, 0]),
    "train_and_test": (npz(**HALVES), [5, 4], 3, [0, 0]),
    "train_and_test_of_capital_x": (train_and_test_of_capital_x, [5, 4], 3, [0, 0]),
    "no_values": (npz(a=A, b=B, se_exprs=np.full((N, 5), np.nan)), [5, 4], 0, [0, 0]),
    "decimal_commas": (two(sep=";", decimal=","), [5, 4], 0, [0, 0]),
    "one_table_with_colons": (
        lambda f: standing(
            f / "all.csv", np.hstack([A, B]), corner="patient",
            names=[*(f"rna:{g}" for g in GENES), *(f"prot:{c}" for c in COLOURS)]),
        [5, 4], 0, [0, 0]),
    "line_per_value": (
        lambda f: pd.DataFrame(LONG).to_csv(f / "long.csv", index=False), [5], 0, [0]),
    "folder_per_view": (folder_per_view, [4, 5], 0, [0, 0]),
    # Under a title that no list has, in two orders.
    "numbers_of_people": (two(PEOPLE, PEOPLE, TURNED, corner="eid"), [5, 4], 0, [0, 0]),
    "a_text_in_each_row": (a_text_in_each_row_beside_numbers, [5, 4], 0, [0, 0]),
    "facts_in_reverse": (
        lambda f: [standing(f / "a.csv", A, COUNTED, SIZES, corner="site"),
                   pd.DataFrame({"label": WORDS[::-1]}, COUNTED[::-1]).to_csv(
                       f / "env.csv", index_label="site")], [5], 3, [0]),
    "names_without_latin_letters": (two(CHINESE, CHINESE, TURNED), [5, 4], 0, [0, 0]),
    "quoted_between_blanks": (quoted_between_blanks, [5, 4], 0, [0, 0]),
    "comments_above_the_header": (comments_above_the_header, [4, 5], 3, [10, 0]),
}  # fmt: skip


def times_and_events(folder):
    PLAIN["genes_by_samples"][0](folder)
    facts = {"time": COUNTED, "OS.censor": Y % 2, "stage": WORDS}
    pd.DataFrame(facts, IDS).to_csv(folder / "clinical.csv", index_label="patient")


def samples_with_names_of_many_shapes(folder):
    names = [f"{'abcdefgh'[i % 8]}{'xyzuvw'[i // 8] * (i % 5)}{i}" for i in range(N)]
    names[3], names[5] = "water", "LMEpi24M"
    lying(folder / "otus.csv", A, names)
    pd.DataFrame({"site": WORDS}, names).to_csv(folder / "map.csv", index_label="sample")


def answers_with_marks(folder):
    X = RNG.integers(1, 6, (N, 7))
    X[:9, 2], X[20:23, 4] = -9, -8
    pd.DataFrame(X, columns=[f"q{j}" for j in range(7)]).to_csv(folder / "a.csv", index=False)


def texts_that_mark_gaps(folder):
    frame = pd.DataFrame(A, IDS, GENES).astype(object)
    frame.iloc[[1, 4], 2] = "trace"
    frame.to_csv(folder / "a.csv", index_label="patient")


def groups_of_people(folder):
    with h5py.File(folder / "d.h5", "w") as file:
        for k in range(2, 5):
            file[f"S{k}/chest/acc"], file[f"S{k}/label"] = A + k, Y


def columns_that_no_other_table_knows(folder):
    ids = [f"ADG{i}u_{i % 9}" for i in range(N)]
    frame = pd.DataFrame(A.T, GENES, ids)
    frame.insert(0, "mass_to_charge", LENGTH[:5] + 200)
    frame.to_csv(folder / "a.csv", index_label="metabolite")
    pd.DataFrame({"group": WORDS}, ids).to_csv(folder / "samples.csv", index_label="sample")


TCGA = [f"TCGA-BH-A{100 + i}" for i in range(N)]
DONORS = {"donor_id": np.repeat(IDS, 5), "gene": np.tile(GENES, N), "chip": "x", "unit": "tpm"}
PANEL = {"assessor": np.repeat([*"vwxyz"], 12), "product": np.tile([*"abcd"], 15),
         "session": np.tile(np.repeat(["first", "second", "third"], 4), 5)}  # fmt: skip

# Layout -> how it is written, words of a question that has to be put.
ASKED = {
    "no_corner": (
        lambda f: standing(f / "a.csv", A, names=GENES, corner=""), "are the rows of a the s"),
    "words_beside_numbers": (lambda f: beside(f / "a.csv", {"species": WORDS}), "species (3 wor"),
    "class_last_among_counts": (
        lambda f: pd.DataFrame(np.c_[RNG.poisson(3, (N, 6)), Y > 1].astype(int)).to_csv(
            f / "a.csv", index=False, header=[*"abcdef", "bought"]), "bought"),
    "times_and_events": (times_and_events, "does OS.censor = 1 mean that the event happened?"),
    "same_genes_other_people": (
        lambda f: [
            lying(f / "lund.csv", A[:20], [f"L{i}x" for i in range(20)], corner="symbol"),
            lying(f / "graz.csv", A[20:], [f"Gz-{i * 7}" for i in range(N - 20)], corner="symbol"),
        ], "a part of that view"),
    "names_in_part": (
        two([f"A-{i}" for i in range(N)], [f"A-{i}" for i in range(40, 40 + N)]),
        "share 8 samples only"),
    "names_with_another_end": (
        lambda f: [lying(f / "rna.csv", A, [f"{name}-01A" for name in TCGA]),
                   lying(f / "cnv.csv", B, TCGA, GENES[:4])], "under names that differ"),
    "two_visits": (
        lambda f: beside(f / "a.csv", {"patient_id": [f"p{i // 2}" for i in range(N)],
                                       "visit": ["pre", "post"] * (N // 2)}),
        "rows visits or parts of a sample"),
    "numbers_of_patients_that_repeat": (
        lambda f: pd.DataFrame(
            np.c_[[1000 + 7 * max(i, 2) for i in range(N)], A],
            [f"row {i}" for i in range(N)], ["Id", *GENES]).astype({"Id": int}).to_parquet(
                f / "a.parquet"), "rows visits or parts of a sample"),
    "samples_with_names_of_many_shapes": (samples_with_names_of_many_shapes, "labels"),
    "a_design_among_measurements": (
        lambda f: beside(f / "a.csv", {name: RNG.integers(0, k, N) for k, name in enumerate(
            ("treatment", "replicate", "taster", "session"), 2)}), "replicate (3 whole values)"),
    "an_array_of_three_axes": (
        lambda f: np.save(f / "a.npy", RNG.normal(size=(N, 9, 2))), "an array of 48 x 9 x 2"),
    "distances": (
        lambda f: [table_per_view(f), standing(
            f / "distances.csv", np.abs(A[:, None] - A[None]).sum(axis=2), names=IDS)],
        "relates the samples to each other"),
    "marks_of_gaps": (
        lambda f: [two()(f), standing(f / "a.csv", np.where(
            (np.arange(N) == 2)[:, None] & (np.arange(5) % 4 > 0), -999, A))],
        "-999 occurs 3 times"),
    "samples_twice": (
        lambda f: lying(
            f / "a.csv", np.vstack([A, A + 1]),
            [f"{way} {i}" for way in ("LFQ", "Intensity") for i in IDS], corner="protein"),
        "the samples occur 2 times"),
    "a_column_also_elsewhere": (
        lambda f: [beside(f / f"{name}.csv", {"length": LENGTH}, X,
                          [f"{name}{j}" for j in range(X.shape[1])])
                   for name, X in (("a", A), ("b", B))], "length (also in another table)"),
    "named_by_class": (
        lambda f: lying(f / "a.csv", A, [f"{w.upper()}{i}" for i, w in enumerate(WORDS)]),
        "begin with ASH, ELM, OAK"),
    "people_of_the_letter_f": (
        lambda f: pd.DataFrame(
            A, [f"F{i:03d}" for i in range(N)], ["hb", "crp", "alt", "ast", "ldh"]
        ).assign(finding=WORDS).to_csv(f / "a.csv", index_label="nr"),
        "are the rows of a the samples (48)?"),
    "folds": (
        lambda f: [beside(f / f"fold{k}.csv", {"class": WORDS[::-1][k::3]},
                          A[16 * k : 16 * k + 16]) for k in range(3)],
        "other samples in each table?"),
    "numbers_with_zeros": (
        two([f"{7 * i:04d}" for i in range(N)], [str(7 * i) for i in range(N)]),
        "under names that differ"),
    "a_line_per_donor_and_gene": (
        lambda f: pd.DataFrame({**DONORS, "depth": A.ravel() ** 2, "level": A.ravel()}).to_csv(
            f / "l.csv"), "one row for each donor_id and gene"),
    "a_panel_of_assessors": (
        lambda f: beside(f / "a.csv", PANEL, RNG.normal(size=(60, 5))),
        "one row for each assessor and product and session"),
    "lines_of_cells_elsewhere": (
        lambda f: [beside(f / "a.csv", {"line": np.repeat(IDS, 4), "drug": np.tile([*"abcd"], N)},
                          RNG.normal(size=(4 * N, 5))),
                   standing(f / "b.csv", B, corner="line", names=COLOURS)],
        "line in a names its samples, in several rows each"),
    "answers_with_marks": (
        answers_with_marks, "the value -8 occurs 3 times in a, the others lie between 1 and 5"),
    "texts_that_mark_gaps": (texts_that_mark_gaps, "EGFR (numbers and a text) left out"),
    "words_under_a_blank_corner": (
        lambda f: [standing(f / "a.csv", A, COUNTED, SIZES, corner=""),
                   pd.DataFrame({"x": WORDS}, COUNTED).to_csv(f / "diet.csv")], "diet/x"),
    "groups_of_people": (groups_of_people, "other samples in each table?"),
    "columns_that_no_other_table_knows": (
        columns_that_no_other_table_knows, "the columns mass_to_charge are no samples"),
    "parts_of_three_axes": (
        npz(X_train=RNG.normal(size=(30, 3, 4)), X_test=RNG.normal(size=(18, 3, 4)),
            y_train=Y[:30], y_test=Y[30:]), "in parts: one view, its samples along axis 1"),
    "many_labels": (npz(XAll=A, LAll=RNG.integers(0, 2, (N, 5))), "a view, and no labels"),
    "coordinates_of_the_others": (
        lambda f: [table_per_view(f), standing(
            f / "umap.csv", A[:, :2], names=["first", "second"])],
        "that a method made of other tables"),
    "annotations": (
        lambda f: h5ad(f / "a.h5ad", columns=[("cell_type", WORDS)]), "labels: a_obs/cell_type?"),
    "a_time_alone": (lambda f: beside(f / "a.csv", {"los": LENGTH}), "los (by its name)"),
}  # fmt: skip


def damaged_matlab(path):
    """A file of 428 bytes that takes the process of its reader down, or fills it."""
    head = b"MATLAB 5.0 MAT-file".ljust(124, b" ") + struct.pack("<H2s", 0x0100, b"IM")
    flags = struct.pack("<IIIIII", 14, 0xFFFFFF, 6, 8, 6, 0)
    path.write_bytes((head + flags).ljust(428, b"\x0e"))
