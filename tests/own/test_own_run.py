"""One's own data become a run that passes every check of the configuration."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from pathlib import Path
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


class Made:
    """The run file, the plan, the prepared data and what is understood of one's own data."""

    def __init__(self, path, **options):
        self.file, self.found = own_run(path, path.parent / "own", ROOT, **options)
        self.name = self.file.parent.name
        self.data = read_dataset(self.file.parents[2] / "raw" / self.name / f"{self.name}.h5")

    @cached_property
    def plan(self):
        return Plan(load_run(self.file, ROOT), ROOT, Costs({}))

    @property
    def slices(self):
        return self.plan.slices


def saved(path, **arrays):
    np.savez(path, **arrays)
    return path


def methods_of(run, experiment):
    return [m["key"] for m in run.slices["experiment"][experiment]["methods"]]


def test_a_file_becomes_a_run_and_other_data_another(data):
    run = Made(data)
    assert run.name == "my-data"
    assert set(run.slices["experiment"]) == {"my_data", "my_data_missing"}
    (entry,) = [use["entry"] for use in run.slices["prepare"].values()]
    assert entry["classes"] == {"2": 10, "4": 10, "9": 10}
    assert [view["name"] for view in entry["views"]] == ["pixels_more", "words"]
    np.testing.assert_array_equal(run.data.Xs[0], A)
    assert run.data.y.tolist() == run.found.data.y.tolist()
    metrics = run.slices["experiment"]["my_data"]["metrics"]
    assert set(metrics) == {"ACC", "NMI", "ARI", "Silhouette", "Stability"}
    assert {"EEIMVC", "ConcatKMeans-knn"} <= set(methods_of(run, "my_data"))
    assert Made(data).slices == run.slices
    saved(data, one=A + 1, two=B, y=Y)
    assert Made(data).slices["download"] != run.slices["download"]


def test_of_wide_views_the_most_variable_features_are_taken_with_their_gaps(tmp_path):
    X = A * [1, 1, 9, 9, 1]
    X[4, 2] = X[7, 0] = np.nan
    path = saved(tmp_path / "gaps.npz", a=X, b=RNG.random((30, 2)), y=Y)
    run = Made(path, features=2)
    assert run.data.Xs[0].shape == (30, 2)
    assert X[:, 3].tolist() in run.data.Xs[0].T.tolist()
    assert run.found.notes[-1] == (
        "a: the 2 of 5 features with the largest variance; --features all takes all, "
        "--features N others"
    )
    (answer,) = run.slices["answer"].values()
    gaps, _ = answer["gaps"]  # for the effects
    assert Path(gaps).read_text().split() == ["view,sample,feature", "0,4,0"]
    assert Made(path, features=0).data.Xs[0].shape == (30, 5)


def test_views_with_declared_weights_are_not_scaled_and_counts_are_seen(tmp_path):
    rows = [f"p{i},{'yn'[i % 2]},{'abc'[i % 3]}" for i in range(30)]
    (tmp_path / "survey.csv").write_text("id,smokes,diet\n" + "\n".join(rows) + "\n")
    run = Made(tmp_path / "survey.csv", n_clusters=3, changes=Changes(answers=[2, 1]))
    assert run.plan.configuration.datasets["survey"].views[0].kind == "weighted"
    (case,) = run.plan.study.plans["survey"].cases
    (point,) = case.points["ConcatKMeans-knn"]
    assert point.params["scale"] is None
    (tmp_path / "one").mkdir()
    np.savetxt(tmp_path / "one" / "counts.csv", B, delimiter=",")
    run = Made(tmp_path / "one", n_clusters=3, changes=Changes(answers=[1, 1]))
    assert not {"PVC", "IMG"} & set(methods_of(run, "one"))  # which take two views
    assert run.plan.configuration.datasets["one"].views[0].kind == "counts"


def test_without_labels_nothing_external_is_scored(tmp_path):
    missing = A.copy()
    missing[3] = np.nan
    path = saved(tmp_path / "plain.npz", one=missing, two=B)
    run = Made(path, n_clusters=4, methods=["DAIMC"])
    assert list(run.slices["experiment"]) == ["plain"]  # what is missing is missing already
    assert set(run.slices["experiment"]["plain"]["metrics"]) == {"Silhouette", "Stability"}
    assert run.slices["experiment"]["plain"]["protocol"] == "natural"
    assert run.data.n_clusters == 4


