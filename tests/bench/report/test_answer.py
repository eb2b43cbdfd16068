"""The pictures of an answer are drawn from what was computed, also at the edges."""

import numpy as np
import pandas as pd
import pytest

from mvclust.bench.report.answer import DRAWINGS, draw_answer, draw_features, draw_samples
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
    return Answer(
        labels, None, None, {"data": "toy"}, points, heat, presence, ["a", "b"], agreement
    )


@pytest.mark.parametrize("answer", [made(), made(n_clusters=1), made(30, 12, complete=True)])
def test_every_picture_is_written_in_three_forms(answer, tmp_path):
    draw_answer(answer, tmp_path)
    written = {path.name for path in tmp_path.iterdir()}
    assert written == {
        f"answer_{name}.{kind}" for name in DRAWINGS for kind in ("svg", "pdf", "png")
    }


def test_certainty_is_opacity_and_unknown_is_the_faintest():
    (axes,) = draw_samples(made()).axes
    opacity = axes.collections[0].get_facecolors()[:, 3]
    assert opacity.tolist() == pytest.approx([0.15] + [0.575] * 11)


def test_without_features_the_heat_map_says_so():
    answer = made()
    figure = draw_features(answer._replace(heat=answer.heat.iloc[:0]))
    assert "No feature sets a cluster apart." in figure.texts[0].get_text().replace("\n", " ")


def test_pictures_are_the_same_bytes_each_time(tmp_path):
    for folder in ("one", "two"):
        draw_answer(made(), tmp_path / folder)
    for name in DRAWINGS:
        one, two = ((tmp_path / f / f"answer_{name}.svg").read_bytes() for f in ("one", "two"))
        assert one == two
