"""views.yaml: mistakes are sentences with their line; reading follows it and guesses nothing."""

import numpy as np
import pandas as pd
import pytest
import scipy.io
from own_files import GENES, IDS, WORDS, A, standing, table_per_view
from scipy import sparse

from mvclust.own import NotUnderstood
from mvclust.own.look import Changes, look
from mvclust.own.read import read
from mvclust.own.texts import gower, in_categories
from mvclust.own.views import load

HEAD = "views:\n  a: {file: a.csv, ids: id}\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("views: [", "views.yaml:1: no YAML"),
        ("views: {}\nlabels: 2020-99-99", "views.yaml:2: no YAML: '2020-99-99' is no timestamp"),
        ("? [a]\n: {}", "views.yaml:1: no YAML: found unhashable key"),
        (HEAD + "views: {}", "views.yaml:3: the key 'views' is also on line 1; keep one"),
        ("str: {}\nviews: {}", "views.yaml:1: str: there is no such key"),
        ("a", "expected keys such as views and labels"),
        ("view: {}\n" + HEAD, "views.yaml:1: view: there is no such key; did you mean views?"),
        ("views:\n  a: {fil: a.csv}", "views.yaml:2: views.a.fil: there is no such key; did you "
         "mean file?"),
        ("views:\n  a:\n    file: a\n    samples: left", "views.yaml:4: views.a.samples: input"),
        ("views:\n  a:\n    file: a.csv\n    header: 5", "views.yaml:4: views.a.header: input"),
        (HEAD + "labels: {colum: x}", "views.yaml:3: labels.colum: there is no such key; did you "
         "mean column?"),
        ("views:\n  a: {fil: a.csv}\n  b: {header: 7}\n", "views.yaml:3: views.b.header"),
        ("views:\n  a: {file: b.csv}", "views.yaml:2: views.a: there is no b.csv"),
        ("views:\n  a: {file: a.csv, ids: name}", "views.a.ids: a.csv has no column name; it has "
         "id, TP53"),
        ("views:\n  a: {file: a.csv}", "'P-0-1000' in row 2 of a.csv, column id, is no number"),
        (HEAD + "mask: {file: m.csv}", "views.yaml:3: mask: there is no m.csv"),
        (HEAD + "labels: {file: a.csv, ids: TP53, column: MYC}", "have none in common"),
        (HEAD + "ask:\n- {question: q, answers: [[]], answer: 3}", "expected a number from 1 to 1"),
        ("views:\n  a: {file: a.csv, ids: id, prefix: x}", "no column of a.csv is left"),
        ("views:\n  a: {file: a.csv, ids: id, transform: log1p}", "expected no negative values"),
        (HEAD + "survival: {file: a.csv, ids: id, time: TP53, event: {column: MYC, is: dead}}",
         "no MYC is dead"),
        ("views: {}", "views.yaml:1: views: no views"),
    ],
)  # fmt: skip
def test_a_mistake_names_its_line_and_the_nearest_key_or_the_file_and_row(text, said, tmp_path):
    standing(tmp_path / "a.csv", A, names=GENES)
    with pytest.raises(NotUnderstood) as caught:
        read(tmp_path, load(text))
    assert said in str(caught.value)


def test_a_line_of_the_command_line_that_is_no_yaml_is_a_sentence():
    with pytest.raises(NotUnderstood, match=r"^views.a.file: .*: no line of views.yaml: "):
        load(HEAD).changed(["views.a.file: 2020-99-99"], new=True)


def test_keys_change_what_is_read_and_parts_may_be_sparse(tmp_path):
    standing(tmp_path / "a.csv", A, names=GENES)
    np.save(tmp_path / "a.npy", A)
    scipy.io.mmwrite(tmp_path / "b.mtx", sparse.csr_array(A))
    np.savez(tmp_path / "y.npz", y=np.r_[np.inf, np.arange(2 * len(A) - 1) % 2])
    text = "views:\n  a: {parts: [{file: a.npy}, {file: b.mtx}]}\n"
    data = read(tmp_path, load(text + "labels: {file: y.npz, key: y}"))
    np.testing.assert_array_equal(data.Xs[0].toarray(), np.vstack([A, A]))
    assert "inf" in data.label_names
    text = "views:\n  a: {file: a.csv, ids: id, columns: [MYC, TP53], missing: [9.5]}"
    (tmp_path / "a.csv").write_text(
        (tmp_path / "a.csv").read_text().replace(str(A[0, 0]), "9.5", 1)
    )
    data = read(tmp_path, load(text))
    assert data.feature_names == [["TP53", "MYC"]]
    assert data.Xs[0][0, 0] == pytest.approx(A[1:, 0].mean())
    assert "1 single gaps in the view a" in data.notes[0]
    renamed = "views:\n  a: {file: a.csv, ids: id, rename: {'^P-': ''}, plain_ids: true}"
    assert read(tmp_path, load(renamed)).ids[0] == "0-1000"  # as in the table, without P-