def test_what_cannot_be_clustered_is_a_sentence(data, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    for n in (-1, 0, 1, 30, 5000):
        with pytest.raises(NotUnderstood, match=f"--clusters {n}: expected a number from 2 to 29"):
            own_run(data, tmp_path / "own", ROOT, n_clusters=n)
    assert not (tmp_path / "own").exists()
    (tmp_path / "empty").mkdir()
    with pytest.raises(NotUnderstood):
        Made(tmp_path / "empty")
    with pytest.raises(NotUnderstood, match=r"two.npz: 2 samples; expected 3 or more"):
        Made(saved(tmp_path / "two.npz", one=A[:2], two=B[:2]))
    for given in ("0", "-3", "many"):
        with pytest.raises(SystemExit):
            cli.main(["run", "x", "--features", given])
        assert f"{given}: expected a number from 1, or all" in capsys.readouterr().err


def test_methods_are_named_between_blanks_or_all_by_one_word(data, tmp_path, monkeypatch, capsys):
    methods = methods_of(Made(data, methods=["all"]), "my_data")
    assert {"DAIMC", "PVC", "ConcatKMeans-knn"} <= set(methods)
    assert len(methods) > 20
    monkeypatch.chdir(tmp_path)
    calls = []
    monkeypatch.setattr(cli, "exit_code_of", lambda line, told: calls.append(line) or 0)
    assert cli.main(["run", str(data), "--methods", " DAIMC, MIC ,"]) == 0
    plan = Plan(load_run(tmp_path / "resources/own/my-data/run.yaml", ROOT), ROOT, Costs({}))
    assert methods_of(plan, "my_data") == ["DAIMC", "MIC"]
    assert cli.main(["run", str(data), "--methods", " ,"]) == 2
    assert "--methods: expected keys of methods" in capsys.readouterr().err
    assert len(calls) == 1


def test_a_method_that_labels_views_apart_is_refused_before_anything_runs(data, tmp_path):
    apart = ["NMFClustering-each", "CMVNMF"]
    run_file, _ = own_run(data, tmp_path / "own", ROOT, methods=["DAIMC", *apart])
    with pytest.raises(ConfigError) as caught:
        load_run(run_file, ROOT)
    for method in apart:  # for the data as they are, and with gaps
        assert str(caught.value).count(f"'{method}' labels every view apart") == 2
    assert len(caught.value.problems) == 4


def test_look_shows_what_is_understood(data, capsys):
    assert cli.main(["look", str(data), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["missingness"] is None  # nothing is missing
    assert cli.main(["look", str(data.parent / "none")]) == 2
    assert "there is no such file or folder" in capsys.readouterr().err


@pytest.mark.parametrize("informative", [True, False])
def test_look_says_whether_missingness_is_informative(tmp_path, capsys, informative):
    rng = np.random.default_rng(0)
    size, leaves, drawn = rng.normal(size=(60, 2)), rng.normal(size=(60, 3)), rng.random(60)
    leaves[size[:, 0] >= 0.5 if informative else drawn >= 0.6] = np.nan
    path = str(saved(tmp_path / "trees.npz", size=size, leaves=leaves))
    assert cli.main(["look", path]) == 0
    said = capsys.readouterr().out
    assert ("Which views are present depends on the samples" in said) == informative
    assert ("View size predicts the presence of leaves" in said) == informative
    assert "Dependence on the missing values themselves cannot be tested." in said
    assert cli.main(["look", path, "--json"]) == 0
    tested = json.loads(capsys.readouterr().out)["missingness"]
    assert (tested["p"] <= 0.05) == informative
    assert [of["view"] for of in tested["views"]] == ["size"]


def test_without_labels_the_number_of_clusters_has_the_largest_eigengap(tmp_path):
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2, 3], 10)
    views = {f"view_{d}": 9 * np.eye(4, d)[y] + rng.random((40, d)) for d in (4, 6)}
    run = Made(saved(tmp_path / "four.npz", **views))
    assert run.data.n_clusters == 4
    said = "4 clusters: the largest eigengap up to 10; --clusters sets another"
    assert run.found.notes[-1] == said
    known = np.where(np.arange(30) == 3, np.nan, Y)  # labels in part give their number
    run = Made(saved(tmp_path / "part.npz", a=A, b=B, y=known))
    assert run.found.data.y is None
    assert run.data.n_clusters == 3


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


def test_a_program_that_is_stopped_ends_in_its_own_way(tmp_path, monkeypatch, capsys):
    """Snakemake hears Ctrl-C too; it is waited for, not killed."""
    code = "import signal, sys, time\nsignal.signal(signal.SIGINT, lambda *_: sys.exit(7))\n"
    code += f"open({str(tmp_path / 'ready')!r}, 'w').close()\ntime.sleep(60)"
    line = f"from mvclust import cli; exit(cli.exit_code_of({[sys.executable, '-c', code]!r}))"
    line = [sys.executable, "-c", line]
    process = subprocess.Popen(line, stderr=subprocess.PIPE, start_new_session=True)
    while not (tmp_path / "ready").exists():
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGINT)
    assert process.communicate(timeout=30)[1] == b""
    assert process.returncode == 7

    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setitem(cli.COMMANDS, "doctor", stop)
    assert cli.main(["doctor"]) == 130
    assert capsys.readouterr().err == "mvclust: stopped\n"


