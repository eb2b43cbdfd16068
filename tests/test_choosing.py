"""Parameters and numbers of clusters are chosen without labels, and for the right reasons."""

import numpy as np
import pytest

from mvclust import CMVNMF, DAIMC, PVC, ConcatKMeans, ConstraintPropagation, choosing
from mvclust.choosing import CRITERIA, select_n_clusters, tune
from mvclust.masking import apply_mask, random_mask
from mvclust.metrics import accuracy
from mvclust.testing import make_blobs


def test_the_criterion_sees_clear_clusters_and_points_without_a_fit_are_passed_over():
    Xs, y = make_blobs()
    Xs = apply_mask(Xs, random_mask(len(y), 3, 0.2, seed=0))
    found = tune(DAIMC(3, random_state=0), {"alpha": [0.001, 10], "beta": [0.1, 100]}, Xs)
    assert len(found.scores) == 4
    assert found.params == max(found.scores, key=lambda point: point[1])[0]
    assert found.model.alpha == found.params["alpha"]
    assert accuracy(y, found.model.labels_) > 0.9
    Xs, _ = make_blobs()
    found = tune(ConcatKMeans(2, random_state=0), {"n_clusters": [100, 3]}, Xs)
    assert found.params == {"n_clusters": 3}
    assert found.scores[0] == ({"n_clusters": 100}, float("-inf"))
    with pytest.raises(
        ValueError, match="no point of the grid can be fitted; the first: PVC takes"
    ):
        tune(PVC(3), {"lam": [0.1, 1]}, Xs)
    # The estimator and the views are left alone.
    Xs, _ = make_blobs()
    before = [X.copy() for X in Xs]
    estimator = ConcatKMeans(2, random_state=0)
    tune(estimator, {"n_clusters": [3]}, Xs)
    select_n_clusters(estimator, Xs, [2, 3], n_draws=3, random_state=0)
    assert estimator.n_clusters == 2
    assert not hasattr(estimator, "labels_")
    assert all((X == Y).all() for X, Y in zip(Xs, before, strict=True))


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("n_clusters", [2, 4, 5])
def test_the_number_of_clusters_is_found(n_clusters, criterion):
    rng = np.random.default_rng(n_clusters)
    y = np.repeat(np.arange(n_clusters), 20)
    Xs = [8 * np.eye(n_clusters, 6)[y] + rng.random((len(y), 6)) for _ in range(2)]
    Xs = apply_mask(Xs, random_mask(len(y), 2, 0.1, seed=0))
    estimator = ConcatKMeans(2, impute="knn", random_state=0)
    found = select_n_clusters(estimator, Xs, range(2, 8), criterion=criterion, random_state=0)
    assert found.n_clusters == n_clusters
    assert found.scores[n_clusters] == max(found.scores.values())
    again = select_n_clusters(estimator, Xs, range(2, 8), criterion=criterion, random_state=0)
    assert again == found


@pytest.mark.parametrize("candidates", [[], [1, 2], [2, 45]])
@pytest.mark.parametrize(
    ("criterion", "said"),
    [("eigengap", "to 44, as there are 45 samples"), ("stability", "to 36, as a subsample has 36")],
)
def test_candidates_that_cannot_be_are_refused(candidates, criterion, said):
    with pytest.raises(ValueError, match=f"expected numbers from 2 {said}"):
        select_n_clusters(ConcatKMeans(2), make_blobs()[0], candidates, criterion=criterion)
    # The spectrum needs no subsamples as large as a candidate.
    assert select_n_clusters(ConcatKMeans(2), make_blobs()[0], [3, 40]).n_clusters == 3


@pytest.mark.parametrize("estimator", [CMVNMF, ConstraintPropagation])
def test_methods_that_label_views_apart_are_refused_in_one_sentence(estimator):
    Xs, _ = make_blobs()
    said = f"{estimator.__name__} labels every view apart"
    with pytest.raises(ValueError, match=f"^tune: {said}"):
        tune(estimator(3), {"n_clusters": [2, 3]}, Xs)
    with pytest.raises(ValueError, match=f"^select_n_clusters: {said}"):
        select_n_clusters(estimator(3), Xs, [2, 3])


@pytest.mark.parametrize(
    ("candidates", "options", "said"),
    [
        ([2, 2.5], {}, "a candidate=2.5, expected a whole number from 1"),
        ([2, 3], {"n_draws": 1}, "n_draws=1, expected a whole number from 2"),
        ([2, 3], {"share": 1.2}, "share=1.2 is not a share"),
        ([2, 3], {"criterion": "gap"}, "criterion='gap', expected one of eigengap, stability"),
    ],
)
def test_numbers_that_are_none_are_refused(candidates, options, said):
    with pytest.raises(ValueError, match=said):
        select_n_clusters(ConcatKMeans(2), make_blobs()[0], candidates, **options)


def test_of_criteria_that_differ_by_rounding_errors_the_first_or_largest_is_chosen(monkeypatch):
    low, high = sorted([np.mean([0.1, 0.2, 0.3]), np.mean([0.3, 0.2, 0.1])])
    values = iter([0.1, low, high, low])
    monkeypatch.setattr(choosing, "simplified_silhouette", lambda *_: next(values))
    found = tune(ConcatKMeans(3, random_state=0), {"n_init": [1, 2, 3, 4]}, make_blobs()[0])
    assert found.params == {"n_init": 2}
    assert found.model.n_init == 2
    stable = {2: high, 3: low, 4: 0.1}
    monkeypatch.setattr(choosing, "_stability_of", lambda *of: stable[of[-1]])
    found = select_n_clusters(ConcatKMeans(2), make_blobs()[0], [2, 3, 4], criterion="stability")
    assert found.n_clusters == 3
