"""The page on what gains rest on, from made-up tables."""

import pandas as pd
import pytest

from docs import make_audit
from mvclust.bench.report.tables import CSV

METHODS = ("good", "sorted", "reference")


def row(**cells):
    kept = dict.fromkeys(CSV) | {"std": 1.0, "n_runs": 10, "metric": "ACC", "mean": 50.0} | cells
    return kept | {"ci_low": kept["mean"] - 1, "ci_high": kept["mean"] + 1}


@pytest.fixture
def run(tmp_path, monkeypatch):
    """A run with one method above the reference, and one that lives by the order of the file."""
    datasets = [f"d{i}" for i in range(6)]
    level = {"good": 60.0, "sorted": 50.0, "reference": 50.0}
    by_labels = {("sorted", "oracle"): 4.0}
    overview = [
        row(
            dataset=dataset, setting=f"incomplete_rate={rate}", method=method, tuning=tuning,
            mean=level[method] + by_labels.get((method, tuning), 0.0) + i / 10,
            grid_points=3 if method == "sorted" else 1,
        )
        for i, dataset in enumerate(datasets)
        for rate in (0.1, 0.5)
        for method in METHODS
        for tuning in make_audit.TUNINGS
    ]  # fmt: skip

    def swept(axis, values, score):
        return [
            row(
                dataset=dataset, setting="complete", method=method, tuning="fixed",
                params=f"{axis}={value}", mean=score(method, value),
            )
            for dataset in datasets[:3] for method in METHODS for value in values
        ]  # fmt: skip

    tables = {
        "modern_overview": overview,
        "audit_order": swept(
            "order", range(4), lambda m, v: 90.0 if (m, v) == ("sorted", 0) else 50.0 + v
        ),
        "audit_starts": swept("start", range(3), lambda _, v: 50.0 + 3 * v),
        "audit_iterations": swept("max_iter", (1, 5, 50), lambda _, v: 60.0 if v == 5 else 50.0),
    }
    for name, rows in tables.items():
        pd.DataFrame(rows)[list(CSV)].to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.setattr(make_audit, "RUN", tmp_path)
    return tmp_path


def test_methods_stand_beside_the_reference_over_the_rates(run):
    _, beside = make_audit.overall(["reference"])
    found = beside[beside["tuning"] == "label-free"].set_index("method")
    assert found["difference"].round(6).to_dict() == {"good": 10.0, "sorted": 0.0}
    assert found.loc["good", ["n_datasets", "above", "below"]].tolist() == [6, 6, 0]
    text = make_audit.beside_table(beside, ["good"])
    assert "| **good** | +10.0 [10.0, 10.0]" in text


def test_a_method_that_lives_by_the_order_is_found(run):
    effects = make_audit.order_effects().groupby("method").mean()
    assert effects.loc["sorted", "gain"] == 90 - 52
    assert effects.loc["sorted", "above"] == 1
    assert effects.loc["good", "gain"] == 50 - 52
    first = make_audit.order_table().splitlines()[2]
    assert first.startswith("| sorted | 90.0 | 52.0 | +38.0 |")


def test_what_choices_by_labels_add(run):
    means, _ = make_audit.overall(["reference"])
    gains = make_audit.inflation(means)
    assert gains.loc["sorted", "parameters"] == pytest.approx(4.0)
    assert pd.isna(gains.loc["good", "parameters"])  # one point: there is nothing to choose
    assert gains["start"].tolist() == [3.0] * 3
    assert gains["iteration"].tolist() == [10.0] * 3
    assert "| sorted | 4.0 | 4.0 | 3.0 | 10.0 |" in make_audit.inflation_table(gains)