def test_a_run_never_replaces_that_of_another_path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for place in ("p", "q", "results/mine"):
        (tmp_path / place).mkdir(parents=True)
        saved(tmp_path / place / "data.npz", a=A, b=B, y=Y)
    other = tmp_path / "q" / "data.npz"
    own_run(tmp_path / "p" / "data.npz", "own", ROOT)
    with pytest.raises(NotUnderstood, match=r"results/data-data is of .*p/data.npz; --name gives"):
        own_run(other, "own", ROOT)
    with pytest.raises(NotUnderstood, match="results/mine is of another run"):
        own_run(other, "own", ROOT, name="mine")
    own_run(tmp_path / "p" / "data.npz", "own", ROOT)
    assert own_run(other, "own", ROOT, name="other")[0].parent.name == "other"


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


def test_taken_names_and_names_in_any_alphabet(tmp_path):
    for name in ("cost", "rosmap"):
        run = Made(saved(tmp_path / f"{name}.npz", **{"größe": A, "слова": B, "y": Y}))
        assert run.name == f"{name}-data"
    (entry,) = [use["entry"] for use in run.slices["prepare"].values()]
    assert [view["name"] for view in entry["views"]] == ["größe", "слова"]


def test_an_open_question_stops_a_run_and_an_answer_lets_it_go_on(tmp_path):
    y = np.repeat([0, 1], 15)
    path = tmp_path / "leak.npz"
    np.savez(path, a=np.column_stack([A, y * 2.0]), b=B, y=y)
    said = r"(?s)1 open question; written: .*mvclust look does.*--answer 1,.*repeats the labels"
    with pytest.raises(NotUnderstood, match=said):
        own_run(path, tmp_path / "own", ROOT)
    assert not (tmp_path / "own").exists()
    own_run(path, tmp_path / "own", ROOT, changes=Changes(answers=[2]))
    assert Made(path).data.Xs[0].shape == (30, 6)  # views.yaml keeps the answer


def test_names_survival_and_facts_go_from_the_files_to_the_plan(tmp_path):
    (tmp_path / "lived").mkdir()
    ids = [f"p{n}" for n in range(30)]
    for name, X in (("one", A), ("two", B)):
        frame = pd.DataFrame(X, ids).add_prefix(f"{name} ").rename_axis("id")
        frame.to_csv(tmp_path / "lived" / f"{name}.csv")
    known = pd.DataFrame({"OS.time": np.arange(29), "OS": np.arange(29) % 2}, ids[:0:-1])
    known["plate"] = [f"a, {n % 3}" for n in range(29)]
    known.rename_axis("id").to_csv(tmp_path / "lived" / "clinical.csv")
    run = Made(tmp_path / "lived", n_clusters=3, changes=Changes(answers=[1, 1]))
    assert run.data.ids == ids
    names = [[f"one {j}" for j in range(5)], [f"two {j}" for j in range(8)]]
    assert run.data.feature_names == names
    answer = run.slices["answer"]["answer"]
    assert answer["perturbed_fits"] == 20
    assert "results/lived/labels.csv" in answer["outputs"]
    assert run.slices["report"]["report"]["inputs"]["answer"] == ["results/lived/answer.json"]
    assert "results/lived/labels.csv" in run.plan.products
    assert answer["survival"]["time"] == [None, *range(28, -1, -1)]
    assert answer["survival"]["event"] == [None, *(n % 2 for n in range(28, -1, -1))]
    assert answer["facts"] == {"plate": ["", *(f"a, {n % 3}" for n in range(28, -1, -1))]}


def test_a_dry_run_shows_no_answer_of_an_earlier_run_and_a_run_its_own(
    tmp_path, monkeypatch, capsys, data
):
    results, own = tmp_path / "results" / "my-data", tmp_path / "resources" / "own" / "my-data"
    for folder in (results, own):
        folder.mkdir(parents=True)
    (own / "source.txt").write_text(str(data.resolve()), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(cli, "exit_code_of", lambda *_: 0)

    def printed(*words):
        assert cli.main(["run", str(data), *words]) == 0
        return capsys.readouterr().out

    (results / "answer.json").write_text("old")
    for word in ("-n", "--dry-run", "-np", "-pn"):
        assert "old" not in printed(word)
    assert printed("--json") == "old\n"
    summary = ["Perhaps there are no clusters.", "5 samples in 2 clusters by M."]
    answer = {"clusters": [{"size": 3}, {"size": 2}], "files": ["a", "b"], "summary": summary}
    (results / "answer.json").write_text(json.dumps(answer))
    out = printed()
    assert out.index(summary[0]) < out.index(summary[1])
    assert "sizes of the clusters: 3, 2" in out
