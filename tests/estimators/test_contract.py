"""What every estimator promises, whatever its method."""

import inspect
import re

import numpy as np
import pytest
from estimators.shared_cases import ALL, of
from scipy import sparse
from sklearn.base import clone

from mvclust.estimators.base import Solution
from mvclust.masking import apply_mask, paired_mask, random_mask
from mvclust.metrics import accuracy
from mvclust.testing import CHECKS, make_blobs, next_draw, views_for

# Methods whose views may describe different samples have tests of their own.
ESTIMATORS = [estimator for estimator in ALL if not estimator.view_tags.unmapped]


def called(names):
    return [estimator for estimator in ESTIMATORS if estimator.__name__ in names]


def shortened(model, most=10):
    """A model whose first iterations are enough to show what is tested."""
    if hasattr(model, "max_iter"):
        model.max_iter = min(model.max_iter, most)
    return model


@of(ESTIMATORS)
@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__)
def test_contract(estimator, check):
    check(estimator)


@of(ESTIMATORS)
def test_labels_come_from_the_embedding(estimator):
    """The mean row of a cluster is nearest to the rows of that cluster, but for a few."""
    Xs, y = views_for(estimator, rate=0.2)
    model = shortened(estimator(3, random_state=0)).fit(Xs)
    assert hasattr(model, "embedding_") == ("\nembedding_ : " in inspect.getdoc(estimator))
    if hasattr(model, "embedding_"):
        rows = model.embedding_
        assert rows.shape[0] == len(y)
        assert np.isfinite(rows).all()
        means = np.stack([rows[model.labels_ == k].mean(axis=0) for k in np.unique(model.labels_)])
        nearest = ((rows[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)
        assert accuracy(model.labels_, nearest) > 0.9


@of(ESTIMATORS)
def test_numpy_integers_and_random_states(estimator):
    """Without a seed the global generator is left alone."""
    Xs, _ = views_for(estimator)

    def fitted(seed, n_clusters=3):
        return shortened(estimator(n_clusters, random_state=seed)).fit(Xs)

    following = next_draw()
    fitted(None)
    assert next_draw() == following
    model = fitted(5)
    assert (fitted(np.int64(5), np.int64(3)).labels_ == model.labels_).all()
    if getattr(estimator, "deterministic", False):  # nothing else drives it
        other = fitted(0)
        assert (other.labels_ == model.labels_).all()
        np.testing.assert_array_equal(other.objective_, model.objective_)
    for state in (np.random.RandomState, np.random.default_rng):
        assert (fitted(state(1)).labels_ == fitted(state(1)).labels_).all()


@of(ESTIMATORS)
def test_the_unit_of_measurement_does_not_matter(estimator):
    Xs, _ = views_for(estimator, rate=0.3)
    model = shortened(estimator(3, random_state=0))
    labels = model.fit(Xs).labels_
    for unit in (1e-12, 1e-40):
        assert accuracy(labels, model.fit([unit * X for X in Xs]).labels_) == 1


@of(ESTIMATORS)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(("n_spoilt", "value"), [(3, 1.0), (1, 1.0), (1, 0.0)])
def test_views_without_content_are_clustered_or_refused_in_one_sentence(estimator, n_spoilt, value):
    Xs, y = views_for(estimator)
    Xs[-n_spoilt:] = [np.full_like(X, value) for X in Xs[-n_spoilt:]]
    model, refusal = shortened(estimator(3, random_state=0)), None
    try:
        model.fit(Xs)
    except ValueError as error:
        refusal = str(error)
    if refusal is None:
        assert len(model.labels_) == len(y)
        assert np.isfinite(getattr(model, "objective_", 0.0)).all()
    else:
        assert re.fullmatch(rf"{estimator.__name__}: .*leave.*", refusal)


@of(ESTIMATORS)
@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda Xs: [], "Xs is empty"),
        (lambda Xs: Xs[0], "must be a list with one array per view"),
        (lambda Xs: [Xs[0], *[X[:-1] for X in Xs[1:]]], "view 1 has 44 rows and view 0 has 45"),
        (lambda Xs: [np.full_like(Xs[0], np.inf), *Xs[1:]], "view 0 contains infinite values"),
        (lambda Xs: [_without(Xs[0], (2, 0)), *Xs[1:]], "view 0 is NaN in 1 of"),
        (lambda Xs: [_without(X, 4) for X in Xs], "sample 4"),
        (lambda Xs: [np.full_like(Xs[0], np.nan), *Xs[1:]], "view 0 has no instance at all"),
        (lambda Xs: [Xs[0][:, 0], *Xs[1:]], "view 0 has shape"),
        (lambda Xs: [[["a"]] * 45, *Xs[1:]], "view 0 is not an array of real numbers"),
        (lambda Xs: [X[:2] for X in Xs], "n_clusters=3 is more than the 2 samples"),
    ],
)
def test_bad_input_gives_one_clear_sentence(estimator, spoil, message):
    Xs, _ = views_for(estimator)
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        estimator(3, random_state=0).fit(spoil(Xs))
    assert "\n" not in str(caught.value)


