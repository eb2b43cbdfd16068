"""Deep estimators: the contract, what is hidden, snapshots, ten samples, what is refused."""

import numpy as np
import pytest
from deep.needed import jax
from sklearn.base import clone

from mvclust.deep import APADC, COMPLETER, CPSPAN, DSIMVC, ProImp
from mvclust.deep.cpspan import joined
from mvclust.masking import apply_mask, random_mask
from mvclust.testing import CHECKS, make_blobs, views_for

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
# Small networks: equal shapes are compiled once per session.
SMALL = {"width": 16, "latent": 8, "epochs": 40, "learning_rate": 0.01, "batch_size": 64}


def small(method, **own):
    """A class with small networks, whose parameters are those that every estimator has."""

    def __init__(self, n_clusters, *, random_state=None):
        method.__init__(self, n_clusters, **SMALL | own, random_state=random_state)

    name = f"Small{method.__name__}"
    return type(name, (method,), {"__init__": __init__, "__module__": __name__})


SmallCOMPLETER = small(COMPLETER, prediction_start=10, lam_pre=10.0, lam_rec=1.0)
SmallProImp = small(ProImp, warm_up=10, n_prototypes=3)
SmallAPADC = small(APADC, lam_rec=1.0)
SmallCPSPAN = small(CPSPAN, alignment_start=10, learning_rate=0.05)
SmallDSIMVC = small(
    DSIMVC, width=64, latent=16, learning_rate=0.003, epochs=100, pretraining=30,
    reconstructing=10, contrasting=10,
)  # fmt: skip
ESTIMATORS = [SmallCOMPLETER, SmallProImp, SmallAPADC, SmallCPSPAN, SmallDSIMVC]


def incomplete(rate=0.3):
    """Two views of blobs with missing instances, and their presence."""
    Xs, y = make_blobs()
    presence = random_mask(len(y), 2, rate, 0)
    return apply_mask(Xs[:2], presence), presence


each = pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
# Checks of what all deep methods have from their base, with one of them.
SHARED = {"check_kinds_of_arrays", "check_input_is_left_alone", "check_bad_input_is_refused"}
SHARED |= {"check_clone_and_pickle"}
# Other numbers of features are compiled anew, for half a minute. What these two check is tested
# with the losses (order of samples and views) and the scaling (constant features).
ANEW = {"check_order_does_not_matter", "check_constant_features_and_duplicates"}
CASES = [
    pytest.param(estimator, check, id=f"{estimator.__name__}-{check.__name__}")
    for check in CHECKS
    for estimator in ESTIMATORS
    if check.__name__ not in ANEW and (estimator is SmallAPADC or check.__name__ not in SHARED)
]


@pytest.mark.parametrize(("estimator", "check"), CASES)
def test_contract(estimator, check):
    check(estimator)


@each
def test_hidden_entries_are_never_read(estimator, monkeypatch):
    Xs, presence = incomplete()
    rng = np.random.default_rng(9)
    other = [
        np.where(there[:, None], X, rng.standard_normal(X.shape))
        for X, there in zip(Xs, presence.T, strict=True)
    ]
    one, two = estimator(3, random_state=0), estimator(3, random_state=0)
    for model, views in ((one, Xs), (two, other)):
        model.epochs, model.snapshots = 12, (5,)
        monkeypatch.setattr(model, "check_input", lambda Xs: (Xs, presence))
        model.fit(views)
        assert model.embeddings_.keys() == {5, 12}
    for epoch, embedding in one.embeddings_.items():
        assert np.isfinite(embedding).all()
        np.testing.assert_array_equal(embedding, two.embeddings_[epoch])
    jax.tree.map(np.testing.assert_array_equal, one._weights, two._weights)


@each
def test_snapshots_are_the_embeddings_of_shorter_fits(estimator):
    Xs, _ = incomplete()
    model = estimator(3, random_state=0)
    model.epochs, model.snapshots = 20, (5, 15)
    model.fit(Xs)
    assert model.embeddings_.keys() == {5, 15, 20}
    np.testing.assert_array_equal(model.embeddings_[20], model.embedding_)
    shorter = estimator(3, random_state=0)
    shorter.epochs = 15
    np.testing.assert_array_equal(shorter.fit(Xs).embedding_, model.embeddings_[15])
    assert shorter.n_iter_ == len(shorter.objective_) == shorter.n_steps_ == 15
    assert shorter.n_skipped_ == 0
    model.snapshots = (21,)
    with pytest.raises(ValueError, match="snapshots has 21, expected whole numbers from 1 to 20"):
        model.fit(Xs)


