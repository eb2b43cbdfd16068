"""Deep estimators: the contract, what is hidden, snapshots, ten samples, what is refused."""

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="the extra deep is not installed: no jax")

from deep.deep_cases import (  # noqa: E402
    ESTIMATORS,
    SmallAPADC,
    SmallCOMPLETER,
    SmallCPSPAN,
    SmallDSIMVC,
    SmallProImp,
    incomplete,
)
from sklearn.base import clone  # noqa: E402
from sklearn.exceptions import ConvergenceWarning  # noqa: E402

from mvclust.deep import COMPLETER, CPSPAN  # noqa: E402
from mvclust.deep.apadc import apadc, embed  # noqa: E402
from mvclust.deep.completer import completer  # noqa: E402
from mvclust.deep.cpspan import cpspan, joined  # noqa: E402
from mvclust.deep.dsimvc import dsimvc  # noqa: E402
from mvclust.deep.proimp import proimp  # noqa: E402
from mvclust.masking import apply_mask, random_mask  # noqa: E402
from mvclust.metrics import accuracy  # noqa: E402
from mvclust.testing import CHECKS, views_for  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
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


def trained(estimator, Xs, presence):
    """The result of the function with the training of a method, on small networks."""
    own = {"width": 16, "latent": 8, "epochs": 12, "batch_size": 64, "learning_rate": 0.01}
    own |= {"patience": None, "snapshots": {5}}
    own |= {"seeds": {"weights": 0, "batches": 1, "dropout": 2}}
    if estimator is SmallCOMPLETER:
        rest = {"alpha": 9.0, "lam_pre": 10.0, "lam_rec": 0.1, "prediction_start": 10}
        return completer(Xs, presence, **own, **rest)
    if estimator is SmallProImp:
        return proimp(Xs, presence, **own, n_prototypes=3, warm_up=10)[0]
    if estimator is SmallCPSPAN:
        rest = {"lam_prototypes": 0.001, "lam_samples": 0.001, "prototypes": "all"}
        return cpspan(Xs, presence, **own, **rest, n_neighbors=1, alignment_start=6)[0]
    if estimator is SmallDSIMVC:
        rest = {"pretraining": 3, "reconstructing": 3, "contrasting": 3, "incomplete_weight": 1.0}
        rest |= {"n_clusters": 3, "n_neighbors": 3, "n_candidates": 600}
        return dsimvc(Xs, presence, **own, **rest)
    rest = {"lam_mmd": 10.0, "lam_rec": 0.1, "kernel_mul": 0.01, "kernel_num": 3}
    return apadc(Xs, presence, **own, **rest)


@each
def test_hidden_entries_are_never_read(estimator):
    Xs, presence, _ = incomplete()
    rng = np.random.default_rng(9)
    other = [
        np.where(there[:, None], X, rng.standard_normal(X.shape))
        for X, there in zip(Xs, presence.T, strict=True)
    ]
    one, two = trained(estimator, Xs, presence), trained(estimator, other, presence)
    assert one.embeddings.keys() == {5, 12}
    for epoch, embedding in one.embeddings.items():
        assert np.isfinite(embedding).all()
        np.testing.assert_array_equal(embedding, two.embeddings[epoch])
    jax.tree.map(np.testing.assert_array_equal, one.weights, two.weights)


@each
def test_snapshots_are_the_embeddings_of_shorter_fits(estimator):
    Xs, _, _ = incomplete()
    model = estimator(3, random_state=0)
    model.epochs, model.snapshots = 20, (5, 15)
    model.fit(Xs)
    assert model.embeddings_.keys() == {5, 15, 20}
    np.testing.assert_array_equal(model.embeddings_[20], model.embedding_)
    shorter = estimator(3, random_state=0)
    shorter.epochs = 15
    np.testing.assert_array_equal(shorter.fit(Xs).embedding_, model.embeddings_[15])
    assert shorter.n_iter_ == len(shorter.objective_) == shorter.n_steps_ == 15
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
    Xs, _, _ = incomplete()
    model = estimator(3, random_state=0)
    model.patience, model.epochs = 1, 400
    model.fit(Xs)
    after_switch = model.objective_[model.settings_.get(estimator._switch, 0) :]
    assert model.n_iter_ < 400
    assert after_switch[-1] >= after_switch[-2] == after_switch.min()
    assert model.embedding_ is model.embeddings_[model.n_iter_]


