"""Whatever an estimator is given, it answers with labels or with one sentence of its own."""

import traceback
import warnings

import numpy as np
from estimators.shared_cases import ALL, of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

FIRST = np.indices((30, 30)).sum(axis=0) == 0
KINDS = {
    "normal": lambda rng, n, d: rng.normal(size=(n, d)),
    "non-negative": lambda rng, n, d: rng.random((n, d)),
    "integers": lambda rng, n, d: rng.integers(0, 5, (n, d)),
    "truth values": lambda rng, n, d: rng.random((n, d)) > 0.5,
    "single precision": lambda rng, n, d: rng.random((n, d)).astype(np.float32),
    "equal entries": lambda rng, n, d: np.ones((n, d)),
    "zeros": lambda rng, n, d: np.zeros((n, d)),
    "equal rows": lambda rng, n, d: np.repeat(rng.random((1, d)), n, axis=0),
    "huge": lambda rng, n, d: rng.random((n, d)) * 1e200,
    "large": lambda rng, n, d: rng.random((n, d)) * 1e60,
    "small": lambda rng, n, d: rng.random((n, d)) * 1e-200,
    "sparse": lambda rng, n, d: sparse.csr_array(rng.random((n, d)) * (rng.random((n, d)) > 0.5)),
    "missing rows": lambda rng, n, d: np.where(
        rng.random((n, 1)) < 0.4, np.nan, rng.random((n, d))
    ),
    "nothing": lambda rng, n, d: np.full((n, d), np.nan),
    "a missing entry": lambda rng, n, d: np.where(FIRST[:n, :d], np.nan, rng.random((n, d))),
    "an infinity": lambda rng, n, d: np.where(FIRST[:n, :d], np.inf, rng.random((n, d))),
    "texts": lambda rng, n, d: np.full((n, d), "a", dtype=object),
    "complex": lambda rng, n, d: rng.random((n, d)) * 1j,
    "one axis": lambda rng, n, d: rng.random(n),
    "three axes": lambda rng, n, d: rng.random((n, d, 2)),
}


@st.composite
def views(draw):
    """Some views of one kind or several, of any small shape, and a number of clusters."""
    n_samples = draw(st.sampled_from([0, 1, 2, 3, 5, 8, 20]))
    n_views = draw(st.sampled_from([0, 1, 2, 2, 2, 3, 10]))
    one = draw(st.sampled_from(sorted(KINDS)))
    mixed = draw(st.booleans())
    rng = np.random.default_rng(draw(st.integers(0, 99)))
    Xs = []
    for _ in range(n_views):
        kind = draw(st.sampled_from(sorted(KINDS))) if mixed else one
        n_features = draw(st.sampled_from([1, 2, 2, 5, 5, 30, 0]))
        longer = draw(st.sampled_from([0] * 9 + [1]))
        Xs.append(KINDS[kind](rng, n_samples + longer, n_features))
    k = draw(st.sampled_from([2, 3, 1, n_samples, n_samples + 1, 0]))
    return Xs, k


@of(ALL)
@settings(max_examples=100, deadline=None)
@given(given=views())
def test_labels_or_a_sentence(estimator, given):
    Xs, k = given
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            model = estimator(k, random_state=0)
            for limit in {"max_iter", "max_inner"} & vars(model).keys():
                setattr(model, limit, min(getattr(model, limit), 15))  # what breaks does so early
            model.fit(Xs)
        except (ValueError, TypeError) as error:
            raised = traceback.extract_tb(error.__traceback__)[-1]
            assert "/mvclust/" in raised.filename or "sklearn/utils" in raised.filename, raised
            return
    labels = model.labels_ if isinstance(model.labels_, list) else [model.labels_]
    for own, X in zip(labels, Xs if len(labels) > 1 else Xs[:1], strict=True):
        assert own.shape == (X.shape[0],)
        assert np.issubdtype(own.dtype, np.integer)
        assert own.min() >= 0
        assert own.max() < k
    assert np.isfinite(getattr(model, "objective_", np.zeros(1))).all()
    if hasattr(model, "predict"):
        again = model.predict(Xs)
        for new, own in zip(again if isinstance(again, list) else [again], labels, strict=True):
            assert new.shape == own.shape
    if hasattr(model, "transform"):
        rows = model.transform(Xs)
        assert all(np.isfinite(part).all() for part in (rows if isinstance(rows, list) else [rows]))
