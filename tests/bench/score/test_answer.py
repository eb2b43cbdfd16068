"""The answer on samples: ids survive, the method is the one that others agree with."""

import json
import os
import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from bench.blobs import SETTING, VIEWS, make_dataset

from mvclust.bench.fit.masks import draw_masks, write_masks
from mvclust.bench.report.answering import write_answer
from mvclust.bench.score.answer import answer_of
from mvclust.bench.score.runs import write_runs
from mvclust.datasets.record import write_dataset
from mvclust.own.answer import summary_of

IDS = [f"patient {n}" for n in range(45)]
Y = make_dataset().y
ODD = np.where(np.arange(45) % 2, 0, Y)  # agrees with nobody
LABELS = {"A": ODD, "B": Y, "C": np.where(np.arange(45) == 3, 2, Y), "D": None}


@pytest.fixture(scope="module")
def used(tmp_path_factory):
    """A slice whose inputs are on disk: four methods, of which D failed; B has two points."""
    folder = tmp_path_factory.mktemp("answer")
    data = make_dataset()
    named = zip(VIEWS, data.Xs, strict=True)
    names = [[f"{view} gene {j}" for j in range(X.shape[1])] for view, X in named]
    data = replace(data, ids=IDS, feature_names=names)
    write_dataset(data, folder / "blobs.h5")
    write_masks({SETTING.id: draw_masks(data, SETTING, 1, 0)}, folder / "blobs.npz")
    rows = [("A", ODD, None, 0.9), *((m, LABELS[m], None, 0.5) for m in "BC")]
    rows += [("D", None, "singular matrix", 0.5), ("B2", ODD, None, 0.1)]
    columns = ["key", "labels", "error", "simplified_silhouette"]
    write_runs(pd.DataFrame(rows, columns=columns), folder / "scores.parquet")
    points = {m: [{"keys": [m], "params": {"max_iter": 5}}] for m in LABELS}
    points["B"].insert(0, {"keys": ["B2"], "params": {"max_iter": 6}})
    estimator = {"estimator": "mvclust.estimators.daimc.DAIMC", "code": ""}
    return {
        "label": "blobs", "setting": SETTING.record, "points": points, "seed": 0,
        "inputs": {
            "data": {"blobs": str(folder / "blobs.h5")},
            "masks": {SETTING.masks: str(folder / "blobs.npz")},
            "scores": [str(folder / "scores.parquet")],
        },
        "methods": [{"key": m, "label": f"method {m}"} for m in LABELS],
        "estimators": dict.fromkeys(LABELS, estimator), "perturbed_fits": 4, "survival": None,
        "gaps": None,
        "facts": {"plate": [str(y % 2) for y in Y], "age": [f"{n}" for n in range(45)]},
        "limits": {"seconds": None, "memory_mb": None},
    }  # fmt: skip


@pytest.fixture(scope="module")
def answer(used):
    return answer_of(used)


def test_labels_have_the_names_of_the_samples_and_those_of_every_method(answer):
    table = answer.labels
    assert table["sample"].tolist() == IDS
    assert list(table)[:5] == ["sample", "cluster", "certainty", "silhouette", "class"]
    assert set(table.columns[5:]) == {"method A", "method B", "method C"}
    assert table["certainty"].dropna().between(0, 1).all()
    assert (table["cluster"] == table["method B"]).all()
    assert (table["method C"] != table["cluster"]).sum() == 1  # matched to the chosen clusters


def test_the_method_is_chosen_by_agreement_and_its_parameters_by_the_silhouette(answer):
    """A has the best silhouette, and agrees with nobody; B's first point has a worse one."""
    chosen = {"method": "method B", "parameters": {"max_iter": 5}, "known_classes": 1}
    assert answer.facts | chosen == answer.facts
    assert answer.agreement.index[0] == "method B"
    failed = [m for m in answer.facts["methods"] if m["error"]]
    unknown = dict.fromkeys(("clusters", "agreement", "silhouette"))
    assert failed == [{"method": "method D", "error": "singular matrix"} | unknown]


