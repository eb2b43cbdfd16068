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
    for kind, entries in changes.items():
        records = getattr(configuration, kind)
        if kind == "run":
            changes[kind] = _changed(records, entries)
        elif kind != "published":
            new = {name: _changed(records[name], keys) for name, keys in entries.items()}
            changes[kind] = records | new
    return dataclasses.replace(configuration, **changes)


def _changed(record, keys):
    dumped = record.model_dump(exclude_unset=True, by_alias=True)
    for key in {"budget", "limits"} & set(keys):
        keys = keys | {key: dumped.get(key, {}) | keys[key]}
    return type(record).model_validate(dumped | keys)


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
