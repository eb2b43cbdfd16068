"""Three ways of tuning, and published numbers beside ours."""

import numpy as np
import pandas as pd
import pytest
from bench.planned import configuration_of, lay_out, plan_of
from matplotlib.colors import to_hex

from mvclust.bench.report.groups import draw_groups
from mvclust.bench.report.tables import to_csv
from mvclust.bench.score.results import read_results, write_results
from mvclust.bench.score.tuning import COLUMNS, CRITERIA, Criterion, results_of
from mvclust.datasets.files import DamagedFile
from mvclust.metrics import SCORES, Metric

EVERY = ["rates", "weights", "surface", "paired", "mapped"]
CELL = {"method": "DAIMC", "metric": "ACC", "missing_rate": 0.3, "dataset": "Digits"}
VIEWS = [{"acc": 0.8}, {"acc": 0.6}]


@pytest.fixture(scope="module")
def slices(tmp_path_factory):
    folder = lay_out(tmp_path_factory.mktemp("tuning"))
    budget = dict.fromkeys(("repetitions", "grid_points", "sweep_points", "pairs"))
    configuration = configuration_of(folder, experiments=EVERY, datasets=None, budget=budget)
    return plan_of(configuration).slices["experiment"]


def made_up_runs(used, views=None):
    """Runs in which accuracy and the internal criterion prefer different grid points."""
    rows = [
        {
            "key": key, "method": method, "repetition": repetition, "number": number,
            "acc": (0.9 if point["values"].get("alpha") == 0.1 else 0.5) + 0.01 * repetition,
            "nmi_max": 0.4, "nmi_arithmetic": 0.3, "per_view": views, "n_samples": 40,
            "simplified_silhouette": 0.8 if number == 1 + repetition % 2 else 0.1,
            "n_samples_declared": 40, "error": None, "source": "made up",
        }
        for case in used["cases"]
        for method, points in case["points"].items()
        for number, point in enumerate(points)
        for repetition, key in enumerate(point["keys"])
    ]  # fmt: skip
    return pd.DataFrame(rows).drop_duplicates("key")


def pick(results, **where):
    return results[(results[[*where]] == [*where.values()]).all(axis=1)]


def test_three_tunings_choose_as_they_say(slices):
    results = results_of(slices["rates"], made_up_runs(slices["rates"]))
    acc = pick(results, **CELL)
    first = {"alpha": 0.1, "beta": 0.1}
    assert dict(zip(acc["tuning"], acc["points"], strict=True)) == {
        "oracle": [first],  # of equal ones the first
        "default": [{"alpha": 10, "beta": 1}],
        "label-free": [first, {"alpha": 0.1, "beta": 1}],  # for each mask by itself
    }
    np.testing.assert_allclose(acc["mean"], [0.92, 0.52, 0.92])
    assert (acc["n_runs"] == 5).all()
    assert set(acc["variant"]) == {"author"}


def test_means_that_differ_by_rounding_leave_the_choice_to_the_order_of_the_grid(slices):
    used = slices["rates"]
    runs = made_up_runs(used)
    runs["simplified_silhouette"] = 0.3 + 1e-16 * runs["number"]
    scores = np.array([[0.1, 0.2, 0.3, 0.0, 0.0], [0.0, 0.0, 0.3, 0.2, 0.1]])
    assert len(set(map(np.mean, scores))) == 2
    for first in (0, 1):
        runs["acc"] = scores[(first + runs["number"]) % 2, runs["repetition"]]
        results = results_of(used, runs)
        oracle, default, free = (
            pick(results, tuning=tuning)["points"].tolist()
            for tuning in ("oracle", "default", "label-free")
        )
        assert oracle == free == default


