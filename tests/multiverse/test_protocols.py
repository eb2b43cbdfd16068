"""Readings of printed rows: what is found, what is tried, what the control says."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from scipy.special import erf

from mvclust.multiverse.candidates import (
    BEST,
    BEST_EACH,
    LOWEST,
    MEAN,
    ONE_POINT,
    PER_MASK,
    PER_NUMBER,
    PER_ROW,
    PER_SETTING,
    candidates_of,
    distances,
)
from mvclust.multiverse.effects import effects
from mvclust.multiverse.luck import LEVEL
from mvclust.multiverse.searches import ALL_DATA, ALONE, ANY_POINT, EACH, TABLE, Row, nearest
from mvclust.multiverse.verdicts import judge, repeated
from mvclust.pipeline.plan.settings import canonical

RATES, METRICS = (0.1, 0.3), {"ACC": "acc", "NMI": "nmi_max"}
READINGS = {"A": {"features": [None, "feature_minmax"], "start": [0, 1]}, "B": {"features": [None]}}
ALPHAS, N_MASKS = (1, 10), 3


def accuracy_of(method, label, rate, features, start, alpha, mask):
    """Made-up scores: every choice moves them by an amount of its own."""
    base = 0.3 + rate + 0.001 * mask + (0.05 if label == "two" else 0)
    base += {"A": 0, "B": 0.2}[method] + {None: 0, "feature_minmax": 0.1}[features]
    base += 0.02 * (start == 1) * (1 if mask % 2 else -1)  # the start that wins differs by mask
    return base + (0.03 if (alpha == 10) == (rate > 0.2) else 0)  # and so does the best alpha


def experiment_of(printed, protocol="paired", labels=("one",)):
    """A slice of the plan, and its runs."""
    cases, runs = [], []
    for label, rate in itertools.product(labels, RATES):
        points = {}
        for method, axes in READINGS.items():
            axes = axes | {"alpha": ALPHAS}
            points[method] = []
            for values in itertools.product(*axes.values()):
                chosen = dict(zip(axes, values, strict=True))
                keys = []
                for mask in range(N_MASKS):
                    key = f"{label}|{rate}|{method}|{canonical(chosen)}|{mask}"
                    arguments = {"start": 0} | chosen
                    acc = accuracy_of(method, label, rate, mask=mask, **arguments)
                    keys.append(key)
                    run = {"key": key, "acc": acc, "nmi_max": acc / 2, "error": None, "source": "x"}
                    runs.append(run | {"objective": [3.0, 2.0 - arguments["start"]]})
                points[method].append({"values": chosen, "variant": "", "keys": keys})
        setting = {"protocol": protocol, "rate": rate, "views": ["a", "b"]}
        cases.append({"label": label, "setting": setting, "points": points})
    return {
        "id": "read", "paper": "p", "item": "t", "unit": "percent", "metrics": METRICS,
        "methods": [{"key": m, "label": m, "published": [f"{m} printed"]} for m in READINGS],
        "published": printed, "cases": cases, "readings": READINGS, "cut": False,
        "definitions": {},
    }, pd.DataFrame(runs)  # fmt: skip


def printed_by(method, how, label="one", shift=0.0):
    """What a paper prints that read its protocol in one way."""
    rows = []
    for rate in RATES:
        score = 100 * how(rate) + shift
        rows += [
            {
                "paper": "p", "item": "t", "dataset": label, "missing_rate": None,
                "paired_rate": rate, "view": None, "method": f"{method} printed", "metric": metric,
                "mean": score / part, "std": None,
            }
            for metric, part in (("acc", 1), ("nmi", 2))
        ]  # fmt: skip
    return rows


def mean_over_masks(**how):
    def score(rate, label="one"):
        starts = how.get("starts", (0, 1))
        masks = [
            [accuracy_of(how["method"], label, rate, how["features"], s, how["alpha"](rate), mask)
             for s in starts] for mask in range(N_MASKS)
        ]  # fmt: skip
        if how.get("lowest"):
            return np.mean([of[-1] for of in masks])
        return np.mean([max(of) if how.get("best") else np.mean(of) for of in masks])

    return score


def tuned(rate):
    return 10 if rate > 0.2 else 1


TRUE = {
    "as stated": {"features": None, "alpha": tuned},
    "another scaling": {"features": "feature_minmax", "alpha": tuned},
    "the best start": {"features": "feature_minmax", "alpha": tuned, "best": True},
    "the lowest objective": {"features": "feature_minmax", "alpha": tuned, "lowest": True},
    "one point": {"features": "feature_minmax", "alpha": lambda rate: 10},
}


@pytest.mark.parametrize("name", TRUE)
def test_the_true_reading_is_among_the_candidates(name):
    how = {"method": "A"} | TRUE[name]
    experiment, runs = experiment_of(printed_by("A", mean_over_masks(**how)))
    found = candidates_of(experiment, "one", experiment["methods"][0], runs.set_index("key"))
    assert found.values.shape == (2 * 4 * 6, 4)
    mean, largest = distances(found, found.printed)
    near = found.about[mean < 1e-9]
    assert len(near) >= 1
    assert largest[mean < 1e-9].max() < 1e-9
    # NMI is half the accuracy here, so both have the same best start
    by_labels = {BEST, BEST_EACH} if how.get("best") else {MEAN}
    assert set(near["starts"]) == ({LOWEST} if how.get("lowest") else by_labels)
    assert {r["features"] for r in near["reading"]} == {how["features"]}
    assert (ONE_POINT if name == "one point" else PER_SETTING) in set(near["tuning"])
    usual = Row(experiment, experiment["methods"][0], found, has_data=True).usual
    assert (usual in near.index) == (name == "as stated")


def test_an_objective_that_does_not_fall_chooses_no_start():
    experiment, runs = experiment_of(printed_by("A", lambda rate: rate))
    rising = runs["key"].str.contains("null")
    runs.loc[rising, "objective"] = pd.Series([[3.0, 4.0]] * len(runs))[rising]
    found = candidates_of(experiment, "one", experiment["methods"][0], runs.set_index("key"))
    features = {
        starts: {reading["features"] for reading in own["reading"]}
        for starts, own in found.about.groupby("starts")
    }
    assert features.pop(LOWEST) == {"feature_minmax"}
    assert set(features) == {MEAN, BEST, BEST_EACH}
    assert all(own == {None, "feature_minmax"} for own in features.values())
    runs["objective"] = None
    found = candidates_of(experiment, "one", experiment["methods"][0], runs.set_index("key"))
    assert LOWEST not in set(found.about["starts"])


def test_one_point_for_all_settings_is_chosen_by_accuracy():
    experiment, runs = experiment_of(printed_by("A", lambda rate: rate))
    runs.loc[runs["key"].str.contains('"alpha": 10'), "acc"] += 0.2
    found = candidates_of(experiment, "one", experiment["methods"][0], runs.set_index("key"))
    chosen = found.about[found.about["tuning"] == PER_ROW]
    assert chosen["point"].tolist() == [{"alpha": 10}] * len(chosen)


def test_parameters_may_be_chosen_for_each_mask():
    experiment, runs = experiment_of(printed_by("B", lambda rate: rate))
    first = runs["key"].str.endswith("|0")
    best = runs["key"].str.contains('"alpha": 10') == first
    runs["acc"], runs["nmi_max"] = 0.4 + 0.3 * best, 0.2 + 0.1 * (first & best)
    found = candidates_of(experiment, "one", experiment["methods"][1], runs.set_index("key"))
    by_mask = (found.about["tuning"] == PER_MASK) & (found.about["starts"] == MEAN)
    (number,) = np.flatnonzero(by_mask)
    is_acc = found.printed.index.get_level_values("metric") == "acc"
    assert found.values[number, is_acc] == pytest.approx(70)
    # the mutual information is that of the points with the best accuracy: higher on one mask
    assert found.values[number, ~is_acc] == pytest.approx(20 + 10 / N_MASKS)
    together = found.about["tuning"] == PER_SETTING
    assert (found.values[together][:, is_acc] < 70 - 1e-9).all()


def test_each_number_may_be_the_best_of_its_own():
    """Accuracy and NMI want different starts and points here."""
    experiment, runs = experiment_of(printed_by("A", lambda rate: rate))
    runs["nmi_max"] = 0.9 - runs["acc"]
    found = candidates_of(experiment, "one", experiment["methods"][0], runs.set_index("key"))
    about = found.about
    usual = np.array([reading == {"features": None} for reading in about["reading"]])
    each = usual & (about["starts"] == BEST_EACH) & (about["tuning"] == PER_NUMBER)
    (ours,) = found.values[each]
    assert (found.values[usual] <= ours + 1e-9).all()
    sign = {"acc": 1, "nmi": -1}
    for (_, rate, _, metric), value in zip(found.printed.index, ours, strict=True):
        made = sign[metric] * np.array(
            [[[accuracy_of("A", "one", rate, None, start, alpha, mask) for start in (0, 1)]
              for mask in range(N_MASKS)] for alpha in ALPHAS]
        )  # fmt: skip
        best = made.max(axis=2).mean(axis=1).max()
        assert value == pytest.approx(100 * (best + (0.9 if metric == "nmi" else 0)))


def test_repetitions_are_starts_where_nothing_is_missing():
    experiment, runs = experiment_of([], protocol="complete")
    for case in experiment["cases"]:
        case["setting"]["rate"] = 0.0
    experiment["cases"] = experiment["cases"][:1]
    experiment["published"] = [
        row | {"paired_rate": None} for row in printed_by("B", lambda rate: rate)[:2]
    ]
    found = candidates_of(experiment, "one", experiment["methods"][1], runs.set_index("key"))
    by_starts = dict(zip(found.about["starts"], found.values[:, 0], strict=False))
    gap = by_starts[BEST] - by_starts[MEAN]
    assert gap == pytest.approx(0.1)  # the last of three masks is best
    assert PER_MASK not in set(found.about["tuning"])  # repetitions of the same data are no masks


def rows_of(changes=None):
    printed = printed_by("A", mean_over_masks(method="A", features=None, alpha=tuned))
    printed += printed_by("B", mean_over_masks(method="B", features=None, alpha=tuned, starts=(0,)))
    for row in printed:
        change = (changes or {}).get(row["method"][0], 0)
        row["mean"] += change if row["metric"] == "acc" else change / 2
    return printed


@pytest.mark.parametrize(
    ("shift", "broken", "verdict"),
    [
        (0, False, "as stated"),
        (10, False, "under a reading"),
        (-10, False, "better"),
        (-10, True, "contradicts itself"),
        (35, False, "not reproduced"),
    ],
)
def test_verdicts(shift, broken, verdict):
    experiment, runs = experiment_of(rows_of({"A": shift}))
    place = {("p", "t", "one", "A printed")} if broken else set()
    verdicts, numbers, tried, control = judge([experiment], runs, place)
    mine = verdicts.set_index("method").loc["A printed"]
    assert mine["verdict"] == verdict
    assert mine["tried"] == 48
    assert mine["numbers"] == 4
    assert (tried["method"] == "A printed").sum() == 2 * 4 * 5
    own = numbers[numbers["method"] == "A printed"]
    near = (own["read"] - own["published"]).abs().mean()
    assert near == pytest.approx(mine["mean_abs"])
    far = (own["stated"] - own["published"]).mean()
    assert far == pytest.approx(mine["stated_mean_difference"])
    assert set(control["other"]) == {"A printed", "B printed"}


def test_a_search_that_explains_random_rows_as_well_explains_nothing():
    """The table prints nothing but what A's readings give."""
    printed = rows_of({"A": 10})
    for row, own in zip([r for r in printed if r["method"][0] == "B"], printed[:4], strict=True):
        own["mean"] += 0.5
        row["mean"] = own["mean"] + 0.5
    experiment, runs = experiment_of(printed)
    verdicts, _, _, control = judge([experiment], runs, set())
    mine = verdicts.set_index("method").loc["A printed"]
    assert mine["mean_abs"] <= 0.5
    assert mine["luck"] > 0.1
    assert mine["expected_luck"] >= mine["luck"]
    assert mine["verdict"] == "perhaps by luck"
    assert mine["scope"] is None
    of_a = control.set_index("method").loc["A printed"]
    assert of_a["explained"]
    assert not of_a["counts"]
    assert not of_a["as_stated"]


