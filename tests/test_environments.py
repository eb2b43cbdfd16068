"""The lock, the conda file and the container recipe give one environment."""

import re
import tomllib

import yaml
from helpers import ROOT

LOCK = {}  # name -> its versions: that for a newer Python may differ
for name, version in re.findall(
    r"^([\w.-]+)==([\w.]+)", (ROOT / "envs/requirements.lock").read_text(), re.MULTILINE
):
    LOCK.setdefault(name, []).append(version)
CONDA = yaml.safe_load((ROOT / "envs/environment.yaml").read_text())["dependencies"]
RECIPE = (ROOT / "envs/Dockerfile").read_text()
OTHER_NAMES = {"matplotlib-base": "matplotlib", "snakemake-minimal": "snakemake"}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def in_conda():
    pairs = (line.split(" =") for line in CONDA if " =" in line)
    return {OTHER_NAMES.get(name, name): version for name, version in pairs}


def test_conda_has_the_versions_of_the_lock():
    packages = in_conda()
    assert re.match(r">=3\.11", PROJECT["requires-python"])
    assert packages.pop("python") == "3.11"
    for name, version in packages.items():
        assert any(f"{pinned}.".startswith(f"{version}.") for pinned in LOCK[name]), name
    for name in ("numpy", "scipy", "scikit-learn", "pandas"):  # they decide the digits
        assert len(LOCK[name]) == 1, "one version for all Pythons"
    # Snakemake makes the environment of a rule from a copy; a path would lead nowhere.
    assert all(isinstance(line, str) and "/" not in line for line in CONDA)


def test_both_have_what_the_project_needs():
    extras = {"": PROJECT["dependencies"], **PROJECT["optional-dependencies"]}
    named = {extra: {re.match(r"[\w-]+", line)[0] for line in extras[extra]} for extra in extras}
    needed = named[""] | named["data"] | named["pipeline"]
    assert needed - {"mvclust"} == in_conda().keys() - {"python"}
    others = named["build"] | named["docs"] | named["slurm"] | named["test"]
    assert (needed | others) - {"mvclust"} <= LOCK.keys()


def test_the_container_is_made_from_the_lock():
    assert "FROM python:3.11" in RECIPE
    assert "--require-hashes -r /opt/mvclust/envs/requirements.lock" in RECIPE
    for path in re.findall(r"/opt/mvclust/([\w./]+\w)", RECIPE):
        assert (ROOT / path).exists(), path
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert {"results", "resources", ".venv"} <= set(ignored)
