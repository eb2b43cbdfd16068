"""Print digests of what the arithmetic decides, as JSON: name -> SHA-256 of the bytes.

To be run on other processors, or under emulation: python tests/bench/digests.py [NAME ...]
digests.json is what it prints on an AMD EPYC without AVX-512.
"""

import hashlib
import json
import sys
from functools import partial
from platform import libc_ver

from mvclust.bench.arithmetic import start_again

if __name__ == "__main__":
    start_again()

import numpy as np
import scipy.linalg
import scipy.sparse as sp
import sklearn
from scipy.sparse.linalg import eigsh

from mvclust import DAIMC, MPAC, UEAF, ConcatNMF, MultiNMF
from mvclust.testing import make_blobs

RNG = np.random.default_rng(0)
A, b = RNG.normal(size=(60, 60)), RNG.normal(size=60)
X, P = RNG.normal(size=(150, 40)), RNG.uniform(0.1, 3, size=5000)
S = A @ A.T + 60 * np.eye(60)
SPARSE = sp.random_array((200, 200), density=0.05, rng=1, format="csr")

COMPUTED = {
    "matrix times matrix": lambda: X.T @ X,
    "matrix times vector": lambda: A @ b,
    "dot": lambda: P @ P,
    "norm": lambda: np.linalg.norm(X, axis=1),
    "einsum": lambda: np.einsum("ij,ij->i", X, X),
    "svd": lambda: np.linalg.svd(X, full_matrices=False),
    "eigh": lambda: np.linalg.eigh(S),
    "some of eigh": lambda: scipy.linalg.eigh(S, subset_by_index=[50, 59]),
    "eig": lambda: np.linalg.eigvals(A),
    "qr": lambda: scipy.linalg.qr(X, mode="economic", pivoting=True),
    "cholesky": lambda: scipy.linalg.cholesky(S),
    "solve": lambda: np.linalg.solve(S, b),
    "triangular": lambda: scipy.linalg.solve_triangular(np.triu(S), b),
    "lstsq": lambda: np.linalg.lstsq(X, X[:, 0])[0],
    "inverse": lambda: np.linalg.inv(S),
    "sparse product": lambda: (SPARSE @ SPARSE.T).toarray(),
    "lanczos": lambda: eigsh(SPARSE + SPARSE.T, 4, v0=np.ones(200))[0],
    "power": lambda: P**1.7,
    "mean and deviation": lambda: (X.mean(axis=0), X.std(axis=0)),
    "stable order": lambda: np.argsort(np.round(P, 1), kind="stable"),
    "normal numbers": lambda: np.random.default_rng(3).normal(size=100),
}
LOOPS = np.exp, np.log, np.log1p, np.exp2, np.sin, np.tanh, np.sqrt, np.sum
COMPUTED |= {loop.__name__: partial(loop, P) for loop in LOOPS}


def fitted(estimator):
    """Labels and objectives of a method on made-up views."""
    model = estimator(3, random_state=0).fit(make_blobs()[0])
    return model.labels_, np.asarray(model.objective_)


FITS = ConcatNMF, DAIMC, MultiNMF, MPAC, UEAF
COMPUTED |= {estimator.__name__: partial(fitted, estimator) for estimator in FITS}


def digest(values):
    arrays = values if isinstance(values, tuple) else (values,)
    return hashlib.sha256(b"".join(np.ascontiguousarray(a).tobytes() for a in arrays)).hexdigest()


if __name__ == "__main__":
    versions = {module.__name__: module.__version__ for module in (np, scipy, sklearn)}
    found = {name: digest(COMPUTED[name]()) for name in sys.argv[1:] or COMPUTED}
    print(json.dumps({"versions": versions | {"libc": libc_ver()[1]}, "digests": found}, indent=1))