def test_without_other_rows_nothing_tells_a_reading_from_luck():
    experiment, runs = experiment_of(rows_of({"A": 10})[:4])
    verdicts, _, _, control = judge([experiment], runs, set())
    (mine,) = verdicts.to_dict("records")
    assert (mine["luck"], mine["verdict"]) == (1.0, "perhaps by luck")
    assert not len(control)


def test_readings_that_count_have_little_expected_luck():
    experiment, runs = experiment_of(rows_of({"A": 10}))
    mine = judge([experiment], runs, set()).verdicts.set_index("method")
    assert mine.loc["A printed", "expected_luck"] <= LEVEL
    assert np.isnan(mine.loc["B printed", "luck"])  # it is as stated: no search was needed


def test_the_same_table_has_the_same_luck():
    experiment, runs = experiment_of(rows_of({"A": 10}))
    one, other = (judge([experiment], runs, set()).verdicts["luck"] for _ in range(2))
    assert one.equals(other)


def test_a_name_may_mean_several_metrics():
    printed = rows_of({"A": 10})
    for row in printed:
        row["mean"] *= 2 / 3 if row["metric"] == "nmi" and row["method"][0] == "A" else 1
    experiment, runs = experiment_of(printed)
    experiment["definitions"] = {"NMI": ["nmi_max", "nmi_geometric"]}
    runs["nmi_geometric"] = runs["acc"] / 3
    verdicts, numbers, tried, _ = judge([experiment], runs, set())
    assert (tried["method"] == "A printed").sum() == 2 * 4 * 5  # the nearest definition alone
    mine, other = (verdicts.set_index("method").loc[f"{name} printed"] for name in "AB")
    assert mine["tried"] == 2 * 48
    assert mine["reading"] == {"features": "feature_minmax", "NMI": "nmi_geometric"}
    assert mine["mean_abs"] < 1e-9
    assert other["verdict"] == "as stated"
    assert other["reading"] == {"features": None, "NMI": "nmi_max"}
    ours = numbers[(numbers["method"] == "A printed") & (numbers["metric"] == "nmi")]
    assert np.allclose(ours["read"], ours["published"])
    assert not np.allclose(ours["stated"], ours["published"])


