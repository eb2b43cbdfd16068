"""Fixtures that all tests share."""

import compileall
import gc
import os

from mvclust.bench import arithmetic

arithmetic.pin()  # before NumPy is imported; the processes of xdist inherit it

import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from helpers import ORACLES, ROOT, find_mirror
from hypothesis import settings
from workflow.warm import python

from mvclust.testing import make_blobs

# The same examples in every run; HYPOTHESIS_PROFILE=explore draws new ones.
settings.register_profile("repeat", derandomize=True)
settings.register_profile("explore", derandomize=False)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeat"))


# Their tests are long and share nothing: with several processes each goes to the first that is
# free, before all others. The others go file by file.
APART = ("choices", "faults", "machine", "own", "places", "results", "workflow")
APART = {f"test_{name}.py" for name in APART}
FIRST = "test_site.py"  # beside the run that the tests of the workflow wait for
LONG = {  # after these, so that none is last
    f"test_{name}.py"
    for name in ("results", "docs", "figures", "page_in_a_browser", "structure_of_data", "wrapping")
}


def pytest_configure(config):
    """Compile the package once, for all processes and all copies that the tests make."""
    if not hasattr(config, "workerinput"):  # the process that starts the others
        compileall.compile_dir(ROOT / "mvclust", quiet=1)


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """What is collected stays to the end: no test shall look for garbage there, nor often."""
    gc.disable()
    collected = yield
    gc.freeze()
    gc.set_threshold(50_000, 20, 20)
    gc.enable()
    return collected


def pytest_collection_modifyitems(items):
    def place(item):
        name, rooms = item.path.name, item.path.parts
        # Tests of fits fork, which takes longer from a process that has grown.
        return name != FIRST, "workflow" not in rooms, "fit" not in rooms, name not in LONG

    items.sort(key=place)


def pytest_make_parametrize_id(val, argname):
    """Archives hold the time at which they were made, and all workers must find the same names."""
    return argname if isinstance(val, bytes) and len(val) > 40 else None


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    from xdist.scheduler import LoadScopeScheduling

    class LongFirst(LoadScopeScheduling):
        def _split_scope(self, nodeid):
            file = nodeid.partition("::")[0]
            return nodeid if Path(file).name in APART else file

    config.option.loadscopereorder = False
    return LongFirst(config, log)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Note each fault that was tried and each fuzzed test, where MVCLUST_TALLY names a file."""
    report = yield
    if "MVCLUST_TALLY" in os.environ and report.when == "call" and not report.skipped:
        faults = Counter(mark.args[0] for mark in item.iter_markers("fault"))
        told = [{"fault": name, "times": times} for name, times in faults.items()]
        passing = re.findall(r"(\d+) passing", getattr(item, "hypothesis_statistics", ""))
        told += [{"inputs": sum(map(int, passing))}] if passing else []
        common = {"test": item.nodeid, "passed": report.passed}
        with open(os.environ["MVCLUST_TALLY"], "a") as file:
            file.write("".join(json.dumps(common | one) + "\n" for one in told))
    return report


@pytest.fixture(scope="session")
def mirror():
    """The mirror folder; skips where there is none."""
    folder = find_mirror()
    if folder is None:
        pytest.skip("no mirror of the data sets here (set MVCLUST_MIRROR)")
    return folder


@pytest.fixture(scope="module")
def warm_python():
    """Let what is started as `sys.executable` fork from a process that has imported packages."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "executable", python())
        yield


@pytest.fixture
def oracle():
    return lambda name: dict(np.load(ORACLES / f"{name}.npz"))


@pytest.fixture
def blobs():
    """Three well separated groups in three non-negative views: 45 samples, (Xs, y)."""
    return make_blobs()
