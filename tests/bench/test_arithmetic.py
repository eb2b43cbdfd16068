"""Processes that compute have the arithmetic of runs, or say which other."""

import json
import os
import re
import shutil
import subprocess
import sys
from functools import cache
from pathlib import Path

import pandas as pd
import pytest
from helpers import ROOT

from mvclust.bench import arithmetic
from mvclust.bench.arithmetic import Arithmetic, environment, of_children, own_digits, require
from mvclust.bench.score.runs import TwoArithmetics, merge_runs

PINNED = Arithmetic("Haswell", "AVX2", "glibc 2.36")
OTHER = PINNED._replace(kernel="SkylakeX")
CHOSEN_BY = {"OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "XLA_FLAGS"}
PLAIN = {name: text for name, text in os.environ.items() if name not in CHOSEN_BY}
has_avx2 = pytest.mark.skipif("OPENBLAS_CORETYPE" not in environment(), reason="no AVX2 here")


def started(words, variables, check=True):
    how = {"env": PLAIN | variables, "cwd": ROOT, "capture_output": True, "text": True}
    return subprocess.run(words, check=check, **how)


def run(code, strict=False, **variables):
    """What a process prints, started without the variables that choose an arithmetic."""
    words = [sys.executable, *(["-W", "error"] if strict else []), "-c", code]
    done = started(words, variables, check=False)
    assert not done.stderr, done.stderr
    return done.stdout.strip()


@has_avx2
def test_children_compute_as_the_repository_and_numpy_warns_of_nothing():
    code = "from mvclust.bench.arithmetic import *; print(of_process().is_pinned, of_process())"
    assert run(code, strict=True, **environment()) == f"True {of_children()}"


@has_avx2
@pytest.mark.parametrize("first", ["", "import numpy; "])
def test_features_that_are_switched_off_are_asked_of_numpy(first):
    code = f"{first}from mvclust.bench.arithmetic import environment; print(environment())"
    assert run(code) == run(f"import mvclust; {code}")
    assert "AVX2 " not in run(code)


@has_avx2
def test_a_program_starts_itself_again_once(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        "import os, sys\nfrom mvclust.bench import arithmetic\nprint('begins', flush=True)\n"
        "arithmetic.start_again()\nprint(arithmetic.of_process().is_pinned, sys.argv[1:])\n"
    )
    done = started([sys.executable, script, "a b"], {"PYTHONPATH": str(ROOT)})
    assert done.stdout.splitlines() == ["begins", "begins", "True ['a b']"]


@has_avx2
def test_a_kernel_that_the_environment_names_stays_and_is_said():
    code = "from mvclust.bench.arithmetic import *; print(of_children(), own_digits(of_children()))"
    printed = run(code, OPENBLAS_CORETYPE="Nehalem")
    assert re.match("kernel Nehalem, loops AVX2.*not the repository's", printed, re.DOTALL)


def test_the_kernels_of_haswell_and_zen_have_the_same_digits():
    for changes, differ in ({}, False), ({"kernel": "Zen"}, False), ({"loops": "AVX512_SKX"}, True):
        assert bool(own_digits(PINNED._replace(**changes))) == differ


def test_importing_the_package_sets_nothing():
    names = "OPENBLAS_CORETYPE", "NPY_DISABLE_CPU_FEATURES", "OPENBLAS_NUM_THREADS"
    code = f"import os, mvclust; mvclust.DAIMC; print([os.environ.get(n) for n in {names}])"
    assert run(code, OPENBLAS_NUM_THREADS="2") == "[None, None, '2']"


def test_a_machine_without_avx2_computes_as_it_does(monkeypatch):
    monkeypatch.setattr(arithmetic, "_numpy_features", lambda: (False, ()))
    monkeypatch.delenv("OPENBLAS_CORETYPE", raising=False)
    assert environment() == arithmetic.ONE_THREAD


def test_a_job_with_another_arithmetic_starts_again_or_fails(monkeypatch):
    started = []
    monkeypatch.setattr(arithmetic, "of_process", lambda: OTHER)
    monkeypatch.setattr(arithmetic, "start_again", started.append)
    with pytest.raises(RuntimeError, match=r"computes with kernel SkylakeX.* run with .*Haswell"):
        require(PINNED)
    with pytest.raises(RuntimeError, match=r"glibc 2.36, the run with .*glibc 2.17"):
        require(OTHER._replace(libc="glibc 2.17"))
    assert started == ["Haswell"]  # another libc cannot be had by starting again
    require(OTHER)


def fits(arithmetic, key):
    columns = {"key": key, "setting": "s", "repetition": 0, "method": "m", "commit": "abc"}
    return pd.DataFrame([columns | arithmetic._asdict() | {"threads": 1}])


def test_no_table_mixes_arithmetics():
    assert len(merge_runs([fits(PINNED, "a"), fits(PINNED, "b")])) == 2
    with pytest.raises(TwoArithmetics, match=r"1 fit with kernel Haswell.*1 fit with kernel Skyl"):
        merge_runs([fits(PINNED, "a"), fits(OTHER, "b")])
    unknown = fits(PINNED, "b").drop(columns=["kernel", "loops", "libc"])
    with pytest.raises(TwoArithmetics, match="not recorded"):
        merge_runs([fits(PINNED, "a"), unknown])


MADE = json.loads(Path(__file__).with_name("digests.json").read_text(encoding="utf-8"))


@cache
def digests(*emulator):
    """What tests/bench/digests.py prints under the pinned arithmetic."""
    words = [*emulator, sys.executable, ROOT / "tests/bench/digests.py"]
    return json.loads(started(words, environment() | {"PYTHONPATH": str(ROOT)}).stdout)


@has_avx2
def test_the_digits_are_those_of_the_processor_of_the_repository():
    """Which has no AVX-512; where this one has it, another processor gives the same digits."""
    if MADE["versions"] != digests()["versions"]:
        pytest.skip(f"made with {MADE['versions']}")
    assert digests() == MADE


@has_avx2
@pytest.mark.skipif(shutil.which("qemu-x86_64") is None, reason="qemu-user is not installed")
@pytest.mark.parametrize("processor", ["Haswell", "EPYC"])
def test_the_digits_are_those_of_an_emulated_processor(processor):
    native = digests()
    if processor == "EPYC" and native["versions"] == MADE["versions"]:
        pytest.skip("compared with that processor itself, by the test above")
    assert len(native["digests"]) == 34
    assert digests("qemu-x86_64", "-cpu", processor) == native