def test_names_that_one_definition_decides_are_exchanged_together():
    printed = rows_of({"A": 10})
    for row in printed:  # the paper calls accuracy NMI, and NMI accuracy
        row["metric"] = {"acc": "nmi", "nmi": "acc"}[row["metric"]]
    experiment, runs = experiment_of(printed)
    both = list(METRICS)
    stated = "+".join(METRICS[name] for name in both)
    exchanged = "+".join(METRICS[name] for name in reversed(both))
    experiment["definitions"] = {"+".join(both): [stated, exchanged]}
    verdicts, numbers, _, _ = judge([experiment], runs, set())
    mine = verdicts.set_index("method").loc["A printed"]
    assert mine["tried"] == 48 * 2
    assert mine["reading"]["+".join(both)] == exchanged
    assert mine["mean_abs"] < 1e-9
    ours = numbers[numbers["method"] == "A printed"]
    assert np.allclose(ours["read"], ours["published"])
    assert (abs(ours["stated"] - ours["published"]) > 2).all()


def test_only_readings_within_both_limits_are_found():
    experiment, runs = experiment_of(rows_of({"A": 10}))
    found = candidates_of(experiment, "one", experiment["methods"][0], runs.set_index("key"))
    shifts = np.array([[0, 0, 0, 5.5], [1.5] * 4, [1.2] * 4, [0.5] * 4])
    found = found._replace(values=found.printed.to_numpy() + shifts, about=found.about[:4])
    row = Row(experiment, experiment["methods"][0], found, has_data=True)
    assert nearest(row, np.array([True, True, True, False])) == 2
    assert nearest(row, np.array([True, False, False, False])) is None