def _without(X, place):
    X = X.copy()
    X[place] = np.nan
    return X


def variants_of(estimator):
    """A model of each variant, for objectives that are compared."""
    model = estimator(3, random_state=0)
    declared = estimator._parameter_constraints.get("variant", [])
    return [clone(model).set_params(variant=v) for c in declared for v in c.options] or [model]


@of([e for e in ESTIMATORS if e.view_tags.sparse])
def test_sparse_views_give_the_same(estimator):
    rng = np.random.default_rng(0)
    Xs = [(X + 2 * rng.random(X.shape)) * (rng.random(X.shape) > 0.25) for X in make_blobs()[0]]
    Xs = Xs[: estimator.view_tags.n_views]
    if estimator.view_tags.incomplete:
        Xs = apply_mask(Xs, random_mask(45, len(Xs), 0.3, 0))
    for model in map(shortened, variants_of(estimator)):
        dense = clone(model).fit(Xs)
        model.fit([sparse.csr_array(X) for X in Xs])
        np.testing.assert_allclose(model.objective_, dense.objective_, rtol=1e-8, atol=1e-12)
        assert (model.labels_ == dense.labels_).all()


# The same results for samples in another order, beyond labels of clear clusters. The others draw
# a start by place; where it can be given, here are the factors whose rows are the samples.
ORDERED = ["AMGL", "CLR", "CoRegSpectral", "CoTrainSpectral", "ConcatSpectral", "DAIMC", "EEIMVC"]
ORDERED += ["HCPIMSC", "IMSCAGL", "LFIMVC", "LSIMVC", "MIC", "MPAC", "MVKKM", "MVSC", "MVSpec"]
ORDERED += ["MultiNMF", "NEMO", "PIMVC", "SNF", "SwMC", "XRAY"]
GIVEN = {"IMG": "P", "LMVSC": "H", "PVC": "UP", "EOMSCCA": "ZA", "FIMVCVIA": "Z", "IMVCCBG": "ZA"}
GIVEN |= {"SIMVCSA": "AF", "SMVSC": "ZA"}
# They start or step one view after the other: the order moves what they converge to a little.
VIEW_BY_VIEW = ["CoRegSpectral", "LSIMVC", "MultiNMF", "PIMVC"]


def start_of(model, Xs):
    """A start for a model: drawn as it does, or at random; nothing without one."""
    name, rng = type(model).__name__, np.random.default_rng(0)
    if name in ORDERED:
        start = model.draw_start(Xs) if model.start_parameters else {}
        return {} if "solution" in start else start
    m, widths = 6 if name in ("FIMVCVIA", "SIMVCSA") else 3, [X.shape[1] for X in Xs]
    shapes = {"P": (45, 3), "U": [(3, d) for d in widths], "H": [(4, d) for d in widths]}
    shapes |= {"Z": (45, m), "F": (45, m), "A": (3, m)}
    shapes |= {"A": [(d, m) for d in widths]} if name == "SIMVCSA" else {}
    start = {letter: shapes[letter] for letter in GIVEN[name]}
    for letter, shape in start.items():
        by_view = isinstance(shape, list)
        start[letter] = [rng.random(one) for one in shape] if by_view else rng.random(shape)
    return start


