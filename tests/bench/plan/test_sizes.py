"""The forecast of a run on new data follows from their size."""

import pytest
from bench.planned import edited, plan_of
from helpers import ROOT

from mvclust.bench.plan.costs import Cost, Costs, for_few_samples, known_costs, read_costs


def test_data_without_costs_are_expected_to_take_their_share(science, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # without costs of an earlier run
    shipped, folders = Costs({("digits", 0, 3, "DAIMC"): Cost(1.0, 2.0)}), plan_of(science).folders
    costs = known_costs(shipped, folders, science)
    stories, third = (
        costs.of({"dataset": name, "samples": 0, "views": ["bbc"]}, "DAIMC")
        for name in ("stories", "third")
    )
    assert stories.fit == pytest.approx(2 * 30 * (3560 + 3631) / (40 * (76 + 240 + 47)))
    assert third == Cost(1.0, 2.0)
    assert costs.known == shipped.known
    assert known_costs(Costs({}), folders, science).known == {}


def test_few_samples_of_each_class_are_expected_to_take_their_share(science):
    known = Costs({("digits", drawn, 3, "DAIMC"): Cost(1.0, 2.0, 9.0) for drawn in (0, 20)})
    few, whole = (
        for_few_samples(known, edited(science, run={"budget": {"samples_per_class": number}})).known
        for number in (8, 10**6)
    )
    for drawn, of in ((0, 40), (20, 20)):  # 8 digits of each of 2 classes
        assert few["digits", drawn, 3, "DAIMC"] == pytest.approx((16 / of, 2 * 16 / of, 9))
    assert whole == known.known
    assert for_few_samples(known, science) is known


def test_the_shipped_costs_are_read():
    assert read_costs(ROOT / "workflow" / "costs.csv").known


def test_a_variant_is_expected_to_cost_what_its_method_costs():
    cheap, dear = Cost(0.0, 0.1), Cost(0.0, 9.0)
    costs = Costs({("small", 0, 2, "UEAF"): cheap, ("large", 0, 2, "UEAF-2-printed"): dear})
    small = {"dataset": "small", "samples": 0, "views": ["a", "b"]}
    assert costs.of(small, "UEAF-2-printed") == cheap
    assert costs.of(small | {"dataset": "other"}, "UEAF-3") == cheap