@pytest.mark.parametrize("deviation", [1.0, 10.0, 30.0])
def test_how_often_a_protocol_repeats_its_own_numbers(deviation):
    n = 100
    on_masks = np.random.default_rng(3).normal(50, deviation, (n, 1))
    # The difference of two means of n masks is normal; one number must be within the nearer limit.
    expected = erf(2 / (on_masks.std(ddof=1) * np.sqrt(2 / n)) / np.sqrt(2))
    assert repeated(on_masks, [0]) == pytest.approx(expected, abs=0.04)


def test_masks_without_deviation_and_a_single_mask():
    assert repeated(np.full((5, 4), 30.0), [0, 0, 1, 1]) == 1.0
    assert np.isnan(repeated(np.full((1, 4), 30.0), [0, 0, 1, 1]))
    few = np.array([[40.0, 40.0], [60.0, 60.0]])
    assert repeated(few, [0, 1]) < 0.5


def test_numbers_on_masks_are_those_of_the_row():
    experiment, runs = experiment_of(printed_by("A", lambda rate: 0.3 + rate))
    found = candidates_of(experiment, "one", experiment["methods"][0], runs.set_index("key"))
    assert {part.shape for part in found.on_masks} == {(N_MASKS, len(found.printed))}
    means = np.array([part.mean(axis=0) for part in found.on_masks])
    np.testing.assert_array_equal(means, found.values)
    assert np.ptp(found.on_masks[0], axis=0).max() > 0


