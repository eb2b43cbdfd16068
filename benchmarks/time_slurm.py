"""Wall time of the smoke run on a Slurm of this machine and without it.

    PYTHONPATH=.:tests python benchmarks/time_slurm.py [TURNS] [--write]

Needs the system's Slurm packages and the plugin. The two take turns, three or as many as are given,
and must give the same tables. With --write the table goes into docs/cluster.md.
"""

import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from workflow.one_machine import OneMachineSlurm
from workflow.project import bytes_of, copy_project, environment

from docs.pages import table, tell

CPUS = 2
CALL = [sys.executable, "-m", "snakemake", "--configfile", "config/runs/smoke.yaml"]
LOCALLY = ["--cores", str(CPUS)]
ON_SLURM = ["--workflow-profile", "profiles/slurm"]
MADE = ("results", "resources/work", "resources/journals", ".snakemake")
NUMBERS = "results/smoke/tables/[!c]*"  # all but what the run cost


def run(project, arguments, variables):
    """Wall seconds of a run, what it said, and its tables."""
    began = time.perf_counter()
    done = subprocess.run(
        [*CALL, *arguments], cwd=project, env=environment(project) | variables,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
    )  # fmt: skip
    seconds = time.perf_counter() - began
    if done.returncode:
        sys.exit(done.stdout)
    return seconds, done.stdout


def measure(project, slurm, turns):
    """Yield the rows of the table."""
    path = os.pathsep.join([os.path.dirname(sys.executable), slurm.environment["PATH"]])
    kinds = {"local": LOCALLY, "Slurm": ON_SLURM}
    seconds, said, tables = {kind: [] for kind in kinds}, {}, {}
    for _ in range(turns):
        for kind, arguments in kinds.items():
            for name in MADE:
                shutil.rmtree(project / name, ignore_errors=True)
            spent, said[kind] = run(project, arguments, {"PATH": path})
            seconds[kind].append(spent)
            tables[kind] = bytes_of(project, NUMBERS)
            print(f"{kind}: {spent:.0f} s", flush=True)
    if tables["local"] != tables["Slurm"]:
        sys.exit("The tables of the two runs differ.")
    medians = {kind: statistics.median(times) for kind, times in seconds.items()}
    for kind, median in medians.items():
        fits, jobs = re.search(r"(\d+) fits in (\d+) jobs?", said[kind]).groups()
        ratio = f"{median / medians['local']:.1f}"
        yield [kind, turns, fits, jobs, f"{median:.0f} s", ratio]


def main(arguments):
    turns = next((int(word) for word in arguments if word.isdigit()), 3)
    with tempfile.TemporaryDirectory(prefix="slurm", dir="/tmp") as folder:  # sockets: short
        project = copy_project(Path(folder, "project"))
        run(project, [*LOCALLY, "data"], {})
        with OneMachineSlurm(Path(folder, "slurm"), cpus=CPUS) as slurm:
            rows = list(measure(project, slurm, turns))
    head = ["smoke run", "runs", "fits", "jobs of fits", "wall time", "times the local"]
    tell("cluster.md", "slurm", table(head, rows))


if __name__ == "__main__":
    main(sys.argv[1:])
