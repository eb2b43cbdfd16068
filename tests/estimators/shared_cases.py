"""What the tests of several methods share."""

import numpy as np
import pytest
from helpers import ORACLES, assert_equal_to_oracle

import mvclust
from mvclust.masking import apply_mask
from mvclust.unmapping import unmap

ALL = [getattr(mvclust, name) for name in sorted(mvclust.__all__) if name[0].isupper()]
VIEWS = (1, 2, 3)
TOLERANCE = 1e-10  # relative distance from the arrays of the released code


def of(estimators):
    """Run a test for each class."""
    return pytest.mark.parametrize("estimator", estimators, ids=lambda e: e.__name__)


def digits():
    """100 digits of Handwritten in three complete views, which of the instances are there, classes.

    ``modern_digits.npz``: digits 0 to 3, views fou, pix and kar (X1 to X3), a mask under which 37 %
    of the samples lack a view and the first 16 none, and the classes y. The other files whose
    names begin with ``modern_`` hold states of runs of the authors' released code on these views
    (GNU Octave, double precision): c1, c2 and c3 are settings, ``_it`` and a number the iteration.
    """
    z = np.load(ORACLES / "modern_digits.npz")
    return [z[f"X{v}"].astype(float) for v in VIEWS], z["mask"].astype(bool), z["y"]


def by_view(z, name):
    """The arrays of an oracle whose names differ by the number of the view."""
    return [z[name.format(v)] for v in VIEWS if name.format(v) in z]


def oracle_views(z):
    """The views of an oracle, one row per sample."""
    return by_view(z, "X{}") or [X.T for X in by_view(z, "X__v{}")]


def masked_views(z):
    """The same; missing instances are rows of NaN."""
    return apply_mask(oracle_views(z), z["mask"].astype(bool))


def zero_views(z):
    """Rows of zeros for missing instances; and the presence."""
    return [np.nan_to_num(X) for X in masked_views(z)], z["mask"].astype(bool)


def incomplete_digits():
    """The digits as estimators take them: missing instances are rows of NaN."""
    Xs, presence, _ = digits()
    return [np.where(there[:, None], X, np.nan) for X, there in zip(Xs, presence.T, strict=True)]


def states(z, case):
    """Number of iterations, and the iterations whose states are there."""
    last = int(z[f"{case}_n_iter"])
    return last, [n for n in (1, 5, last) if n <= last]


def fit_states(model, Xs, z, case, letters, transposed="ZF", tolerance=TOLERANCE):
    """Fit a model up to each state of a run and compare; some arrays are transposed there."""
    (last, iterations), compared = states(z, case), 0
    for n_iter in iterations:
        model.set_params(max_iter=n_iter).fit(Xs)
        arrays = {}
        for letter in letters.split():
            factor = getattr(model, f"{letter}_")
            parts = list(factor) if isinstance(factor, list) or factor.ndim == 3 else [factor]
            parts = [part.T for part in parts] if letter in transposed else parts
            arrays[letter] = parts if len(parts) > 1 else parts[0]
        name = f"{case}_{{}}{{}}_it{n_iter}"
        compared += assert_equal_to_oracle(z, name, tolerance, some=True, **arrays)
    ends = tuple(f"_it{n_iter}" for n_iter in iterations)
    assert compared == sum(name.startswith(case) and name.endswith(ends) for name in z)
    model.set_params(max_iter=200).fit(Xs)  # which ends by itself
    assert model.n_iter_ == last
    np.testing.assert_allclose(model.objective_, z[f"{case}_obj_iters"], rtol=tolerance)
    return model


def random_problem(seed, n=30, n_views=3, missing=0.3, low=4, high=9):
    """Unit views of noise around three centres, with missing rows; and the presence."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 3, n)
    presence = rng.random((n, n_views)) > missing
    presence[np.arange(n), rng.integers(0, n_views, n)] = True
    views = []
    for there in presence.T:
        d = int(rng.integers(low, high))
        X = rng.normal(size=(3, d))[y] + 0.5 * rng.normal(size=(n, d))
        views.append(np.where(there[:, None], X, 0.0))
    return views, presence


def overlapping_views(seed, n_views, *share):
    """Unmapped views, each of which confuses its own two of the three clusters."""
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1, 2], 40)
    Xs = []
    for v in range(n_views):
        centres = 4 * np.eye(3) + 1
        centres[v] = centres[(v + 1) % 3] + 0.3
        Xs.append(centres[y] + 2 * rng.random((120, 3)))
    return unmap(Xs, y, *share, seed=seed)
