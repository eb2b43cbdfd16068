"""Printed numbers against ours: prediction interval and equivalence, alone and by row."""

import numpy as np
import pytest

from mvclust.claims.cells import Cell
from mvclust.claims.directions import direction, directions
from mvclust.claims.numbers import (
    DIFFERENT,
    NEGLIGIBLE,
    SAME,
    UNDECIDED,
    compare_number,
    compare_released,
    compare_row,
    joint_limit,
)
from mvclust.claims.paired import difference
from mvclust.claims.tables import STARTS, numbers, pairs_of, rows


def test_a_number_without_a_deviation():
    ours = [60, 63, 58, 66, 61]
    found = compare_number(np.mean(ours), np.std(ours, ddof=1), 5, 64.0, printed_n=5)
    assert found.difference == pytest.approx(-2.4)
    assert found.half_width == pytest.approx(5.355, abs=1e-3)
    assert found.equivalence == pytest.approx(4.112, abs=1e-3)
    assert found.word == UNDECIDED


@pytest.mark.parametrize(("delta", "word"), [(1.2, SAME), (1.65, UNDECIDED), (2.5, DIFFERENT)])
def test_a_number_with_a_deviation(delta, word):
    found = compare_number(50 + delta, 1.5, 10, 50.0, 2.0, 10)
    assert found.half_width == pytest.approx(1.670, abs=1e-3)
    assert found.equivalence == pytest.approx(1.377, abs=1e-3)
    assert found.word == word


def test_a_small_difference_beyond_chance_is_negligible():
    assert compare_number(51.0, 0.2, 10, 50.0, 0.2, 10).word == NEGLIGIBLE


def test_two_deterministic_numbers_are_told_by_the_resolution():
    assert compare_number(50.0, 0.0, 10, 50.3, 0.0, 10, step=1.0).word == SAME
    assert compare_number(50.0, 0.0, 10, 58.0, 0.0, 10, step=1.0).word == DIFFERENT


def test_too_few_runs_say_nothing():
    assert compare_number(50.0, 1.0, 2, 50.0).word == ""
    assert compare_released([[60], [61], [62]], 61).word == ""


def test_released_masks_leave_the_starts_alone():
    ours = [(60, 62), (70, 71), (55, 58), (66, 66), (63, 61)]
    found = compare_released(ours, 64.0)
    assert found.difference == pytest.approx(-0.8)
    assert found.half_width == pytest.approx(1.889, abs=1e-3)
    assert found.equivalence == pytest.approx(1.481, abs=1e-3)
    assert found.word == SAME


def test_the_joint_limit_of_a_row():
    R = np.array([[1, 0.830, 0.831], [0.830, 1, 0.846], [0.831, 0.846, 1]])
    shrunk = np.where(np.eye(3, dtype=bool), 1, R * (1 - 0.142))
    assert joint_limit(shrunk, 4, 16) == pytest.approx(3.18, abs=0.06)


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
    printed = [cell(*place, {"A": [70.0], "B": [60.0], "C": [1.0]}) for place in places]
    return pairs_of([*ours, *(c._replace(scores={}) for c in ours)], printed)


def test_every_printed_number_of_a_run_is_compared():
    table = numbers(tables(), {"paper": ["A"]}, ["B"], {"e": 5})
    assert len(table) == 8  # nothing of C, which did not run
    assert set(table.loc[table["role"] == "reconstructed", "method"]) == {"B"}
    assert set(table.loc[table["method"] == "B", "verdict"]) == {DIFFERENT}
    assert DIFFERENT not in set(table.loc[table["method"] == "A", "verdict"])
    released = numbers(tables(nested=True), {"paper": ["A"]}, [], {"e": 5})
    assert set(released["verdict"]) == {STARTS}


def test_every_printed_row_of_a_run_is_compared():
    table = rows(tables(), {"paper": ["A"]}, [], {"e": 5}).set_index("method")
    assert list(table.index) == ["A", "B"]
    assert table.loc["A", "numbers"] == 4
    assert table.loc["A", "inside"]
    assert not table.loc["B", "inside"]
    assert rows(tables(nested=True), {}, [], {"e": 5}).empty


def test_directions_are_counted_by_the_printed_gap():
    table = directions(tables(), {"paper": ["A"]})
    assert table.to_dict("records") == [{
        "paper": "paper", "item": "table1", "pair": "proposed", "gap": "3 to 10", "pairs": 4,
        "same direction": 4, "beyond the interval": 4, "reversed": 0,
    }]  # fmt: skip
