"""How far a run is: jobs and fits done, the time left, and what takes longer than expected."""

import contextlib
import json
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
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
    """Progress that the jobs of a run share through one file to which all append.

    Writing never fails a fit: if the file cannot be written or read, progress is not shown.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path).absolute()  # a fit may change the working directory
        self._forget()

    def start(self, jobs: Mapping[str, Mapping[str, float]], workers: int, beside: float) -> None:
        """Begin a new file, with expected CPU seconds of each job's fits and `beside` them."""
        self._forget()
        header = {"workers": workers, "beside": beside, "jobs": jobs}
        with contextlib.suppress(OSError):
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self.path.write_text(json.dumps(header) + "\n")

    def watch(self) -> None:
        """Print a line now and then, from a thread that ends with the process."""
        threading.Thread(target=self._watch, daemon=True).start()

    def began(self, job: str, log: Path | str = "") -> None:
        """Record the start of a job, and its log."""
        self._add("began", job, str(log))

    def fitted(self, job: str, fit: str, taken: bool = False) -> None:
        """Record a finished fit of a job; `taken` if it came from a journal, or had no data."""
        self._add("taken" if taken else "fitted", job, fit)

    def ended(self, job: str) -> None:
        """Record a successful job."""
        self._add("ended", job)

    def failed(self, job: str, reason: str) -> None:
        """Record a failed job."""
        self._add("failed", job, reason)

    def not_done(self) -> tuple[dict[str, tuple[str, str]], list[str]]:
        """Unfinished jobs: the (reason, log) of those that began, and the names of the others."""
        self._read()
        failed = {
            name: (KILLED if job.reason is None else job.reason, job.log)
            for name, job in self._jobs.items()
            if job.began is not None and (job.reason is not None or not job.ended)
        }
        return failed, [name for name, job in self._jobs.items() if job.began is None]

    def line(self, now: float | None = None) -> str:
        """State in one line; empty if nothing is known."""
        self._read()
        if self._header is None:
            return ""
        now = time.time() if now is None else now
        jobs = self._jobs.values()
        began = {n: job for n, job in self._jobs.items() if job.began is not None}
        ended, done = sum(job.ended for job in jobs), sum(len(job.done) for job in jobs)
        fits = sum(len(job.fits) for job in jobs)
        text = f"mvclust: {ended} of {len(jobs)} jobs, {done} of {fits} fits done"
        if ended < len(jobs) and began:
            text += f", {_duration(self._seconds_left(self._header, now))} left"
        late = [
            f"{name.removeprefix('fit.')} ({_duration(now - job.began)})"
            for name, job in began.items()
            if not job.ended and now - job.began > LATE * max(sum(job.fits.values()), SILENCE)
        ]
        return text + (f"; longer than expected: {', '.join(late)}" if late else "")

    def _seconds_left(self, header: dict, now: float) -> float:
        """Expected seconds until all jobs are done, at the pace of what was computed so far.

        The pace of a method with few fits is shrunk to that of all, and that to the forecast.
        """
        spent, seen, beside = defaultdict(float), defaultdict(float), header["beside"]
        kinds = {name: name.rpartition(".")[0] for name in self._jobs}  # rule, or rule and method
        for name, job in self._jobs.items():
            # Expected seconds of what was computed up to the last event.
            seconds = beside + sum(job.fits[fit] for fit in job.computed)
            if (job.computed or job.ended) and seconds and job.began is not None:
                for key in (None, kinds[name]):
                    spent[key] += job.last - job.began
                    seen[key] += seconds
        overall = (spent[None] + DOUBT) / (seen[None] + DOUBT)
        left = []
        for name, job in self._jobs.items():
            if not job.ended:
                kind = kinds[name]
                pace = (spent[kind] + DOUBT * overall) / (seen[kind] + DOUBT)
                remaining = sum(s for fit, s in job.fits.items() if fit not in job.done)
                seconds = pace * (remaining + (beside if job.began is None else 0.0))
                waited = 0.0 if job.last is None else now - job.last
                left.append(max(seconds - waited, 0.1 * seconds))
        return max(sum(left) / max(1, header["workers"]), max(left))

    def _watch(self) -> None:
        shown, last = "", time.monotonic()
        while True:
            time.sleep(INTERVAL)
            line = self.line()
            counts = line.split(" done")[0]
            if line and (counts != shown or time.monotonic() - last >= SILENCE):
                print(line, file=sys.stderr, flush=True)
                shown, last = counts, time.monotonic()

    def _add(self, event: str, job: str, text: str = "") -> None:
        # Short appends of several processes do not mix.
        with contextlib.suppress(OSError):
            if self.path.exists():
                with open(self.path, "a") as file:
                    file.write(json.dumps([event, job, text, time.time()]) + "\n")

    def _forget(self) -> None:
        self._header, self._jobs, self._position = None, {}, 0

    def _read(self) -> None:
        """Read the complete lines that were added since the last time."""
        content = b""
        with contextlib.suppress(OSError), open(self.path, "rb") as file:
            file.seek(self._position)
            content = file.read()
        whole = content[: content.rfind(b"\n") + 1]
        self._position += len(whole)
        for line in whole.splitlines():
            with contextlib.suppress(ValueError, TypeError, KeyError):  # a line that is damaged
                row = json.loads(line)
                if self._header is None:
                    self._jobs = {name: _Job(fits) for name, fits in row["jobs"].items()}
                    self._header = row
                else:
                    event, job, text, at = row
                    self._jobs[job].take(event, str(text), float(at))


@dataclass
class _Job:
    """A job of the run: its fits with their expected seconds, and its events."""

    fits: dict
    began: float | None = None
    last: float | None = None  # time of the last thing that happened
    ended: bool = False
    reason: str | None = None  # for which it failed
    log: str = ""
    done: set = field(default_factory=set)
    computed: set = field(default_factory=set)  # those done that took their time

    def take(self, event: str, text: str, at: float) -> None:
        """Take in what happened: an event, with its log, fit or reason."""
        self.last = at
        if event == "began":  # a job that failed may be tried again
            self.began, self.ended, self.reason, self.log = at, False, None, text
        elif event in ("ended", "failed"):
            self.ended, self.reason = True, text if event == "failed" else None
        elif text in self.fits:
            self.done.add(text)
            if event == "fitted":
                self.computed.add(text)


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"about {seconds:.0f} s"
    return f"about {seconds / 60:.0f} min"
