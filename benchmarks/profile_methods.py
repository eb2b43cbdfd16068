"""Where the time of a fit goes: python benchmarks/profile_methods.py [--write] [METHOD ...]

docs/profile.md says how; --write puts the tables there.
"""

import sys
import time
import timeit
import warnings
from collections import Counter

import numpy as np
from scipy import sparse
from scipy.linalg import cho_factor
from sklearn.base import clone
from threadpoolctl import threadpool_limits

import mvclust
from benchmarks.problems import problem_of
from docs.pages import table, tell, words
from mvclust import load_dataset
from mvclust.estimators import base, cmvnmf, daimc, mpac, pvc, ueaf
from mvclust.estimators.base import tags_of
from mvclust.masking import apply_mask, paired_mask
from mvclust.numerics import factors, joint_nmf, lasso, multiplicative, products, stiefel
from mvclust.numerics.distances import squared_distances
from mvclust.numerics.simplex import quadratic_on_simplex

LABELS = {"labels: k-means": [base.cluster_rows, base.labels_and_centers]}
# Time counts for the innermost of these functions that is running.
STEPS = {
    "DAIMC": {
        "start: k-means in each view": [daimc.start_from_kmeans],
        "U, objective: X'V": [daimc._products],
        "U: small systems": [daimc.update_basis],
        "B": [daimc.update_regression],
        "V: XU and multiplicative steps": [daimc.update_latent],
        "objective": [daimc._objective],
        **LABELS,
    },
    "PVC": {
        "U: X'P": [pvc._Factors.update_U],
        "U, P: exact least squares": [lasso.exact_lasso],
        "XU'": [pvc._Factors._multiply],
        "P: rows of XU', objective": [pvc._Factors.update_P, pvc._Factors.objective],
        **LABELS,
    },
    "UEAF": {
        "start: graphs of features, random S": [
            ueaf.FeatureGraph.__init__,
            ueaf.FeatureGraph.smoother,
            ueaf.random_start,
        ],
        "P: products and Cholesky": [ueaf.View.project, ueaf.ConsensusGraph.smooth],
        "S: distances": [squared_distances, ueaf.ConsensusGraph.update],
        "S: rows on the simplex": [quadratic_on_simplex],
        "F: eigenvectors": [ueaf.ConsensusGraph._replace],
        "U, E": [ueaf.View.update],
        **LABELS,
    },
    "MPAC": {
        "start: graphs, eigenvectors": [mpac.start_from_graphs, mpac.align_partitions],
        "S: (alpha I + XX')^-1 XX'": [mpac.SelfExpression.__init__],
        "S: products, degrees": [mpac.LearnedGraph.__init__],
        "F: products with L": [mpac.LearnedGraph._laplacian_times],
        "F: curvilinear search": [stiefel.minimize_quadratic],
        "R, w, Y, objective": [mpac.mpac],
    },
    "MultiNMF": {
        "start: NMF of single views": [multiplicative.start_from_nmf],
        "X'V, XU": [joint_nmf.factorise_view],
        "U: quotient": [joint_nmf._step_U],
        "V: quotient": [joint_nmf._step_V],
        "scaling of columns": [factors.unit_sums, products.column_sums],
        "objective within a view": [joint_nmf.squared_error],
        **LABELS,
    },
    "CMVNMF": {
        "start: k-means in each view": [cmvnmf.start_from_kmeans],
        "X'V, XU, quotients": [cmvnmf.cmvnmf],
        "links: MV, CV": [cmvnmf._products],
        "U V'V, rows added": [products.times_plus_row, products.repeat_row],
        "column sums": [products.column_sums],
    },
}

# The function whose calls count how often the products of the floor are needed.
COUNTED = {
    "DAIMC": daimc.update_basis,
    "PVC": pvc._Factors._multiply,
    "UEAF": ueaf.ConsensusGraph.update,
    "MPAC": mpac.LearnedGraph._laplacian_times,
    "MultiNMF": joint_nmf._step_U,
    "CMVNMF": products.times_plus_row,
}

FLOOR = {
    "DAIMC": "XU and X'V, once in an iteration",
    "PVC": "XU' and X'P, once in an iteration",
    "UEAF": "a Cholesky factor and the distances of S, once in an iteration",
    "MPAC": "T F and T diag(c) F, once for each point that the search tries (if n > 4 d)",
    "MultiNMF": "XU and X'V, once in an iteration",
    "CMVNMF": "XU and X'V, once in an iteration",
}


