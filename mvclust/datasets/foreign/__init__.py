"""One's own data: views, labels and missing instances in files as people have them.

`find_views` takes a file or folder. ``sources`` says which files are there, ``formats`` reads
each into variables, ``roles`` says what each variable is, ``orientation`` where samples are,
``alignment`` matches samples by their names, ``presence``, ``labels`` and ``survival`` read what
is missing, the classes and survival times, ``copies`` leaves out what counts twice, ``checks`` says
what is degenerate, and ``look`` shows what was understood. What is open gets a sentence with the
option that decides.
"""

from mvclust.datasets.foreign.finding import find_views
from mvclust.datasets.foreign.look import as_record, describe, presence_tested
from mvclust.datasets.foreign.record import Found, NotUnderstood

__all__ = [
    "Found",
    "NotUnderstood",
    "as_record",
    "describe",
    "find_views",
    "presence_tested",
]
