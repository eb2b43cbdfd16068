"""Ranks over data sets, cost, and dots: figures and tables from made-up scores."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest

from mvclust.report.cost import cost_table, draw_cost
from mvclust.report.groups import draw_groups
from mvclust.report.ranks import draw_ranks, rank_table
from mvclust.report.style import RC
from mvclust.report.tables import write_tables

EXPERIMENT = {"title": "All", "metrics": {"ACC": "acc"}, "unit": "percent", "render": "ranks"}
METHODS = {"A": 80.0, "B": 60.0, "C": 59.0, "D": 20.0}


@pytest.fixture
def results():
    rng = np.random.default_rng(0)
    rows = [
        {
            "dataset": data, "setting": f"missing_rate={rate}", "method": method, "variant": "",
            "tuning": tuning, "metric": "ACC", "mean": level + rng.normal(), "std": 1.0,
            "n_runs": 3, "ci_low": level - 2, "ci_high": level + 2, "published": np.nan,
            "published_std": np.nan, "difference": np.nan, "x": rate, "params": "", "note": "",
            "source": "made up",
        }
        for data in ("one", "two", "three", "four")
        for rate in (0, 0.3)
        for tuning in ("oracle", "default", "label-free")
        for method, level in METHODS.items()
    ]  # fmt: skip
    return pd.DataFrame(rows)


def test_ranks_are_told_and_drawn(results, tmp_path):
    table = rank_table(EXPERIMENT, results)
    assert table.groupby("tuning")["method"].first().tolist() == ["A", "A", "A"]
    assert (table["n_blocks"] == 8).all()
    with mpl.rc_context(RC):
        draw_ranks(EXPERIMENT, results).savefig(tmp_path / "ranks.png")
    write_tables(results, EXPERIMENT, tmp_path / "ranks", table)
    assert "left out: none" in (tmp_path / "ranks.md").read_text()


def test_methods_without_enough_data_sets_are_named(results, tmp_path):
    results.loc[(results["method"] == "B") & (results["dataset"] != "one"), "mean"] = np.nan
    table = rank_table(EXPERIMENT, results)
    assert set(table["method"]) == {"A", "C", "D"}
    assert set(table["left_out"]) == {"B"}
    write_tables(results, EXPERIMENT, tmp_path / "ranks", table)
    assert "left out: B." in (tmp_path / "ranks.md").read_text()
    few = results[results["dataset"] == "one"].query("setting == 'missing_rate=0'")
    assert draw_ranks(EXPERIMENT, few) is None


@pytest.mark.parametrize("setting", ["complete", "view=1"])
def test_dots_are_drawn(results, setting, tmp_path):
    algorithms = {name: {} for name in METHODS}
    part = results[results["setting"] == "missing_rate=0"].assign(setting=setting)
    part.loc[part["method"] == "A", "published"] = 75.0
    with mpl.rc_context(RC):
        figure = draw_groups(EXPERIMENT, part, algorithms)
        figure.savefig(tmp_path / "dots.png")
    assert len(figure.axes) == 4


def test_cost_is_compared_on_what_most_methods_share(tmp_path):
    rows = [
        {
            "method": method, "dataset": "d", "views": "a+b", "n_samples": n, "setting": f"d.{n}",
            "key": f"{method}{n}{point}", "params": f'{{"p": {point}}}', "error": None,
            "cpu_seconds": n / 100 + point, "peak_mb": 100.0, "acc": 0.5 + point / 10,
        }
        for method in "AB"
        for n in (100, 200) if method == "A" or n == 100
        for point in (1, 2)
    ]  # fmt: skip
    rows.append(rows[0] | {"key": "cut", "params": '{"max_iter": 1}', "cpu_seconds": 0.001})
    table = cost_table(pd.DataFrame(rows), {"B": {"label": "Bee"}, "A": {}})
    assert table["method"].tolist() == ["Bee", "A", "A"]
    assert table["n_fits"].tolist() == [2, 2, 2]
    assert table["acc"].tolist()[:2] == [70.0, 70.0]  # the best of the two points
    assert np.isnan(table["acc"].iloc[2])
    with mpl.rc_context(RC):
        draw_cost(table, {"B": {"label": "Bee"}, "A": {}}).savefig(tmp_path / "cost.png")
