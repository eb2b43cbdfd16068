"""Files that killed processes left unfinished."""

import os
import resource
import subprocess
import sys
import time

import numpy as np
import pytest
import scipy.io

from mvclust.datasets.files import completed, scratch, sweep

KILLED = """
import os, sys
from pathlib import Path
from mvclust.datasets.files import completed, scratch
folder = Path(sys.argv[1])
with scratch(folder) as place, completed(folder / "table.csv") as path:
    path.write_text("half")
    (place / "archive").write_text("half")
    os.kill(os.getpid(), 9)
"""


@pytest.mark.fault("kill -9 of a job that writes")
@pytest.mark.parametrize("shared", [True, False])
def test_what_a_killed_process_left_is_swept(shared, tmp_path):
    folder = tmp_path / "below"
    folder.mkdir()
    subprocess.run([sys.executable, "-c", KILLED, str(folder)], check=False)
    assert len(list(folder.iterdir())) == 2
    (folder / ".hidden").touch()
    sweep(tmp_path, shared=shared)
    assert [path.name for path in folder.iterdir()] == [".hidden"]


def test_what_others_may_still_write_stays_where_they_may_and_for_a_day(tmp_path):
    with scratch(tmp_path) as place, completed(tmp_path / "a.csv") as path:
        path.write_text("half")
        sweep(tmp_path, shared=True)
        assert path.exists()
        assert place.exists()
    sweep(tmp_path, shared=True)
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
    # What another machine left is swept a day later.
    path = tmp_path / ".a.csv.00000000-1-00000000.part"
    path.touch()
    sweep(tmp_path, shared=True)
    assert path.exists()
    os.utime(path, (0, time.time() - 100_000))
    sweep(tmp_path, shared=True)
    assert not path.exists()


UNPACKED = """
import sys
from mvclust.datasets.readers.matlab import read_mat
from mvclust.datasets.room import TooLarge
try:
    read_mat(sys.argv[1], ["X"])
except TooLarge as error:
    sys.exit(str(error))
"""


@pytest.mark.fault("a small file that unpacks to more than there is room for")
def test_a_limit_of_the_process_counts_before_memory_is_taken(tmp_path):
    """The file has 0.2 MB, its matrix 200, and the process may take 750 in all."""
    path = tmp_path / "X.mat"
    scipy.io.savemat(path, {"X": np.zeros((2500, 10_000))}, do_compression=True)
    assert path.stat().st_size < 1e6
    done = subprocess.run(
        [sys.executable, "-c", UNPACKED, str(path)],
        capture_output=True, text=True, check=False, env=os.environ | {"OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (750_000_000,) * 2),
    )  # fmt: skip
    assert "would take 0.2 GB of memory, more than a quarter" in done.stderr
    assert "Traceback" not in done.stderr