def test_a_sample_twice_or_infinite_is_refused_with_its_rows_and_what_can_be_written(tmp_path):
    standing(tmp_path / "a.csv", A, [*IDS[:-1], IDS[0]])
    with pytest.raises(NotUnderstood, match=r"occurs twice in a.csv \(samples 1 and 48\)"):
        read(tmp_path, load(HEAD))
    mean = read(tmp_path, load(HEAD.replace("ids: id", "ids: id, repeated: mean")))
    np.testing.assert_allclose(mean.Xs[0][0], (A[0] + A[-1]) / 2)
    by_order = read(tmp_path, load(HEAD.replace("ids: id", "ids: id, by_order: true")))
    assert by_order.ids is None
    np.testing.assert_array_equal(by_order.Xs[0], A)
    X = A.copy()
    X[4, 1] = np.inf
    standing(tmp_path / "a.csv", X)
    with pytest.raises(NotUnderstood, match=r"an infinite value \(inf\) of sample P-4-1004, featu"):
        read(tmp_path, load(HEAD))


def test_words_become_columns_and_gaps_of_a_word_stay_gaps(tmp_path):
    frame = pd.DataFrame({"id": IDS, "tree": WORDS, "height": A[:, 0]})
    frame.loc[3, "tree"] = None
    frame.to_csv(tmp_path / "a.csv", index=False)
    data = read(tmp_path, load("views:\n  a: {file: a.csv, ids: id, kind: mixed}"))
    assert data.feature_names == [["tree=ash", "tree=elm", "tree=oak", "height"]]
    assert data.kinds == ["mixed"]
    assert set(np.unique(np.delete(data.Xs[0][:, :3], 3, axis=0))) == {0, 1}


def test_labels_batch_and_survival_follow_the_names_of_the_samples(tmp_path):
    table_per_view(tmp_path)
    facts = {"plate": np.arange(40) % 3, "days": np.arange(40), "status": ["dead", "alive"] * 20}
    known = pd.DataFrame(facts, IDS[:7:-1])
    known.to_csv(tmp_path / "clinical.csv", index_label="id")
    lines = [
        "batch: {file: clinical.csv, ids: id, column: plate}",
        "survival: {file: clinical.csv, ids: id, time: days, event: {column: status, is: dead}}",
    ]
    data = read(tmp_path, look(tmp_path).views.changed(lines))
    assert data.batch == [str(known["plate"].get(i, "")) for i in data.ids]
    assert data.label_names == ["ash", "elm", "oak"]
    known = known.reindex(data.ids)
    np.testing.assert_array_equal(data.survival.event, known["status"].map({"dead": 1, "alive": 0}))
    np.testing.assert_array_equal(data.survival.time, known["days"])


def test_distances_are_those_of_gower():
    """Numbers by their range, squared; a category that differs counts 1."""
    cells = [["yes", "red", "10"], ["no", "red", "20"], ["no", "blue", "30"]]
    cells = np.array(cells, dtype=object)
    X, names, origins = in_categories(cells, ["smokes", "colour", "age"], "mixed")
    assert names == ["smokes=no", "smokes=yes", "colour=blue", "colour=red", "age"]
    Z = gower(X, origins)
    squared = ((Z[:, None] - Z[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(squared, [[0, 1.25, 3], [1.25, 0, 1.25], [3, 1.25, 0]])
    # A column with one word or one number changes nothing.
    cells = np.array([["a", "7"], ["a", "7"]], dtype=object)
    Z = gower(*in_categories(cells, ["x", "y"], "mixed")[::2])
    assert np.isfinite(Z).all()
    assert (Z[0] == Z[1]).all()


def test_a_table_of_words_is_a_view_by_a_question(tmp_path):
    rows = [f"p{i},{'yn'[i % 2]},{'abc'[i % 3]},{i % 5}" for i in range(30)]
    (tmp_path / "survey.csv").write_text("id,smokes,diet,visits\n" + "\n".join(rows) + "\n")
    asked = [q.question for q in look(tmp_path).views.ask]
    assert asked[0].startswith("survey: holds categories")
    found = look(tmp_path, Changes(answers=[2, 1]))
    assert found.data.kinds == ["categorical"]
    assert not found.views.open_questions()
    X = found.data.Xs[0]
    np.testing.assert_allclose((X**2).sum(axis=1), 3 / 2)  # three categories, a half each
    assert found.data.facts == {}  # what is clustered is compared with nothing
    # No method sees a label.
    found = look(tmp_path, Changes(answers=[2, 2]))
    label = found.views.answered().labels.column
    assert not any(name.startswith(f"{label}=") for name in found.data.feature_names[0])
    # Weights are for words.
    lines = ["views.survey: {file: survey.csv, ids: id, columns: [visits], transform: gower}"]
    found = look(tmp_path, Changes(answers=[1, 1], lines=lines))
    assert "gower needs kind: categorical or mixed" in found.error


def test_a_table_about_other_samples_is_left_out_of_the_facts(tmp_path):
    standing(tmp_path / "labs.csv", A)
    standing(tmp_path / "clinical.csv", A[:, :1], [f"q{i}" for i in range(len(A))], ["age"])
    (tmp_path / "views.yaml").write_text(
        "views: {labs: {file: labs.csv, ids: id}}\nfacts: {clinical: {file: clinical.csv, ids: id}}"
    )
    found = look(tmp_path)
    assert found.data.facts == {}
    assert "clinical names no sample of the views: its facts are left out" in found.notes
