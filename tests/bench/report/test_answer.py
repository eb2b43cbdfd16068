"""The pictures of an answer are drawn from what was computed, also at the edges."""

import numpy as np
import pandas as pd
import pytest

from mvclust.bench.report import answer as pictures
from mvclust.own.answer import Answer


def made(n=12, n_clusters=3, complete=False):
    clusters = 1 + np.arange(n) % n_clusters
    labels = pd.DataFrame({"sample": range(n), "cluster": clusters, "certainty": 0.5})
    labels.loc[0, "certainty"] = np.nan
    places = pd.MultiIndex.from_tuples([("a", "gene"), ("b", "x" * 90)], names=["view", "feature"])
    heat = pd.DataFrame(np.ones((2, n_clusters)), places, range(1, n_clusters + 1))
    heat.iloc[0, 0] = np.inf
    presence = np.ones((n, 2), dtype=bool)
    presence[3, 1] = complete
    agreement = pd.DataFrame(np.eye(2), ["A", "B"], ["A", "B"])
    points = np.random.default_rng(0).random((n, 2))
    labels["silhouette"] = 0.4
    curve = {"cluster": 1, "patients": 9, "events": 4, "median": None, "times": [0.0, 5.0]}
    curve |= {"survival": [1.0, 0.6], "low": [1.0, 0.3], "high": [1.0, 0.8], "at_risk": [9, 5]}
    number = {"candidates": [2, 3], "gaps": [0.1, 0.5], "low": [0, 0.4], "high": [0.2, 0.6]}
    number |= {"share": [0.1, 0.9], "best": 3, "n_clusters": 3}
    survival = {"ticks": [0, 5], "p": 0.04, "curves": [curve, curve | {"median": 5.0}]}
    facts = {"data": "toy", "number": number, "survival": survival}
    order = np.argsort(clusters, kind="stable")
    return Answer(
        labels, None, None, facts, points, heat, presence, ["a", "b"], agreement, None,
        pd.DataFrame(np.ones((n, 2)), columns=places),
        pd.DataFrame(np.eye(n), order, order),
    )  # fmt: skip


@pytest.mark.usefixtures("svg_alone")
@pytest.mark.parametrize("answer", [made(), made(n_clusters=1), made(30, 12, complete=True)])
def test_every_picture_is_written(answer, tmp_path):
    pictures.draw_answer(answer, tmp_path)
    written = {path.name for path in (tmp_path / "figures").iterdir()}
    assert written == {f"answer_{name}.svg" for name in pictures.DRAWINGS}


def test_certainty_is_opacity_and_unknown_is_the_faintest():
    (axes,) = pictures.draw_samples(made()).axes
    opacity = axes.collections[0].get_facecolors()[:, 3]
    assert opacity.tolist() == pytest.approx([0.15] + [0.575] * 11)


def test_what_is_not_known_is_said_in_place_of_a_picture():
    facts = {"data": "toy", "survival": None, "number": None}
    unknown = made()._replace(facts=facts, heat=made().heat.iloc[:0])
    for draw, said in {
        pictures.draw_survival: "No times and events",
        pictures.draw_number: "Too few samples",
        pictures.draw_features: "No feature sets a cluster apart.",
    }.items():
        assert said in draw(unknown).texts[0].get_text().replace("\n", " ")


def test_survival_has_a_curve_and_a_row_of_patients_per_cluster():
    axes, table = pictures.draw_survival(made()).axes
    assert axes.get_title() == "log-rank p = 0.04 (permuted)"
    assert len(axes.lines) == 2
    assert [text.get_text() for text in table.texts] == ["9", "5"] * 2


def test_samples_of_the_heat_map_are_ordered_by_cluster():
    answer = made(n=6)
    answer.values.iloc[:, 0] = answer.labels["cluster"].to_numpy()
    shown = pictures.draw_heat(answer).axes[0].images[0].get_array()
    assert shown[0].tolist() == [1, 1, 2, 2, 3, 3]
