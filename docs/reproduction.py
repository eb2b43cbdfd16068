"""Put what a run gave for the published numbers into reproduction.md.

python docs/reproduction.py results/tables/published_vs_reproduced.csv
"""

import sys

import pandas as pd
from pages import fill, table

NEAR = 2.0  # percent points


def main(path):
    numbers = pd.read_csv(path)
    found = numbers.dropna(subset="reproduced")
    words = [("available", len(found)), *found["verdict"].value_counts().items()]
    rows = [[verdict, count] for verdict, count in words]
    fill("reproduction.md", "verdicts", table([f"of {len(numbers)} numbers", "count"], rows))
    rows = []
    for key, part in found.groupby(["paper", "item", "dataset", "method"], sort=False):
        difference = part["difference"]
        worst = difference.loc[difference.abs().idxmax()]
        near = (difference.abs() <= NEAR).sum()
        means = f"{difference.mean():+.1f}", f"{worst:+.1f}"
        rows.append([f"{key[0]}_{key[1]}", *key[2:], len(part), *means, near])
    head = ["item", "data", "method", "numbers", "mean difference", "largest", "within 2 points"]
    fill("reproduction.md", "methods", table(head, rows))


if __name__ == "__main__":
    main(*sys.argv[1:])
