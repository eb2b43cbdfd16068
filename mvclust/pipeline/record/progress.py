"""How far a run is: jobs and fits done, the time left, and what takes longer than expected."""

import contextlib
import json
import sys
import threading
import time
from collections import Counter
from pathlib import Path

INTERVAL = 10  # seconds between two lines, at least
SILENCE = 60  # seconds after which a line is printed even if nothing changed
LATE = 5  # times the expected seconds after which a running job is named


class Progress:
    """Shared by the jobs of a run through one file to which all append.

    Writing never fails a fit: where the file cannot be written or read, progress is not shown.

    Parameters
    ----------
    path : path-like
        The file; `start` begins it anew.
    """

    def __init__(self, path):
        self.path = Path(path)

    def start(self, jobs, workers):
        """Begin a run, in the main process.

        Parameters
        ----------
        jobs : dict
            Name of each job to do -> [number of fits, expected CPU seconds].
        workers : int
            How many jobs run at a time.
        """
        header = {"started": time.time(), "workers": workers, "jobs": jobs}
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(header) + "\n")

    def watch(self):
        """Print a line now and then, from a thread that ends with the process."""
        threading.Thread(target=self._watch, daemon=True).start()

    def began(self, job):
        """A job began."""
        self._add({"began": job, "at": time.time()})

    def fitted(self, job):
        """A fit of a job is done, or was taken from a journal, or had no data."""
        self._add({"fitted": job})

    def ended(self, job):
        """A job ended."""
        self._add({"ended": job, "at": time.time()})

    def line(self, now=None):
        """The state in one line; an empty text if nothing is known."""
        rows = self._read()
        if not rows or "jobs" not in rows[0]:
            return ""
        jobs = rows[0]["jobs"]
        began, ended = _times(rows, "began"), _times(rows, "ended")
        done = Counter(row["fitted"] for row in rows if row.get("fitted") in jobs)
        text = (
            f"mvclust: {len(ended)} of {len(jobs)} jobs, {done.total()} of "
            f"{sum(fits for fits, _ in jobs.values())} fits done"
        )
        now = time.time() if now is None else now
        left = _seconds_left(jobs, began, ended, done, now) / max(1, rows[0]["workers"])
        text += f", {_duration(left)} left" if began and len(ended) < len(jobs) else ""
        late = [
            f"{name} ({_duration(now - start)})"
            for name, start in began.items()
            if name not in ended and now - start > LATE * max(jobs[name][1], SILENCE)
        ]
        return text + (f"; longer than expected: {', '.join(late)}" if late else "")

    def _watch(self):
        shown, last = "", time.monotonic()
        while True:
            time.sleep(INTERVAL)
            line = self.line()
            counts = line.split(" done")[0]
            if line and (counts != shown or time.monotonic() - last >= SILENCE):
                print(line, file=sys.stderr, flush=True)
                shown, last = counts, time.monotonic()

    def _add(self, row):
        # Short appends of several processes do not mix.
        with contextlib.suppress(OSError):
            if self.path.exists():
                with open(self.path, "a") as file:
                    file.write(json.dumps(row) + "\n")

    def _read(self):
        rows = []
        with contextlib.suppress(OSError, UnicodeDecodeError):
            for line in self.path.read_text().splitlines():
                with contextlib.suppress(ValueError):  # a line that was cut
                    rows.append(json.loads(line))
        return [row for row in rows if isinstance(row, dict) and _is_plain(row)]


def _is_plain(row):
    """Whether a row is as it was written: names and numbers, but for the header."""
    return "jobs" in row or all(isinstance(value, str | float) for value in row.values())


def _times(rows, event):
    """Job -> time of an event, of the jobs that the run knows."""
    known = rows[0]["jobs"]
    return {row[event]: row["at"] for row in rows if row.get(event) in known}


def _seconds_left(jobs, began, ended, done, now):
    """Expected seconds of one worker: open jobs at the pace of those that ended."""
    spent = sum(at - began[name] for name, at in ended.items() if name in began)
    expected = sum(jobs[name][1] for name in ended if name in began)
    pace = spent / expected if expected > 0 else 1.0
    total = 0.0
    for name, (fits, seconds) in jobs.items():
        if name in ended:
            continue
        left = seconds * pace * max(0.0, 1 - done[name] / max(1, fits))
        if name in began and not done[name]:
            left = max(seconds * pace - (now - began[name]), 0.1 * seconds * pace)
        total += left
    return total


def _duration(seconds):
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"
