"""Show how far a run is: jobs and fits done, and the time left."""

import contextlib
import json
import sys
import time
from collections import Counter
from pathlib import Path

INTERVAL = 10  # seconds between two lines


class Progress:
    """Shared by the jobs of a run through one file to which all append.

    Parameters
    ----------
    path : path
        The file; `start` begins it anew.
    """

    def __init__(self, path):
        self.path = Path(path)

    def start(self, jobs, cores):
        """Begin a run. jobs: name -> {method: number of fits} of the jobs still to do."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        header = {"started": time.time(), "cores": cores, "jobs": jobs}
        self.path.write_text(json.dumps(header) + "\n")

    @contextlib.contextmanager
    def job(self, name, method, n_fits):
        """While a job runs; gives a function to call with the row of each finished fit."""
        self._add({"job": name, "method": method, "fits": n_fits})
        yield self._fit_done
        self._add({"left": name})
        self._show()

    def _fit_done(self, row):
        self._add({"done": row["method"], "seconds": row["cpu_seconds"]})
        if self._due():
            self._show()

    def line(self):
        """The state in one line."""
        rows = [json.loads(line) for line in self.path.read_text().splitlines()]
        header, rows = rows[0], rows[1:]
        jobs = dict(header["jobs"])
        jobs |= {row["job"]: {row["method"]: row["fits"]} for row in rows if "job" in row}
        total = Counter()
        for fits in jobs.values():
            total.update(fits)
        done = Counter(row["done"] for row in rows if "done" in row)
        left_jobs = len({row["left"] for row in rows if "left" in row})
        text = f"mvclust: {left_jobs}/{len(jobs)} jobs, {done.total()}/{total.total()} fits done"
        seconds = _seconds_left(rows, total, done) / max(1, min(header["cores"], len(jobs)))
        return f"{text}, {_duration(seconds)} left" if done else text

    def _show(self):
        if self.path.exists():
            print(self.line(), file=sys.stderr, flush=True)

    def _add(self, row):
        if self.path.exists():  # short appends of several processes do not mix
            with open(self.path, "a") as file:
                file.write(json.dumps(row) + "\n")

    def _due(self):
        stamp = self.path.with_suffix(".shown")
        if stamp.exists() and time.time() - stamp.stat().st_mtime < INTERVAL:
            return False
        stamp.touch()
        return True


def _seconds_left(rows, total, done):
    spent, counted = Counter(), Counter()
    for row in rows:
        if row.get("seconds"):
            spent[row["done"]] += row["seconds"]
            counted[row["done"]] += 1
    overall = spent.total() / max(1, counted.total())
    return sum(
        max(0, total[method] - done[method])
        * (spent[method] / counted[method] if counted[method] else overall)
        for method in total
    )


def _duration(seconds):
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"
