"""Tables of words become numbers that count alike."""

import numpy as np

from mvclust.own.look import Changes, look
from mvclust.own.texts import gower, in_categories

CELLS = np.array([["yes", "red", "10"], ["no", "red", "20"], ["no", "blue", "30"]], dtype=object)


def test_distances_are_those_of_gower():
    """Numbers by their range, squared; a category that differs counts 1."""
    X, names, origins = in_categories(CELLS, ["smokes", "colour", "age"], "mixed")
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
    rows = [f"p{i},{i % 7}.5,{i % 5}.25" for i in range(30)]
    (tmp_path / "labs.csv").write_text("id,a,b\n" + "\n".join(rows) + "\n")
    rows = [f"q{i},{i + 40}" for i in range(30)]
    (tmp_path / "clinical.csv").write_text("id,age\n" + "\n".join(rows) + "\n")
    (tmp_path / "views.yaml").write_text(
        "views: {labs: {file: labs.csv, ids: id}}\nfacts: {clinical: {file: clinical.csv, ids: id}}"
    )
    found = look(tmp_path)
    assert found.data.facts == {}
    assert "clinical names no sample of the views: its facts are left out" in found.notes
