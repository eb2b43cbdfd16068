"""Suggestions follow from the committed results, and apply to the views that they are for."""

import json
import re

import numpy as np
import pytest
from helpers import ROOT
from scipy import sparse

import mvclust
from docs import make_choosing
from mvclust.estimators.base import tags_of
from mvclust.masking import apply_mask, random_mask
from mvclust.suggesting import kind_of, measured, nearness, ranked, seconds_of, suggest
from mvclust.testing import make_blobs

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture(scope="module")
def content():
    return make_choosing.known()


def block(name):
    text = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    return re.search(rf"<!-- begin: {name} -->\n(.*?)\n<!-- end", text, re.DOTALL)[1]


def test_what_is_known_follows_from_the_committed_results(content):
    assert json.loads(make_choosing.FILE.read_text(encoding="utf-8")) == content
    assert measured() == content


def test_the_page_follows_from_the_committed_results(content):
    assert block("suggestions") == make_choosing.of_suggestions(content)
    assert block("cases") == make_choosing.of_cases(content)
    assert block("times") == make_choosing.of_times()
    assert block("tuning") == make_choosing.of_tuning()


def test_the_example_of_the_page_runs(capsys):
    text = (ROOT / "docs" / "choosing.md").read_text(encoding="utf-8")
    exec(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], {})
    assert "points of accuracy below the best" in capsys.readouterr().out


MADE_UP = {
    "methods": [
        {"key": "A", "class": "A", "accuracy": [90, 10, None]},
        {"key": "B", "class": "B", "accuracy": [80, 50, 40]},
        {"key": "B-2", "class": "B", "accuracy": [70, 40, 60]},
        {"key": "C", "class": "C", "accuracy": [85, 30, 20]},
    ]
}


def keys(found):
    return [method["key"] for method, _ in found]


def test_methods_are_ranked_by_what_they_miss():
    methods = MADE_UP["methods"]
    found = ranked(MADE_UP, methods, np.ones(3))
    # misses: A 0 40 -, B 10 0 20, B-2 20 10 0, C 5 20 40; of the class B the first alone
    assert keys(found) == ["B", "A", "C"]
    assert [means["shortfall"] for _, means in found] == pytest.approx([10, 20, 65 / 3])
    assert found[0][1]["accuracy"] == pytest.approx(170 / 3)
    assert found[1][1]["rank"] == pytest.approx((1 + 4) / 2)
    assert keys(ranked(MADE_UP, methods, np.array([1, 0, 0]))) == ["A", "C", "B"]
    assert keys(ranked(MADE_UP, methods, np.array([0, 0, 1]))) == ["B-2", "C"]
    assert keys(ranked(MADE_UP, methods[2:], np.ones(3))) == ["B-2", "C"]


def test_cases_with_the_same_share_missing_weigh_most():
    weights = nearness([{"share": 0.0}, {"share": 0.3}, {"share": 0.5}], 0.3)
    assert weights.argmax() == 1
    assert weights[0] < weights[2] < weights[1] == 1


def views_of(kind, n_views, rate, n=60):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], n // 3)
    if kind == "counts":
        Xs = [1.0 * rng.poisson(2 * np.eye(3, 12)[y] + 0.1) for _ in range(n_views)]
        Xs = [np.c_[X, np.ones(n), np.zeros((n, 9))] for X in Xs]
    else:
        Xs = [6 * np.eye(3, 5)[y] + rng.normal(size=(n, 5)) for _ in range(n_views)]
    return apply_mask(Xs, random_mask(n, n_views, rate, 0)) if rate else Xs


@pytest.mark.parametrize("rate", [0, 0.3])
@pytest.mark.parametrize("n_views", [2, 3])
@pytest.mark.parametrize("kind", ["counts", "measurements"])
def test_every_suggestion_runs_as_it_says(kind, n_views, rate):
    Xs = views_of(kind, n_views, rate)
    found = suggest(Xs, n_best=100)
    assert len({s.name for s in found}) == len(found) > 15
    assert [s.shortfall for s in found] == sorted(s.shortfall for s in found)
    for s in found:
        estimator = getattr(mvclust, s.name)
        views, steps = Xs, " ".join(s.before)
        assert ("fill_missing" in steps) == (rate > 0 and not tags_of(estimator).incomplete)
        assert ("subtract" in steps) == (kind != "counts" and tags_of(estimator).nonnegative)
        assert ("two views" in steps) == (n_views > 2 and tags_of(estimator).n_views == 2)
        if "two views" in steps:
            views = [X[~np.isnan(np.hstack(views[:2])).all(axis=1)] for X in views[:2]]
        if "fill_missing" in steps:
            views = mvclust.fill_missing(views, "mean")
        if "subtract" in steps:
            views = [X - np.nanmin(X) for X in views]
        labels = estimator(3, random_state=0, **s.params).fit(views).labels_
        assert len(labels) == len(views[0])
        assert f"{s.shortfall:.1f} points of accuracy below the best" in s.reason


def test_parameters_follow_from_the_kind_of_each_view():
    counts, measurements = views_of("counts", 1, 0)[0], views_of("measurements", 1, 0)[0]
    assert [kind_of(X, np.ones(60, bool)) for X in (counts, measurements)] == [
        "counts",
        "measurements",
    ]
    assert kind_of(sparse.csr_array(counts), np.ones(60, bool)) == "counts"
    scales = [
        {s.name: s.params for s in suggest(Xs, n_best=100)}["ConcatKMeans"]["scale"]
        for Xs in ([counts, counts], [measurements, measurements], [counts, measurements])
    ]
    assert scales == ["sample_unit", "view_balanced", ["sample_unit", "view_balanced"]]


def test_one_view_limits_and_mistakes():
    Xs, _ = make_blobs()
    names = {s.name for s in suggest(Xs[:1], n_best=100)}
    assert "ConcatKMeans" in names
    assert not names & {"PVC", "IMG"}
    everything = suggest(Xs, n_best=100)
    limit = float(np.median([s.seconds for s in everything]))
    quick = suggest(Xs, n_best=100, max_seconds=limit)
    assert 0 < len(quick) < len(everything)
    assert all(s.seconds <= limit for s in quick)
    assert len(suggest(Xs)) == 3
    with pytest.raises(ValueError, match="n_best=0, expected at least 1"):
        suggest(Xs, n_best=0)
    with pytest.raises(ValueError, match="suggest: Xs must be a list"):
        suggest(Xs[0])


def test_expected_seconds_grow_with_the_data_and_are_near_those_measured(content):
    for method in content["methods"]:
        small, large = (
            seconds_of(method, {"n_samples": n, "n_features": d})
            for n, d in ((100, 100), (2000, 5000))
        )
        assert 0 < small <= large
    daimc = next(m for m in content["methods"] if m["key"] == "DAIMC")
    costs = make_choosing.pd.read_csv(make_choosing.RESULTS / "cost.csv")
    row = costs[(costs["method"] == "DAIMC") & (costs["dataset"] == "reuters")].iloc[0]
    expected = seconds_of(daimc, {"n_samples": row["n_samples"], "n_features": 6000})
    assert 1 / 3 < expected / row["cpu_seconds"] < 3
