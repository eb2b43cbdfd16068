"""A folder that is damaged, or that of no run, is refused with a sentence by every command."""

import itertools
import json
import os
import shutil
import subprocess
import sys

import pandas as pd
import pytest
from helpers import ROOT

from mvclust import cli
from mvclust.bench.verify import doctor, verify
from mvclust.datasets.files import sha256_of

RUN, TABLE = ROOT / "results/default", "daimc_fig1"
CELL = ["dataset", "setting", "method", "variant", "tuning", "metric"]
KEY = pd.read_parquet(RUN / "runs.parquet", columns=["key"])["key"].iloc[0]
ROW = pd.read_csv(RUN / f"tables/{TABLE}.csv", dtype=str).iloc[0][CELL].dropna().tolist()


@pytest.fixture
def folder(tmp_path):
    """A copy of a committed run, without its figures."""
    return shutil.copytree(RUN, tmp_path / "run", ignore=shutil.ignore_patterns("figures"))


MANIFEST, FITS = "manifest.json", "runs.parquet"


def spoil(folder, file, how):
    """Put a text or a pipe in place of a file, set keys of a manifest, or change a table of runs.

    Of a table (column, value) sets a column.
    """
    path = folder / file
    match how:
        case str():
            path.write_text(how)
        case None:
            path.unlink()
            os.mkfifo(path)
        case dict():
            path.write_text(json.dumps(json.loads(path.read_text()) | how))
        case (name, value):
            runs = pd.read_parquet(path)
            runs.assign(**{name: [value] * len(runs)}).to_parquet(path)
        case _:
            how(pd.read_parquet(path)).to_parquet(path)


NO_CONFIG, SPENT = "manifest.json with a config", {"cpu_seconds": 1, "work_cpu_seconds": {"fit": 1}}
IN_MANIFEST = [
    *[("config", "x"), ("cost", 1), ("cost", {}), ("sha256", []), ("libraries", 5)],
    ("cost", SPENT | {"work_cpu_seconds": {"fit": "1"}}),
    ("cost", SPENT | {"cpu_seconds": 10**400}),
]
IN_RUNS = [("objective", ["a"]), ("threads", 0), ("tries", 0), ("tries", "1"), ("views", "a")]
IN_RUNS += [("source", None), ("key", 1.0), ("versions", "{")]
NOWHERE = "than that of today: experiments: unknown experiment 'nowhere'; "
SPOILT = [
    *((MANIFEST, {key: value}, f"manifest.json with a {key}") for key, value in IN_MANIFEST),
    *((FITS, column, f"its column {column[0]}") for column in IN_RUNS),
    *((MANIFEST, how, NO_CONFIG) for how in ("[" * 99_999, None, "[]")),
    (MANIFEST, {"config": {"a": 1}}, "configuration than"),
    (FITS, "key\n1\n", FITS),
    (MANIFEST, {"config": {"experiments": ["nowhere"]}}, NOWHERE),
    (FITS, lambda runs: runs[[]], "it has no column key"),
    *((FITS, lambda runs, c=c: runs.drop(columns=c), f"no column {c}") for c in ("acc", "peak_mb")),
    (FITS, lambda runs: pd.concat([runs, runs]), "its column key"),
]
COMMANDS = ("redraw", "refit", "verify", "recompute")  # in turn: one reader serves them all


@pytest.mark.parametrize(
    ("how", "command"), [*zip(SPOILT, itertools.cycle(COMMANDS), strict=False)]
)
def test_a_damaged_or_foreign_folder_is_a_sentence(how, command, folder, capsys):
    *where, sentence = how
    words = {"refit": [KEY], "recompute": [TABLE, *ROW]}
    spoil(folder, *where)
    before = sums(folder)
    assert cli.main([command, str(folder), *words.get(command, [])]) == 2
    assert sentence in the_sentence(capsys)
    assert sums(folder) == before


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["recompute", RUN, TABLE, "DIAMC"], "unknown value 'DIAMC'; did you mean 'DAIMC'?"),
        (["recompute", RUN, TABLE, *ROW[:-1]], "2 cells have these values; add a metric: "),
        (["recompute", "nowhere", "tiny"], "nowhere/tables holds no tables; expected the"),
        (["refit", "nowhere", "0"], "nowhere/runs.parquet does not exist"),
        (["refit", RUN, f"{KEY}x"], f"; did you mean '{KEY}'?"),
        (["refit", RUN, ""], f"fits in {RUN} have a key that begins ''."),
        (["verify", RUN, "--sample", "2"], "--sample 2.0: expected a share"),
        (["redraw", "nowhere"], "nowhere has no manifest.json"),
        (["refit", "a" * 300, "0"], "/runs.parquet: File name too long\n"),
    ],
)
def test_bad_input_is_a_sentence(words, sentence, capsys):
    assert cli.main(list(map(str, words))) == 2
    assert sentence in the_sentence(capsys)


