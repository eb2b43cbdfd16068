"""The lock, conda and the container give one environment; wheel and archives are whole."""

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
import yaml
from helpers import ROOT

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
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
        line, env = [sys.executable, *line], os.environ | {"PYTHONPATH": str(site)}
        return subprocess.run(line, cwd=cwd, env=env, capture_output=True, text=True)

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


LOCK = {}  # name -> its versions: that for a newer Python may differ
for name, version in re.findall(
    r"^([\w.-]+)==([\w.]+)", (ROOT / "envs/requirements.lock").read_text(), re.MULTILINE
):
    LOCK.setdefault(name, []).append(version)
CONDA = yaml.safe_load((ROOT / "envs/environment.yaml").read_text())["dependencies"]
RECIPE = (ROOT / "envs/Dockerfile").read_text()
OTHER_NAMES = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}


def test_conda_has_the_versions_of_the_lock_and_both_what_the_project_needs():
    pairs = (line.split(" =") for line in CONDA if " =" in line)
    packages = {OTHER_NAMES.get(name, name): version for name, version in pairs}
    assert packages.pop("python") == "3.11"
    for name, version in packages.items():
        assert any(f"{pinned}.".startswith(f"{version}.") for pinned in LOCK[name]), name
    for name in ("numpy", "scipy", "scikit-learn", "pandas"):  # they decide the digits
        assert len(LOCK[name]) == 1, "one version for all Pythons"
    # Snakemake makes the environment of a rule from a copy; a path would lead nowhere.
    assert all(isinstance(line, str) and "/" not in line for line in CONDA)
    extras = {"": PROJECT["dependencies"], **EXTRAS}
    named = {extra: {re.match(r"[\w-]+", line)[0] for line in extras[extra]} for extra in extras}
    needed = named[""] | named["data"] | named["pipeline"]
    assert needed - {"mvclust"} == packages.keys()
    others = named["build"] | named["docs"] | named["slurm"] | named["test"]
    assert (needed | others) - {"mvclust"} <= LOCK.keys()


def test_the_container_is_made_from_the_lock():
    assert "FROM python:3.11" in RECIPE
    assert "--require-hashes -r /opt/mvclust/envs/requirements.lock" in RECIPE
    for path in re.findall(r"/opt/mvclust/([\w./]+\w)", RECIPE):
        assert (ROOT / path).exists(), path
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {"results", "resources", ".venv"} <= set(ignored)