def test_clusters_have_size_stability_views_and_features(answer):
    table = answer.clusters
    assert table["size"].tolist() == [15, 15, 15]
    assert table["stability"].between(0, 1).all()
    shares = table[[f"present: {view}" for view in VIEWS]]
    assert shares.mean().round(2).tolist() == [round(1 - round(0.3 * 45) / 45, 2)] * 3
    assert table["features: a"].str.startswith("a gene ").all()
    effects = answer.features.groupby(["cluster", "view"])["effect"].first()
    assert (effects.abs() > 1).all()
    assert answer.values.columns.tolist() == answer.heat.index.tolist()
    np.testing.assert_allclose(answer.values.mean(), 0, atol=1e-9)  # standardised
    assert answer.values.isna().any(axis=None)


def test_the_tables_are_one_object_for_programs(answer, tmp_path):
    write_answer(answer, tmp_path)
    content = json.loads((tmp_path / "answer.json").read_text())
    names = "labels", "clusters", "features", "facts"
    assert content["files"] == [str(tmp_path / f"{name}.csv") for name in names]
    assert len(content["clusters"]) == 3
    table = pd.read_csv(tmp_path / "labels.csv")
    for column in ("sample", "cluster"):
        assert table[column].tolist() == [row[column] for row in content["labels"]]


def test_a_batch_that_clusters_follow_is_said_first(answer):
    summary = answer.facts["summary"]
    assert summary[0].startswith("The clusters follow plate (Cramér's V 1.00, p = ")
    assert "45 samples in 3 clusters by method B." in summary
    found = answer.associations["fact"].tolist()
    assert [f for f in found if not f.startswith("presence of ")] == ["plate", "age"]


def test_agreement_says_what_it_compares_and_no_groups_are_said_first(answer):
    """A agrees with nobody, C nearly with B: the mean says little of B."""
    facts = answer.facts
    assert (facts["other_methods"], facts["alike"]) == (2, 1)
    (said,) = [s for s in facts["summary"] if "other method" in s]
    assert said.startswith("1 of 2 other methods gives nearly the same clusters (adjusted Rand")
    assert said.endswith("This compares methods with each other, not with the truth.")

    def first(p_value, **changes):
        structure = {"p_value": p_value, "sentence": "A sentence."}
        return summary_of(facts | {"batch": None, "structure": structure} | changes)[0]

    assert first(0.6) == "Perhaps there are no clusters. A sentence."
    assert first(0.01).startswith("45 samples")
    assert first(0.01, alike=0).startswith("0 of 2 other methods give nearly")
    assert first(np.nan) == "A sentence."


def test_survival_is_tested_for_the_partition_of_every_method(used, answer):
    assert answer.facts["survival"] is None
    time = np.where(Y == 0, 10, 1) + np.arange(45) / 45
    known = {"time": [None, *time[1:].tolist()], "event": [1.0] * 45}
    again = answer_of(used | {"survival": known})
    found = again.facts["survival"]
    assert (found["patients"], found["events"]) == (44, 44)
    assert [curve["cluster"] for curve in found["curves"]] == [1, 2, 3]
    assert [test["method"] for test in found["tests"]] == ["method A", "method B", "method C"]
    assert found["tests"][1]["p"] == 1e-4
    sentence = "Survival by cluster (44 of 45 samples): log-rank p ≤ 0.0001, and p ≤ 0.0001"
    assert found["sentence"].startswith(sentence)
    # Nothing else changes by it: the same slice gives the same answer.
    pd.testing.assert_frame_equal(again.labels, answer.labels)
    same = {name: answer.facts[name] for name in ("survival", "summary")}
    assert again.facts | same == answer.facts
    np.testing.assert_array_equal(again.points, answer.points)


@pytest.mark.fault("a class that is not ours changes the process that writes the answer")
def test_a_class_that_is_not_ours_is_imported_in_another_process(used, tmp_path, monkeypatch):
    lines = "import os\nfrom mvclust import DAIMC as Stranger\nos.environ['LEFT'] = 'it'\n"
    (tmp_path / "stranger.py").write_text(lines)
    monkeypatch.syspath_prepend(tmp_path)
    path = {"estimator": "stranger.Stranger", "code": ""}
    found = answer_of(used | {"estimators": dict.fromkeys(LABELS, path)})
    assert found.facts["perturbed_fits"] == 4
    assert "stranger" not in sys.modules
    assert "LEFT" not in os.environ
