"""Survival times: columns of time and event in tables about the samples."""

from dataclasses import replace

import numpy as np
from scipy import sparse

from mvclust.datasets.foreign.labels import by_sample
from mvclust.datasets.foreign.record import Survival
from mvclust.datasets.foreign.texts import is_number
from mvclust.datasets.foreign.words import is_gap, last, parts_of, plain

# What is survived: overall, progression- and disease-free, disease-specific; "" names nothing.
ENDPOINTS = ("os", "dss", "pfs", "pfi", "dfs", "dfi", "rfs", "efs", "")
LENGTHS = {"time", "times", "days", "months", "years"}
OCCURRED = {"status", "event", "censor"}
TIMES = {"survival", "survivaltime", "survivaldays", "survivalmonths", "survtime", "time", "futime"}
TIMES |= {"timetoevent", "timetodeath", "followuptime", "overallsurvival"}
EVENTS = {"event", "status", "death", "dead", "died", "deceased", "vitalstatus", "fustat"}
EVENTS |= {"survivalstatus", "survivalevent", "eventobserved"}
FOLLOWED = {"daystolastfollowup", "daystofollowup", "daystolastknownalive"}
HAPPENED = {"dead", "deceased", "died", "death", "event", "yes", "true", "recurred", "progressed"}
HAPPENED |= {"progression", "recurrence", "recurredprogressed"}
NOT_YET = {"alive", "living", "censored", "no", "false", "diseasefree", "noevent"}


def with_survival(variables):
    """Variables with the columns of time and event, where a table has both, as facts.

    Parameters
    ----------
    variables : list of Variable

    Returns
    -------
    list of Variable
        These columns are variables of their own with the role ``survival`` in the first table
        and for the first endpoint that have them, ``facts`` for others.
    """
    found, taken = [], None
    tables = {}
    for v in variables:
        if v.role in (None, "facts"):
            tables.setdefault(_table_of(v), []).append(v)
    for table, members in tables.items():
        columns = {last(c.name): c for v in members for c in _columns(v)}
        pairs = [pair for endpoint in ENDPOINTS if (pair := _pair(columns, endpoint))]
        for pair in pairs:
            role = "facts" if taken else "survival"
            taken = taken or table
            found += [replace(columns[name], role=role) for name in pair]
    if not found:
        return variables
    names = {v.name for v in found}
    rest = [_without(v, names) for v in variables if v.name not in names]
    return [v for v in rest if v is not None] + found


def read_survival(found, n, ids, ordered, log):
    """Times and events of the samples, from the columns with the role ``survival``.

    Parameters
    ----------
    found : Sorted
    n : int
        The number of samples.
    ids : list of str, or None
        Names of the samples, if they are matched by these.
    ordered : bool
        Whether all views name their samples in one order.
    log : Log

    Returns
    -------
    Survival, or None
    """
    columns = {last(v.name): v for v in found.facts if v.role == "survival"}
    if not columns:
        return None
    first = next(iter(columns.values()))
    places = np.arange(first.length, dtype=float)
    table = replace(first, name=_table_of(first) or first.file, values=places)
    rows = by_sample(table, n, ids, ordered, log)
    if rows is None:
        return None
    time, event = (np.r_[values, np.nan] for values in _values(columns))
    rows = np.where(np.isnan(rows), first.length, rows).astype(int)  # the last is not known
    names = [v.name for v in columns.values()]
    shown = f"{', '.join(names[:-1])} and {names[-1]}"
    known = np.isfinite(time[rows]) & np.isfinite(event[rows])
    for v in columns.values():
        log.give(v, "facts")
    log.note(
        f"survival: {shown}; known of {int(known.sum())} of {n} samples, with "
        f"{int((event[rows][known] == 1).sum())} events; --role {names[0]}=ignore if it is none"
    )
    return Survival(time[rows], event[rows], names)


def _table_of(v):
    """The table that a column belongs to; a matrix is one itself."""
    return v.name.rpartition("/")[0] if _is_column(v) else v.name


def _is_column(v):
    return v.is_vector and not v.columns


def _columns(v):
    """The columns of a variable that may be times or events by their names."""
    if _is_column(v):
        return [v] if _meaning(last(v.name)) else []
    if sparse.issparse(v.values) or v.is_text or len(v.shape) != 2 or not v.columns:
        return []
    return [
        replace(v, name=f"{v.name}/{column}", values=v.values[:, c], columns=None)
        for c, column in enumerate(v.columns)
        if _meaning(column)
    ]


