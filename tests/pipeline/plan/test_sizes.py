"""The forecast of a run on new data follows from their size."""

import numpy as np
from helpers import ROOT

from mvclust.pipeline.config.load import load_run
from mvclust.pipeline.own import own_run
from mvclust.pipeline.plan.costs import Costs, forecast, read_costs
from mvclust.pipeline.plan.plan import Plan
from mvclust.pipeline.plan.sizes import for_new_data, sizes_of

SHIPPED = read_costs(ROOT / "workflow" / "costs.csv")


def minutes_of(tmp_path, name, n_features):
    rng = np.random.default_rng(0)
    np.savez(tmp_path / f"{name}.npz", a=rng.random((40, n_features)), b=rng.random((40, 3)))
    file, _ = own_run(tmp_path / f"{name}.npz", tmp_path / "own", ROOT, n_clusters=3, features=0)
    configuration = load_run(file, ROOT)
    plan = Plan(configuration, ROOT, SHIPPED)
    costs = for_new_data(SHIPPED, sizes_of(configuration.datasets))
    text = forecast(plan, list(plan.papers), costs)
    return int(text.partition("about ")[2].split()[0])


def test_larger_data_are_expected_to_take_longer(tmp_path):
    small, large = minutes_of(tmp_path, "small", 5), minutes_of(tmp_path, "large", 100_000)
    assert small < 10 < large


def test_known_costs_stay_as_they_are():
    sizes = dict.fromkeys({key[0] for key in SHIPPED.known}, 1000)
    assert for_new_data(SHIPPED, sizes).known == SHIPPED.known
    assert for_new_data(Costs({}), {"mine": 5}).known == {}
