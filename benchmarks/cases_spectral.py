"""Co-training, co-regularisation: against the textbook steps, polyview and mvlearn."""

import numpy as np
from harness import Case

from mvclust import CoRegSpectral, CoTrainSpectral
from mvclust.datasets import load_dataset
from mvclust.estimators.coreg_spectral import coreg_pairwise
from mvclust.estimators.cotrain_spectral import cotrain
from mvclust.numerics.affinity import gaussian_affinity, normalized_affinity

ROUNDS = 5


def cases(mirror):
    """All cases that the installed packages allow."""
    data = load_dataset("handwritten", views=["pix", "fou"], mirror=mirror, progress=False)
    Ks = [gaussian_affinity(X) for X in data.Xs]
    Ls = [normalized_affinity(K) for K in Ks]
    name = f"handwritten pix+fou, n=2000, {ROUNDS} rounds"
    return [
        Case(
            f"co-training, {name}",
            lambda: projectors(cotrain(Ks, 10, ROUNDS).factors["Z"]),
            lambda: textbook_cotrain(Ks, 10),
            "textbook (n x n products, full eigh)",
            1e-8,
            10,
        ),
        Case(
            f"co-regularisation, {name}",
            lambda: projectors(
                coreg_pairwise(Ls, 10, lam=0.1, max_iter=ROUNDS, tol=0).factors["U"]
            ),
            lambda: textbook_coreg(Ls, 10, 0.1),
            "textbook (n x n sums, full eigh)",
            1e-8,
            10,
        ),
        *against_polyview(data, "handwritten pix+fou, n=2000", mirror),
        *against_mvlearn(data, "handwritten pix+fou, n=2000"),
    ]


def projectors(bases):
    return [U @ U.T for U in bases]


def against_polyview(data, name, mirror):
    """Whole fits, as either package has its defaults.

    On all six views polyview's co-regularisation takes minutes of CPU and is left out.
    """
    try:
        from polyview.cluster import MultiViewCoRegSpectralClustering as CoReg
        from polyview.cluster import MultiViewCoTrainSpectralClustering as CoTrain
    except ImportError:
        print("polyview is not installed (pip install --no-deps polyview): its cases are left out")
        return []
    six = load_dataset("handwritten", mirror=mirror, progress=False)
    ours, peer = CoTrainSpectral(10, random_state=0), CoTrain(10, random_state=0)
    median = CoTrain(10, gamma="median", random_state=0)
    reg, peer_reg = CoRegSpectral(10, random_state=0), CoReg(10, random_state=0)
    return [
        _fit(f"co-training fit, {name}", ours, peer, "polyview", data),
        _fit("co-training fit, handwritten six views, n=2000", ours, median, "polyview", six),
        _fit(f"co-regularisation fit, {name}", reg, peer_reg, "polyview", data),
    ]


def against_mvlearn(data, name):
    """Whole fits, as either package has its defaults."""
    try:
        from mvlearn.cluster import MultiviewCoRegSpectralClustering as CoReg
        from mvlearn.cluster import MultiviewSpectralClustering as CoTrain
    except ImportError:
        print("mvlearn is not installed (pip install --no-deps mvlearn): its cases are left out")
        return []
    ours, peer = CoTrainSpectral(10, random_state=0), CoTrain(10, random_state=0)
    reg, peer_reg = CoRegSpectral(10, random_state=0), CoReg(10, random_state=0)
    return [
        _fit(f"co-training fit, {name}", ours, peer, "mvlearn", data),
        _fit(f"co-regularisation fit, {name}", reg, peer_reg, "mvlearn", data),
    ]


def _fit(name, ours, peer, peer_name, data):
    Xs = data.Xs
    return Case(name, lambda: ours.fit(Xs), lambda: _fitted(peer, Xs), peer_name, None, 1, data.y)


def _fitted(peer, Xs):
    """Fit, and keep the labels where the package only returns them."""
    labels = peer.fit_predict(Xs)
    if not hasattr(peer, "labels_"):
        peer.labels_ = labels
    return peer


def _top(M, c):
    return np.linalg.eigh(M)[1][:, -c:]


def textbook_cotrain(Ks, c):
    """Every S_v formed, every eigenvector computed."""
    Z = [_top(normalized_affinity(K), c) for K in Ks]
    for _ in range(ROUNDS):
        new = []
        for v, K in enumerate(Ks):
            S = K @ sum(Z_w @ Z_w.T for w, Z_w in enumerate(Z) if w != v)
            S = (S + S.T) / 2
            root = 1 / np.sqrt(np.abs(S.sum(axis=0)))
            new.append(_top(S * root * root[:, None], c))
        Z = new
    return [Z_v @ Z_v.T for Z_v in Z]


def textbook_coreg(Ls, c, lam):
    """Every projector formed, every eigenvector computed."""
    U = [_top(L, c) for L in Ls]
    for _ in range(ROUNDS):
        for v in (1, 0):
            U[v] = _top(Ls[v] + lam * U[1 - v] @ U[1 - v].T, c)
    return [U_v @ U_v.T for U_v in U]