def moved(start, order):
    """The same start for samples in another order."""
    if isinstance(start, list):
        return [moved(part, order) for part in start]
    return start[order] if len(start) == len(order) else start


@of(called([*ORDERED, *GIVEN]))
def test_the_order_of_samples_and_views_moves_nothing(estimator):
    Xs, order = views_for(estimator, rate=0.3)[0], np.random.default_rng(0).permutation(45)
    if estimator.view_tags.n_views == 2:
        Xs = apply_mask(views_for(estimator)[0], paired_mask(45, 0.4, 0))
    models = variants_of(estimator) if estimator.__name__ != "IMG" else [estimator(3)]
    for model in map(shortened, models):  # ties do not grow with the iterations
        start = start_of(model, Xs)
        turned = {key: p[::-1] if isinstance(p, list) else p for key, p in start.items()}
        permuted = {key: moved(part, order) for key, part in start.items()}
        inits, views = (start, permuted, turned), (Xs, [X[order] for X in Xs], Xs[::-1])
        model, other, third = (
            clone(model).set_params(**{"init": init} if init else {}).fit(own)
            for init, own in zip(inits, views, strict=True)
        )
        if hasattr(model, "objective_"):
            for same in (other, third)[: 1 if estimator.__name__ == "LSIMVC" else 2]:
                last = same.objective_[-1]
                assert last == pytest.approx(model.objective_[-1], rel=1e-5, abs=1e-9)
        if hasattr(model, "embedding_"):  # up to a rotation
            rows = model.embedding_
            pairs = [(other.embedding_, rows[order]), (third.embedding_, rows)]
            for found, own in pairs[: 1 if estimator.__name__ in VIEW_BY_VIEW else 2]:
                expected = own @ own.T
                limit = 1e-6 * np.abs(expected).max()
                np.testing.assert_allclose(found @ found.T, expected, atol=limit)


@of(called(["MMNMF", "MVKKM", "MultiNMF", "XRAY"]))
@pytest.mark.parametrize("unit", [1e-4, 1e4])
def test_the_unit_of_one_view_does_not_matter(estimator, unit):
    """For methods that bring their views to one scale."""
    Xs, _ = views_for(estimator)
    for model in variants_of(estimator):
        one = clone(model).fit(Xs)
        model.fit([unit * Xs[0], *Xs[1:]])
        np.testing.assert_allclose(model.objective_, one.objective_, rtol=1e-7)
        assert accuracy(model.labels_, one.labels_) == 1


@of([e for e in ESTIMATORS if "init" in e(3).get_params()])
def test_incomplete_start_is_refused(estimator):
    Xs, _ = views_for(estimator)
    # NMF's start is that of one view, which must be named
    named = {"view": 0} if "view" in estimator(3).get_params() else {}
    with pytest.raises(ValueError, match=r"init lacks '\w+', it gives nothing"):
        estimator(3, init={}, **named).fit(Xs)
    start = estimator(3, random_state=0).draw_start(Xs) if estimator.start_parameters else {}
    for letter in start.keys() - {"solution", "graphs", "W"}:  # which are passed on, not given
        left = {key: part for key, part in start.items() if key != letter}
        with pytest.raises(ValueError, match=f"init lacks '{letter}'"):
            estimator(3, init=left, **named).fit(Xs)
        if (estimator.__name__, letter) == ("UEAF", "E"):
            continue  # without missing instances it has no columns
        part = start[letter]
        cut = [each[..., :-1] for each in part] if isinstance(part, list) else part[..., :-1]
        with pytest.raises(ValueError, match=rf"init {letter} has shape .*, expected"):
            estimator(3, init=start | {letter: cut}, **named).fit(Xs)


