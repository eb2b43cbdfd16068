"""What a job of fits asks of a cluster: memory and time, from what it is expected to take."""

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
    """A profile gives what cannot be used."""


class Packing(NamedTuple):
    """What a profile says of jobs of fits.

    Attributes
    ----------
    job_seconds : float
        CPU seconds that a job is to take.
    join_below : float
        Methods that take fewer CPU seconds on a data set share jobs; None: by the length of the
        run.
    most_mb, most_minutes : float
        Limits of what a job asks for, on any attempt.
    """

    job_seconds: float = JOB_SECONDS
    join_below: float | None = None
    most_mb: float = math.inf
    most_minutes: float = math.inf

    @classmethod
    def of_profile(cls, resources):
        """Read the resources of the rule of the fits; others than ours are left out.

        Parameters
        ----------
        resources : dict
            Name -> value, or -> a text with it.

        Raises
        ------
        BadProfile
            If a value is no positive number.

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


def join_below(packing, seconds):
    """Below which CPU seconds on a data set methods share jobs, in a run that takes so many."""
    if packing.join_below is not None:
        return packing.join_below
    return JOIN_BELOW if seconds < LONG_RUN else JOIN_BELOW_IN_A_LONG_RUN


def memory_mb(job, attempt, packing):
    """Megabytes that a job asks for, twice as many at each new attempt.

    Parameters
    ----------
    job : dict
        "memory_mb" that its fits are expected to take, 0 if that is not known.
    attempt : int
        From 1.
    packing : Packing

    Examples
    --------
    >>> memory_mb({"memory_mb": 500}, attempt=1, packing=Packing())
    1250
    """
    expected = job["memory_mb"]
    first = BESIDE_MB + MEMORY_SLACK * expected if expected else UNKNOWN_MB
    return _doubled(first, attempt, packing.most_mb)


def minutes(job, attempt, packing):
    """Minutes that a job asks for, twice as many at each new attempt.

    Parameters
    ----------
    job : dict
        "seconds" of CPU time that it is expected to take.
    attempt : int
        From 1.
    packing : Packing

    Examples
    --------
    >>> minutes({"seconds": 600}, attempt=1, packing=Packing())
    40
    """
    first = BESIDE_MINUTES + TIME_SLACK * job["seconds"] / 60
    return _doubled(first, attempt, packing.most_minutes)


def _doubled(first, attempt, most):
    """What the first attempt asks for, doubled at each new one up to a limit."""
    return math.ceil(min(most, first * 2 ** (attempt - 1)))
