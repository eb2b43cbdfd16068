"""Published numbers beside ours."""

import numpy as np
import pandas as pd
import pytest
import yaml
from helpers import ROOT

from mvclust.benchmark.config import check_config
from mvclust.benchmark.plan import Plan
from mvclust.metrics import score
from mvclust.report.published import (
    compare,
    exchanged_columns,
    exchanged_in_mpac,
    shares,
    write_comparison,
)


@pytest.fixture(scope="module")
def plan():
    config = yaml.safe_load((ROOT / "config/config.yaml").read_text())
    return Plan(check_config(config, ROOT, [ROOT / "config/config.yaml"]))


@pytest.fixture(scope="module")
def published():
    return pd.read_csv(ROOT / "config/published.csv")


def table_of(rows, n_runs=5):
    columns = ["dataset", "setting", "method", "tuning", "metric", "mean", "ci_low", "ci_high"]
    return pd.DataFrame(rows, columns=columns).assign(note="", n_runs=n_runs)


def test_each_verdict(plan, published):
    def number(metric, method="DAIMC"):
        keys = ["ueaf", "table2", "Handwritten", "paired_rate=0.1", method, metric]
        where = (
            published[["paper", "item", "dataset", "setting", "method", "metric"]] == keys
        ).all(axis=1)
        return float(published.loc[where, "mean"].iloc[0])

    rows = [
        (
            "Handwritten",
            "paired_rate=0.1",
            method,
            "oracle",
            metric,
            number(name, method) + shift,
            *interval,
        )
        for method, metric, name, shift, interval in [
            ("DAIMC", "ACC", "acc", -1.9, (np.nan, np.nan)),
            ("DAIMC", "NMI", "nmi", 4.0, (0.0, 100.0)),
            ("DAIMC", "purity", "purity", 4.0, (99.0, 100.0)),
            ("BSV", "ACC", "acc", -4.0, (0.0, 1.0)),
            ("BSV", "NMI", "nmi", np.nan, (np.nan, np.nan)),
        ]
    ]
    rows.append(("Handwritten", "paired_rate=0.1", "DAIMC", "default", "ACC", 1.0, 0.0, 2.0))
    comparison = compare(plan, {"ueaf_table2": table_of(rows)}, published)
    assert len(comparison) == len(published) == 662
    there = comparison[comparison["experiment"] == "ueaf_table2"]
    verdicts = dict(zip(there["method"] + there["metric"], there["verdict"], strict=True))
    assert verdicts == {
        "DAIMCacc": "within 2 points",
        "DAIMCnmi": "within the interval",
        "DAIMCpurity": "better",
        "BSVacc": "worse",
        "BSVnmi": "not available",
    }
    two_runs = compare(plan, {"ueaf_table2": table_of(rows, n_runs=2)}, published)
    assert (two_runs["verdict"] == "within the interval").sum() == 0
    summary = shares(comparison, "paper").set_index("paper")
    assert summary.loc["all", "numbers"] == 662
    assert summary.loc["ueaf", "holds (%)"] == 50.0
    assert (comparison["note"][comparison["experiment"] == ""] == "not in this run").all()


def test_all_numbers_are_in_percent(plan, published):
    comparison = compare(plan, {}, published)
    assert comparison["published"].max() <= 100
    assert comparison.groupby(["paper", "item"])["published"].max().min() > 40


def test_exchange_is_found_in_made_up_numbers():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], [30, 20, 10])
    labels = np.where(rng.random(60) < 0.7, y, rng.integers(3, size=60))
    scores = score(y, labels)
    rows = [
        {"method": "m", "metric": name, "mean": scores[ours]}
        for name, ours in [("precision", "recall"), ("recall", "precision"), ("ari", "ari")]
    ]
    found = exchanged_columns(pd.DataFrame(rows), [30, 20, 10]).iloc[0]
    assert found["ari_exchanged"] == pytest.approx(scores["ari"])
    assert found["ari_as_printed"] != pytest.approx(scores["ari"])


def test_mpac_prints_precision_and_recall_exchanged(plan, published):
    table = exchanged_in_mpac(plan, published).set_index("method")
    assert table.loc["mPAC", "ari_exchanged"] == pytest.approx(table.loc["mPAC", "ari"], abs=1e-3)
    assert abs(table.loc["mPAC", "ari_as_printed"] - table.loc["mPAC", "ari"]) > 0.02


def test_files(plan, published, tmp_path):
    (tmp_path / "tables").mkdir()
    (tmp_path / "figures").mkdir()
    write_comparison(compare(plan, {}, published), exchanged_in_mpac(plan, published), tmp_path)
    assert len(pd.read_csv(tmp_path / "tables/published_vs_reproduced.csv")) == 662
    assert (tmp_path / "figures/published_vs_reproduced.pdf").stat().st_size > 1000
