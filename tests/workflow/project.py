"""A copy of the project in a folder of its own, and runs of its workflow."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from helpers import ROOT, find_mirror

PARTS = ["Snakefile", "config", "workflow", "envs", "mvclust"]

# Two rates, three methods: small enough for many runs, large enough to be killed in the middle.
TINY = """
tiny:
  title: A tiny experiment
  paper: ueaf
  item: table2
  render: curves
  x: rate
  data:
    - {dataset: handwritten, label: Handwritten, views: [pix, fou]}
  protocol: paired
  rates: [0.3, 0.7]
  repetitions: 2
  methods: [DAIMC, BSV, KMeans-kNN]
  metrics: {ACC: acc, NMI: nmi_max}
  unit: percent
"""
SETTINGS = """
experiments: [tiny]
datasets: null
budget: {repetitions: null, samples_per_class: 60, grid_points: 3, sweep_points: 3, pairs: null}
"""


def copy_project(folder, resources=None):
    """Copy the project; take over prepared data if there are some."""
    folder.mkdir()
    for part in PARTS:
        source = ROOT / part
        ignore = shutil.ignore_patterns("__pycache__")
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=ignore)
        else:
            shutil.copy(source, folder / part)
    (folder / "profiles").symlink_to("workflow/profiles")
    (folder / "config/experiments/tiny.yaml").write_text(TINY)
    (folder / "tiny.yaml").write_text(SETTINGS)
    if resources:
        shutil.copytree(resources / "resources", folder / "resources")
    return folder


def command(*arguments, cores=2, configfile="tiny.yaml"):
    return [
        sys.executable, "-m", "snakemake", "--cores", str(cores),
        "--configfile", configfile, *arguments,
    ]  # fmt: skip


def environment(folder):
    """The copy's own package comes first; data come from the mirror if there is one."""
    variables = os.environ | {"PYTHONPATH": str(folder)}
    mirror = find_mirror()
    return variables | ({"MVCLUST_MIRROR": str(mirror)} if mirror else {})


def snakemake(folder, *arguments, cores=2, configfile="tiny.yaml"):
    """Run the workflow; the finished process with its whole output as stdout."""
    return subprocess.run(
        command(*arguments, cores=cores, configfile=configfile),
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def succeed(folder, *arguments, cores=2, configfile="tiny.yaml"):
    done = snakemake(folder, *arguments, cores=cores, configfile=configfile)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def planned_jobs(output):
    """Rule -> number of jobs, from the table that Snakemake prints."""
    table = re.search(r"Job stats:\n.*?\n(.*?)\ntotal", output, re.DOTALL)
    if table is None:
        return {}
    rows = [line.split() for line in table.group(1).splitlines() if not line.startswith("-")]
    return {name: int(count) for name, count in rows}


def bytes_of(folder, pattern="results/tables/*"):
    files = sorted(Path(folder).glob(pattern))
    assert files, f"no {pattern} in {folder}"
    return {path.name: path.read_bytes() for path in files}
