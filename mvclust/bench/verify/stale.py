"""Whether the numbers of a results folder are those of the code here, method by method."""

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from mvclust.bench.config.messages import counted
from mvclust.bench.plan.code import code_of
from mvclust.bench.record.provenance import is_in_history
from mvclust.bench.verify.finished import FinishedRun


class Standing(NamedTuple):
    """How a run relates to the code here."""

    commit: str | None  # of the run
    methods: list  # of the run; empty if it does not record the code of its fits
    stale: list  # methods whose fits were made by other code


def standings(root: Path | str) -> dict[str, Standing]:
    """Relate each committed run, by name, to the code of a project."""
    today = estimators_of(root)
    manifests = sorted(Path(root, "results").glob("*/manifest.json"))
    return {path.parent.name: standing_of(path.parent, today) for path in manifests}


def estimators_of(root: Path | str) -> dict[str, str]:
    """Classes of the methods of a project."""
    text = Path(root, "config/methods.yaml").read_text(encoding="utf-8")
    entries = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    return {name: entry["estimator"] for name, entry in entries.items()}


def standing_of(folder: Path | str, today: dict[str, str]) -> Standing:
    """Relate one run to the code here; `today` maps all methods of the project to their classes."""
    run = FinishedRun(folder, ".")
    return Standing(run.commit, sorted(run.code), stale_methods(run.code, today))


def stale_methods(made: dict[str, dict], today: dict[str, str]) -> list[str]:
    """Methods whose fits other code made; one that is missing in `today` keeps its class."""
    return [name for name in sorted(made) if not _is_of_today(made[name], today.get(name))]


def _is_of_today(made: dict, estimator: str | None) -> bool:
    if estimator not in (None, made["estimator"]):
        return False
    points = [{"command": command} for command in made["commands"]]
    try:
        return made["code"] == [code_of(made["estimator"], points)]
    except (LookupError, OSError, ValueError):  # the class is gone, or a command was none
        return False


def sentence(standing: Standing) -> str:
    """Describe a standing.

    >>> sentence(Standing("0123456789abcdef", ["DAIMC", "PVC"], ["PVC"]))
    '1 of 2 methods computed by other code: PVC; made at commit 0123456789ab'
    """
    stale, methods = standing.stale, counted(len(standing.methods), "method")
    if not standing.methods:
        said = "does not say which code computed its methods"
    elif not stale:
        said = f"{methods} computed by the code here"
    elif len(stale) == len(standing.methods):
        said = f"all of {methods} computed by other code"
    else:
        said = f"{len(stale)} of {methods} computed by other code: {', '.join(stale)}"
    return said + (f"; made at commit {standing.commit[:12]}" if standing.commit else "")


def findings(root: Path | str) -> Iterator[tuple[bool, str]]:
    """Yield for each run whether its code and commit are those here, and a description."""
    for name, standing in standings(root).items():
        lost = standing.commit and is_in_history(root, standing.commit.partition("+")[0]) is False
        said = sentence(standing) + (", which is not in the history" if lost else "")
        today = bool(standing.methods) and not standing.stale and not lost
        yield today, f"results/{name}: {said}"