@pytest.mark.parametrize("chooses", [True, False])
def test_a_criterion_that_is_added_is_in_tables_and_figures(slices, monkeypatch, chooses):
    """So adding one touches its module and its test."""

    def choose(runs):
        return np.arange(len(runs[0]["acc"])) % min(2, len(runs)) if chooses else None

    mine = Criterion("in turn", choose, False, "#123456", "the first two points in turn")
    monkeypatch.setitem(CRITERIA, mine.name, mine)
    used = slices["rates"]
    results = results_of(used, made_up_runs(used))
    row = pick(results, tuning="in turn", **CELL)
    assert len(row) == chooses
    drawn = draw_groups(used, results)
    colours = {to_hex(line.get_color()) for axes in drawn.axes for line in axes.lines}
    assert ("#123456" in colours) == chooses
    if chooses:
        assert row["points"].tolist() == [[{"alpha": 10, "beta": 1}, {"alpha": 0.1, "beta": 0.1}]]
        assert "in turn" in to_csv(results)
        assert "in turn" in [text.get_text() for text in drawn.legends[0].get_texts()]


def test_a_metric_that_is_added_to_the_list_is_in_the_results(slices, monkeypatch):
    monkeypatch.setitem(SCORES, "loss", Metric("loss", "a loss", len, bounds=(-0.05, 0.0)))
    used = slices["rates"] | {"metrics": {"Loss": "loss"}}
    runs = made_up_runs(used)
    runs["loss"] = -0.1 * (runs["repetition"] == 0)
    results = results_of(used, runs)
    assert set(results["metric"]) == {"Loss"}
    np.testing.assert_allclose(results["mean"], -0.02)  # one of five masks
    assert (results[["ci_low", "ci_high"]] == [-0.05, 0]).all(axis=None)


def test_failed_fits_are_left_out_and_noted(slices):
    runs = made_up_runs(slices["paired"])
    failed = runs["method"].eq("PVC") & runs["repetition"].eq(0)
    runs.loc[failed, ["acc", "nmi_max", "simplified_silhouette"]] = np.nan
    runs.loc[failed, "error"] = "ValueError: no"
    part = pick(results_of(slices["paired"], runs), method="PVC")
    assert (part["n_runs"] == 4).all()
    assert part["note"].str.startswith("1 of 5 fits failed: ValueError: no").all()


@pytest.mark.parametrize("name", EVERY)
@pytest.mark.parametrize("error", ["ValueError: no", "data not available"])
def test_an_experiment_of_which_every_fit_failed_has_all_its_rows(slices, name, error):
    runs = made_up_runs(slices[name], VIEWS)
    scores = ["acc", "nmi_max", "nmi_arithmetic", "simplified_silhouette"]
    failed = runs.assign(
        error=error, per_view=None, n_samples=None, n_samples_declared=None, source="",
        **dict.fromkeys(scores, np.nan),
    )  # fmt: skip
    results = results_of(slices[name], failed)
    assert list(results.columns) == COLUMNS
    assert len(results) == len(results_of(slices[name], runs))
    assert results[["mean", "n_samples"]].isna().all(axis=None)
    assert (results["n_runs"] == 0).all()
    assert results["note"].ne("").all()


def test_intervals_hold_nothing_that_a_score_cannot_be(slices):
    runs = made_up_runs(slices["paired"])
    runs["acc"] = np.where(runs["repetition"] < 4, 1.0, 0.9)  # the interval would pass 100 %
    runs["nmi_max"] = np.where(runs["repetition"] < 4, 0.0, 0.1)
    default = pick(results_of(slices["paired"], runs), tuning="default")
    assert (pick(default, metric="ACC")["ci_high"] == 100).all()
    assert (pick(default, metric="NMI")["ci_low"] == 0).all()
    assert default["mean"].between(default["ci_low"], default["ci_high"]).all()


@pytest.mark.parametrize("name", EVERY)
def test_results_survive_their_file(slices, name, tmp_path):
    path = tmp_path / "results.json"
    results = results_of(slices[name], made_up_runs(slices[name], VIEWS))
    write_results(results, path)
    pd.testing.assert_frame_equal(read_results(path)[0], results)
    path.write_text(path.read_text()[:-20])
    with pytest.raises(DamagedFile, match=r"results\.json is damaged"):
        read_results(path)