def test_one_reading_for_all_data_sets_is_preferred():
    how = mean_over_masks(method="A", features="feature_minmax", alpha=tuned)
    printed = printed_by("A", how, shift=0.4)
    printed += printed_by("A", lambda rate: how(rate, "two"), label="two", shift=-0.6)
    for label in ("one", "two"):  # far from all readings
        printed += printed_by("B", lambda rate: 0.99, label=label)
    experiment, runs = experiment_of(printed, labels=("one", "two"))
    verdicts = judge([experiment], runs, set()).verdicts
    verdicts = verdicts[verdicts["method"] == "A printed"]
    assert verdicts["scope"].tolist() == [ALL_DATA] * 2
    assert verdicts["verdict"].tolist() == ["under a reading"] * 2
    assert verdicts["reading"].tolist() == [{"features": "feature_minmax"}] * 2


def test_failed_fits_and_data_that_are_not_available():
    experiment, runs = experiment_of(rows_of())
    failed = runs["key"].str.contains('"features": "feature_minmax"')
    runs.loc[failed, ["acc", "nmi_max"]] = np.nan
    runs.loc[failed, "error"] = "ValueError: no"
    verdicts, _, tried, _ = judge([experiment], runs, set())
    assert verdicts.set_index("method").loc["A printed", "tried"] == 24
    assert not any("feature_minmax" in str(reading) for reading in tried["reading"])
    runs["error"], runs[["acc", "nmi_max"]] = "data not available", np.nan
    verdicts, _, tried, control = judge([experiment], runs, set())
    assert set(verdicts["verdict"]) == {"no data"}
    assert not len(tried)
    assert not len(control)


def test_rebuilt_features_have_a_verdict_of_their_own():
    experiment, runs = experiment_of(rows_of())
    runs["source"] = "mirror folder (rebuilt features)"
    verdicts, numbers, _, control = judge([experiment], runs, set())
    assert set(verdicts["verdict"]) == {"rebuilt features"}
    assert numbers["read"].isna().all()
    assert not len(control)


def test_effects_compare_all_else_equal():
    experiment, runs = experiment_of(rows_of())
    worth = effects([experiment], runs).set_index(["method", "parameter"])
    features = worth.loc[("A", "features")]
    assert (features["value"], features["stated"]) == ('"feature_minmax"', "null")
    assert features["difference"] == pytest.approx(10)
    assert 0.5 < features["share"] <= 1
    assert worth.loc[("A", "parameters"), "difference"] == pytest.approx(1.5)
    starts = worth.loc[("A", "starts")].set_index("value")["difference"]
    assert starts[json.dumps(BEST)] == pytest.approx(1)
    # the start with the lowest objective is better on one mask and worse on two
    assert starts[json.dumps(LOWEST)] == pytest.approx(-1 / 3)
    assert ("B", "features") not in worth.index


