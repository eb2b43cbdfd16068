"""Protocols of a printed row: all are tried and tuned as the papers tune; which of them agree."""

import numpy as np
import pandas as pd
import pytest
from bench.multiverse.made_up import additive, experiment_of

from mvclust.bench.claims.numbers import compare_row
from mvclust.bench.multiverse.controls import accepted, plant
from mvclust.bench.multiverse.effects import effects_of, shares_of
from mvclust.bench.multiverse.protocols import rows_of, shape_of
from mvclust.bench.multiverse.selection import missed
from mvclust.bench.multiverse.sets import agreeing

PLACE = ("p", "t", "one", "A")
TRUE = {"features": "feature_minmax", "labels": "argmax", "NMI": "nmi_arithmetic"}


def row_of(*args, **kwargs):
    experiment, runs = experiment_of(*args, **kwargs)
    return rows_of([experiment], runs.set_index("key"), set())[PLACE]


def test_a_half_of_the_masks_is_tuned_by_its_own_scores():
    row = row_of(additive, sd=5.0)
    alone = row._replace(scores=row.scores[:, :, :, :3])
    assert np.array_equal(row.numbers(masks=np.arange(3)), alone.numbers())


def test_a_protocol_with_a_failed_fit_has_no_numbers():
    experiment, runs = experiment_of(additive)
    lost = runs["key"].str.contains('"features": null')
    runs.loc[lost, ["acc", "nmi_max", "nmi_arithmetic"]] = np.nan
    row = rows_of([experiment], runs.set_index("key"), set())[PLACE]
    there = np.isfinite(row.numbers().mean(axis=(1, 2, 3)))
    assert there.tolist() == [o["features"] is not None for o in row.protocols]


def test_views_of_one_fit_are_no_settings_of_their_own():
    row = row_of(additive)
    assert row.shape == (2, 2)
    per_view = row.printed.reset_index().assign(view=[1.0, 1.0, 2.0, 2.0])
    index = per_view.set_index(["missing_rate", "paired_rate", "view", "metric"])[0]
    assert shape_of(index.index) == (1, 4)


def test_the_protocol_that_made_a_row_is_in_its_set():
    row = row_of(additive, sd=1.0)
    assert [row.protocols[i] for i in np.flatnonzero(agreeing(row).inside)] == [TRUE]


@pytest.mark.parametrize(("shift", "near"), [(2.5, True), (20, False)])
def test_no_protocol_agrees_with_a_row_that_none_made_and_three_points_are_near(shift, near):
    row = row_of(additive, sd=0.3)
    shifted = agreeing(row._replace(printed=row.printed + shift))
    assert not shifted.inside.any()
    assert shifted.near.any() == near


def correlated(rng, shape):
    """Noise of four scores of a run, in which accuracy is last and has the others in part."""
    common, own = rng.standard_normal((*shape, 1)), rng.standard_normal((*shape, 4))
    return 4 * (np.sqrt(0.7) * common + np.sqrt(0.3) * own)


def test_the_set_covers_the_right_protocol_in_nine_of_ten_rows():
    rng, hits = np.random.default_rng(1), []
    row = row_of(lambda *_: 50.0, sd=4.0)
    n = row.scores.shape[3]
    for _ in range(200):
        ours, theirs = (50 + correlated(rng, (2, runs)) for runs in (n, row.printed_runs))
        scores = np.broadcast_to(ours[None, None, :, :, None, None], (4, 2, 2, n, 1, 1, 4))
        acc_and_nmi = theirs.mean(axis=1)[:, [3, 0]]
        printed = pd.Series(acc_and_nmi.ravel(), row.printed.index)
        hits.append(agreeing(row._replace(scores=scores, printed=printed)).inside[0])
    assert 0.86 <= np.mean(hits) <= 0.95


def test_a_row_is_judged_as_by_the_joint_test_of_the_ledger():
    row = row_of(additive, sd=3.0)
    found = agreeing(row)
    numbers = row.numbers().mean(axis=3)
    for protocol in range(len(numbers)):
        scores = numbers[protocol].reshape(2, 2, -1)
        printed = row.printed.to_numpy().reshape(2, 2)
        ledger = compare_row(scores, printed, row.printed_runs, row.step)
        largest = np.max(np.abs(found.means[protocol] - printed.ravel()) / found.errors[protocol])
        assert largest == pytest.approx(ledger.largest)


def test_a_planted_protocol_is_found_and_no_other():
    row = row_of(additive, sd=0.5, n_masks=10)
    planted = plant(row, agreeing(row))
    assert planted.found > 0.85
    assert planted.first == 1.0
    assert planted.size < 1.5
    assert planted.shifted < planted.found


def test_starts_are_halved_where_masks_are_released():
    row = row_of(additive, sd=0.5, protocol="published", starts=(0, 1))
    planted = plant(row, agreeing(row))
    assert planted.trials == 2 * 8
    assert planted.found > 0.8


@pytest.mark.parametrize(("shift", "hits"), [(0.0, 1), (30.0, 0)])
def test_rows_of_other_methods_are_accepted_only_where_they_are_alike(shift, hits):
    experiment, runs = experiment_of(additive, sd=0.5)
    row = rows_of([experiment], runs.set_index("key"), set())[PLACE]
    assert accepted(row, agreeing(row), [row.printed + shift]) == (hits, 1)


def test_a_choice_is_judged_on_what_did_not_choose():
    """The worked example: four protocols, settings .1 and .5, a crossed choice."""
    row = row_of(additive)
    places = [(np.nan, rate, np.nan, "acc") for rate in (0.1, 0.5)]
    index = pd.MultiIndex.from_tuples(places, names=row.printed.index.names)
    row = row._replace(printed=pd.Series([69.0, 60.2], index), stated=0)
    means = np.array([[60, 50], [64, 53], [70, 61], [71, 60]], dtype=float)
    found = missed(row, means, [])
    numbers = found.stated, found.crossed, found.at_random, found.in_sample
    assert numbers == pytest.approx((9.6, 1.4, 4.425, 0.9))
    assert np.isnan(found.from_other_rows)
    assert missed(row, means, [np.array([9, 1, 5, 5.0])]).from_other_rows == pytest.approx(6.1)


def test_effects_of_the_worked_example():
    y = np.array([55.0, 58.5, 65.5, 65.5])
    levels = {"features": ["a", "b"], "labels": ["u", "v"]}
    worth = effects_of(y, levels, {"features": "a", "labels": "u"})
    assert worth == [("features", "b", pytest.approx(8.75)), ("labels", "v", pytest.approx(1.75))]


def test_noise_alone_explains_nothing_between_masks():
    """Plain variances share what noise there is; between masks only the real factor stays."""
    noise = 4 * np.random.default_rng(0).standard_normal((200, 5, 12))
    shares = [shares_of(y, (2, 3, 2))[0] for y in np.repeat([-2.0, 2.0], 6) + noise]
    assert np.nanmedian(shares, axis=0) == pytest.approx([1.0, 0.0, 0.0], abs=0.15)