def problems(name):
    """Two problems for a method, Handwritten and counts as of 300 short texts.

    Each is (title, model, views, further arguments of fit).
    """
    data = load_dataset("handwritten", progress=False)
    views = dict(zip(data.view_names, data.Xs, strict=True))
    digits, y = [views[v] for v in ("pix", "fou")], data.y
    texts, topics = make_texts()
    model = getattr(mvclust, name)(10, random_state=0)
    if not tags_of(model).sparse:
        texts = [X.toarray() for X in texts]
    found = []
    for title, Xs, labels in (("Handwritten", digits, y), ("texts", texts, topics)):
        shape = f"n = {len(labels)}, d = {', '.join(str(X.shape[1]) for X in Xs)}"
        arguments = {}
        if name in ("CMVNMF", "DAIMC"):
            Xs, arguments, _ = problem_of(type(model), Xs, labels)
        elif tags_of(model).incomplete:
            Xs = apply_mask(Xs, paired_mask(len(labels), 0.5, seed=0))
        found.append((f"{title}, {shape}", clone(model), Xs, arguments))
    return found


def make_texts(n=300, d=3000, n_topics=10, length=150):
    """Word counts of texts about some topics in two sources, sparse; and the topics."""
    rng = np.random.default_rng(0)
    topics = rng.integers(n_topics, size=n)
    views = []
    for _ in range(2):
        words = rng.dirichlet(np.full(d, 0.05), size=n_topics)
        common = rng.dirichlet(np.full(d, 0.3))
        counts = [rng.multinomial(length, 0.4 * words[t] + 0.6 * common) for t in topics]
        views.append(sparse.csr_array(np.array(counts, dtype=float)))
    return views, topics


class StepTimer:
    """Profiling function that charges every moment to the innermost step that is running."""

    def __init__(self, functions):
        self.step_of = {f.__code__: step for step, found in functions.items() for f in found}
        self.running, self.seconds, self.calls = ["the rest"], Counter(), Counter()
        self.last = time.process_time()

    def __call__(self, frame, event, _):
        if event not in ("call", "return") or frame.f_code not in self.step_of:
            return
        now = time.process_time()
        self.seconds[self.running[-1]] += now - self.last
        if event == "call":
            self.running.append(self.step_of[frame.f_code])
            self.calls[frame.f_code] += 1
        else:
            self.running.pop()
        self.last = time.process_time()


def profile(name, model, Xs, arguments):
    """Seconds of a fit, shares of these by step, and that of the products it cannot avoid."""
    steps = STEPS[name] | {"the rest": [type(model).fit]}
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clone(model).set_params(max_iter=1).fit(Xs, **arguments)  # loads code
        timer = StepTimer(steps)
        sys.setprofile(timer)
        try:
            model.fit(Xs, **arguments)
        finally:
            sys.setprofile(None)
        floor = _floor(name, Xs, model.n_clusters, timer.calls[COUNTED[name].__code__])
    seconds = timer.seconds.total()
    shares = {step: timer.seconds[step] / seconds for step in steps}
    return seconds, shares, floor / seconds


def _floor(name, Xs, k, count):
    rng = np.random.default_rng(0)
    n = Xs[0].shape[0]
    if name == "UEAF":
        A = np.cov(rng.random((n, 2))) + np.eye(n)
        B = rng.random((n, k))
        return count * (_time(lambda: cho_factor(A, check_finite=False)) + _time(lambda: B @ B.T))
    if name == "MPAC":
        W = [rng.random((n, X.shape[1])) for X in Xs]
        B = rng.random((n, 2 * k))
        return count * np.mean([_time(lambda W=W_v: W @ (W.T @ B)) for W_v in W])
    total = 0.0
    for X in Xs:
        X = sparse.csr_array(X) if sparse.issparse(X) else np.nan_to_num(X)
        if sparse.issparse(X):
            X.data = np.nan_to_num(X.data)
        U, V = rng.random((X.shape[1], k)), rng.random((X.shape[0], k))
        total += _time(lambda X=X, U=U: X @ U) + _time(lambda X=X, V=V: X.T @ V)
    return total * count / (1 if name == "PVC" else len(Xs))


def _time(function, repeats=5):
    return min(timeit.repeat(function, timer=time.process_time, number=1, repeat=repeats))


def table_of(name):
    """Shares of the steps and of the floor on both problems."""
    measured = [(title, *profile(name, *problem)) for title, *problem in problems(name)]
    titles, seconds, shares, floors = zip(*measured, strict=True)
    rows = [[step, *(f"{100 * each[step]:.0f} %" for each in shares)] for step in shares[0]]
    rows.append([f"*floor: {FLOOR[name]}*", *(f"*{100 * share:.0f} %*" for share in floors)])
    heads = [f"{title}: {each:.2f} s" for title, each in zip(titles, seconds, strict=True)]
    return table(["share of the CPU time", *heads], rows)


def main(arguments):
    for name in words(arguments) or STEPS:
        tell("profile.md", name, table_of(name))


if __name__ == "__main__":
    main(sys.argv[1:])
