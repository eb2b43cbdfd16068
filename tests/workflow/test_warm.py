"""A warm Python does what Python does."""

import os
import signal
import subprocess
import sys

import psutil
import pytest
from processes import has_ended, wait_until

from workflow.warm import python

PROGRAMS = {
    "place": "import os, sys; print(__name__, __file__, sys.argv, os.getcwd(), sys.path[:2])\n"
    "import beside; print(beside.__file__, 'mvclust' in sys.modules, sys.stdin.read())\n"
    "print(os.environ['A'], sys.dont_write_bytecode)",
    "number": "import sys; print('a'); sys.exit(3)",
    "sentence": "import sys; sys.exit('no')",
    "error": "1 / 0",
    "killed": "import os; os.kill(os.getpid(), 9)",
    "end": "import atexit, threading, time; atexit.register(print, 'at its end')\n"
    "threading.Thread(target=lambda: (time.sleep(0.2), print('done'))).start()",
    "children": "import multiprocessing as m\n"
    "if __name__ == '__main__':\n    print(m.get_context('spawn').Pool(1).map(abs, [-1]))",
}  # fmt: skip


LINES = {name: ["program.py", "x", "y z"] for name in PROGRAMS} | {
    "code": ["-c", "import os, sys; print(__name__, sys.argv, sys.path[0]); os.abort()", "x"],
    "module": ["-m", "json.tool", "--indent", "1"],
}


@pytest.mark.parametrize("name", LINES)
def test_a_program_code_and_a_module_print_and_end_as_they_do(name, tmp_path):
    folder = tmp_path / "modules"
    folder.mkdir()
    (folder / "beside.py").touch()
    (tmp_path / "program.py").write_text(PROGRAMS.get(name, ""))
    variables = os.environ | {"A": "b", "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
    how = {"cwd": tmp_path, "env": variables, "input": "[1]", "capture_output": True, "text": True}
    cold, warm = (
        subprocess.run([program, *LINES[name]], check=False, **how)
        for program in (sys.executable, python())
    )
    assert (warm.returncode, warm.stdout) == (cold.returncode, cold.stdout)
    assert warm.stderr.splitlines()[-1:] == cold.stderr.splitlines()[-1:]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs pidfd_open")
def test_it_ends_with_its_caller(tmp_path):
    (tmp_path / "program.py").write_text(
        "import os, time; print(os.getpid(), flush=True)\ntime.sleep(60)"
    )
    caller = subprocess.Popen([python(), tmp_path / "program.py"], stdout=subprocess.PIPE)
    child = psutil.Process(int(caller.stdout.readline()))
    caller.send_signal(signal.SIGKILL)
    caller.wait()
    caller.stdout.close()
    wait_until(lambda: has_ended(child), seconds=30)
