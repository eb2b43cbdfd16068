"""A copy of the project in a folder of its own, and runs of its workflow."""

import base64
import contextlib
import gzip
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import psutil
from helpers import ROOT, find_mirror
from processes import wait_until

from mvclust.bench.fit.journal import entry_of
from workflow.warm import python

PARTS = ["Snakefile", ".test", "config", "workflow", "profiles", "envs", "mvclust"]

# Two rates, three methods: small enough for many runs, large enough to be killed in the middle.
TINY = """
tiny:
  {title: A tiny experiment, caption: Two views of the digits., paper: ueaf, item: table2,
   data: [{dataset: handwritten, label: Handwritten, views: [pix, fou]}],
   protocol: paired, paired_rates: [0.3, 0.7], repetitions: 2,
   methods: [DAIMC, BestSingleView, ConcatKMeans-knn], metrics: {ACC: acc, NMI: nmi_max},
   render: curves, x: rate, unit: percent}
"""
SETTINGS = """
run: tiny
experiments: [tiny]
claims: true
datasets: null
budget: {repetitions: null, samples_per_class: 20, grid_points: 3, sweep_points: 3, pairs: null}
"""
# Of the small project: its fits, and its tables and figures but those of what the run cost.
FITS = 32
NUMBERS = "results/tiny/*s/[!c]*"


def copy_project(folder):
    """Copy the project with what Python compiled of it."""
    folder.mkdir()
    for part in PARTS:
        source = ROOT / part
        ignore = shutil.ignore_patterns("*.pyc.*", ".snakemake", "results", "resources")
        if source.is_dir():
            shutil.copytree(source, folder / part, ignore=ignore)
        else:
            shutil.copy(source, folder / part)
    (folder / "config/experiments/tiny.yaml").write_text(TINY)
    (folder / "tiny.yaml").write_text(SETTINGS)
    return folder


def command(*arguments, cores=2, configfile="tiny.yaml"):
    """The command line of Snakemake."""
    return ["--cores", str(cores), *arguments, "--configfile", configfile]