def test_what_a_cut_run_lacks_is_left_out_and_nothing_is_decided():
    experiment, runs = experiment_of(rows_of())
    experiment["cases"], experiment["cut"] = experiment["cases"][:1], True
    verdicts, numbers, tried, _ = judge([experiment], runs, set())
    assert set(verdicts["verdict"]) == {"not decided"}
    assert set(verdicts["numbers"]) == {2}
    assert set(numbers["paired_rate"]) == {RATES[0]}
    assert len(tried)
    for row in experiment["published"]:
        row["paired_rate"] = 0.7
    assert candidates_of(experiment, "one", experiment["methods"][0], runs) is None


@pytest.mark.parametrize(
    ("name", "shift", "scope"),
    [
        ("another scaling", 0, TABLE),
        ("the best start", 0, TABLE),
        ("one point", 0, TABLE),  # the tuned points are near enough
        ("one point", -1.5, ANY_POINT),
    ],
)
def test_the_narrowest_search_counts(name, shift, scope):
    """B is printed far from all, so that the scaling that serves A serves most rows."""
    printed = printed_by("A", mean_over_masks(method="A", **TRUE[name]), shift=shift)
    printed += printed_by("B", lambda rate: 0.99 if rate < 0.2 else 0.01)
    experiment, runs = experiment_of(printed)
    runs.loc[runs["key"].str.contains('"alpha": 1,'), "acc"] += 0.001  # alpha = 1 is best overall
    mine = judge([experiment], runs, set()).verdicts.set_index("method").loc["A printed"]
    assert (mine["verdict"], mine["scope"]) == ("under a reading", scope)


@pytest.mark.parametrize("own", [True, False])
def test_the_search_for_each_number_comes_last(own):
    """Accuracy and NMI are best at different starts and points; A or B prints the best of each."""
    whole = printed_by("A", mean_over_masks(method="A", features="feature_minmax", alpha=tuned))
    experiment, runs = experiment_of(whole)
    runs["nmi_max"] = 0.9 - runs["acc"]
    found = candidates_of(experiment, "one", experiment["methods"][0], runs.set_index("key"))
    about = found.about
    each = (about["starts"] == BEST_EACH) & (about["tuning"] == PER_NUMBER)
    values = dict(zip(found.printed.index, found.values[np.flatnonzero(each)[-1]], strict=True))
    usual = (about["starts"] == MEAN) & (about["tuning"] == PER_SETTING)
    partitions = dict(zip(found.printed.index, found.values[usual.to_numpy()][-1], strict=True))
    far = dict.fromkeys(values, 99.0)
    rows = {"A": values, "B": far} if own else {"A": partitions, "B": values}
    experiment["published"] = [
        row
        | {
            "method": f"{name} printed",
            "mean": of[np.nan, row["paired_rate"], np.nan, row["metric"]] + own,
        }
        for name, of in rows.items()
        for row in whole
    ]
    mine = judge([experiment], runs, set()).verdicts.set_index("method").loc["A printed"]
    assert mine["verdict"] == "under a reading"
    assert (mine["scope"] == EACH) == own
    assert (mine["starts"] == BEST_EACH and mine["tuning"] == PER_NUMBER) == own


def test_a_row_may_be_read_alone_where_the_others_need_another_scaling():
    printed = printed_by("A", mean_over_masks(method="A", features="feature_minmax", alpha=tuned))
    others = printed_by("B", mean_over_masks(method="B", features=None, alpha=tuned, starts=(0,)))
    printed += others + [row | {"method": "C printed"} for row in others]
    experiment, runs = experiment_of(printed)
    experiment["methods"].append({"key": "C", "label": "C", "published": ["C printed"]})
    experiment["readings"] = READINGS | {"C": READINGS["B"]}
    for case in experiment["cases"]:
        case["points"]["C"] = case["points"]["B"]
    found = judge([experiment], runs, set()).verdicts.set_index("method")
    assert found["verdict"].to_dict() == {
        "A printed": "under a reading", "B printed": "as stated", "C printed": "as stated",
    }  # fmt: skip
    assert found.loc["A printed", "scope"] == ALONE
