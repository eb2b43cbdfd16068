"""Whether the numbers of a results folder are those of the code here, method by method."""

from pathlib import Path
from typing import NamedTuple

import yaml

from mvclust.bench.config.messages import counted
from mvclust.bench.plan.code import code_of
from mvclust.bench.record.provenance import is_in_history
from mvclust.bench.record.records import read_json


class Standing(NamedTuple):
    """How a run relates to the code here.

    Attributes
    ----------
    commit : str or None
        That the run was made at.
    methods : list of str
        Of the run; empty if it does not say which code made its fits.
    stale : list of str
        Those of which other code made the fits than that of today.
    """

    commit: str | None
    methods: list
    stale: list


def standings(root):
    """How each committed run relates to the code of a project.

    Parameters
    ----------
    root : path-like
        The project's folder.

    Returns
    -------
    dict
        Name of the run -> Standing.
    """
    today = estimators_of(Path(root, "config/methods.yaml"))
    manifests = sorted(Path(root, "results").glob("*/manifest.json"))
    return {path.parent.name: standing_of(path.parent, today) for path in manifests}


def estimators_of(file):
    """Method -> its class, from a catalogue of methods."""
    text = Path(file).read_text(encoding="utf-8")
    entries = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {name: entry["estimator"] for name, entry in entries.items()}


def standing_of(folder, today):
    """How one run relates to the code here.

    Parameters
    ----------
    folder : path-like
        The results folder of the run.
    today : dict
        Method -> its class, of all methods that the project has.

    Returns
    -------
    Standing
    """
    manifest = read_json(Path(folder, "manifest.json")) or {}
    made = manifest.get("code", {})
    return Standing(manifest.get("commit"), sorted(made), stale_methods(made, today))


def stale_methods(made, today):
    """The methods of which other code made the fits than that of today.

    Parameters
    ----------
    made : dict
        Method -> its class, digests and commands, see
        `mvclust.bench.record.manifest.code_of_methods`.
    today : dict
        Method -> its class today. A method that is not in it keeps the class that it had.

    Returns
    -------
    list of str
        Sorted.
    """
    return [name for name in sorted(made) if not _is_of_today(made[name], today.get(name))]


def _is_of_today(made, estimator):
    if estimator not in (None, made["estimator"]):
        return False
    points = [{"command": command} for command in made["commands"]]
    try:
        return made["code"] == [code_of(made["estimator"], points)]
    except LookupError:  # the class is gone
        return False


def sentence(standing):
    """A standing in words.

    Parameters
    ----------
    standing : Standing

    Returns
    -------
    str

    Examples
    --------
    >>> sentence(Standing("0123456789abcdef", ["DAIMC", "PVC"], ["PVC"]))
    '1 of 2 methods computed by other code: PVC; made at commit 0123456789ab'
    """
    methods, stale = standing.methods, standing.stale
    if not methods:
        said = "does not say which code computed its methods"
    elif not stale:
        said = f"{counted(len(methods), 'method')} computed by the code here"
    elif len(stale) == len(methods):
        said = f"all of {counted(len(methods), 'method')} computed by other code"
    else:
        said = f"{len(stale)} of {counted(len(methods), 'method')} computed by other code: "
        said += ", ".join(stale)
    return said + (f"; made at commit {standing.commit[:12]}" if standing.commit else "")


def findings(root):
    """What is to be said of each committed run, and whether its numbers are those of today's code.

    Parameters
    ----------
    root : path-like
        The project's folder.

    Returns
    -------
    list of (bool, str)
        A run is of today if it says which code made it, that is the code here, and its commit is
        in the history as far as that is known.
    """
    lines = []
    for name, standing in standings(root).items():
        lost = standing.commit and is_in_history(root, standing.commit.partition("+")[0]) is False
        said = sentence(standing) + (", which is not in the history" if lost else "")
        today = bool(standing.methods) and not standing.stale and not lost
        lines.append((today, f"results/{name}: {said}"))
    return lines