def environment(folder):
    """The copy's own package comes first; data come from the mirror if there is one."""
    # An edited module shall never be taken for its compiled form of the same second.
    variables = os.environ | {"PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    mirror = find_mirror()
    return variables | ({"MVCLUST_MIRROR": str(mirror)} if mirror else {})


def interpreter(warm):
    """Python as a user starts it, or `workflow.warm`."""
    return python() if warm else sys.executable


def call(folder, *line, code=None, warm=True, **variables):
    """Run a command line of Snakemake in a folder; its whole output is stdout.

    The package is that of the project in `code`, by default of the folder itself. Jobs are started
    as a user's are where they shall not be `workflow.warm`.
    """
    return run_python(folder, "-m", "snakemake", *line, code=code, warm=warm, **variables)


def run_python(folder, *line, code=None, warm=True, **variables):
    """Run a command line of Python in a folder, see `call`."""
    return subprocess.run(
        [interpreter(warm), *line],
        cwd=folder,
        env=environment(code or folder) | variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )


def snakemake(folder, *arguments, cores=2, configfile="tiny.yaml"):
    """Run the workflow; the finished process with its whole output as stdout."""
    return call(folder, *command(*arguments, cores=cores, configfile=configfile))


def succeed(folder, *arguments, configfile="tiny.yaml"):
    done = snakemake(folder, *arguments, configfile=configfile)
    assert done.returncode == 0, done.stdout[-4000:]
    return done.stdout


def fail(folder, *arguments, cores=2):
    """Run the workflow, which must end with sentences and no traceback of our own."""
    done = snakemake(folder, *arguments, cores=cores)
    assert done.returncode != 0, done.stdout[-4000:]
    assert "Traceback" not in done.stdout, done.stdout[-4000:]
    return done.stdout


# Snakemake as a user starts it, to be paused and killed; it starts its jobs with another Python.
WITH_JOBS_OF = "import sys; sys.executable = {!r}; from snakemake.cli import main; main()"


def start(folder, *arguments, cores=2, warm=False, warm_jobs=False):
    """Start a silent run; its jobs are in its process group where they are not `workflow.warm`."""
    how = ["-c", WITH_JOBS_OF.format(python())] if warm_jobs else ["-m", "snakemake"]
    return subprocess.Popen(
        [interpreter(warm), *how, *command(*arguments, cores=cores)],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@contextlib.contextmanager
def living_run(folder, *arguments, until, cores=2, warm_jobs=False):
    """A run that goes on beside the block, from the moment `until`; killed at its end."""
    process = start(folder, *arguments, cores=cores, warm_jobs=warm_jobs)
    try:
        wait_until(until, run=process)
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def fits_in(folder):
    """The keys of the fits in the journals, whole lines alone, each as often as it was done."""
    keys = []
    for path in Path(folder, "resources/journals").glob("*.jsonl"):
        for line in path.read_bytes().split(b"\n"):
            with contextlib.suppress(ValueError):
                keys.append(entry_of(line)["id"])
    return keys


def jobs_at_work(folder, rule=""):
    """The processes of a project's scripts, of all rules or of one."""
    scripts = str(Path(folder, ".snakemake/scripts"))
    found = []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.Error, OSError):  # it ends just now
            line = process.cmdline()
            of_job = [part for part in line if part.startswith(scripts)]
            if any(f"/logs/{rule}" in Path(part).read_text("latin-1") for part in of_job):
                found.append(process)
    return found


def planned_jobs(output):
    """Rule -> number of jobs, from the table that Snakemake prints."""
    table = re.search(r"Job stats:\n.*?\n(.*?)\ntotal", output, re.DOTALL)
    if table is None:
        return {}
    rows = [line.split() for line in table.group(1).splitlines() if not line.startswith("-")]
    return {name: int(count) for name, count in rows}


def planned_rules(folder, *arguments):
    """The rules that a dry run plans, without the targets that only collect files."""
    output = succeed(folder, "--dry-run", *arguments)
    assert planned_jobs(output) or "Nothing to be done" in output, output[-4000:]
    return set(planned_jobs(output)) - {"all", "default"}


def bytes_of(folder, pattern="results/tiny/tables/*"):
    # A killed job leaves what it had not finished beside the file, under a hidden name.
    files = sorted(path for path in Path(folder).glob(pattern) if not path.name.startswith("."))
    assert files, f"no {pattern} in {folder}"
    return {path.name: path.read_bytes() for path in files}


def snapshot(folder):
    """Path -> time and size, of all files but what Snakemake notes for itself."""
    return {
        path: (path.stat().st_mtime_ns, path.stat().st_size)
        for path in folder.rglob("*")
        if path.is_file() and ".snakemake" not in path.parts
    }


def data_of_page(path):
    """What a report page holds for its tables and charts."""
    packed = re.search(r'id="data">([^<]+)<', Path(path).read_text())[1]
    return json.loads(gzip.decompress(base64.b64decode(packed)))


def edit(path, old, new):
    """Replace a text that is in a file exactly once."""
    text = Path(path).read_text()
    assert text.count(old) == 1, f"{path} has {old!r} {text.count(old)} times"
    Path(path).write_text(text.replace(old, new))


# Catalogues of their own, for tests that edit them and for short runs.
SMALL_METHODS = """
DAIMC:
  {estimator: mvclust.estimators.daimc.DAIMC, published: DAIMC, fixed: {variant: author},
   default: {alpha: 10, beta: 1}, grid: {alpha: [0.1, 10], beta: [1, 10]}}
BestSingleView:
  {estimator: mvclust.estimators.best_single_view.BestSingleView, label: BSV, published: BSV,
   fixed: {scale: sample_unit, impute: mean}, default: {view: silhouette}, grid: {view: per_view}}
ConcatKMeans-knn:
  estimator: mvclust.estimators.concat_kmeans.ConcatKMeans
  reference: true
  label: k-means, kNN-filled
  fixed: {impute: knn}
  by_kind:
    scale: {counts: sample_unit, tf-idf: sample_unit, links: sample_unit, real: view_balanced}
"""
SMALL_PUBLISHED = """paper,item,dataset,missing_rate,paired_rate,view,method,metric,mean,std,unit
ueaf,table2,Handwritten,,0.3,,BSV,acc,50.45,,percent
ueaf,table2,Handwritten,,0.7,,BSV,acc,64.44,,percent
"""
SMALL_CLAIMS = """
best:
  {paper: ueaf, place: Table 2, says: One run of DAIMC suffices.,
   tests: [{kind: one_run, experiments: [tiny], methods: [DAIMC]}]}
agreeing:
  {paper: ueaf, place: section 3, says: Views agree more by a joint factorisation.,
   tests: [{kind: above, probes: [views], methods: [MultiNMF], against: [NMF]}]}
"""
SMALL_PROBES = """
views:
  {title: Agreement of the labels by two views alone, unit: points of ARI, arms: [MultiNMF, NMF],
   measure: mvclust.bench.claims.probes.nmf.agreement_of_views, repetitions: 2,
   data: [{dataset: handwritten, label: Handwritten, views: [fou, zer]}]}
"""
FACTS = "facts: {title: What is in the data, paper: beyond, render: statistics}\n"


def copy_small_project(folder):
    """Copy the project with three methods, one data set, two experiments and two claims."""
    config = copy_project(folder) / "config"
    for path in config.glob("experiments/*.yaml"):
        path.unlink()
    (config / "experiments/tiny.yaml").write_text(TINY + FACTS)
    (config / "methods.yaml").write_text(SMALL_METHODS)
    (config / "published.csv").write_text(SMALL_PUBLISHED)
    (config / "claims.yaml").write_text(SMALL_CLAIMS)
    (config / "probes.yaml").write_text(SMALL_PROBES)
    datasets = (config / "datasets.yaml").read_text()
    (config / "datasets.yaml").write_text(datasets[: datasets.index("\n3sources:")])
    for path in config.glob("runs/*.yaml"):
        if path.stem != "default":
            path.unlink()
    apart = "set-resources:\n  fit:\n    join_below: 0.001  # a job for each method\n"
    edit(folder / "profiles/default/config.yaml", "set-resources:\n", apart)
    edit(folder / "tiny.yaml", "experiments: [tiny]", "experiments: [tiny, facts]")
    return folder


def share_data(source, folder):
    """Copy the raw and prepared data of another project."""
    for part in ("raw", "datasets"):
        shutil.copytree(source / "resources" / part, folder / "resources" / part)