@pytest.mark.usefixtures("svg_alone")
def test_what_is_missing_foreign_or_another_is_named(tmp_path):
    folder = shutil.copytree(ROOT / "results/natural", tmp_path / "run")
    gone = min(folder.glob("tables/*.tex"))
    gone.unlink()
    (folder / "tables/forged.csv").write_text("a,b\n1,2\n")
    (folder / "costs.csv").write_text("nonsense")
    lines, same = verify.check(folder, ROOT, share=0)
    assert not same
    assert {line.strip() for line in lines} >= {
        f"tables/{gone.name} is not there", "tables/forged.csv is made by nothing",
        "costs.csv is another than manifest.json names",
    }  # fmt: skip


def sums(folder):
    return {path: sha256_of(path) for path in folder.rglob("*") if path.is_file()}


def the_sentence(capsys):
    """The one that was said, and nothing else."""
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("mvclust: ")
    assert said.err.count("\n") == 1
    return said.err


def test_what_the_copy_lacks_that_is_checked_is_said_of_the_folder(folder, monkeypatch, capsys):
    monkeypatch.setattr(verify, "_repeated", lambda *_: ([], True))
    spoil(folder, FITS, lambda runs: runs[1:])
    monkeypatch.chdir(folder)
    assert cli.main(["verify", "."]) == 2
    assert the_sentence(capsys).startswith("mvclust: . lacks 1 fit of ")


def test_a_table_of_runs_without_fits_has_none_of_a_key(folder, capsys):
    spoil(folder, FITS, lambda runs: runs[:0])
    assert cli.main(["refit", str(folder), "0"]) == 2
    assert the_sentence(capsys).endswith("; runs.parquet has none.\n")


def test_a_folder_or_nothing_in_place_of_a_table_is_a_sentence(folder, capsys):
    path = folder / f"tables/{TABLE}.csv"
    head = path.read_text().partition("\n")[0]
    path.write_text(f"{head}\n")
    assert cli.main(["recompute", str(folder), TABLE]) == 2
    assert the_sentence(capsys).endswith(f"{TABLE}.csv is no table of results.\n")
    path.unlink()
    path.mkdir()
    assert cli.main(["recompute", str(folder), TABLE]) == 2
    assert f"unknown table '{TABLE}'; did you mean 'daimc_fig2b'?" in the_sentence(capsys)


WHOSE = {"estimator": "mvclust.estimators.daimc.DAIMC", "code": [], "commands": []}
ODD = [1, {}, *(WHOSE | odd for odd in ({"estimator": 3}, {"commands": [3]}, {"commands": 3}))]
CODES = [{"code": code, "commit": 3} for code in ("x", ["x"], *({"DAIMC": odd} for odd in ODD))]


@pytest.mark.parametrize("manifest", ["{", *map(json.dumps, CODES)])
def test_a_run_that_does_not_name_its_code_is_old(manifest, tmp_path):
    for folder in ("results/odd", "config"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "results/odd/manifest.json").write_text(manifest)
    shutil.copy(ROOT / "config/methods.yaml", tmp_path / "config")
    (finding,) = doctor.results(tmp_path)
    assert finding.text == "results/odd: does not say which code computed its methods"
    assert finding.old


COMPARE = ["compare", *2 * [str(ROOT / "results/natural")]]


def test_a_table_that_cannot_be_written_is_a_sentence_and_a_device_stays_one(tmp_path, capsys):
    for path, said in {
        str(tmp_path): f"{tmp_path}: Is a directory",
        "": ".: Is a directory",
        str(tmp_path / "a/b.csv"): f"{tmp_path}/a: No such file or directory",
    }.items():
        assert cli.main([*COMPARE, "--csv", path]) == 1
        assert the_sentence(capsys) == f"mvclust: {said}\n"
    device = tmp_path / "device"
    device.symlink_to("/dev/null")
    assert cli.main([*COMPARE, "--csv", str(device)]) == 0
    assert device.is_char_device()


def test_an_output_that_takes_nothing_is_a_sentence():
    line = [sys.executable, "-m", "mvclust.cli", *COMPARE]
    with open("/dev/full", "w") as full:
        done = subprocess.run(line, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "mvclust: the output: No space left on device\n")
