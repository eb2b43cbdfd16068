"""The blocks of docs/sceptic.md: its commands, and below each what it prints.

Needs the papers' texts in the folder that MVCLUST_PAPERS names, and one data set.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from docs.pages import DOCS, ROOT
from mvclust.bench.record.provenance import cpu_name

PAGE = "sceptic.md"
BLOCK = re.compile(r"<!-- begin: (\w+) -->\n```sh\n(.*?)\n```\n", re.DOTALL)
KEY = re.compile(r" ([0-9a-f]{20}) ")


def commands() -> dict[str, str]:
    """Block of the page -> the command that begins it."""
    return dict(BLOCK.findall((DOCS / PAGE).read_text(encoding="utf-8")))


def shown(command):
    """A command for the shell, run in the project's folder, and what it prints, in Markdown."""
    first = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False,
        env=os.environ | {"PATH": first, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    if done.returncode > 1 or not done.stdout:
        raise SystemExit(f"{command}: {done.stderr}")
    printed = "\n".join(map(str.rstrip, done.stdout.splitlines()))
    return f"```sh\n{command}\n```\n\n```text\n{printed}\n```"


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    start, texts = time.monotonic(), {}
    for name, command in commands().items():
        if name == "refit":  # the first fit of the cell above
            command = f"{command.rpartition(' ')[0]} {KEY.search(texts['recompute'])[1]}"
        texts[name] = shown(command)
    took = f"All five took {time.monotonic() - start:.0f} s together on {cpu_name()}."
    return texts | {"time": took}
