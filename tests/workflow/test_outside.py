"""Methods that are not ours: from another package and from another language, to the report."""

import re
import sys

import pandas as pd
from helpers import write_package

from workflow.project import TINY, call, command, data_of_page

PACKAGE = '''
"""A class that knows nothing of mvclust, with a name for clusters of its own choice."""

import numpy as np
from strange.helper import sums


class Strange:
    def __init__(self, n_clusters, power=1):
        self.n_clusters, self.power = n_clusters, power

    def fit(self, Xs):
        return self

    def fit_predict(self, Xs):
        return np.argsort(np.argsort(sums(Xs) ** self.power)) * self.n_clusters // len(Xs[0])
'''
HELPER = "def sums(Xs):\n    return sum(X.sum(axis=1) for X in Xs)\n"
PROGRAM = """
import sys, h5py, numpy as np
file = h5py.File(sys.argv[1])
view = np.nan_to_num(file["view_1"][()])
np.savetxt(sys.argv[2], view.argmax(axis=1) % int(file["n_clusters"][()]), fmt="%d")
"""
DEADLY = '''
import os, signal, time
import numpy as np
import psutil


class Deadly:
    """Ends the process of its job, as a cluster does that takes back a machine."""

    def __init__(self, n_clusters):
        self.n_clusters = n_clusters

    def fit(self, Xs):
        os.kill(psutil.Process(os.getppid()).ppid(), signal.SIGKILL)
        time.sleep(600)  # it ends with its job
        self.labels_ = np.arange(len(Xs[0])) % self.n_clusters
        return self
'''
METHODS = f"""
Strange:
  estimator: strange.methods.Strange
  fixed: {{fill: mean}}
  default: {{power: 1}}
  grid: {{power: [1, 3]}}
Command-python:
  estimator: mvclust.command.Command
  label: largest feature
  fixed: {{command: '"{sys.executable}" program.py'}}
Deadly: {{estimator: deadly.Deadly, fixed: {{fill: mean}}}}
"""
RUN = """
experiments: [tiny, second]
add_methods: [Strange, Command-python]
methods_files: [methods.yaml]
"""


def run(project, *arguments):
    line = [*command(*arguments), "mine.yaml"]
    return call(project, *line, PYTHONPATH=f"{project}:{project.parent / 'site'}")


def test_they_are_in_tables_and_report_and_a_job_that_is_killed_on_a_page_beside_them(
    project, finished, tmp_path
):
    write_package(tmp_path / "site" / "strange", {"methods": PACKAGE, "helper": HELPER})
    second = TINY.replace("tiny:", "second:", 1).replace("methods: [", "methods: [Deadly, ")
    files = {"program.py": PROGRAM, "methods.yaml": METHODS, "mine.yaml": RUN, "deadly.py": DEADLY}
    for name, content in (files | {"config/experiments/second.yaml": second}).items():
        (project / name).write_text(content)
    unfinished = project / "results/tiny/unfinished.html"
    done = run(project)
    assert done.returncode != 0
    assert re.search(r"mvclust: fit\.\S*Deadly\S* failed: ended without a word", done.stdout)
    assert "mvclust: of an earlier run: results/tiny/report.html" in done.stdout
    page = data_of_page(unfinished)
    tables = {table["id"]: table for table in page["tables"]}
    ((name, methods, data, why, log),) = tables["jobs"]["rows"]
    assert name.startswith("fit.")
    assert (methods, data) == ("Deadly", "handwritten")
    assert why.startswith("ended without a word")
    assert (project / log).exists()
    made = {experiment["id"]: len(experiment["rows"]) for experiment in page["experiments"]}
    assert made.pop("second") == 0
    assert made.pop("tiny") > 0

    kept = [line for line in DEADLY.splitlines() if "kill(" not in line and "sleep" not in line]
    (project / "deadly.py").write_text("\n".join(kept))
    done = run(project)
    assert done.returncode == 0, done.stdout[-4000:]
    assert not unfinished.exists()
    page = data_of_page(project / "results/tiny/report.html")
    assert all(experiment["rows"] for experiment in page["experiments"])
    assert "largest feature" in str(page["experiments"])
    before = pd.read_parquet(finished / "results/tiny/runs.parquet").set_index("key")
    after = pd.read_parquet(project / "results/tiny/runs.parquet").set_index("key")
    new = after.drop(before.index)  # nothing else is fitted anew
    assert set(new["method"]) == {"Strange", "Command-python", "Deadly"}
    assert new["error"].isna().all()
    assert after.loc[before.index, "cpu_seconds"].equals(before["cpu_seconds"])
    table = pd.read_csv(project / "results/tiny/tables/tiny.csv")
    assert {"Strange", "largest feature"} <= set(table["method"])
    assert table.loc[table["method"] == "Strange", "mean"].notna().all()
    assert "Nothing to be done" in run(project, "--dry-run").stdout
