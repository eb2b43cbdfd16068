"""Size and power of `clusters_exist`: python benchmarks/structure_size.py [--write] [N_DATA_SETS]

Data without clusters (normal, heavy tails, skewed, more features than samples) and with three, 3
views, 30 % of the instances missing, two factors that the views share. --write puts the table into
docs/choosing.md. 200 data sets of each take about five minutes.
"""

import sys

import numpy as np

from docs.pages import fill, table
from mvclust.masking import apply_mask, random_mask
from mvclust.structure import clusters_exist

LEVEL, N_REFERENCES, RATE, N_VIEWS = 0.05, 19, 0.3, 3
HEAD = ["data", "samples", "features per view", "data sets", "share with p ≤ 0.05", "95 % interval"]
CASES = [
    ("normal, no clusters", "normal", 100, 12, 0),
    ("normal, no clusters", "normal", 300, 12, 0),
    ("t with 5 degrees of freedom, no clusters", "t5", 100, 12, 0),
    ("skewed (log-normal), no clusters", "skewed", 100, 12, 0),
    ("normal, no clusters", "normal", 100, 300, 0),
    ("three clusters, centers 3 sd apart", "normal", 100, 12, 3),
    ("three clusters, centers 4 sd apart", "normal", 100, 12, 4),
]


def draw(law, n, d, separation, seed):
    """Views with two common factors, and missing instances."""
    rng = np.random.default_rng(seed)
    factors = rng.standard_normal((n, 2))
    y = rng.integers(0, 3, n)
    views = []
    for _ in range(N_VIEWS):
        noise = rng.standard_t(5, (n, d)) if law == "t5" else rng.standard_normal((n, d))
        X = factors @ rng.normal(0, 0.5, (2, d)) + noise
        centers = rng.standard_normal((3, d))
        centers *= separation / np.sqrt(2) / np.linalg.norm(centers, axis=1, keepdims=True)
        X += centers[y]
        views.append(np.exp(0.5 * X) if law == "skewed" else X)
    return apply_mask(views, random_mask(n, N_VIEWS, RATE, seed=seed))


def wilson(hits, n):
    """A 95 % interval of a share."""
    z = 1.96
    center = (hits + z**2 / 2) / (n + z**2)
    half = z / (n + z**2) * np.sqrt(hits * (n - hits) / n + z**2 / 4)
    return max(center - half, 0), min(center + half, 1)


def row_of(title, n, d, hits, n_sets):
    low, high = wilson(hits, n_sets)
    return [title, n, d, n_sets, f"{hits / n_sets:.3f}", f"{low:.2f} to {high:.2f}"]


def main(arguments):
    n_sets = next((int(word) for word in arguments if word.isdigit()), 200)
    rows, null = [], np.zeros(2, dtype=int)
    for title, law, n, d, separation in CASES:
        tested = [
            clusters_exist(draw(law, n, d, separation, seed), n_references=N_REFERENCES,
                           random_state=seed).p_value
            for seed in range(n_sets)
        ]  # fmt: skip
        hits = int(np.sum(np.array(tested) <= LEVEL))
        rows.append(row_of(title, n, d, hits, n_sets))
        null += [hits, n_sets] if not separation else [0, 0]
        print(*rows[-1], sep="; ", flush=True)
    rows.append(row_of("all without clusters", "", "", *map(int, null)))
    print(*rows[-1], sep="; ", flush=True)
    if "--write" in arguments:
        fill("choosing.md", "structure", table(HEAD, rows))


if __name__ == "__main__":
    main(sys.argv[1:])
