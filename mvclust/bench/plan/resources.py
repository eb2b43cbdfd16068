"""What a job of fits asks of a cluster: memory and time, from what it is expected to take."""

from __future__ import annotations

import math
from typing import NamedTuple

# CPU seconds of fits that a job is to take. Starting a job costs about 2, and each finished one
# costs Snakemake's own process time until the end of the run; so methods that take little on a data
# set share jobs, and in a long run (of more CPU seconds) those that take a little more.
JOB_SECONDS = 240
LONG_RUN, JOIN_BELOW, JOIN_BELOW_IN_A_LONG_RUN = 3600, 4.0, 60.0

# Megabytes that Snakemake takes beside a job's own process, and what a job of unknown need gets.
BESIDE_MB, UNKNOWN_MB = 600, 2000
MEMORY_SLACK = 1.3

# Minutes that a job waits for files and machines, and how much slower these may be than known.
BESIDE_MINUTES = 10
TIME_SLACK = 3


class BadProfile(ValueError):
    """A profile has a value that cannot be used."""


class Packing(NamedTuple):
    """Settings of a profile for jobs of fits."""

    job_seconds: float = JOB_SECONDS  # target CPU seconds of a job
    join_below: float | None = (
        None  # methods below these CPU seconds on a data set share jobs; None: by length of run
    )
    most_mb: float = math.inf  # limit of a job's request, on any attempt
    most_minutes: float = math.inf  # limit of a job's request, on any attempt

    @classmethod
    def of_profile(cls, resources: dict) -> Packing:
        """Read our resources of the rule of the fits; BadProfile if one is not a positive
        number.

        Examples
        --------
        >>> Packing.of_profile({"job_seconds": "600", "mem_mb": 2000})
        Packing(job_seconds=600.0, join_below=None, most_mb=inf, most_minutes=inf)
        """
        given = {name: resources[name] for name in cls._fields if name in resources}
        for name, value in given.items():
            try:
                given[name] = float(value)
            except ValueError:
                given[name] = math.nan
            if not given[name] > 0:
                raise BadProfile(
                    f"the profile's set-resources for fit give {name}: {value}; "
                    "expected a number above 0."
                )
        return cls(**given)


def join_below(packing: Packing, seconds: float) -> float:
    """CPU seconds on a data set below which methods share jobs, in a run of some total seconds."""
    if packing.join_below is not None:
        return packing.join_below
    return JOIN_BELOW if seconds < LONG_RUN else JOIN_BELOW_IN_A_LONG_RUN


def memory_mb(job: dict, attempt: int, packing: Packing) -> int:
    """Megabytes that a job requests, doubled at each new attempt (from 1); 0 expected: unknown.

    Examples
    --------
    >>> memory_mb({"memory_mb": 500}, attempt=1, packing=Packing())
    1250
    """
    expected = job["memory_mb"]
    first = BESIDE_MB + MEMORY_SLACK * expected if expected else UNKNOWN_MB
    return _doubled(first, attempt, packing.most_mb)


def minutes(job: dict, attempt: int, packing: Packing) -> int:
    """Minutes that a job requests, doubled at each new attempt (from 1).

    Examples
    --------
    >>> minutes({"seconds": 600}, attempt=1, packing=Packing())
    40
    """
    first = BESIDE_MINUTES + TIME_SLACK * job["seconds"] / 60
    return _doubled(first, attempt, packing.most_minutes)


def _doubled(first: float, attempt: int, most: float) -> int:
    """The first attempt's request, doubled at each new one up to a limit."""
    return math.ceil(min(most, first * 2 ** (attempt - 1)))
