"""Measure the methods side by side with other implementations: python benchmarks/methods.py daimc

With --write the ratios go into docs/profile.md.
"""

import importlib
import sys
import warnings
from pathlib import Path

from harness import measure, relative_difference
from threadpoolctl import threadpool_limits

from docs.pages import table, tell, words


def main(arguments):
    warnings.simplefilter("ignore")
    known = sorted(p.stem.removeprefix("cases_") for p in Path(__file__).parent.glob("cases_*.py"))
    lines = []
    for name in words(arguments) or known:
        if name not in known:
            sys.exit(f"no cases for '{name}'; known: {', '.join(known)}")
        for case in importlib.import_module(f"cases_{name}").cases():
            with threadpool_limits(1):
                ours, other, result, expected = measure(case)
            numbers = f"{ours:.3f}", f"{other:.3g}", f"{other / ours:,.1f}"
            lines.append([case.name, case.other_name, *numbers])
            difference = "not compared"
            if case.tolerance is not None:
                size = relative_difference(result, expected)
                difference = f"{size:.1e}{' TOO LARGE' if size > case.tolerance else ''}"
            print(*lines[-1], difference, sep="  ", flush=True)
    head = ["case", "beside", "ours, CPU s", "the other, CPU s", "ratio"]
    tell("profile.md", "against others", table(head, lines))


if __name__ == "__main__":
    main(sys.argv[1:])
