"""One fit of every method, before and now: python benchmarks/versions.py REVISION [METHOD ...]

REVISION is a commit; docs/profile.md says how they are compared, and --write puts the table there.
"""

import json
import os
import pickle
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from problems import problem_of
from profile_methods import STEPS, problems, profile

from docs.pages import ROOT, estimators, number, table, tell, words
from mvclust.datasets import load_dataset
from mvclust.metrics import accuracy
from mvclust.unmapping import unmap

HEAD = ["method", "before, CPU s", "now, CPU s", "ratio", "accuracy, before", "now", "floor"]
ROUNDS, ENOUGH = 3, 60.0  # CPU seconds of a fit that is not repeated
SEEDED = {"n_clusters": 10, "random_state": 0}
# The smaller of two fits, since the first also imports.
WORKER = """
import json, pickle, sys, time, warnings
from importlib import import_module
import numpy as np
from threadpoolctl import threadpool_limits
warnings.simplefilter("ignore")
with open(sys.argv[1], "rb") as file:
    where, parameters, Xs, more = pickle.load(file)
module, _, name = where.rpartition(".")
seconds = []
with threadpool_limits(1):
    while len(seconds) < 2 and sum(seconds) < 10:
        model = getattr(import_module(module), name)(**parameters)
        given = [X.copy() for X in Xs]
        start = time.process_time()
        labels = model.fit_predict(given, **more)
        seconds.append(time.process_time() - start)
labels = np.concatenate(labels) if isinstance(labels, list) else labels
print(json.dumps([min(seconds), np.asarray(labels).tolist()]))
"""


def problem(name, estimator):
    """Views, further arguments of fit, and the classes of all rows that get labels."""
    data = load_dataset("handwritten", views=["pix", "fou"], progress=False)
    if name in STEPS:
        _, _, Xs, more = problems(name)[0]
        y = unmap(data.Xs, data.y, seed=0).ys if more else [data.y]
        return Xs, more, np.concatenate(y)
    return problem_of(estimator, data.Xs, data.y)


def fitted(package, task):
    """CPU seconds and labels of a fit in a process that finds a package first; None if it fails."""
    places = f"{package}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"
    with tempfile.NamedTemporaryFile(suffix=".pickle") as file:
        pickle.dump(task, file)
        file.flush()
        done = subprocess.run(
            [sys.executable, "-c", WORKER, file.name], env=os.environ | {"PYTHONPATH": places},
            cwd="/", capture_output=True, text=True, check=False,
        )  # fmt: skip
    if done.returncode:
        print(done.stderr.splitlines()[-1], file=sys.stderr)
        return None
    seconds, labels = json.loads(done.stdout.splitlines()[-1])
    return seconds, np.array(labels)


def by_turns(tasks, y):
    """Median CPU seconds and accuracy of (package, task) pairs that take turns; NaN of failures."""
    seconds, scores = [[] for _ in tasks], [np.nan] * len(tasks)
    for _ in range(ROUNDS):
        for i, (package, task) in enumerate(tasks):
            if sum(seconds[i]) < ENOUGH and (found := fitted(package, task)):
                seconds[i].append(found[0])
                scores[i] = 100 * accuracy(y, found[1])
    return [statistics.median(each) if each else np.nan for each in seconds], scores


def floor_of(name):
    """The share of the products that cannot be avoided; blank if it is not measured."""
    return f"{profile(name, *problems(name)[0][1:])[2]:.0%}" if name in STEPS else ""


def row_of(name, estimator, before):
    """The row of a method; cells without a number stay empty."""
    Xs, more, y = problem(name, estimator)
    task = f"{estimator.__module__}.{name}", SEEDED, Xs, more
    took, scores = by_turns([(before, task), (ROOT, task)], y)
    cells = [f"`{name}`", *(number(value, ".2f") for value in took), number(took[0] / took[1])]
    return [*cells, *map(number, scores), floor_of(name)]


def main(arguments):
    if not words(arguments):
        sys.exit(__doc__)
    revision, *names = words(arguments)
    known, rows = estimators(), []
    with tempfile.TemporaryDirectory() as place:
        package = Path(place, "before")
        package.mkdir()
        line = ["git", "-C", str(ROOT), "archive", revision, "mvclust", "config"]
        archive = subprocess.run(line, capture_output=True, check=True).stdout
        subprocess.run(["tar", "-x", "-C", str(package)], input=archive, check=True)
        for name in names or known:
            rows.append(row_of(name, known[name], package))
            print(*rows[-1], sep="\t", flush=True)
    tell("profile.md", "before and after", table(HEAD, rows))


if __name__ == "__main__":
    main(sys.argv[1:])
