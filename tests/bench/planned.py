"""Plans of the fixture configuration, changed at will."""

import dataclasses
import shutil
from pathlib import Path

import pytest
from helpers import ROOT

from mvclust.bench.config.load import ConfigError, load
from mvclust.bench.plan.costs import Cost, Costs
from mvclust.bench.plan.plan import Plan
from mvclust.bench.record.records import difference, without_where

FIXTURE = Path(__file__).parent / "fixture"
# Its experiments, without the one of protocols.
EVERY = ["rates", "weights", "surface", "paired", "mapped", "shapes", "sizes"]


def lay_out(folder):
    """A project of the fixture's configuration."""
    shutil.copytree(FIXTURE, folder / "config")
    return folder


def configuration_of(folder, **changes):
    """The checked configuration of a project that `lay_out` made."""
    return load(changes, folder)


def mistakes_in(read, *arguments, **options):
    """The sentences with which a configuration is refused."""
    with pytest.raises(ConfigError) as caught:
        read(*arguments, **options)
    return caught.value.problems


def edited(configuration, **changes):
    """A configuration with other values: kind of entry -> name -> key -> value.

    Of the run: key -> value. The records are validated anew, as if the files had been edited.
    """
    new = {}
    for kind, entries in changes.items():
        if kind == "run":
            new["run"] = _changed(configuration.run, entries)
        elif kind == "published":
            new["published"] = entries
        else:
            records = dict(getattr(configuration, kind))
            records |= {name: _changed(records[name], keys) for name, keys in entries.items()}
            new[kind] = records
    return dataclasses.replace(configuration, **new)


def _changed(record, keys):
    dumped = record.model_dump(exclude_unset=True, by_alias=True)
    for key, value in keys.items():
        if isinstance(value, dict) and key in ("budget", "limits"):
            dumped[key] = dumped.get(key, {}) | value
        else:
            dumped[key] = value
    return type(record).model_validate(dumped)


def costs_of(**seconds):
    """Costs of fits by method, on any data set, without starts."""
    return Costs({("any", 0, 1, method): Cost(0.0, s) for method, s in seconds.items()})


def plan_of(configuration, costs=None, packing=None):
    """The plan of a configuration, with the scripts of the project."""
    return Plan(configuration, ROOT, costs or Costs({}), packing)


def digests(plan, rule):
    """Name -> what is compared, of the jobs of a rule."""
    return {name: without_where(slice_) for name, slice_ in plan.slices[rule].items()}


def changed_slices(before, after):
    """Rules of which a slice differs between two plans."""
    rules = before.slices
    return {rule for rule in rules if difference(digests(before, rule), digests(after, rule))}
