"""Fill the blocks of docs/sceptic.md with the output of its commands: python docs/make_sceptic.py

Needs the papers' texts in the folder that MVCLUST_PAPERS names, and one data set.
"""

import os
import re
import subprocess
import sys
import time
from pathlib import Path

from docs.pages import ROOT, fill, write
from mvclust.bench.record.provenance import cpu_name

PAGE = "sceptic.md"
CELL = "results/default daimc_fig1 missing_rate=0 DAIMC oracle AC"
CONTROLS = """\
python -c "
import pandas as pd
table = pd.read_csv('results/modern/tables/audit_controls.csv')
table = table[(table.tuning == 'default') & (table.metric == 'ARI')]
print(table.groupby('method')['mean'].describe()[['count', 'min', 'mean', 'max']].round(2))
rows = pd.read_csv('results/multiverse/tables/multiverse.csv')
rows = rows[~rows.added & ~rows.rebuilt]
print(f'{len(rows)} printed rows: a planted protocol is found in {rows.found.mean():.1%},')
print(f'a row of another method accepted in {rows.accepted.mean():.1%}')
\""""
# Block -> its command; that of refit takes the first fit of the cell.
COMMANDS = {
    "verify": "mvclust verify results/default --sample 0.01",
    "printed": 'python docs/read_papers.py "$MVCLUST_PAPERS"',
    "recompute": f"mvclust recompute {CELL}",
    "refit": "mvclust refit results/default KEY",
    "controls": CONTROLS,
}
KEY = re.compile(r" ([0-9a-f]{20}) ")


def shown(command):
    """A command and what it prints, in Markdown.

    Parameters
    ----------
    command : str
        A line for the shell, run in the project's folder.

    Returns
    -------
    str
    """
    first = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        command, shell=True, cwd=ROOT, capture_output=True, text=True, check=False,
        env=os.environ | {"PATH": first, "PYTHONPATH": str(ROOT)},
    )  # fmt: skip
    if done.returncode > 1 or not done.stdout:
        raise SystemExit(f"{command}: {done.stderr}")
    printed = "\n".join(map(str.rstrip, done.stdout.splitlines()))
    return f"```sh\n{command}\n```\n\n```text\n{printed}\n```"


if __name__ == "__main__":
    os.environ.setdefault("MVCLUST_PAPERS", str(ROOT.parent / "shared" / "papers"))
    start, key = time.monotonic(), ""
    for name, command in COMMANDS.items():
        text = shown(command.replace("KEY", key))
        key = KEY.search(text)[1] if name == "recompute" else key
        fill(PAGE, name, text)
    took = f"All five took {time.monotonic() - start:.0f} s together on {cpu_name()}."
    fill(PAGE, "time", took)
    write("sceptic")
