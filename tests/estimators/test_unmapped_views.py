"""What the methods for unmapped views promise alike; the contract of the others maps views."""

import pickle

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from mvclust import CMVNMF, ConstraintPropagation
from mvclust.testing import make_blobs, next_draw
from mvclust.unmapping import known_mapping, random_constraints, random_intra_constraints, unmap

pytestmark = [pytest.mark.parametrize("estimator", [CMVNMF, ConstraintPropagation])]


def problem(estimator):
    """Unmapped views, and what the class takes beside them."""
    rng = np.random.default_rng(1)
    Xs, y = make_blobs()
    Xs = [np.maximum(X + 3 * rng.normal(size=X.shape), 0) for X in Xs]
    data = unmap(Xs, y, 0.9, seed=1)
    if estimator is CMVNMF:
        must, cannot = random_constraints(data.ys, 0.2, 1)
        return data.Xs, {"must_links": must, "cannot_links": cannot}
    must, cannot = random_intra_constraints(data.ys, 0.02, 1)
    mapping = known_mapping(data.ids, 0.7, 1)
    return data.Xs, {"must_links": must, "cannot_links": cannot, "mapping": mapping}


def test_same_seed_same_labels_sparse_views_and_nothing_is_touched(estimator):
    Xs, links = problem(estimator)
    before = [X.copy() for X in Xs]
    kept = {name: {pair: M.copy() for pair, M in of.items()} for name, of in links.items()}
    for X in Xs:
        X.flags.writeable = False
    following = next_draw()
    model = estimator(3, max_iter=30, random_state=1)
    one = model.fit(Xs, **links).labels_
    two = clone(model).fit([sparse.csc_array(X) for X in Xs], **links).labels_
    turned = {
        name: {(b, a): M.T.toarray() if a != b else M for (a, b), M in of.items()}
        for name, of in links.items()
    }
    three = pickle.loads(pickle.dumps(clone(model))).fit(Xs, **turned).labels_
    for labels, *others in zip(one, two, three, strict=True):
        for other in others:
            np.testing.assert_array_equal(labels, other)
    for X, Y in zip(Xs, before, strict=True):
        np.testing.assert_array_equal(X, Y)
    assert all((kept[name][pair] != M).nnz == 0 for name in kept for pair, M in links[name].items())
    assert next_draw() == following
    assert (pickle.loads(pickle.dumps(model)).labels_[0] == one[0]).all()


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda Xs: [], "Xs is empty"),
        (lambda Xs: Xs[0], "must be a list with one array per view"),
        (lambda Xs: [Xs[0], Xs[1][:2]], "n_clusters=3 is more than the 2 samples of view 1"),
        (lambda Xs: [np.full((9, 2), np.inf)], "view 0 contains infinite values"),
        (lambda Xs: [np.vstack([Xs[0], np.full((2, 5), np.nan)])], "view 0 has 2 missing rows"),
    ],
)
def test_bad_views_are_one_sentence(estimator, spoil, message):
    with pytest.raises(ValueError, match=message) as caught:
        estimator(3).fit(spoil(problem(estimator)[0]))
    assert "\n" not in str(caught.value)


def test_views_that_a_factorisation_cannot_take_are_refused(estimator):
    if not estimator.view_tags.nonnegative:
        pytest.skip("it takes both signs")
    with pytest.raises(ValueError, match="non-negative views, but view 1 has a minimum of -1"):
        estimator(3).fit([np.ones((9, 2)), -np.ones((9, 2))])
    with pytest.raises(ValueError, match="view 1 is zero throughout"):
        estimator(3).fit([np.ones((9, 2)), np.zeros((9, 2))])
