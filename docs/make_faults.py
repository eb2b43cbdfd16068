"""Make the table of faults in docs/cluster.md: python docs/make_faults.py TALLY

TALLY is what the tests write where the variable MVCLUST_TALLY names it:

    MVCLUST_FAULTS=20 MVCLUST_TALLY=TALLY python -m pytest tests/workflow/test_faults.py
"""

import json
import sys
from collections import Counter
from pathlib import Path

from docs.pages import fill, table


def main(arguments):
    if len(arguments) != 1:
        sys.exit(__doc__)
    faults = Counter(json.loads(line) for line in Path(arguments[0]).read_text().splitlines())
    fill(
        "cluster.md", "faults", table(["fault", "survived"], [list(row) for row in faults.items()])
    )


if __name__ == "__main__":
    main(sys.argv[1:])
