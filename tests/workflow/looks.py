"""Looks at a plan, such as dry runs, by processes that have imported Snakemake already.

A look takes three CPU seconds, two of them for imports. Each is forked from one process that has
made the imports of other packages; of mvclust it imports what is in its project.
"""

import multiprocessing
import os
import subprocess
import sys
import tempfile
from pathlib import Path

WARM = multiprocessing.get_context("forkserver")
WARM.set_forkserver_preload(
    ["snakemake.cli", "pandas", "pydantic", "scipy.optimize", "scipy.stats", "sklearn.cluster"]
)
TESTS = str(Path(__file__).parents[1])


def look(line, folder, variables):
    """Do what ``python -m snakemake`` does with a command line that starts no job.

    Parameters
    ----------
    line : sequence of str
    folder : path
    variables : dict
        The whole environment.

    Returns
    -------
    subprocess.CompletedProcess
        Its whole output is stdout.
    """
    with tempfile.NamedTemporaryFile() as output:
        process = WARM.Process(target=_look, args=(line, str(folder), variables, output.name))
        process.start()
        process.join()
        text = Path(output.name).read_text()
    return subprocess.CompletedProcess(line, process.exitcode, text)


def _look(line, folder, variables, output):
    file = os.open(output, os.O_WRONLY)
    for stream in (1, 2):
        os.dup2(file, stream)
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in variables
    installed = [path for path in sys.path if path and not path.startswith(TESTS)]
    sys.path[:] = [folder, *variables["PYTHONPATH"].split(os.pathsep), *installed]
    sys.argv = ["snakemake", *line]
    from snakemake.cli import main

    main(sys.argv[1:])
