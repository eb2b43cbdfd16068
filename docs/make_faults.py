"""Make the tables of faults in docs/cluster.md: python docs/make_faults.py TALLY

TALLY is what the tests write where the variable MVCLUST_TALLY names it:

    MVCLUST_FAULTS=20 MVCLUST_FUZZ=200 MVCLUST_TALLY=TALLY python -m pytest

MVCLUST_FUZZ is the number of damaged files of each kind.
"""

import json
import sys
from collections import defaultdict
from pathlib import Path

from docs.pages import fill, table

HEAD = ["fault", "tried", "survived"]
ROOMS = {  # where tests draw inputs at random
    "tests/datasets": "data files: raw, prepared, one's own in many formats",
    "tests/pipeline": "configurations and catalogues, labels, files of a run",
    "tests/estimators": "inputs of estimators",
    "tests/numerics": "inputs of solvers",
    "tests/report": "published tables",
    "tests": "masks, mappings and metrics",
}


def tables(told):
    """The faults, then the inputs that were drawn at random.

    Parameters
    ----------
    told : list of dict
        The lines of the tally: "test", "passed", and "fault" or "inputs". Of a test that was run
        more than once the last line counts.

    Returns
    -------
    str, Markdown

    Examples
    --------
    >>> print(tables([{"test": "tests/a.py::b", "passed": True, "fault": "full disk"}]))
    | fault | tried | survived |
    | --- | ---: | ---: |
    | full disk | 1 | 1 |
    | all | 1 | 1 |
    """
    faults, drawn = defaultdict(list), defaultdict(list)
    for one in {(one["test"], one.get("fault")): one for one in told}.values():
        if "fault" in one:
            faults[one["fault"]] += one.get("times", 1) * [one["passed"]]
        if "inputs" in one:
            folders = Path(one["test"].partition("::")[0]).parent.parts
            drawn["/".join(folders[:2])].append(one)
    faults["all"] = [passed for each in faults.values() for passed in each]
    text = table(HEAD, [[name, len(each), sum(each)] for name, each in faults.items()])
    if drawn:
        rows = [
            [ROOMS[room], len(tests), sum(one["inputs"] for one in tests), _held(tests)]
            for room, tests in sorted(drawn.items())
        ]
        text += "\n\n" + table(["inputs fuzzed", "tests", "inputs", "tests that held"], rows)
    return text


def _held(tests):
    return sum(one["passed"] for one in tests)


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    told = [json.loads(line) for line in Path(arguments[0]).read_text().splitlines()]
    fill("cluster.md", "faults", tables(told))


if __name__ == "__main__":
    main(sys.argv[1:])
