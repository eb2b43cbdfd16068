"""Plain data are read without a question; where another reading fits, it is asked about."""

import itertools

import numpy as np
import pytest
from own_files import (
    ASKED,
    COLOURS,
    GENES,
    IDS,
    MASK,
    PLAIN,
    PROTEINS,
    SIZES,
    A,
    B,
    Y,
    lying,
    standing,
    table_per_view,
    texts_that_mark_gaps,
    times_and_events,
)
from scipy import sparse

from mvclust.own import NotUnderstood
from mvclust.own.look import Changes, as_record, look, save
from mvclust.own.propose import propose
from mvclust.own.read import read
from mvclust.own.views import load

WRITERS = {layout: write for layout, (write, *_) in (PLAIN | ASKED).items()}
BOTH = pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
MORE_CHOICES = 12  # beside those with one other answer


def questions(found):
    return [q.question for q in found.views.ask]


def parts(data):
    """All that two equal data sets have in common, bytes of the views too."""
    Xs = [X.toarray() if sparse.issparse(X) else X for X in data.Xs]
    y = None if data.y is None else data.y.tolist()
    names = data.view_names, data.feature_names, data.ids, data.label_names, y
    return [X.tobytes() for X in Xs], data.presence.tolist(), names


@pytest.mark.parametrize("layout", PLAIN)
def test_plain_data_are_read_without_a_question(layout, tmp_path):
    write, features, n_classes, missing = PLAIN[layout]
    write(tmp_path)
    found = look(tmp_path)
    assert questions(found) == []
    data = found.data
    assert data.n_samples == len(IDS)
    got = {(X.shape[1], int((~present).sum())) for _, X, present in data.each()}
    assert got == set(zip(features, missing, strict=True))
    assert len(data.label_names) == n_classes
    assert (data.y is not None) == (n_classes > 0)


@BOTH
def test_a_proposal_is_stable_and_read_to_the_same_bytes(write, tmp_path):
    write(tmp_path)
    proposal = propose(tmp_path)
    views = proposal.records()
    text = views.text()
    assert load(text).text() == text
    assert propose(tmp_path).records().text() == text
    assert parts(read(tmp_path, views, proposal.pieces)) == parts(read(tmp_path, load(text)))


