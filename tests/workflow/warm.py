"""Python processes forked from one that has imported the packages of others already.

A job of the workflow takes 1.5 CPU seconds to import NumPy, SciPy, scikit-learn and pandas; a run
of the small project starts twenty processes. `python` is a program that takes the command line of
Python and gives it to a server of this test process, which forks: a child finds the packages there
and imports what is in its project, mvclust, anew. It knows ``python FILE``, ``python -m MODULE``
and ``python -c CODE``; where a ``sitecustomize`` is to be imported, or the system has no pidfd, it
is Python itself. So are runs that tests kill: a child is not in the process group of its caller.
"""

import atexit
import contextlib
import gc
import json
import multiprocessing.process
import os
import runpy
import select
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading
import traceback
import types
from functools import cache, partial
from pathlib import Path

PACKAGES = [
    "snakemake.cli", "snakemake.report", "snakemake.script", "nbformat", "requests", "pandas",
    "pyarrow.dataset", "pyarrow.parquet", "pyarrow.pandas_compat", "pydantic", "scipy.optimize",
    "scipy.stats", "sklearn.cluster", "matplotlib.backends.backend_agg",
    "matplotlib.backends.backend_pdf", "matplotlib.backends.backend_svg", "h5py", "jinja2",
    "psutil",
]  # fmt: skip
CALLER = """#!{python} -SEs
import json, os, signal, socket, sys
path = os.environ.get("PYTHONPATH", "").split(os.pathsep)
if any(os.path.exists(os.path.join(folder, "sitecustomize.py")) for folder in path):
    os.execv({python!r}, [{python!r}, *sys.argv[1:]])
with socket.socket(socket.AF_UNIX) as server:
    server.connect({address!r})
    asked = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
    socket.send_fds(server, [b"%12d" % len(asked)], [0, 1, 2])
    server.sendall(asked)
    code = int(server.recv(12))
if code < 0:
    signal.signal(-code, signal.SIG_DFL) if -code != signal.SIGKILL else None
    os.kill(os.getpid(), -code)
sys.exit(code)
"""


@cache
def python():
    """Path of the program that stands for Python in this test process."""
    if not hasattr(os, "pidfd_open"):
        return sys.executable
    folder = Path(tempfile.mkdtemp(prefix="warm"))
    caller, address = folder / "python", folder / "server"
    caller.write_text(CALLER.format(python=sys.executable, address=str(address)))
    caller.chmod(caller.stat().st_mode | stat.S_IXUSR)
    variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    server = subprocess.Popen(
        [sys.executable, __file__, str(address), str(caller)],
        env=variables | {"OPENBLAS_NUM_THREADS": "1"},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    server.stdout.readline()  # it listens

    @atexit.register
    def stop():
        server.stdin.close()
        server.wait()
        shutil.rmtree(folder)

    return str(caller)


def serve(address):
    """Fork a process for each caller, which forks the child and tells the caller how it ended.

    A child is killed where its caller is gone. The server ends when its input does.

    A child alone returns: its command line, folder and environment.
    """
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # none of those is waited for
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen()
    print(flush=True)
    while sys.stdin not in select.select([listener, sys.stdin], [], [])[0]:
        caller, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            return _child_of(caller)
        caller.close()
    sys.exit()


def _child_of(caller):
    """Fork what a caller asks for and wait for one of both; what it asks for is the child's."""
    length, files, _, _ = socket.recv_fds(caller, 12, 3)
    text, part = b"", length
    while part and len(text) < int(length):
        part = caller.recv(int(length) - len(text))
        text += part
    if not part:  # the caller was killed while it asked
        os._exit(1)
    child = os.fork()
    if child == 0:
        caller.close()
        for stream, file in enumerate(files):
            os.dup2(file, stream)
            os.close(file)
        return json.loads(text)
    for file in (0, 1, 2, *files):
        os.close(file)
    ended = os.pidfd_open(child)
    if ended not in select.select([caller, ended], [], [])[0]:
        os.kill(child, signal.SIGKILL)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    with contextlib.suppress(OSError):
        caller.sendall(b"%d" % code)
    os._exit(0)


def run(line, folder, variables):
    """Do what Python does with a command line, in this process."""
    os.environ.clear()
    os.environ.update(variables)
    os.chdir(folder)
    multiprocessing.process.ORIGINAL_DIR = folder  # from where it finds the main module
    sys.dont_write_bytecode = "PYTHONDONTWRITEBYTECODE" in variables
    how = line[0] if line[0] in ("-m", "-c") else "file"
    first = {"-m": folder, "-c": ""}.get(how, os.path.dirname(os.path.abspath(line[0])))
    given = [path for path in variables.get("PYTHONPATH", "").split(os.pathsep) if path]
    sys.path[:] = [first, *given, *sys.path[1:]]
    if how != "file":
        sys.executable = CALLED_BY
    if how == "-m":
        sys.argv = line[1:]
        runpy.run_module(line[1], run_name="__main__", alter_sys=True)
        return
    main = types.ModuleType("__main__")
    if how == "-c":
        sys.argv, code = ["-c", *line[2:]], compile(line[1], "<string>", "exec")
    else:
        main.__file__ = os.path.abspath(line[0])
        sys.argv, code = line, compile(Path(line[0]).read_bytes(), main.__file__, "exec")
    sys.modules["__main__"] = main
    exec(code, main.__dict__)


def end(work):
    """End this process with a work, but leave out to free the packages, which takes a second."""
    code = 0
    try:
        work()
    except SystemExit as asked:
        code = asked.code if isinstance(asked.code, int) else int(asked.code is not None)
        if isinstance(asked.code, str):
            print(asked.code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # what Python does first at its end: it waits for threads
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):
            stream.flush()
    os._exit(code)


if __name__ == "__main__":
    address, CALLED_BY = sys.argv[1:]
    for package in PACKAGES:
        __import__(package)
    gc.freeze()  # so that no child looks for garbage there, and writes into memory that all share
    end(partial(run, *serve(address)))
