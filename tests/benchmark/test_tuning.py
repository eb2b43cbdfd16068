"""Three ways of tuning, and published numbers beside ours."""

import numpy as np
import pandas as pd
import pytest
import yaml
from helpers import ROOT
from scipy import stats

from mvclust.benchmark.config import check_config
from mvclust.benchmark.plan import Plan
from mvclust.benchmark.statistics import summarise
from mvclust.benchmark.tuning import results_of


@pytest.fixture(scope="module")
def plan():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    config["budget"] |= {"repetitions": None, "grid_points": None, "sweep_points": None}
    return Plan(check_config(config, ROOT, [ROOT / "config/config.yaml"]))


@pytest.fixture(scope="module")
def published():
    return pd.read_csv(ROOT / "config/published.csv")


def made_up_runs(plan, name):
    """Runs in which accuracy and the internal criterion prefer different grid points."""
    rows = []
    for fit in plan.fits_of(name):
        params = yaml.safe_load(fit.params)
        oracle_point = params.get("alpha") == 100 and params.get("beta") == 10
        free_point = params.get("alpha") == 0.1 and params.get("beta") == fit_beta(fit.repetition)
        rows.append(
            {
                "key": fit.key,
                "setting": fit.setting.id,
                "method": fit.method,
                "repetition": fit.repetition,
                "params": fit.params,
                "variant": params.get("variant", ""),
                "acc": (0.9 if oracle_point else 0.5) + 0.01 * fit.repetition,
                "nmi_max": 0.4,
                "purity": 0.6,
                "simplified_silhouette": 0.8 if free_point else 0.1,
                "error": None,
                "source": "made up",
            }
        )
    return pd.DataFrame(rows)


def fit_beta(repetition):
    return 0.1 if repetition % 2 else 1


def pick(results, **where):
    for column, value in where.items():
        results = results[results[column] == value]
    return results


def test_three_tunings_choose_as_they_say(plan, published):
    results = results_of(plan, "ueaf_table2", made_up_runs(plan, "ueaf_table2"), published)
    acc = pick(results, method="DAIMC", metric="ACC", setting="paired_rate=0.3").set_index("tuning")
    assert list(acc.index) == ["oracle", "default", "label-free"]
    assert acc.loc["oracle", "params"] == "alpha=100, beta=10"
    assert acc.loc["default", "params"] == "alpha=10, beta=1"
    # The label-free choice is made for each mask by itself.
    assert acc.loc["label-free", "params"] == "alpha=0.1, beta=0.1 | alpha=0.1, beta=1"
    np.testing.assert_allclose(acc["mean"], [92, 52, 52])
    assert (acc["n_runs"] == 5).all()
    assert set(acc["variant"]) == {"author"}


def test_published_numbers_stand_beside_ours_in_their_unit(plan, published):
    results = results_of(plan, "ueaf_table2", made_up_runs(plan, "ueaf_table2"), published)
    (row,) = pick(
        results, method="DAIMC", metric="NMI", setting="paired_rate=0.7", tuning="oracle"
    ).to_dict("records")
    printed = pick(
        published, item="table2", dataset="Handwritten", method="DAIMC", metric="nmi",
        setting="paired_rate=0.7", paper="ueaf",
    )  # fmt: skip
    assert row["published"] == printed["mean"].item() == 66.63
    np.testing.assert_allclose(row["difference"], 40 - 66.63)
    ours_alone = pick(results, method="spectral, kNN-filled")
    assert ours_alone["published"].isna().all()
    # nine methods; 4 rates, 3 metrics, 3 tunings
    assert results["published"].notna().sum() == 9 * 4 * 3 * 3


def test_columns_of_the_contract_come_first(plan, published):
    results = results_of(plan, "ueaf_table2", made_up_runs(plan, "ueaf_table2"), published)
    contract = (
        "dataset,setting,method,variant,tuning,metric,mean,std,n_runs,ci_low,ci_high,"
        "published,published_std,difference"
    )
    assert list(results.columns)[:14] == contract.split(",")


def test_failed_fits_are_left_out_and_noted(plan, published):
    runs = made_up_runs(plan, "ueaf_table2")
    concat = runs["method"].eq("Concat") & runs["repetition"].eq(0)
    runs.loc[concat, ["acc", "nmi_max", "purity", "simplified_silhouette"]] = np.nan
    runs.loc[concat, "error"] = "ValueError: no"
    results = results_of(plan, "ueaf_table2", runs, published)
    part = pick(results, method="Concat")
    assert (part["n_runs"][part["tuning"] != "label-free"] == 4).all()
    assert part["note"].str.startswith("1 of 5 fits failed: ValueError: no").all()


def test_a_sweep_shows_every_point(plan, published):
    runs = made_up_runs(plan, "daimc_fig2cd").assign(nmi_arithmetic=0.3)
    results = results_of(plan, "daimc_fig2cd", runs, published)
    assert set(results["tuning"]) == {"fixed"}
    assert len(results) == 64 * 2 * 2
    assert results["mean"].max() < 1  # this paper prints fractions


def test_intervals_hold_nothing_that_a_score_cannot_be(plan, published):
    runs = made_up_runs(plan, "ueaf_table2")
    runs["acc"] = np.where(runs["repetition"] < 4, 1.0, 0.9)  # the interval would pass 100 %
    runs["nmi_max"] = np.where(runs["repetition"] < 4, 0.0, 0.1)
    results = results_of(plan, "ueaf_table2", runs, published)
    default = results[results["tuning"] == "default"]
    assert (default.loc[default["metric"] == "ACC", "ci_high"] == 100).all()
    assert (default.loc[default["metric"] == "NMI", "ci_low"] == 0).all()
    assert (default["ci_low"] <= default["mean"]).all()
    assert (default["mean"] <= default["ci_high"]).all()


def test_summary_is_the_student_interval():
    values = [0.2, 0.5, 0.9, np.nan]
    ours = summarise(values)
    low, high = stats.t.interval(0.95, 2, np.mean(values[:3]), stats.sem(values[:3]))
    np.testing.assert_allclose([ours["ci_low"], ours["ci_high"]], [low, high])
    assert ours["n_runs"] == 3
    assert np.isnan(summarise([0.5])["std"])
    assert summarise([])["n_runs"] == 0