@BOTH
def test_an_offered_answer_is_read_and_a_combination_read_or_refused_in_words(write, tmp_path):
    write(tmp_path)
    asked = look(tmp_path).views.ask
    choices = list(itertools.product(*(range(1, len(q.answers) + 1) for q in asked)))
    single = [choice for choice in choices if sum(n > 1 for n in choice) < 2]
    for answers in {*single, *choices[:: 1 + len(choices) // MORE_CHOICES]}:
        found = look(tmp_path, Changes(answers=list(answers)))
        chosen = [q.answers[n - 1] for q, n in zip(asked, answers, strict=True)]
        turned = any(line.startswith("ask:") for lines in chosen for line in lines)
        assert turned or found.views.open_questions() == []
        assert (found.data is None) == (found.error is not None)
        assert found.data is not None or sum(n > 1 for n in answers) > 1
        assert load(found.views.text()).text() == found.views.text()


def test_an_answer_gives_the_other_reading(tmp_path):
    lying(tmp_path / "a.csv", A, IDS, [*"abcde"], "")
    n_answers = len(look(tmp_path).views.ask[0].answers)
    found = [look(tmp_path, Changes(answers=[n + 1])) for n in range(n_answers)]
    assert {each.data.Xs[0].shape for each in found} == {A.shape, A.T.shape}
    # A text that an answer calls a gap is one.
    texts_that_mark_gaps(tmp_path)
    n = len(look(tmp_path).views.ask[-1].answers)
    data = look(tmp_path, Changes(answers=[n])).data
    assert data.Xs[0].shape == A.shape
    known = np.delete(np.arange(len(A)), [1, 4])
    np.testing.assert_allclose(data.Xs[0][known], A[known])
    np.testing.assert_allclose(data.Xs[0][[1, 4], 2], A[known, 2].mean())


def test_equal_first_columns_are_samples_by_convention_and_it_is_said(tmp_path):
    def look_at(names):
        standing(tmp_path / "a.csv", A[:8], names, SIZES, "")
        standing(tmp_path / "b.csv", B[:8], names, COLOURS, "")
        return look(tmp_path)

    found = look_at(["Anna", "Bo", "Carl", "Dora", "Emil", "Frey", "Gus", "Hal"])
    assert questions(found) == []
    assert any("their first columns are equal" in note for note in found.notes)
    assert questions(look_at([*GENES, "PTEN", "RB1", "CDK4"]))


def test_the_record_for_programs_has_the_keys_that_are_promised(tmp_path):
    table_per_view(tmp_path)
    record = as_record(look(tmp_path))
    assert record["n_samples"] == len(IDS)
    view = {"name": "leaves", "n_features": 4, "missing": 10, "kind": "numeric"}
    assert record["views"][0] == view
    assert record["n_classes"] == 3
    assert (record["ask"], record["left_out"]) == ([], [])
    assert isinstance(record["notes"], list)


def test_a_mask_or_classes_may_have_their_samples_in_columns(tmp_path):
    lying(tmp_path / "a.csv", A)
    lying(tmp_path / "b.csv", B, names=PROTEINS)
    lying(tmp_path / "mask.csv", MASK, names=["a", "b"], corner="view")
    np.testing.assert_array_equal(look(tmp_path).data.presence, MASK == 1)
    (tmp_path / "mask.csv").unlink()
    lying(tmp_path / "kinds.csv", np.eye(3, dtype=int)[Y], names=["x", "y", "z"], corner="class")
    data = look(tmp_path).data
    assert data.label_names == ["x", "y", "z"]
    np.testing.assert_array_equal(data.y, Y)


def test_a_file_that_was_edited_is_read_and_not_replaced(tmp_path):
    table_per_view(tmp_path)
    found = look(tmp_path)
    save(found)
    edited = found.file.read_text().replace("leaves:", "colours:")
    found.file.write_text(edited)
    again = look(tmp_path)
    assert again.data.view_names == ["colours", "size"]
    assert save(again).startswith("as written")
    assert found.file.read_text() == edited
    assert look(tmp_path, Changes(again=True)).data.view_names == ["leaves", "size"]
    # Where the folder cannot be written the file is printed.
    np.savez(tmp_path / "d.npz", a=A, b=B)
    found = look(tmp_path / "d.npz")
    assert found.file.name == "d.npz.views.yaml"
    found.file = tmp_path / "none" / "views.yaml"
    said = save(found)
    assert "cannot be written (No such file or directory)" in said
    assert "views:" in said


def test_the_command_line_writes_lines_of_the_file(tmp_path):
    lying(tmp_path / "a.csv", A, corner="")
    lying(tmp_path / "b.csv", B, names=PROTEINS, corner="")
    lines = ["views.b: null", "views.a.transform: log1p", "views.a.without_rows: [TP53, EGFR, MYC]"]
    found = look(tmp_path, Changes(samples="columns", lines=lines))
    assert "negative" in found.error
    found = look(tmp_path, Changes(samples="columns", lines=lines[::2]))
    assert found.data.Xs[0].shape == (len(IDS), 2)
    for line, said in {
        "views.a.sample: rows": "no such key; did you mean samples",
        "view.a.samples: rows": "no such key; did you mean views",
        "views.a.samples.x: 1": "views.a.samples has no entries",
    }.items():
        with pytest.raises(NotUnderstood, match=said):
            look(tmp_path, Changes(lines=[line]))
    found = look(tmp_path, Changes(lines=["facts.b: {file: b.csv}", "labels.column: grade"]))
    assert list(found.views.facts) == ["b"]
    assert found.error == "labels: it names no file; expected a key file."


def test_a_table_that_clusters_are_compared_with_is_not_left_out(tmp_path):
    times_and_events(tmp_path)
    views = look(tmp_path).views
    assert (list(views.facts), views.left_out) == (["clinical"], {})
