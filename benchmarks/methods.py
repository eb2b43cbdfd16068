"""Measure the methods side by side with other implementations: python benchmarks/methods.py daimc

Data come from MVCLUST_MIRROR, the public addresses or a package, as everywhere.
"""

import importlib
import os
import sys
import warnings
from pathlib import Path

from harness import run


def main(names):
    warnings.simplefilter("ignore")
    known = sorted(p.stem.removeprefix("cases_") for p in Path(__file__).parent.glob("cases_*.py"))
    for name in names or known:
        if name not in known:
            sys.exit(f"no cases for '{name}'; known: {', '.join(known)}")
        cases = importlib.import_module(f"cases_{name}").cases(os.environ.get("MVCLUST_MIRROR"))
        run(cases)


if __name__ == "__main__":
    main(sys.argv[1:])