def _meaning(name):
    """The endpoint of a name, and whether it is a time, an event or when somebody was seen last.

    Examples
    --------
    >>> _meaning("OS.time"), _meaning("PFI"), _meaning("OS_STATUS"), _meaning("vital_status")
    (('os', 'time'), ('pfi', 'event'), ('os', 'event'), ('', 'event'))
    >>> _meaning("days_to_death"), _meaning("Overall Survival (Months)"), _meaning("OSBPL3")
    (('', 'death'), ('os', 'time'), None)
    """
    words, whole = parts_of(name), plain(name)
    if words[:2] == ["overall", "survival"]:
        words = ["os", *(words[2:] or ["time"])]
    if words and words[0] in ENDPOINTS:
        kinds = {"event": OCCURRED, "time": LENGTHS}
        kind = next((kind for kind, known in kinds.items() if set(words[1:]) <= known), None)
        return (words[0], kind) if kind else None
    known = {"time": TIMES, "event": EVENTS, "death": {"daystodeath"}, "followed": FOLLOWED}
    return next((("", kind) for kind, names in known.items() if whole in names), None)


def _pair(columns, endpoint):
    """The names of the columns of an endpoint, if they hold times and events; else None."""
    named = {}
    for name in columns:
        of, kind = _meaning(name)
        if of == endpoint:
            named.setdefault(kind, name)
    kinds = ("time", "event") if "time" in named else ("death", "followed", "event")
    if not all(kind in named for kind in kinds):
        return None
    chosen = [named[kind] for kind in kinds]
    if len({columns[name].length for name in chosen}) > 1:
        return None
    values = _values({name: columns[name] for name in chosen})
    return None if values is None else chosen


def _values(columns):
    """Times and events; None if the columns hold something else."""
    by_kind = {_meaning(name)[1]: np.ma.ravel(v.values) for name, v in columns.items()}
    event = _events(by_kind.pop("event"))
    times = {kind: _times(entries) for kind, entries in by_kind.items()}
    if event is None or any(entries is None for entries in times.values()):
        return None
    if "time" in times:
        return times["time"], event
    return np.where(event == 1, times["death"], times["followed"]), event


def _times(entries):
    """Times from 0, NaN where it is not known; None if they are none."""
    if entries.dtype.kind in "US":
        if not all(is_number(x) or _unknown(x) for x in entries):
            return None
        entries = np.array([float(x) if is_number(x) else np.nan for x in entries])
    time = np.ma.filled(np.ma.asarray(entries, dtype=float), np.nan)
    time = np.where(time >= 0, time, np.nan)
    return time if len(np.unique(time[np.isfinite(time)])) > 1 else None


def _events(entries):
    """1 for an event, 0 for none, NaN where it is not known; None if they say something else."""
    if entries.dtype.kind in "US":
        entries = np.array([_event_of(x) for x in entries])
    event = np.ma.filled(np.ma.asarray(entries, dtype=float), np.nan)
    known = set(event[np.isfinite(event)].tolist())
    if known == {1.0, 2.0}:  # as in R: 2 is the event
        event, known = event - 1, {0.0, 1.0}
    return event if 1.0 in known and known <= {0.0, 1.0} else None


def _event_of(text):
    """A text as 1 or 0, NaN if it says that nothing is known, 9 if it says something else.

    Examples
    --------
    >>> [_event_of(text) for text in ("1:DECEASED", "Alive", "[Not Available]", "grade 2")]
    [1.0, 0.0, nan, 9.0]
    """
    number, _, word = text.rpartition(":")
    if number.strip() in ("0", "1"):
        return float(number)
    if is_number(word):
        return float(word)
    if plain(word) in HAPPENED | NOT_YET:
        return float(plain(word) in HAPPENED)
    return float("nan") if _unknown(word) else 9.0


def _unknown(text):
    return is_gap(text) or text.strip().startswith("[")  # as TCGA writes [Not Available]


def _without(v, names):
    """A table without some columns; None if none is left."""
    if not v.columns:
        return v
    left = [c for c, column in enumerate(v.columns) if f"{v.name}/{column}" not in names]
    if len(left) == len(v.columns):
        return v
    kept = replace(v, values=v.values[:, left], columns=[v.columns[c] for c in left])
    return kept if left else None