@each
def test_ten_samples_are_learnt_by_heart(estimator):
    Xs = [X[::4][:10] for X in views_for(estimator)[0]]
    model = estimator(3, random_state=0)
    model.epochs = 80
    if estimator is SmallCPSPAN:
        model.width, model.learning_rate, model.alignment_start = 64, 0.01, 70
    losses = model.fit(Xs).losses_
    name = {SmallProImp: "samples", SmallDSIMVC: "labels"}.get(estimator, "reconstruction")
    share = 0.1 if name == "reconstruction" else 0.7
    assert losses[name][-1] < share * losses[name][0]


@each
def test_patience_ends_a_fit_by_its_own_loss(estimator):
    Xs, _ = incomplete()
    model = estimator(3, random_state=0)
    model.patience, model.epochs = 1, 400
    model.fit(Xs)
    after_switch = model.objective_[model.settings_.get(estimator._switch, 0) :]
    assert model.n_iter_ < 400
    assert after_switch[-1] >= after_switch[-2] == after_switch.min()
    assert model.embedding_ is model.embeddings_[model.n_iter_]


@pytest.mark.filterwarnings("ignore:.*no sample relates:UserWarning")
@each
def test_no_complete_sample_is_refused(estimator):
    Xs, _ = incomplete(0.0)
    first = np.arange(len(Xs[0])) % 2 == 0
    Xs = [np.where(there[:, None], X, np.nan) for X, there in zip(Xs, (first, ~first), strict=True)]
    sentence = "from samples that have .*; 0 of 45 have, and at least 2 are needed"
    with pytest.raises(ValueError, match=sentence):
        estimator(3).fit(Xs)


@pytest.mark.parametrize("alone", [1, 2])
def test_apadc_trains_where_few_samples_lack_a_view(alone):
    Xs, presence = incomplete(0.0)
    presence[:alone, 1] = False
    Xs = apply_mask(Xs, presence)
    model = SmallAPADC(3, random_state=0).fit(Xs)
    assert np.isfinite(model.objective_).all()
    np.testing.assert_array_equal(model.transform(Xs), model.embedding_)


def test_cpspan_fills_a_code_by_the_sample_that_is_most_alike_in_the_views_of_both():
    """The worked example; then a sample that shares no view with any that has the missing one."""
    Z = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    other = np.arange(8.0).reshape(4, 2)
    there = np.array([[True, False], [True, True], [True, True], [True, True]])
    for n, expected in ((1, other[1]), (2, (other[1] + other[3]) / 2), (9, other[1:].mean(axis=0))):
        filled = joined([Z, other], there, [Z, other], there, n)
        np.testing.assert_array_equal(filled[0], [1, 0, *expected])
        np.testing.assert_array_equal(filled[1:], np.c_[Z, other][1:])
    alone = np.array([[True, False], [False, True], [False, True], [False, True]])
    filled = joined([Z, other], alone, [Z, other], alone, 1)
    np.testing.assert_array_equal(filled[0, 2:], other[1:].mean(axis=0))
    np.testing.assert_array_equal(filled[1:, :2], np.repeat(Z[:1], 3, axis=0))


@pytest.mark.parametrize("estimator", [SmallCPSPAN, SmallDSIMVC])
def test_known_samples_of_three_views_stay_where_they_were(estimator):
    Xs, y = views_for(estimator, rate=0.3)
    model = estimator(3, random_state=0).fit(Xs)
    if estimator is SmallCPSPAN:
        assert model.embedding_.shape == (len(y), 3 * model.latent)
        np.testing.assert_allclose(model.transform(Xs), model.embedding_, rtol=1e-12)
    else:
        assert model.embedding_.shape == (len(y), 3)
        np.testing.assert_allclose(model.embedding_.sum(axis=1), 1)
        np.testing.assert_array_equal(model.labels_, model.embedding_.argmax(axis=1))
        np.testing.assert_array_equal(model.predict(Xs), model.labels_)


def test_what_cannot_be_trained_is_refused():
    Xs, _ = incomplete(0.0)
    one = np.arange(len(Xs[0])) < 1
    more = [*Xs, np.where(one[:, None], Xs[0], np.nan)]
    short = COMPLETER(3, reading="short", epochs=100, prediction_start=100)
    for model, views, sentence in (
        (CPSPAN(3, epochs=20, alignment_start=20), Xs, "20 epochs end before the views are alig"),
        (CPSPAN(3), more, "view 2 has 1 instances, and at least 2 are needed"),
        (short, Xs, "20 epochs end before the predictors are trained"),
    ):
        with pytest.raises(ValueError, match=sentence):
            model.fit(views)


@each
def test_parameters_of_the_class_are_stored_and_cloned(estimator):
    public = estimator.__mro__[1](4, reading="narrow", snapshots=(3, 5), scale=None)
    assert clone(public).get_params() == public.get_params()
    with pytest.raises(ValueError, match="reading"):
        estimator.__mro__[1](3, reading="quick").fit(incomplete()[0])
