"""Make the tables of faults in docs/cluster.md: python docs/make_faults.py TALLY

TALLY is what the tests write where the variable MVCLUST_TALLY names it:

    MVCLUST_FAULTS=20 MVCLUST_FUZZ=200 MVCLUST_TALLY=TALLY python -m pytest

MVCLUST_FUZZ is the number of damaged files of each kind. A tally of some tests replaces their rows
and leaves the others as the page has them.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from docs.pages import DOCS, fill, table

HEAD = ["fault", "tried", "survived"]
INPUTS = ["inputs fuzzed", "tests", "inputs", "tests that held"]
ROOMS = {  # where tests draw inputs at random
    "tests/datasets": "data files: raw, prepared",
    "tests/own": "data of one's own in many formats",
    "tests/bench": "configurations and catalogues, labels, files of a run, published tables",
    "tests/estimators": "inputs of estimators",
    "tests/numerics": "inputs of solvers",
    "tests": "masks, mappings and metrics",
}


def tables(told: list[dict], page: str = "") -> str:
    """The faults, then the inputs that were drawn at random.

    `told` are the lines of the tally: "test", "passed", and "fault" or "inputs"; the last line of a
    test counts. The page has the rows that the tally is silent about.
    """
    faults, drawn = defaultdict(list), defaultdict(list)
    for one in {(one["test"], one.get("fault")): one for one in told}.values():
        if "fault" in one:
            faults[one["fault"]] += one.get("times", 1) * [one["passed"]]
        if "inputs" in one:
            folders = Path(one["test"].partition("::")[0]).parent.parts
            drawn["/".join(folders[:2])].append(one)
    counted = _rows_of(page, HEAD)
    counted |= {name: (len(each), sum(each)) for name, each in faults.items()}
    counted.pop("all", None)
    counted["all"] = tuple(map(sum, zip(*counted.values(), strict=True)))
    inputs = _rows_of(page, INPUTS)
    for folder, tests in sorted(drawn.items()):
        sums = (sum(one[what] for one in tests) for what in ("inputs", "passed"))
        inputs[ROOMS[folder]] = len(tests), *sums
    both = [(HEAD, counted), (INPUTS, inputs)]
    shown = [table(head, [[name, *of] for name, of in rows.items()]) for head, rows in both if rows]
    return "\n\n".join(shown)


def _rows_of(page, head):
    """The rows of a table in a page: first column -> numbers."""
    below = page.partition(f"| {' | '.join(head)} |\n")[2].partition("\n\n")[0]
    cells = [line.strip("| ").split(" | ") for line in below.splitlines() if line.startswith("| ")]
    return {name: tuple(map(int, numbers)) for name, *numbers in cells if name != "---"}


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    told = [json.loads(line) for line in Path(arguments[0]).read_text().splitlines()]
    page = (DOCS / "cluster.md").read_text(encoding="utf-8")
    fill("cluster.md", "faults", tables(told, page))


if __name__ == "__main__":
    main(sys.argv[1:])
