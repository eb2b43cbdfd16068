"""What printed numbers must meet: true for every partition, and for means over partitions."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mvclust.bench.multiverse import consistency
from mvclust.metrics import METRICS, score

NAMES = {name: name for name in ("acc", "purity", "f_score", "precision", "recall", "ari")}
NMIS = sorted(name for name in METRICS if name.startswith("nmi"))


def printed_rows(rows, **place):
    """Numbers as published.csv holds them."""
    about = {"paper": "paper", "item": "table1", "dataset": "toy", "missing_rate": None}
    about |= {"paired_rate": None, "view": None, "method": "m"} | place
    percent = any(mean > 1 for mean, _ in rows.values())
    about |= {"unit": "percent" if percent else "fraction"}
    return [about | {"metric": metric, "mean": m, "std": s} for metric, (m, s) in rows.items()]


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n_classes=st.integers(2, 7),
    n_runs=st.integers(1, 6),
    noise=st.floats(0, 1),
    nmi=st.sampled_from(NMIS),
    digits=st.integers(2, 4),
)
def test_true_scores_meet_all(seed, n_classes, n_runs, noise, nmi, digits):
    rng, found = np.random.default_rng(seed), []
    sizes = rng.integers(3, 30, size=n_classes)
    y = np.repeat(np.arange(n_classes), sizes)
    for _ in range(n_runs):
        other = rng.permutation(n_classes)[y]
        labels = np.where(rng.random(len(y)) < noise, rng.integers(n_classes, size=len(y)), other)
        found.append(score(y, labels))
    scores, names = pd.DataFrame(found), NAMES | {"nmi": nmi}
    means, deviations = (
        {name: round(of_all[column], digits) for name, column in names.items()}
        for of_all in (scores.mean(), scores.std())
    )
    deviations = deviations if n_runs > 1 else {}
    row = consistency.Row(means, deviations, n_runs, 0.5 * 10.0**-digits)
    bounds = consistency.bounds_of(row, sizes)
    assert len(bounds) == 6
    for bound in bounds:
        low, high = row.interval(bound.metric)
        assert low <= bound.high + 1e-9, bound
        assert high >= bound.low - 1e-9, bound


GOOD = {"acc": (70.0, None), "purity": (72.0, None), "nmi": (50.0, None)}
PAIRS = {"precision": (60.0, 1.0), "recall": (64.0, 1.0), "f_score": (61.9, 1.0)}
PAIRS["ari"] = (45.0, 1.0)
TABLE = {"paper": "paper", "item": "table1", "dataset": "toy"}
TABLE |= {"classes": [30, 30, 30], "repetitions": 5}


@pytest.mark.parametrize(
    ("printed", "changes", "broken"),
    [
        (GOOD, {}, []),
        (GOOD, {"acc": (72.2, None)}, ["accuracy is at most purity"]),
        (GOOD, {"acc": (20.0, None), "purity": (30.0, None)}, ["purity is", "NMI is possible"]),
        (GOOD, {"acc": (99.0, None), "purity": (99.0, None)}, ["NMI is possible"]),
        (GOOD, {"nmi": (90.0, None)}, ["NMI is possible"]),
        (PAIRS, {}, []),
        (PAIRS, {"f_score": (63.0, 1.0)}, ["F-score follows"]),
        (PAIRS, {"f_score": (60.5, 1.0)}, ["F-score follows"]),
        (PAIRS, {"ari": (60.0, 1.0)}, ["ARI follows"]),
        (PAIRS, {"precision": (90.0, 1.0), "recall": (40.0, 1.0)}, ["F-score", "as many clusters"]),
    ],
)
def test_a_broken_row_is_found(printed, changes, broken):
    checked = consistency.check_printed(printed_rows(printed | changes), [TABLE])
    found = checked.loc[~checked["holds"].astype(bool), "statement"].tolist()
    assert all(start in text for text, start in zip(found, broken, strict=True))


def test_what_is_not_known_is_left_out():
    def statements(printed, **changes):
        checked = consistency.check_printed(printed_rows(printed), [TABLE | changes])
        return checked["statement"].tolist()

    assert statements(GOOD, classes=None) == ["accuracy is at most purity"]
    without = {name: (mean, None) for name, (mean, _) in PAIRS.items()}
    assert "ARI follows from precision and recall" not in statements(without)
