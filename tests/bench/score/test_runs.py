"""The table of runs has typed columns, and says when its file is damaged."""

import numpy as np
import pandas as pd
import pytest
from bench.blobs import SETTING, make_dataset, planned, prepare, run, scored

from mvclust.bench.fit.masks import draw_masks
from mvclust.bench.score.runs import merge_runs, read_runs, runs_table, write_costs, write_runs
from mvclust.datasets.files import DamagedFile
from mvclust.metrics import INTERNAL, SCORES, Metric, Silhouettes
from mvclust.numerics.scaling import balanced

BSV = "mvclust.estimators.best_single_view.BestSingleView"
MULTINMF = "mvclust.estimators.multinmf.MultiNMF"
READ_OFF = [{"fill": "mean", "max_iter": 20, "labels": labels} for labels in ("kmeans", "argmax")]


@pytest.fixture(scope="module")
def tables(tmp_path_factory):
    """Of DAIMC, of a method whose parameter is a number or a word, of one that shares solutions."""
    folder = prepare(tmp_path_factory.mktemp("runs"))
    words = [{"view": "silhouette", "scale": None}, {"view": 0, "scale": "sample_unit"}]
    jobs = [planned(), planned(BSV, words, method="BestSingleView")]
    jobs.append(planned(BSV, words[1:], method="BestSingleView-first"))
    jobs.append(planned(MULTINMF, READ_OFF, method="MultiNMF"))
    return [runs_table(scored(folder, run(folder, use))) for use in jobs]


def test_a_metric_that_is_added_to_the_list_is_computed_for_every_fit(tmp_path, monkeypatch):
    """So adding one touches its module and its test."""
    mine = [
        Metric("largest", "share of a cell", lambda table: table.max() / table.sum()),
        Metric("n_found", "number of clusters", lambda _, labels: len(set(labels)), "instances"),
        Metric("n_starts", "number of fits", lambda parts: np.full(len(parts), 7.0), "partitions"),
    ]
    for metric in mine:
        monkeypatch.setitem(SCORES, metric.name, metric)
    folder = prepare(tmp_path)
    fits = run(folder, planned())
    table = runs_table(scored(folder, fits))
    assert table["largest"].between(0.3, 0.4).all()
    assert (table[["n_found", "n_starts"]] == [3, 7]).all(axis=None)
    lost = runs_table(scored(folder, [fit | {"labels": None, "error": "no"} for fit in fits]))
    assert lost[[metric.name for metric in mine]].isna().all(axis=None)


def test_partitions_are_scored_under_the_mask_of_their_fit(tables):
    data, presence = make_dataset(), draw_masks(make_dataset(), SETTING, 2, 0)["presence"]
    for row in tables[0].itertuples():
        observed = presence[row.repetition]
        Xs = [balanced(X, of_view) for X, of_view in zip(data.Xs, observed.T, strict=True)]
        assert getattr(row, INTERNAL) == Silhouettes(Xs, observed).of(row.labels)


def test_columns_are_typed(tables, tmp_path):
    table = merge_runs(tables)
    write_runs(table, tmp_path / "runs.parquet")
    read = read_runs(tmp_path / "runs.parquet", set(table["key"]))
    assert read["param_alpha"].dropna().unique().tolist() == [0.1, 10]
    assert set(read["param_view"].dropna()) == {"silhouette", "0"}
    assert read["missing_rate"].eq(0.3).all()
    assert read["paired_rate"].isna().all()
    assert [*read["views"].iloc[0]] == ["a", "b", "c"]
    assert read["labels"].iloc[0].dtype.kind == "i"
    assert "params" not in read


def test_shared_fits_are_kept_once_whatever_the_order(tables):
    forth, back = merge_runs([*tables, tables[0]]), merge_runs(tables[::-1])
    assert forth["key"].is_unique
    assert len(forth) == sum(map(len, tables))
    assert set(forth["key"]) == set(back["key"])


def test_a_cut_table_is_named(tables, tmp_path):
    path = tmp_path / "runs.parquet"
    write_runs(tables[0], path)
    with pytest.raises(DamagedFile, match="1 of 1 fits are not in it"):
        read_runs(path, {"another"})


def test_costs_are_what_the_run_spent(tables, tmp_path):
    write_costs(merge_runs(tables), tmp_path / "costs.csv")
    costs = pd.read_csv(tmp_path / "costs.csv").set_index("method")
    assert (costs["start_cpu_seconds"] >= 0).all()
    assert (costs["fit_cpu_seconds"] > 0).all()
    for name, table in (("DAIMC", tables[0]), ("MultiNMF", tables[-1])):
        mine = costs.loc[name]
        assert mine["fits"] == 4
        assert mine["memory_mb"] == pytest.approx(table["peak_mb"].max(), abs=1e-3)
        spent = mine["masks"] * mine["start_cpu_seconds"] + mine["fits"] * mine["fit_cpu_seconds"]
        assert spent == pytest.approx(table["spent_cpu_seconds"].sum(), abs=1e-3)
    alone = table["cpu_seconds"] - table["start_cpu_seconds"]
    assert (table["spent_cpu_seconds"] < alone).sum() == 2  # one of the two fits on each mask