@of(ESTIMATORS)
def test_models_of_one_start_key_may_share_a_start(estimator):
    """All parameters that are not named leave the start as it is, and it gives the same fit."""
    model = shortened(estimator(3, random_state=0), 3)
    if not estimator.start_parameters:
        assert model.start_key() is None
        with pytest.raises(NotImplementedError, match=estimator.__name__):
            model.draw_start(views_for(estimator)[0])
        return
    Xs, _ = views_for(estimator, rate=0.3)
    start = model.draw_start(Xs)
    for name, value in model.get_params().items():
        if name in (*estimator.start_parameters, "init"):
            continue
        other = clone(model).set_params(**{name: another(estimator, name, value)})
        assert other.start_key() == model.start_key()
        own = other.fit(Xs)
        shared = clone(other).set_params(init=start).fit(Xs)
        assert (own.labels_ == shared.labels_).all(), name
        np.testing.assert_array_equal(own.objective_, shared.objective_, err_msg=name)


@of(ESTIMATORS)
def test_solved_models_may_be_labelled_again(estimator):
    """What `label_parameters` names changes labels only: as a new fit with other values."""
    names = getattr(estimator, "label_parameters", ())
    assert (names != ()) == hasattr(estimator, "relabel") == hasattr(estimator, "solve")
    if not names:
        return
    Xs, _ = views_for(estimator)
    model = shortened(estimator(3, random_state=0)).fit(Xs)
    for name in names:
        value = {name: another(estimator, name, getattr(model, name))}
        again = clone(model).fit(Xs).set_params(**value).relabel()
        anew = clone(model).set_params(**value).fit(Xs)
        assert (again.labels_ == anew.labels_).all(), name
        np.testing.assert_array_equal(again.embedding_, anew.embedding_, err_msg=name)
        assert (again.set_params(**model.get_params()).relabel().labels_ == model.labels_).all()
    with pytest.raises(ValueError, match="n_clusters=4, but the solution is one of 3 clusters"):
        model.set_params(n_clusters=4).relabel()


@of(ESTIMATORS)
def test_start_key_tells_starts_apart(estimator):
    model = estimator(3, random_state=0)
    for name in estimator.start_parameters:
        value = another(estimator, name, getattr(model, name))
        assert clone(model).set_params(**{name: value}).start_key() != model.start_key(), name
    assert estimator(3).start_key() is None  # drawn anew at every call
    if estimator.start_parameters:
        given = model.draw_start(views_for(estimator)[0])
        assert model.set_params(init=given).start_key() is None


def another(estimator, name, value):
    """Another valid value of a parameter."""
    if isinstance(value, str) or value is None:
        options = [getattr(c, "options", {c}) for c in estimator._parameter_constraints[name]]
        words = {o for some in options for o in some if isinstance(o, str) or o is None}
        others = sorted(words - {value, "precomputed"}, key=str)
        return others[0] if others else 1 if name == "view" else 2.0
    return value + 1 if isinstance(value, int) else value * 2 + 0.01


def recording(solver, returned):
    def recorded(*args, **kwargs):
        returned.append(solver(*args, **kwargs))
        return returned[-1]

    return recorded


# What their modules call other than the module.
SOLVERS = {"CoRegSpectral": "coreg_pairwise", "CoTrainSpectral": "cotrain", "MVSpec": "mvspec"}


@of(ALL)
def test_the_mathematics_is_a_function_whose_solution_the_class_takes(monkeypatch, estimator):
    module, returned = inspect.getmodule(estimator), []
    own = SOLVERS.get(estimator.__name__, module.__name__.rpartition(".")[2])
    for name, solver in inspect.getmembers(module, inspect.isfunction):
        if solver.__module__ == module.__name__ and (
            name == own or inspect.signature(solver).return_annotation is Solution
        ):
            monkeypatch.setattr(module, name, recording(solver, returned))
    for variant in ("centroid", "pairwise") if own == "coreg_pairwise" else (None,):
        returned.clear()
        model = shortened(estimator(3, random_state=0))
        model = model.set_params(variant=variant) if variant else model
        model.fit(make_blobs()[0][: estimator.view_tags.n_views])
        if not hasattr(module, own):
            assert not returned
            return
        (solution,) = returned
        assert (type(solution), type(solution.factors)) == (Solution, dict)
        assert (type(solution.objective), type(solution.stop)) == (list, float)
        if solution.objective:
            np.testing.assert_array_equal(model.objective_, solution.objective)
            assert model.n_iter_ == len(solution.objective)
        else:
            assert not hasattr(model, "objective_")
