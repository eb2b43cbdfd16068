"""DAIMC: against imml's, against the textbook form of its steps, and the unavoidable products."""

from functools import partial

import numpy as np
from harness import Case
from scipy.linalg import solve_sylvester

from mvclust import DAIMC
from mvclust.datasets import load_dataset
from mvclust.estimators.daimc import daimc
from mvclust.masking import apply_mask, random_mask
from mvclust.numerics.scaling import unit_samples

OUTER = INNER = 30


def cases():
    """All cases that the installed packages allow."""
    Xs = load_dataset("handwritten", views=["fou", "pix"], progress=False).Xs
    return [against_products(Xs), *against_imml(Xs), against_textbook()]


def against_imml(Xs):
    """The whole fit, both from k-means starts, 30 outer iterations of up to 30 inner ones."""
    try:
        from imml.cluster import DAIMC as Peer
    except ImportError:
        print("imml is not installed (pip install -e .[peers]): its case is left out")
        return []
    limits = {"n_init": 1, "max_iter": OUTER, "max_inner": INNER}
    ours = DAIMC(10, alpha=1, beta=1, scale=None, random_state=0, **limits)
    peer = Peer(n_clusters=10, alpha=1, beta=1, random_state=0)
    name = f"DAIMC fit, handwritten fou+pix, n=2000, {OUTER}x{INNER} iterations"
    return [Case(name, lambda: ours.fit(Xs).V_, lambda: peer.fit(Xs).embedding_, "imml", None)]


def against_products(Xs):
    """The iterations alone, against the products X'V and X U that none can avoid."""
    presence = np.ones((2000, 2), dtype=bool)
    start = DAIMC(10, scale=None, n_init=1, random_state=0).draw_start(Xs)

    def multiply():
        for _ in range(OUTER):
            for X, U in zip(Xs, start["U"], strict=True):
                X.T @ start["V"]
                X @ U

    name = "DAIMC iterations, handwritten fou+pix, n=2000"
    ours = partial(_run, Xs, presence, start, max_iter=OUTER)
    return Case(name, ours, multiply, "its products X'V, XU alone", None)


def against_textbook():
    """d about 3500: Sylvester by Bartels-Stewart, d x d inverse, objective by residuals."""
    data = load_dataset("3sources", progress=False)
    presence = random_mask(data.n_samples, 3, 0.3, seed=0)
    Xs = [X.toarray() if hasattr(X, "toarray") else X for X in data.Xs]
    Xs = [np.where(m[:, None], unit_samples(X), 0) for X, m in zip(Xs, presence.T, strict=True)]
    start = DAIMC(6, scale=None, n_init=1, random_state=0).draw_start(apply_mask(Xs, presence))

    ours = partial(_run, Xs, presence, start, max_iter=1)
    other = partial(textbook, Xs, presence, start)
    name = f"DAIMC, one outer iteration, 3sources, d={[X.shape[1] for X in Xs]}"
    return Case(name, ours, other, "textbook (solve_sylvester, d x d)", 1e-8)


def _run(Xs, presence, start, max_iter):
    limits = {"max_iter": max_iter, "tol": 1e-4, "max_inner": INNER, "inner_tol": 1e-4}
    factors = (start[name] for name in "UVB")
    found = daimc(Xs, presence, *factors, alpha=1, beta=1, variant="author", **limits)
    return [*found.factors["U"], np.array(found.objective)]


def textbook(Xs, presence, start):
    """One outer iteration in the authors' order of steps, with n x n and d x d matrices.

    The paper's parameters alpha and beta are 1.
    """
    Ws, V, B = [np.diag(m.astype(float)) for m in presence.T], start["V"], start["B"]
    U = [
        solve_sylvester(B_v @ B_v.T, V.T @ W @ V, X.T @ W @ V + B_v)
        for X, W, B_v in zip(Xs, Ws, B, strict=True)
    ]
    error = np.inf
    for step in range(INNER):
        above = below = 0
        for X, W, U_v in zip(Xs, Ws, U, strict=True):
            XU, G = X @ U_v, U_v.T @ U_v
            above = above + W @ np.maximum(XU, 0) + W @ V @ np.maximum(-G, 0)
            below = below + W @ np.maximum(-XU, 0) + W @ V @ np.maximum(G, 0)
        V = V * np.sqrt(above / np.maximum(below, 1e-10))
        previous, error = error, _residual(Xs, Ws, U, V)
        if step > 0 and abs(previous - error) < 1e-4 * error:
            break
    Q = np.diag(V.sum(axis=0))
    V, U = V @ np.linalg.inv(Q), [U_v @ Q for U_v in U]
    norms = [np.sqrt((B_v**2).sum(axis=1) + 1e-10) for B_v in B]
    B = [
        np.linalg.inv(0.5 * np.diag(1 / d) + U_v @ U_v.T) @ U_v
        for U_v, d in zip(U, norms, strict=True)
    ]
    total = _residual(Xs, Ws, U, V)
    for U_v, B_v in zip(U, B, strict=True):
        total += np.sum((B_v.T @ U_v - np.eye(len(Q))) ** 2)
        total += np.sqrt((B_v**2).sum(axis=1) + 1e-10).sum()
    return [*U, np.array([total])]


def _residual(Xs, Ws, U, V):
    return sum(np.sum((W @ (X - V @ U_v.T)) ** 2) for X, W, U_v in zip(Xs, Ws, U, strict=True))