@each
def test_incomplete_samples_are_clustered_with_the_others(estimator):
    Xs, presence, y = incomplete(n_per_cluster=30)
    model = estimator(3, random_state=1).fit(Xs)
    assert accuracy(y, model.labels_) > 0.9
    assert accuracy(y[~presence.all(axis=1)], model.labels_[~presence.all(axis=1)]) > 0.85


@pytest.mark.filterwarnings("ignore:.*no sample relates:UserWarning")
@each
def test_three_views_and_no_complete_sample_are_refused(estimator):
    Xs, _, _ = incomplete(0.0)
    if estimator.view_tags.n_views == 2:
        with pytest.raises(ValueError, match="takes exactly 2 views, got 3"):
            estimator(3).fit([*Xs, Xs[0]])
    first = np.arange(len(Xs[0])) % 2 == 0
    Xs = [np.where(there[:, None], X, np.nan) for X, there in zip(Xs, (first, ~first), strict=True)]
    sentence = "from samples that have .*; 0 of 45 have, and at least 2 are needed"
    with pytest.raises(ValueError, match=sentence):
        estimator(3).fit(Xs)


def test_a_last_batch_of_one_row_is_left_out():
    model = SmallAPADC(3, random_state=0)
    model.epochs = 12
    model.fit([np.r_[X, X[:20]] for X in views_for(SmallAPADC)[0]])
    assert model.n_skipped_ == model.n_steps_ == 12


@pytest.mark.parametrize("alone", [1, 2])
def test_apadc_trains_where_few_samples_lack_a_view(alone):
    Xs, _, y = incomplete(0.0)
    presence = random_mask(len(y), 2, 0.0, 0)
    presence[:alone, 1] = False
    found = trained(SmallAPADC, Xs, presence)
    assert np.isfinite(found.history["loss"]).all()
    again = embed(found.weights, [X.astype(np.float32) for X in Xs], presence)
    np.testing.assert_array_equal(again, found.embeddings[12])


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
def test_three_views_are_taken_and_known_samples_stay_where_they_were(estimator):
    Xs, y = views_for(estimator)
    assert len(Xs) == 3
    Xs = apply_mask(Xs, random_mask(len(y), 3, 0.3, 0))
    model = estimator(3, random_state=0).fit(Xs)
    assert accuracy(y, model.labels_) > 0.8
    if estimator is SmallCPSPAN:
        assert model.embedding_.shape == (len(y), 3 * model.latent)
        np.testing.assert_allclose(model.transform(Xs), model.embedding_, rtol=1e-12)
    else:
        assert model.embedding_.shape == (len(y), 3)
        np.testing.assert_allclose(model.embedding_.sum(axis=1), 1)
        np.testing.assert_array_equal(model.labels_, model.embedding_.argmax(axis=1))
        np.testing.assert_array_equal(model.predict(Xs), model.labels_)


def test_what_cannot_be_trained_is_refused():
    Xs, _, _ = incomplete(0.0)
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
    two_views = estimator.view_tags.n_views == 2
    assert public.get_params()["width"] == (1024 if two_views else 500)
    with pytest.raises(ValueError, match="reading"):
        estimator.__mro__[1](3, reading="quick").fit(incomplete()[0])


def test_fewer_clusters_than_asked_for_are_said():
    model = SmallDSIMVC(8, random_state=0)
    model.epochs = model.pretraining = model.reconstructing = model.contrasting = 1
    with pytest.warns(ConvergenceWarning, match="clusters of the 8 asked for"):
        model.fit(views_for(SmallDSIMVC)[0])
