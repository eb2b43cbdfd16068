"""Measure the methods side by side with other implementations: python benchmarks/methods.py daimc

With --write the ratios go into docs/profile.md. Data come from MVCLUST_MIRROR, the public
addresses or a package, as everywhere.
"""

import importlib
import os
import sys
import warnings
from pathlib import Path

from harness import run

from docs.pages import fill, table


def main(arguments):
    names = [name for name in arguments if name != "--write"]
    warnings.simplefilter("ignore")
    known = sorted(p.stem.removeprefix("cases_") for p in Path(__file__).parent.glob("cases_*.py"))
    rows = []
    for name in names or known:
        if name not in known:
            sys.exit(f"no cases for '{name}'; known: {', '.join(known)}")
        cases = importlib.import_module(f"cases_{name}").cases(os.environ.get("MVCLUST_MIRROR"))
        rows += run(cases)
    if "--write" in arguments:
        lines = [
            [case.name, case.other_name, f"{ours:.3f}", f"{other:.3g}", f"{other / ours:,.1f}"]
            for case, ours, other, _ in rows
        ]
        head = ["case", "beside", "ours, CPU s", "the other, CPU s", "ratio"]
        fill("profile.md", "against others", table(head, lines))


if __name__ == "__main__":
    main(sys.argv[1:])
