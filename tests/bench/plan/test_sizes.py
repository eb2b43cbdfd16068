"""The forecast of a run on new data follows from their size."""

import numpy as np
import pytest
from bench.planned import edited
from helpers import ROOT

from mvclust.bench.config.load import load_run
from mvclust.bench.plan import costs as forecasts
from mvclust.bench.plan.costs import Cost, Costs, for_few_samples, for_new_data, read_costs
from mvclust.bench.plan.plan import Plan
from mvclust.own.run import own_run

SHIPPED = read_costs(ROOT / "workflow" / "costs.csv")


def minutes_of(tmp_path, name, n_features):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / f"{name}.npz", a=rng.random((40, n_features)), b=rng.random((40, 3)))
    of_all = {"n_clusters": 3, "methods": ["all"], "features": 0}
    file, _ = own_run(tmp_path / f"{name}.npz", tmp_path / "own", ROOT, **of_all)
    configuration = load_run(file, ROOT)
    plan = Plan(configuration, ROOT, SHIPPED)
    costs = forecasts.known_costs(SHIPPED, plan.folders, configuration)
    text = forecasts.forecast(plan, list(plan.papers), costs)
    return int(text.partition("about ")[2].split()[0])


def test_larger_data_are_expected_to_take_longer(tmp_path):
    small, large = minutes_of(tmp_path, "small", 5), minutes_of(tmp_path, "large", 20_000)
    assert small < 10 < large


def test_few_samples_of_each_class_are_expected_to_take_their_share():
    runs = {name: load_run(ROOT / f"config/runs/{name}.yaml", ROOT) for name in ("smoke", "paper")}
    assert for_few_samples(SHIPPED, runs["paper"]) is SHIPPED
    few = for_few_samples(SHIPPED, runs["smoke"])
    assert few.known.keys() == SHIPPED.known.keys()
    for drawn, of in ((0, 2000), (500, 500)):  # 8 digits of each of 10 classes
        known, expected = (c.known["handwritten", drawn, 5, "DAIMC"] for c in (SHIPPED, few))
        assert expected.fit == pytest.approx(known.fit * 80 / of)
        assert expected.memory_mb == known.memory_mb
    whole = edited(runs["smoke"], run={"budget": {"samples_per_class": 10**6}})
    assert for_few_samples(SHIPPED, whole).known == SHIPPED.known


def test_known_costs_stay_as_they_are():
    sizes = dict.fromkeys({key[0] for key in SHIPPED.known}, 1000)
    assert for_new_data(SHIPPED, sizes).known == SHIPPED.known
    assert for_new_data(Costs({}), {"mine": 5}).known == {}


def test_a_variant_is_expected_to_cost_what_its_method_costs():
    cheap, dear = Cost(0.0, 0.1), Cost(0.0, 9.0)
    costs = Costs({("small", 0, 2, "UEAF"): cheap, ("large", 0, 2, "UEAF-2-printed"): dear})
    small = {"dataset": "small", "samples": 0, "views": ["a", "b"]}
    assert costs.of(small, "UEAF-2-printed") == cheap
    assert costs.of(small | {"dataset": "other"}, "UEAF-3") == cheap


def test_what_new_data_are_expected_to_cost_is_expected_of_them_alone():
    known = Costs({("small", 0, 2, "UEAF"): Cost(0.0, 0.1)})
    costs = for_new_data(known, {"small": 10, "huge": 10**6})
    huge, third = ({"dataset": name, "samples": 0, "views": ["a"]} for name in ("huge", "third"))
    assert costs.of(huge, "UEAF").fit == pytest.approx(1e4)
    assert costs.of(third, "UEAF") == Cost(0.0, 0.1)
