"""How many of scikit-learn's checks each estimator passes, in docs/scikit-learn.md.

python docs/make_checks.py
"""

import os

if __name__ == "__main__":
    os.environ["SCIPY_ARRAY_API"] = "1"  # before scipy is imported: else one check is skipped

import inspect
import sys
import warnings
from collections import Counter

import sklearn
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import check_estimator

import mvclust
from docs.pages import SENTENCES, estimators, fill, table
from mvclust.estimators.base import tags_of

CLUSTERS, VIEWS = 3, 2
# Clusters and views where two views of one column each are too few.
SMALL = {"JPLTD": (3, 1), "MVSC": (3, 1), "TSVDMSC": (3, 1), "UEAF": (2, 1)}
# Fewer iterations, to be fast: the checks are about conventions and ask little of the labels.
FEW = {"max_iter": 5, "max_inner": 3, "n_init": 1, "max_start": 2, "warm_up": 2}
WHOLE = {"JPLTD"}  # whose tensor is zero in the first iterations
FAILING = SENTENCES["checks"]  # of methods for non-negative views, with the reason
HEAD = ["estimator", "checks", "passed", "failed"]


def expected_failures(estimator: type) -> dict[str, str]:
    """Names of the checks that a class cannot pass, with the reason."""
    return FAILING if tags_of(estimator).nonnegative else {}


def results_of(estimator: type) -> list[dict]:
    """What each check says of a class."""
    n_clusters, blocks = SMALL.get(estimator.__name__, (CLUSTERS, VIEWS))
    taken = () if estimator.__name__ in WHOLE else inspect.signature(estimator).parameters
    few = {name: FEW[name] for name in FEW if name in taken}
    model = mvclust.wrap(estimator(n_clusters, random_state=0, **few), blocks)
    failing = expected_failures(estimator)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return check_estimator(model, expected_failed_checks=failing, on_skip=None, on_fail=None)


def main():
    rows = []
    for name, estimator in estimators().items():
        results = results_of(estimator)
        passed = sum(result["status"] == "passed" for result in results)
        others = Counter(r["check_name"] for r in results if r["status"] != "passed")
        unknown = others.keys() - expected_failures(estimator).keys()
        if unknown:
            sys.exit(f"{name} fails {', '.join(sorted(unknown))}: nothing was written.")
        failed = ", ".join(f"`{check}`, {times} times" for check, times in others.items())
        rows.append([f"`{name}`", len(results), passed, failed])
        print(*rows[-1], flush=True)
    reasons = "\n".join(f"- `{check}`: {reason}" for check, reason in FAILING.items())
    text = f"With scikit-learn {sklearn.__version__}:\n\n{table(HEAD, rows)}\n\n{reasons}"
    fill("scikit-learn.md", "checks", text)


if __name__ == "__main__":
    main()
