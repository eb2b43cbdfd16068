"""One's own data become a run that passes every check of the configuration."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from helpers import ROOT
from threadpoolctl import threadpool_info, threadpool_limits

from mvclust import cli
from mvclust.bench.config.load import ConfigError, load_run
from mvclust.bench.plan.costs import Costs
from mvclust.bench.plan.plan import Plan
from mvclust.datasets import read_dataset
from mvclust.own import NotUnderstood
from mvclust.own.look import Changes
from mvclust.own.run import own_run

RNG = np.random.default_rng(0)
A, B = RNG.random((30, 5)), RNG.poisson(0.3, (30, 8)).astype(float)
Y = np.repeat([4, 2, 9], 10)


@pytest.fixture
def data(tmp_path):
    np.savez(tmp_path / "My Data.npz", **{"pixels & more": A, "words": B, "y": Y})
    return tmp_path / "My Data.npz"


def prepared(run_file):
    name = run_file.parent.name
    return read_dataset(run_file.parents[2] / "raw" / name / f"{name}.h5")


def plan_of(run_file):
    return Plan(load_run(run_file, ROOT), ROOT, Costs({}))


def test_a_file_becomes_a_run(data, tmp_path):
    run_file, found = own_run(data, tmp_path / "own", ROOT)
    assert run_file.parent.name == "my-data"
    plan = plan_of(run_file)
    assert set(plan.slices["experiment"]) == {"my_data", "my_data_missing"}
    (entry,) = [use["entry"] for use in plan.slices["prepare"].values()]
    assert entry["classes"] == {"2": 10, "4": 10, "9": 10}
    assert [view["name"] for view in entry["views"]] == ["pixels_more", "words"]
    kept = prepared(run_file)
    np.testing.assert_array_equal(kept.Xs[0], A)
    assert kept.y.tolist() == found.data.y.tolist()
    metrics = plan.slices["experiment"]["my_data"]["metrics"]
    assert set(metrics) == {"ACC", "NMI", "ARI", "Silhouette", "Stability"}
    methods = [m["key"] for m in plan.slices["experiment"]["my_data"]["methods"]]
    assert len(methods) == 7
    assert {"EEIMVC", "ConcatKMeans-knn"} <= set(methods)


def test_all_methods_that_apply_are_asked_for_by_one_word(data, tmp_path):
    plan = plan_of(own_run(data, tmp_path / "own", ROOT, methods=["all"])[0])
    methods = [m["key"] for m in plan.slices["experiment"]["my_data"]["methods"]]
    assert {"DAIMC", "PVC", "ConcatKMeans-knn"} <= set(methods)
    assert len(methods) > 20


def test_views_with_declared_weights_are_not_scaled(tmp_path):
    rows = [f"p{i},{'yn'[i % 2]},{'abc'[i % 3]}" for i in range(30)]
    (tmp_path / "survey.csv").write_text("id,smokes,diet\n" + "\n".join(rows) + "\n")
    changes = Changes(answers=[2, 1])
    run_file, _ = own_run(
        tmp_path / "survey.csv", tmp_path / "own", ROOT, n_clusters=3, changes=changes
    )
    assert load_run(run_file, ROOT).datasets["survey"].views[0].kind == "weighted"
    fits = plan_of(run_file).study.plans["survey"].points
    (point,) = [p for (_, m), points in fits.items() for _, p in points if m == "ConcatKMeans-knn"]
    assert point["scale"] is None


def test_other_data_are_other_runs_and_the_same_data_the_same(data, tmp_path):
    first = plan_of(own_run(data, tmp_path / "own", ROOT)[0]).slices
    assert plan_of(own_run(data, tmp_path / "own", ROOT)[0]).slices == first
    np.savez(data, one=A + 1, two=B, y=Y)
    assert plan_of(own_run(data, tmp_path / "own", ROOT)[0]).slices["download"] != first["download"]


def test_without_labels_nothing_external_is_scored(tmp_path):
    missing = A.copy()
    missing[3] = np.nan
    np.savez(tmp_path / "plain.npz", one=missing, two=B)
    run_file, _ = own_run(
        tmp_path / "plain.npz", tmp_path / "own", ROOT, n_clusters=4, methods=["DAIMC"]
    )
    use = plan_of(run_file).slices
    assert list(use["experiment"]) == ["plain"]  # what is missing is missing already
    assert set(use["experiment"]["plain"]["metrics"]) == {"Silhouette", "Stability"}
    assert use["experiment"]["plain"]["protocol"] == "natural"
    assert prepared(run_file).n_clusters == 4


def test_one_view_of_counts(tmp_path):
    (tmp_path / "one").mkdir()
    np.savetxt(tmp_path / "one" / "counts.csv", B, delimiter=",")
    rows = Changes(answers=[1, 1])
    run_file, _ = own_run(tmp_path / "one", tmp_path / "own", ROOT, n_clusters=3, changes=rows)
    use = plan_of(run_file).slices
    assert not {"PVC", "IMG"} & {m["key"] for m in use["experiment"]["one"]["methods"]}
    assert load_run(run_file, ROOT).datasets["one"].views[0].kind == "counts"


@pytest.mark.parametrize("number", [-1, 0, 1, 30, 5000])
def test_a_number_of_clusters_that_cannot_be_is_a_sentence(data, tmp_path, monkeypatch, number):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotUnderstood, match=f"--clusters {number}: expected a number from 2 to 29"):
        own_run(data, tmp_path / "own", ROOT, n_clusters=number)
    assert not (tmp_path / "own").exists()


def test_blanks_between_names_of_methods_are_none_of_them(data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    calls = []
    monkeypatch.setattr(cli, "exit_code_of", lambda line, told: calls.append(line) or 0)
    assert cli.main(["run", str(data), "--methods", " DAIMC, MIC ,"]) == 0
    plan = plan_of(tmp_path / "resources/own/my-data/run.yaml")
    methods = [m["key"] for m in plan.slices["experiment"]["my_data"]["methods"]]
    assert methods == ["DAIMC", "MIC"]
    assert cli.main(["run", str(data), "--methods", " ,"]) == 2
    assert "--methods: expected keys of methods" in capsys.readouterr().err
    assert len(calls) == 1


@pytest.mark.parametrize("method", ["NMFClustering-each", "CMVNMF"])
def test_a_method_that_labels_views_apart_is_refused_before_anything_runs(data, tmp_path, method):
    run_file, _ = own_run(data, tmp_path / "own", ROOT, methods=["DAIMC", method])
    with pytest.raises(ConfigError, match=f"'{method}' labels every view apart") as caught:
        load_run(run_file, ROOT)
    assert len(caught.value.problems) == 2  # for the data as they are, and with gaps


def test_look_shows_what_is_understood(data, capsys):
    assert cli.main(["look", str(data)]) == 0
    assert "30 samples, 3 classes: 2 (10), 4 (10), 9 (10)" in capsys.readouterr().out
    assert cli.main(["look", str(data.parent / "none")]) == 2
    assert "there is no such file or folder" in capsys.readouterr().err


def write_views(folder, presence_of):
    """Two views of 60 samples; the second lacks those that a function of the first says."""
    rng = np.random.default_rng(0)
    size, leaves = rng.normal(size=(60, 2)), rng.normal(size=(60, 3))
    leaves[~presence_of(size)] = np.nan
    folder.mkdir()
    for name, X in (("size", size), ("leaves", leaves)):
        columns = [f"{name}{i}" for i in range(X.shape[1])]
        pd.DataFrame(X, [f"s{i}" for i in range(60)], columns).to_csv(folder / f"{name}.csv")


@pytest.mark.parametrize("informative", [True, False])
def test_look_says_whether_missingness_is_informative(tmp_path, capsys, informative):
    drawn = np.random.default_rng(1).random(60)
    write_views(tmp_path / "trees", lambda size: size[:, 0] < 0.5 if informative else drawn < 0.6)
    assert cli.main(["look", str(tmp_path / "trees")]) == 0
    said = capsys.readouterr().out
    assert ("Which views are present depends on the samples" in said) == informative
    assert ("View size predicts the presence of leaves" in said) == informative
    assert "Dependence on the missing values themselves cannot be tested." in said
    assert cli.main(["look", str(tmp_path / "trees"), "--json"]) == 0
    tested = json.loads(capsys.readouterr().out)["missingness"]
    assert (tested["p"] <= 0.05) == informative
    assert [of["view"] for of in tested["views"]] == ["size"]


def test_look_tests_nothing_where_nothing_is_missing(data, capsys):
    assert cli.main(["look", str(data), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["missingness"] is None


def test_the_project_is_found():
    assert cli.project_folder() == ROOT


def test_a_folder_without_views_is_refused(tmp_path):
    with pytest.raises(NotUnderstood):
        own_run(tmp_path, tmp_path / "own", ROOT)


def test_without_labels_the_number_of_clusters_has_the_largest_eigengap(tmp_path):
    y = np.repeat([0, 1, 2, 3], 10)
    np.savez(tmp_path / "four.npz", a=9 * np.eye(4)[y] + RNG.random((40, 4)), b=RNG.random((40, 2)))
    run_file, found = own_run(tmp_path / "four.npz", tmp_path / "own", ROOT)
    assert prepared(run_file).n_clusters == 4
    said = "4 clusters: the largest eigengap up to 10; --clusters sets another"
    assert found.notes[-1] == said


def test_choosing_the_number_of_clusters_takes_one_thread(tmp_path, monkeypatch):
    """Many small products on all cores take ten times the CPU time."""
    np.savez(tmp_path / "free.npz", one=A, two=B)
    seen = []

    def choose(*_, **__):
        seen.extend(pool["num_threads"] for pool in threadpool_info())
        return SimpleNamespace(n_clusters=3)

    monkeypatch.setattr("mvclust.own.run.select_n_clusters", choose)
    with threadpool_limits(2):
        own_run(tmp_path / "free.npz", tmp_path / "own", ROOT)
    assert set(seen) == {1}


def test_two_samples_are_too_few_to_choose_a_number_of_clusters(tmp_path):
    np.savez(tmp_path / "two.npz", one=A[:2], two=B[:2])
    with pytest.raises(NotUnderstood, match=r"two.npz: 2 samples; expected 3 or more"):
        own_run(tmp_path / "two.npz", tmp_path / "own", ROOT)


def test_a_program_that_is_stopped_ends_in_its_own_way(tmp_path):
    """Snakemake hears Ctrl-C too; it is waited for, not killed."""
    code = "import signal, sys, time\nsignal.signal(signal.SIGINT, lambda *_: sys.exit(7))\n"
    code += f"open({str(tmp_path / 'ready')!r}, 'w').close()\ntime.sleep(60)"
    line = f"from mvclust import cli; exit(cli.exit_code_of({[sys.executable, '-c', code]!r}))"
    process = subprocess.Popen(
        [sys.executable, "-c", line], stderr=subprocess.PIPE, start_new_session=True
    )
    while not (tmp_path / "ready").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30)[1] == b""
    assert process.returncode == 7


def test_stopping_any_command_is_one_word(monkeypatch, capsys):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(cli.COMMANDS, "doctor", stop)
    assert cli.main(["doctor"]) == 130
    assert capsys.readouterr().err == "mvclust: stopped\n"


def test_a_run_never_replaces_that_of_another_path(tmp_path):
    for place in ("p", "q"):
        (tmp_path / place).mkdir()
        np.savez(tmp_path / place / "data.npz", a=A, b=B, y=Y)
    own_run(tmp_path / "p" / "data.npz", tmp_path / "own", ROOT)
    with pytest.raises(NotUnderstood, match=r"results/data-data is of .*p/data.npz; --name gives"):
        own_run(tmp_path / "q" / "data.npz", tmp_path / "own", ROOT)
    own_run(tmp_path / "p" / "data.npz", tmp_path / "own", ROOT)
    run_file, _ = own_run(tmp_path / "q" / "data.npz", tmp_path / "own", ROOT, name="other")
    assert run_file.parent.name == "other"


@pytest.mark.fault("two runs on other data that want one name at once")
def test_of_two_runs_at_once_one_takes_the_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in "ab":
        (tmp_path / name).mkdir()
        np.savez(tmp_path / name / "data.npz", one=A + ord(name), two=B)

    def start(name):
        try:
            return own_run(tmp_path / name / "data.npz", "own", ROOT, n_clusters=3)[0]
        except NotUnderstood as error:
            return str(error)

    for _ in range(5):
        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(start, "ab"))
        refused = [answer for answer in answers if isinstance(answer, str)]
        assert len(refused) == 1
        assert "another name" in refused[0]
        shutil.rmtree("own")


def test_results_that_are_there_are_never_replaced(tmp_path, monkeypatch, data):
    (tmp_path / "results" / "mine").mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    with pytest.raises(NotUnderstood, match="results/mine is of another run"):
        own_run(data, tmp_path / "own", ROOT, name="mine")


@pytest.mark.parametrize(
    "name", ["cost", "multiverse", "paper", "rosmap", "overview", "данные", "測試", "Größe"]
)
def test_taken_names_and_names_in_any_alphabet(tmp_path, name):
    np.savez(tmp_path / f"{name}.npz", **{"größe": A, "слова": B, "y": Y})
    run_file, _ = own_run(tmp_path / f"{name}.npz", tmp_path / "own", ROOT)
    plan = plan_of(run_file)
    assert run_file.parent.name not in ("cost", "multiverse", "paper", "rosmap", "overview", "own")
    (entry,) = [use["entry"] for use in plan.slices["prepare"].values()]
    assert [view["name"] for view in entry["views"]] == ["größe", "слова"]


def test_an_open_question_stops_a_run_and_an_answer_lets_it_go_on(tmp_path):
    y = np.repeat([0, 1], 15)
    path = tmp_path / "leak.npz"
    np.savez(path, a=np.column_stack([A, y * 2.0]), b=B, y=y)
    with pytest.raises(
        NotUnderstood, match=r"(?s)1 open question; written: .*repeats the labels"
    ) as e:
        own_run(path, tmp_path / "own", ROOT)
    assert "--answer 1" in str(e.value)
    assert not (tmp_path / "own").exists()
    own_run(path, tmp_path / "own", ROOT, changes=Changes(answers=[2]))
    run_file, _ = own_run(path, tmp_path / "own", ROOT)  # views.yaml keeps the answer
    assert prepared(run_file).Xs[0].shape == (30, 6)


def test_labels_that_are_known_in_part_give_the_number_of_clusters(tmp_path):
    y = Y.astype(float)
    y[3] = np.nan
    np.savez(tmp_path / "part.npz", a=A, b=B, y=y)
    run_file, found = own_run(tmp_path / "part.npz", tmp_path / "own", ROOT)
    assert found.data.y is None
    assert prepared(run_file).n_clusters == 3


def test_names_of_samples_and_features_go_from_the_files_to_the_plan(tmp_path):
    (tmp_path / "named").mkdir()
    for name, X in (("one", A), ("two", B)):
        frame = pd.DataFrame(X, [f"p{n}" for n in range(30)]).add_prefix(f"{name} ")
        frame.rename_axis("id").to_csv(tmp_path / "named" / f"{name}.csv")
    run_file, _ = own_run(tmp_path / "named", tmp_path / "own", ROOT, n_clusters=3)
    kept = prepared(run_file)
    assert kept.ids == [f"p{n}" for n in range(30)]
    assert kept.feature_names == [[f"one {j}" for j in range(5)], [f"two {j}" for j in range(8)]]
    plan = plan_of(run_file)
    answer = plan.slices["answer"]["answer"]
    assert answer["perturbed_fits"] == 20
    assert answer["facts"] == {}
    assert answer["outputs"][0] == "results/named/labels.csv"
    assert plan.slices["report"]["report"]["inputs"]["answer"] == ["results/named/answer.json"]
    assert "results/named/labels.csv" in plan.products


def test_survival_goes_from_a_table_beside_the_views_to_the_plan(tmp_path):
    (tmp_path / "lived").mkdir()
    ids = [f"p{n}" for n in range(30)]
    for name, X in (("one", A), ("two", B)):
        pd.DataFrame(X, ids).add_prefix("x").rename_axis("id").to_csv(
            tmp_path / "lived" / f"{name}.csv"
        )
    known = pd.DataFrame({"OS.time": np.arange(29), "OS": np.arange(29) % 2}, ids[:0:-1])
    known["plate"] = [f"a, {n % 3}" for n in range(29)]
    known.rename_axis("id").to_csv(tmp_path / "lived" / "clinical.csv")
    dead = Changes(answers=[1, 1])
    run_file, _ = own_run(tmp_path / "lived", tmp_path / "own", ROOT, n_clusters=3, changes=dead)
    answer = plan_of(run_file).slices["answer"]["answer"]
    assert answer["survival"]["time"] == [None, *range(28, -1, -1)]
    assert answer["survival"]["event"] == [None, *(n % 2 for n in range(28, -1, -1))]
    assert answer["facts"] == {"plate": ["", *(f"a, {n % 3}" for n in range(28, -1, -1))]}


def test_of_wide_views_the_most_variable_features_are_taken_and_it_is_said(tmp_path):
    X = A.copy()
    X[:, 3] *= 9
    np.savez(tmp_path / "wide.npz", a=X, b=RNG.random((30, 3)), y=Y)
    path, to = tmp_path / "wide.npz", tmp_path / "own"
    run_file, found = own_run(path, to, ROOT, features=4)
    kept = prepared(run_file).Xs[0]
    assert kept.shape == (30, 4)
    assert X[:, 3].tolist() in kept.T.tolist()
    assert found.notes[-1] == (
        "a: the 4 of 5 features with the largest variance; --features all takes all, "
        "--features N others"
    )
    run_file, _ = own_run(path, to, ROOT, features=0)
    assert prepared(run_file).Xs[0].shape == (30, 5)


@pytest.mark.parametrize("given", ["0", "-3", "many"])
def test_a_number_of_features_that_is_none_is_refused(given, capsys):
    with pytest.raises(SystemExit):
        cli.main(["run", "x", "--features", given])
    assert f"{given}: expected a number from 1, or all" in capsys.readouterr().err


@pytest.mark.parametrize("word", ["-n", "--dry-run", "-np", "-pn"])
def test_a_dry_run_shows_no_answer_of_an_earlier_run(tmp_path, monkeypatch, capsys, data, word):
    (tmp_path / "results" / "my-data").mkdir(parents=True)
    (tmp_path / "results" / "my-data" / "answer.json").write_text("old")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "exit_code_of", lambda *_: 0)
    own = tmp_path / "resources" / "own" / "my-data"
    own.mkdir(parents=True)
    (own / "source.txt").write_text(str(data.resolve()), encoding="utf-8")
    assert cli.main(["run", str(data), word]) == 0
    assert "old" not in capsys.readouterr().out
    assert cli.main(["run", str(data), "--json"]) == 0
    assert capsys.readouterr().out == "old\n"


def test_the_answer_is_said_in_the_order_of_its_summary(tmp_path, monkeypatch, capsys, data):
    content = {
        "clusters": [{"size": 3}, {"size": 2}], "files": ["a", "b", "c"],
        "summary": ["Perhaps there are no clusters.", "5 samples in 2 clusters by M."],
    }  # fmt: skip
    (tmp_path / "results" / "my-data").mkdir(parents=True)
    (tmp_path / "results" / "my-data" / "answer.json").write_text(json.dumps(content))
    own = tmp_path / "resources" / "own" / "my-data"
    own.mkdir(parents=True)
    (own / "source.txt").write_text(str(data.resolve()), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "exit_code_of", lambda *_: 0)
    assert cli.main(["run", str(data)]) == 0
    out = capsys.readouterr().out
    assert out.index("Perhaps there are no clusters.") < out.index("5 samples in 2 clusters by M.")
    assert "sizes of the clusters: 3, 2" in out
