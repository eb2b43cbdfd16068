"""How far a run is: jobs and fits done, the time left, and what takes longer than expected."""

import contextlib
import json
import sys
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

INTERVAL = 10  # seconds between two lines, at least
SILENCE = 60  # seconds after which a line is printed even if nothing changed
LATE = 5  # times the expected seconds after which a running job is named
DOUBT = 60  # expected seconds that a pace must have been seen for to count half
STOPPED = "stopped"  # by the user: the reason of a job that did not finish
KILLED = "ended without a word: killed, or its machine was lost"
PROGRESS = "progress.jsonl"  # in the work folder
UNFINISHED = "unfinished.html"  # the page of a run of which jobs failed


class Progress:
    """Shared by the jobs of a run through one file to which all append.

    Writing never fails a fit: where the file cannot be written or read, progress is not shown.

    Parameters
    ----------
    path : path-like
        The file; `start` begins it anew.
    """

    def __init__(self, path):
        self.path = Path(path).absolute()  # a fit may change the working directory
        self._forget()

    def start(self, jobs, workers, beside):
        """Begin a run, in the main process.

        Parameters
        ----------
        jobs : dict
            Name of each job to do -> (its fits -> expected CPU seconds); empty for a job without.
        workers : int
            How many jobs run at a time.
        beside : float
            Expected CPU seconds of every job beside its fits.
        """
        self._forget()
        header = {"workers": workers, "beside": beside, "jobs": jobs}
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(header) + "\n")

    def watch(self):
        """Print a line now and then, from a thread that ends with the process."""
        threading.Thread(target=self._watch, daemon=True).start()

    def began(self, job, log=""):
        """A job began that writes to a log."""
        self._add({"began": job, "log": str(log), "at": time.time()})

    def fitted(self, job, fit, taken=False):
        """A fit of a job is done; ``taken`` if a journal had it, or it had no data."""
        self._add({"taken" if taken else "fitted": job, "fit": fit, "at": time.time()})

    def ended(self, job):
        """A job did its work."""
        self._add({"ended": job, "at": time.time()})

    def failed(self, job, reason):
        """A job ended without having done its work."""
        self._add({"failed": job, "reason": reason, "at": time.time()})

    def not_done(self):
        """The jobs of the run that did not do their work.

        Returns
        -------
        failed : dict
            Name -> (reason, log) of the jobs that began.
        waiting : list of str
            Names of those that did not.
        """
        self._read()
        failed = {
            name: (KILLED if job.reason is None else job.reason, job.log)
            for name, job in self._jobs.items()
            if job.began is not None and (job.reason is not None or not job.ended)
        }
        return failed, [name for name, job in self._jobs.items() if job.began is None]

    def line(self, now=None):
        """The state in one line; an empty text if nothing is known."""
        self._read()
        if self._header is None:
            return ""
        now = time.time() if now is None else now
        jobs = self._jobs
        done = sum(len(job.done) for job in jobs.values())
        ended = sum(job.ended for job in jobs.values())
        text = (
            f"mvclust: {ended} of {len(jobs)} jobs, {done} of "
            f"{sum(len(job.fits) for job in jobs.values())} fits done"
        )
        if ended < len(jobs) and any(job.began is not None for job in jobs.values()):
            left = _seconds_left(jobs, self._header["workers"], self._header["beside"], now)
            text += f", {_duration(left)} left"
        late = [
            f"{name.removeprefix('fit.')} ({_duration(now - job.began)})"
            for name, job in jobs.items()
            if job.began is not None
            and not job.ended
            and now - job.began > LATE * max(sum(job.fits.values()), SILENCE)
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

    def _forget(self):
        self._header, self._jobs, self._position = None, {}, 0

    def _read(self):
        """Take in the whole lines that were added since the last time."""
        content = b""
        with contextlib.suppress(OSError), open(self.path, "rb") as file:
            file.seek(self._position)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._position += len(whole)
        for line in whole.splitlines():
            with contextlib.suppress(ValueError):  # a line that is damaged
                row = json.loads(line)
                if isinstance(row, dict) and _is_plain(row):
                    self._take(row)

    def _take(self, row):
        if self._header is None:
            if "jobs" in row:
                self._header = row
                self._jobs = {name: _Job(fits) for name, fits in row["jobs"].items()}
            return
        for event in ("began", "fitted", "taken", "ended", "failed"):
            job = self._jobs.get(row.get(event))
            if job is None or "at" not in row:
                continue
            job.last = row["at"]
            if event == "began":  # a job that failed may be tried again
                job.began, job.ended, job.reason = row["at"], False, None
                job.log = row.get("log", "")
            elif event == "ended":
                job.ended = True
            elif event == "failed":
                job.ended, job.reason = True, row.get("reason", "")
            elif row.get("fit") in job.fits:
                job.done.add(row["fit"])
                if event == "fitted":
                    job.computed.add(row["fit"])


@dataclass
class _Job:
    """A job of the run: its fits with their expected seconds, and what has happened."""

    fits: dict
    began: float | None = None
    last: float | None = None  # time of the last thing that happened
    ended: bool = False
    reason: str | None = None  # for which it failed
    log: str = ""
    done: set = field(default_factory=set)
    computed: set = field(default_factory=set)  # those done that took their time

    def open_seconds(self, beside):
        """Expected seconds of what is not done."""
        return beside + sum(s for fit, s in self.fits.items() if fit not in self.done)

    def seen_seconds(self, beside):
        """Expected seconds of what was computed up to the last thing that happened."""
        if not (self.computed or self.ended):
            return 0.0
        return beside + sum(self.fits[fit] for fit in self.computed)


def _is_plain(row):
    """Whether a row is as it was written: names and times, but for the header."""
    return "jobs" in row or all(isinstance(value, str | float) for value in row.values())


def _seconds_left(jobs, workers, beside, now):
    """Expected seconds until all jobs are done, at the pace of what was computed so far.

    Methods have paces of their own; one of which little was seen is drawn to the pace of all,
    and that to the forecast.
    """
    spent, seen = defaultdict(float), defaultdict(float)
    for name, job in jobs.items():
        seconds = job.seen_seconds(beside)
        if seconds and job.began is not None:
            for key in (None, _kind(name)):
                spent[key] += job.last - job.began
                seen[key] += seconds
    overall = (spent[None] + DOUBT) / (seen[None] + DOUBT)
    left = []
    for name, job in jobs.items():
        if not job.ended:
            kind = _kind(name)
            pace = (spent[kind] + DOUBT * overall) / (seen[kind] + DOUBT)
            seconds = pace * job.open_seconds(beside if job.began is None else 0.0)
            waited = 0.0 if job.last is None else now - job.last
            left.append(max(seconds - waited, 0.1 * seconds))
    return max(sum(left) / max(1, workers), max(left))


def _kind(name):
    """A rule, or a rule and a method."""
    return name.rpartition(".")[0]


def _duration(seconds):
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"
