"""Plans of the fixture configuration, changed at will."""

import copy
from pathlib import Path

from helpers import ROOT

from mvclust.pipeline.plan.check import check_config
from mvclust.pipeline.plan.expected import Cost, Costs
from mvclust.pipeline.plan.plan import make_plan

FIXTURE = Path(__file__).parent / "fixture"


def lay_out(folder):
    """A project of the fixture's configuration."""
    import shutil

    shutil.copytree(FIXTURE, folder / "config")
    shutil.copytree(ROOT / "workflow" / "schemas", folder / "workflow" / "schemas")
    return folder


def science_of(folder, **changes):
    """The checked configuration of a project that `lay_out` made."""
    return check_config(changes, folder)


def costs_of(**seconds):
    """Costs of fits by method, on any data set, without starts."""
    return Costs({("any", 0, 1, method): Cost(0.0, s) for method, s in seconds.items()})


def plan_of(science, costs=None):
    """The plan of a copy of a checked configuration."""
    return make_plan(copy.deepcopy(science), costs or Costs({}))


def changed_slices(before, after):
    """Rules of which a slice differs between two plans."""
    rules = before["digests"]
    return {rule for rule in rules if before["digests"][rule] != after["digests"][rule]}
