"""Printed numbers against ours: prediction interval and equivalence, alone and by row."""

import numpy as np
import pytest
from scipy import stats

from mvclust.bench.claims.cells import Cell
from mvclust.bench.claims.directions import direction, directions
from mvclust.bench.claims.numbers import (
    DIFFERENT,
    NEGLIGIBLE,
    SAME,
    UNDECIDED,
    compare_number,
    compare_row,
    joint_limit,
)
from mvclust.bench.claims.paired import difference
from mvclust.bench.claims.tables import pairs_of, rows


@pytest.mark.parametrize(("delta", "word"), [(1.2, SAME), (1.65, UNDECIDED), (2.5, DIFFERENT)])
def test_a_number_with_a_deviation(delta, word):
    found = compare_number(50 + delta, 1.5, 10, 50.0, 2.0, 10)
    assert found.difference == pytest.approx(delta)
    assert found.half_width == pytest.approx(1.670, abs=1e-3)
    assert found.equivalence == pytest.approx(1.377, abs=1e-3)
    assert found.word == word


@pytest.mark.parametrize(
    ("numbers", "how", "word"),
    [
        ((51.0, 0.2, 10, 50.0, 0.2, 10), {}, NEGLIGIBLE),  # beyond chance, and small
        ((50.0, 0.0, 10, 50.3, 0.0, 10), {"step": 1.0}, SAME),  # both exact to the resolution
        ((50.0, 0.0, 10, 58.0, 0.0, 10), {"step": 1.0}, DIFFERENT),
        ((50.0, 1.0, 2, 50.0), {}, ""),  # too few runs
    ],
)
def test_words_at_the_edges(numbers, how, word):
    assert compare_number(*numbers, **how).word == word


def test_the_deviation_of_a_single_printed_run_is_none():
    found = compare_number(50.0, 1.5, 10, 51.0, printed_std=0.0, printed_n=1)
    assert found == compare_number(50.0, 1.5, 10, 51.0, printed_n=1)
    assert found.half_width > compare_number(50.0, 1.5, 10, 51.0, printed_n=10).half_width


# UEAF on BUAA in the paper run: settings, metrics (ACC, NMI, purity), masks; and the printed row.
ROW = [
    [[60.00, 78.89, 68.89, 76.67, 67.78], [63.66, 80.81, 72.10, 76.20, 71.33],
     [63.33, 78.89, 72.22, 76.67, 71.11]],
    [[78.89, 85.56, 77.78, 95.56, 76.67], [79.45, 82.56, 80.40, 93.78, 80.02],
     [81.11, 85.56, 78.89, 95.56, 81.11]],
    [[92.22, 94.44, 82.22, 90.00, 84.44], [89.81, 92.22, 83.15, 87.98, 85.53],
     [92.22, 94.44, 83.33, 90.00, 84.44]],
    [[93.33, 96.67, 93.33, 95.56, 93.33], [90.65, 95.29, 92.99, 93.84, 92.09],
     [93.33, 96.67, 93.33, 95.56, 93.33]],
]  # fmt: skip
PRINTED = [[72.88, 72.24, 74.0], [82.22, 80.76, 82.68], [83.77, 82.98, 84.67], [88.0, 88.54, 88.89]]


def test_a_row_jointly():
    row = compare_row(np.array(ROW), np.array(PRINTED), 5)
    acc_nmi, acc_purity, nmi_purity = row.correlation[np.triu_indices(3, 1)]
    assert [acc_nmi, nmi_purity, acc_purity] == pytest.approx([0.830, 0.831, 0.846], abs=2e-3)
    assert row.shrinkage == pytest.approx(0.142, abs=1e-3)
    assert row.limit == pytest.approx(3.18, abs=0.02)
    assert row.largest == pytest.approx(1.70, abs=0.01)
    assert row.inside
    assert (row.shift, row.half_width) == (
        pytest.approx(2.39, abs=0.01),
        pytest.approx(4.08, abs=0.01),
    )
    assert row.word == UNDECIDED


def test_the_joint_limit_is_below_bonferronis():
    assert joint_limit(np.eye(3), 4, 16) <= stats.t.ppf(1 - 0.025 / 12, 16) + 0.02
    assert joint_limit(np.eye(1), 1, 16) == pytest.approx(stats.t.ppf(0.975, 16), abs=0.03)


def test_a_row_names_the_number_that_fails():
    rng = np.random.default_rng(0)
    common = rng.normal(0, 4, (4, 1, 5))
    scores = 60 + common + rng.normal(0, 2, (4, 3, 5))
    found = compare_row(scores, scores.mean(axis=2) + 0.1)
    assert found.inside
    assert 0 < found.shrinkage < 1
    assert found.correlation[0, 1] > 0.3
    printed = scores.mean(axis=2)
    printed[2, 1] += 40
    assert not compare_row(scores, printed).inside
    assert compare_row(scores, scores.mean(axis=2) + 15).word == DIFFERENT


def test_a_deterministic_row_is_told_by_the_resolution():
    scores = np.full((2, 2, 5), 60.0)
    assert compare_row(scores, scores.mean(axis=2) + 0.1, step=1.0).inside
    found = compare_row(scores, scores.mean(axis=2) + 5, step=1.0)
    assert not found.inside
    assert np.isfinite(found.largest)


def test_directions():
    given = difference([[-4.0, -5.0, -6.0]], 0.1)
    assert direction(-3.0, given) == {
        "same direction": True, "beyond the interval": True, "reversed": False,
    }  # fmt: skip
    assert direction(3.0, given)["reversed"]
    assert direction(0.5, given)["reversed"]


def cell(metric, rate, scores, nested=False, experiment="e"):
    return Cell(
        experiment, "paper", "table1", "toy", None, rate, rate, 2, metric,
        {m: np.asarray(values, dtype=float) for m, values in scores.items()}, {}, 0.1, nested,
        "random", {},
    )  # fmt: skip


def tables(nested=False):
    rng = np.random.default_rng(0)
    places = [(metric, rate) for metric in ("NMI", "ACC") for rate in (0.1, 0.3)]
    ours = [
        cell(*place, {"A": rng.normal(70, 2, 5), "B": rng.normal(50, 2, 5)}, nested)
        for place in places
    ]
    printed = [cell(*place, {"C": [1.0], "A": [70.0], "B": [60.0]}) for place in places]
    return pairs_of([*ours, *(c._replace(scores={}) for c in ours)], printed)


def test_every_printed_row_of_a_run_is_compared():
    table = rows(tables(), {"paper": ["A"]}, [], {"e": 5}).set_index("method")
    assert list(table.index) == ["A", "B"]
    assert table.loc["A", "numbers"] == 4
    assert table.loc["A", "inside"]
    assert not table.loc["B", "inside"]
    assert rows(tables(nested=True), {}, [], {"e": 5}).empty
    rounded = [
        (ours._replace(scores={"A": np.full(5, 70.02)}), printed._replace(step=0.0))
        for ours, printed in tables()
    ]
    assert rows(rounded, {}, [], {"e": 5})["inside"].all()  # ours are rounded to a sample


def test_directions_are_counted_by_the_printed_gap():
    table = directions(tables(), {"paper": ["A"]})
    assert table.to_dict("records") == [{
        "paper": "paper", "item": "table1", "pair": "proposed", "gap": "3 to 10", "pairs": 4,
        "same direction": 4, "beyond the interval": 4, "reversed": 0,
    }]  # fmt: skip
