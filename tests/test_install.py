"""The wheel works without the libraries of its extras, and the archives hold what they should."""

import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from importlib.util import find_spec

import numpy as np
import pytest
from helpers import ROOT

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
IMPORTED = {"pyyaml": "yaml"}  # where the module has another name than its package
ABSENT = sorted(
    IMPORTED.get(name, name)
    for line in EXTRAS["data"] + EXTRAS["pipeline"]
    if (name := re.split(r"[>\[]", line)[0]) not in ("mvclust", "packaging")
)

# What a process sees where these libraries are not installed.
BARE = f"""
import sys
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {ABSENT}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Absent())
"""


@pytest.fixture(scope="module")
def archives(tmp_path_factory):
    """Wheel and source archive."""
    if find_spec("hatchling") is None:
        pytest.skip("hatchling is not installed (extra build)")
    folder = tmp_path_factory.mktemp("dist")
    line = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
    subprocess.run(line, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl")), next(folder.glob("*.tar.gz"))


@pytest.fixture(scope="module")
def run(archives, tmp_path_factory):
    """Runs Python on the unpacked wheel."""
    site = tmp_path_factory.mktemp("site")
    with zipfile.ZipFile(archives[0]) as wheel:
        wheel.extractall(site)

    def run(*line, cwd=site):
        return subprocess.run(
            [sys.executable, *line],
            cwd=cwd,
            env=os.environ | {"PYTHONPATH": str(site)},
            capture_output=True,
            text=True,
            check=False,
        )

    return run


def test_the_estimators_wrapping_and_filling_work_without_extras(run):
    chosen = "check_clear_clusters or test_sparse_views"
    words = [str(ROOT / "tests/estimators/test_contract.py"), "-k", chosen, "-x", "--rootdir"]
    words += [str(ROOT), "-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider", "-n", "0"]
    done = run(
        "-c",
        BARE + "import os, mvclust, pytest; print(mvclust.__file__)\n"
        "assert os.path.samefile(os.path.dirname(mvclust.__file__), 'mvclust')\n"
        "import numpy as np\n"
        "from mvclust.testing import make_blobs\n"
        "Xs, y = make_blobs()\n"
        "Xs[0][0] = np.nan\n"
        "model = mvclust.ConcatKMeans(3, random_state=0)\n"
        "mvclust.wrap(model, [5, 4, 6]).fit(np.hstack(mvclust.fill_missing(Xs)))\n"
        f"sys.exit(pytest.main({words}))",
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]
    assert str(ROOT) not in done.stdout.splitlines()[0]


def test_data_sets_say_what_to_install(run):
    assert {"h5py", "pandas", "yaml", "snakemake"} <= set(ABSENT)
    done = run("-c", BARE + "import mvclust; mvclust.load_dataset('handwritten')")
    (told,) = [line for line in done.stderr.splitlines() if "NotInstalled: " in line]
    sentence = "yaml is not installed; pip install 'mvclust[data]' brings it."
    assert told == f"mvclust.extras.NotInstalled: {sentence}"


def test_the_wheel_brings_the_workflow(run, tmp_path):
    np.savez(tmp_path / "mine.npz", a=np.eye(6, 3), b=np.ones((6, 2)), y=[0, 0, 0, 1, 1, 1])
    words = ["run", "mine.npz", "--cores", "1", "--methods", "DAIMC", "--dry-run"]
    done = run("-m", "mvclust.cli", *words, cwd=tmp_path)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    assert "6 samples, 2 classes" in done.stdout
    assert "mvclust: 2 experiments, 45 fits in 1 job" in done.stderr
    assert not (tmp_path / "results" / "mine" / "report.html").exists()


def test_archives_hold_the_package_and_no_results(archives):
    wheel, source = archives
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    assert {
        "mvclust/datasets/datasets.yaml",
        "mvclust/estimators/daimc.py",
        "mvclust/project/Snakefile",
        "mvclust/py.typed",
    } <= set(names)
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"mvclust"}
    with tarfile.open(source) as archive:
        names = [name.partition("/")[2] for name in archive.getnames()]
    assert {"pyproject.toml", "workflow/Snakefile", "config/datasets.yaml"} <= set(names)
    assert not [name for name in names if name.startswith("results")]
