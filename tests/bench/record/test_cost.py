"""What a run and its jobs cost."""

import subprocess
import sys
import time

import numpy as np
import pytest

from mvclust.bench.fit.cpu import PeakMemory, cpu_seconds
from mvclust.bench.record.manifest import workflow_cpu_seconds

STARTER = "import subprocess, sys; sys.exit(subprocess.call([sys.executable, '-c', {!r}]))"
ASK = "from mvclust.bench.record.manifest import workflow_cpu_seconds as w; print(w() is not None)"


def test_peak_memory_sees_what_was_freed_again():
    with PeakMemory() as memory:
        np.ones(10**7).sum()
    assert memory.peak_mb > 80


def test_cpu_counts_the_processes_that_a_fit_starts():
    before, own = cpu_seconds(), time.process_time()
    subprocess.run([sys.executable, "-c", "sum(range(10**6))"], check=True)
    assert cpu_seconds() - before > time.process_time() - own


@pytest.mark.parametrize(("mode", "found"), [([], "True"), (["--mode", "remote"], "False")])
def test_the_cost_of_a_run_is_not_that_of_one_job_on_a_cluster(tmp_path, mode, found):
    snakemake = tmp_path / "snakemake"
    snakemake.write_text(STARTER.format(ASK))
    command = [sys.executable, snakemake, *mode]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == found
    assert workflow_cpu_seconds() is None  # of the tests
