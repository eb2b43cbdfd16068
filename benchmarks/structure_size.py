"""Size and power of `clusters_exist`: python benchmarks/structure_size.py [--write] [N_DATA_SETS]

Data without clusters and with three, 3 views, two factors that the views share. --write puts the
table into docs/choosing.md. 200 data sets of each, 500 of those with few values, take ten minutes.
"""

import sys

import numpy as np
from scipy.stats import binomtest

from docs.pages import table, tell
from mvclust.bench.arithmetic import start_again
from mvclust.masking import apply_mask, random_mask
from mvclust.structure import clusters_exist

LEVEL, N_REFERENCES, RATE, N_VIEWS = 0.05, 19, 0.3, 3
N_DISCRETE = 500
HEAD = ["data", "samples", "features per view", "missing", "data sets", "share with p ≤ 0.05"]
HEAD += ["95 % interval"]
CASES = [
    ("normal, no clusters", "normal", 100, 12, 0, RATE),
    ("normal, no clusters", "normal", 300, 12, 0, RATE),
    ("t with 5 degrees of freedom, no clusters", "t5", 100, 12, 0, RATE),
    ("skewed (log-normal), no clusters", "skewed", 100, 12, 0, RATE),
    ("normal, no clusters", "normal", 100, 300, 0, RATE),
    ("answers from 1 to 5, no clusters", "answers", 100, 3, 0, 0),
    ("counts, no clusters", "counts", 100, 3, 0, 0),
    ("binary, no clusters", "binary", 100, 3, 0, 0),
    ("binary, no clusters", "binary", 100, 3, 0, RATE),
    ("one population, log-normal with log sd 1", "very skewed", 100, 12, 0, RATE),
    ("one population along a half circle", "curve", 100, 12, 0, RATE),
    ("three clusters, centers 3 sd apart", "normal", 100, 12, 3, RATE),
    ("three clusters, centers 4 sd apart", "normal", 100, 12, 4, RATE),
]
# What is made of normal features.
VALUES = {
    "skewed": lambda X, rng: np.exp(0.5 * X),
    "very skewed": lambda X, rng: np.exp(X / X.std()),
    "answers": lambda X, rng: np.clip(np.rint(3 + X), 1, 5),
    "counts": lambda X, rng: rng.poisson(np.exp(0.7 + 0.3 * X)).astype(float),
    "binary": lambda X, rng: (X > 0).astype(float),
}
DISCRETE = ("answers", "counts", "binary")
UNEVEN = ("very skewed", "curve")  # not what is tested against, and no clusters either


def draw(law, n, d, separation, rate, seed):
    """Views with two common factors, and missing instances."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((n, 2))
    if law == "curve":
        angles = rng.uniform(0, np.pi, n)
        factors = 4 * np.column_stack([np.cos(angles), np.sin(angles)])
    y = rng.integers(0, 3, n)
    views = []
    for _ in range(N_VIEWS):
        noise = rng.standard_t(5, (n, d)) if law == "t5" else rng.standard_normal((n, d))
        X = factors @ rng.normal(0, 0.5, (2, d)) + noise
        centers = rng.standard_normal((3, d))
        centers *= separation / np.sqrt(2) / np.linalg.norm(centers, axis=1, keepdims=True)
        X += centers[y]
        views.append(VALUES[law](X, rng) if law in VALUES else X)
    return apply_mask(views, random_mask(n, N_VIEWS, rate, seed=seed))


def row_of(title, n, d, missing, hits, n_sets):
    low, high = binomtest(hits, n_sets).proportion_ci(method="wilson")
    return [title, n, d, missing, n_sets, f"{hits / n_sets:.3f}", f"{low:.2f} to {high:.2f}"]


def main(arguments):
    asked = next((int(word) for word in arguments if word.isdigit()), None)
    rows, null = [], np.zeros(2, dtype=int)
    for title, law, n, d, separation, rate in CASES:
        n_sets, hits = asked or (N_DISCRETE if law in DISCRETE else 200), 0
        for seed in range(n_sets):
            Xs = draw(law, n, d, separation, rate, seed)
            tested = clusters_exist(Xs, n_references=N_REFERENCES, random_state=seed)
            hits += int(tested.p_value <= LEVEL)
        rows.append(row_of(title, n, d, f"{rate:.0%}", hits, n_sets))
        null += [hits, n_sets] if not separation and law not in UNEVEN else [0, 0]
        print(*rows[-1], sep="; ", flush=True)
    rows.append(row_of("all without clusters", "", "", "", *map(int, null)))
    tell("choosing.md", "structure", table(HEAD, rows))


if __name__ == "__main__":
    start_again()
    main(sys.argv[1:])
