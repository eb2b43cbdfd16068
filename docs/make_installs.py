"""Size, packages and import time of the installs, in docs/install.md: python docs/make_installs.py

Needs access to a Python package index.
"""

import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.harness import cpu_of_children
from docs.pages import DOCS, fill, table

INSTALLS = {"mvclust": "", "mvclust[data]": "[data]", "mvclust[pipeline]": "[pipeline]"}
TOOLS = {"pip", "setuptools", "wheel"}  # of every environment
REPEATS = 5
HEAD = ["install", "packages", "size", "import mvclust", "from mvclust import DAIMC"]


def measure(extra, folder):
    """The row of an install in an environment of its own."""
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = str(folder / "bin/python")
    pip = [python, "-m", "pip", "--disable-pip-version-check"]
    subprocess.run([*pip, "install", "--quiet", f"{DOCS.parent}{extra}"], check=True)
    listed = json.loads(subprocess.check_output([*pip, "list", "--format", "json"]))
    packages = {package["name"] for package in listed} - TOOLS - {"mvclust"}
    (site,) = folder.glob("lib/python*/site-packages")
    files = [path for path in site.rglob("*") if path.is_file()]
    own = [path for path in files if path.relative_to(site).parts[0].split("-")[0] not in TOOLS]
    size = sum(path.stat().st_size for path in own) / 1e6
    nothing, *seconds = (_seconds(python, code) for code in ("pass", *HEAD[-2:]))
    times = [f"{1000 * (each - nothing):.0f} ms" for each in seconds]
    return [len(packages), f"{size:.0f} MB", *times]


def _seconds(python, code):
    """Median CPU time of a process that runs some code, its files being in memory."""
    times = []
    for _ in range(REPEATS + 1):
        before = cpu_of_children()
        subprocess.run([python, "-c", code], check=True)
        times.append(cpu_of_children() - before)
    return statistics.median(times[1:])


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        rows = [
            [f"`{name}`", *measure(extra, Path(folder, str(number)))]
            for number, (name, extra) in enumerate(INSTALLS.items())
        ]
    fill("install.md", "installs", table(HEAD, rows))
