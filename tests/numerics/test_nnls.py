"""Non-negative least squares for many rows, against SciPy's for one."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from mvclust.numerics.nnls import nonnegative_least_squares


@given(
    seed=st.integers(0, 10_000),
    k=st.integers(1, 12),
    d=st.integers(1, 15),
    sign=st.sampled_from([0.0, 0.5]),
)
@settings(max_examples=80, deadline=None)
def test_equals_scipy_and_satisfies_the_conditions_of_optimality(seed, k, d, sign):
    rng = np.random.default_rng(seed)
    A, X = rng.random((k, d)) - sign, rng.random((20, d)) - sign
    A[rng.random(A.shape) < 0.2] = 0.0
    if k > 2:
        A[-1] = A[0] + 2 * A[1]  # singular, and so it is for k > d
    G, B = A @ A.T, X @ A.T
    H = nonnegative_least_squares(G, B, np.zeros((20, k)))
    assert (H >= 0).all()
    descent = B - H @ G
    size = 1e-5 * max(1.0, np.abs(B).max())  # the Gram matrix squares A's condition number
    assert (descent <= size).all()
    assert (np.abs(descent[H > 0]) <= size).all()
    for x, h in zip(X, H, strict=True):
        ours, theirs = (np.linalg.norm(x - z @ A) for z in (h, nnls(A.T, x)[0]))
        assert ours <= theirs + 1e-7  # the solver of SciPy 1.15 may end too early


def test_equals_scipy_where_the_solution_is_unique():
    rng = np.random.default_rng(0)
    A, X = rng.random((10, 40)), rng.random((300, 40))
    expected = np.array([nnls(A.T, x)[0] for x in X])
    G, B = A @ A.T, X @ A.T
    found = nonnegative_least_squares(G, B, np.zeros((300, 10)))
    np.testing.assert_allclose(found, expected, atol=1e-10)
    fewer = nonnegative_least_squares(G[:9, :9], B[:, :9], np.zeros((300, 9)))
    warm = np.column_stack([fewer, np.zeros(300)])
    np.testing.assert_allclose(nonnegative_least_squares(G, B, warm), expected, atol=1e-10)


def test_start_is_left_alone_and_zeros_are_fine():
    start = np.zeros((2, 3))
    G = np.diag([1.0, 0.0, 1e-20])
    B = np.array([[0.0, 0.0, 0.0], [3.0, 0.0, 0.0]])
    assert nonnegative_least_squares(G, B, start).tolist() == [[0, 0, 0], [3, 0, 0]]
    assert not start.any()
