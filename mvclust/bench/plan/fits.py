"""One chosen experiment: its settings, the points of its methods, its fits."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import NamedTuple

from mvclust.bench.config.applying import of_data, stated_value
from mvclust.bench.config.experiments import Experiment
from mvclust.bench.config.load import Configuration
from mvclust.bench.config.models import Budget, Data, Kind, Version
from mvclust.bench.plan.settings import Fit, Setting, canonical, plain
from mvclust.datasets.catalogue import file_stem

FIRST_PAIR, PER_VIEW, PER_PAIR = "first_pair", "per_view", "per_pair"


def thin(values: Sequence, limit: int | None) -> list:
    """At most `limit` of the values, evenly spaced, with the first and the last."""
    values = list(values)
    if limit is None or len(values) <= limit:
        return values
    if limit == 1:
        return values[:1]
    last = len(values) - 1
    return [values[round(i * last / (limit - 1))] for i in range(limit)]


def prepared_name(configuration: Configuration, dataset: str, subset: str | None = None) -> str:
    """Name of a prepared data set: that of its file without the suffix."""
    return file_stem(dataset, configuration.datasets[dataset].default_subset, subset)


def prepared_versions(configuration: Configuration) -> dict[str, tuple[str, Version]]:
    """(data set, version) of each prepared data set that there may be, by its name."""
    return {
        prepared_name(configuration, name, subset): (name, dataset.version(subset))
        for name, dataset in configuration.datasets.items()
        for subset in dataset.subsets
    }


class Point(NamedTuple):
    """One parameter setting of a method, with its fit of each repetition."""

    values: dict  # of the parameters that vary
    params: dict  # all
    fits: list[Fit]

    @property
    def record(self) -> dict:
        """The point as JSON, with the keys of its fits."""
        variant = self.params.get("variant", "")
        return {"values": self.values, "variant": variant, "keys": [fit.key for fit in self.fits]}


@dataclass
class Case:
    """Data of an experiment at one rate."""

    data: Data
    version: Version
    setting: Setting
    repetitions: int  # masks or starts
    repetitions_declared: int  # without a budget
    points: dict[str, list[Point]] = field(default_factory=dict)  # by method, the default first
    points_declared: dict[str, int] = field(default_factory=dict)  # their number without a budget

    def fits(self, method: str, params: dict) -> list[Fit]:
        """Fit of each repetition with the same parameters."""
        return [Fit(self.setting, i, method, params) for i in range(self.repetitions)]

    @property
    def is_cut(self) -> bool:
        """Whether the budget leaves out masks or points."""
        numbers = {method: len(points) for method, points in self.points.items()}
        return self.repetitions != self.repetitions_declared or numbers != self.points_declared


class PlannedExperiment:
    """A chosen experiment with fits, on the data sets and with the methods that the run chooses."""

    def __init__(self, experiment: Experiment, configuration: Configuration) -> None:
        self.experiment, self.configuration = experiment, configuration
        self.budget = budget = configuration.run.budget
        self.rates = thin(experiment.rates, budget.rates)
        unlimited = budget.model_copy(update=dict.fromkeys(type(budget).model_fields))
        self.cases = [self._case(*on) for on in itertools.product(experiment.data, self.rates)]
        for case, method in itertools.product(self.cases, experiment.methods):
            if case.data.label not in experiment.leave_out.get(method, ()):
                points = self._points(method, case, budget)
                case.points[method] = [Point(v, p, case.fits(method, p)) for v, p in points]
                case.points_declared[method] = len(self._points(method, case, unlimited))

    def _case(self, data: Data, rate: float) -> Case:
        experiment = self.experiment
        version = self.configuration.datasets[data.dataset].version(data.subset)
        setting = Setting(
            prepared_name(self.configuration, data.dataset, data.subset),
            tuple(data.views_in(self.configuration.datasets)),
            experiment.protocol,
            rate,
            data.samples or 0,
            experiment.scale or "",
            experiment.strength or 0.0,
        )
        declared = experiment.repetitions if data.repetitions is None else data.repetitions
        repetitions = min(self.budget.repetitions or declared, declared)
        return Case(data, version, setting, repetitions, declared)

    def _axes(self, method: str, setting: Setting, budget: Budget) -> dict[str, list]:
        """Values of the parameters that the experiment varies for a method."""
        experiment, entry = self.experiment, self.configuration.methods[method]
        grid = experiment.grids.get(method, {} if experiment.sweep else entry.grid)
        fixed = experiment.fixed.get(method, {})
        questions = self.kind_of(method).questions if experiment.varies else {}
        pairs = [list(pair) for pair in itertools.combinations(setting.views, 2)]
        by_name = {PER_VIEW: range(len(setting.views)), PER_PAIR: thin(pairs, budget.pairs)}
        most = budget.sweep_points if experiment.sweep else budget.grid_points
        return {
            axis: thin(by_name[values] if isinstance(values, str) else values, most)
            for axis, values in (grid | questions).items()
            if axis not in fixed or axis in questions
        }

    def kind_of(self, method: str) -> Kind:
        """Kind of a method whose protocols are tried."""
        return self.configuration.kinds[self.experiment.kinds[method]]

    def stated_of(self, method: str, case: Case) -> dict:
        """The experiment's own answers to each question, and its start."""
        axes = (*self.kind_of(method).questions, "start") if self.experiment.varies else ()
        of = method, self.experiment, case.data, self.configuration
        return {axis: stated_value(axis, *of) for axis in axes}

    def _points(self, method: str, case: Case, budget: Budget) -> list[tuple[dict, dict]]:
        """Different parameter settings of a method, (varied, all values), the default first."""
        grid, base = self._axes(method, case.setting, budget), self._base(method, case)
        values = [dict(zip(grid, v, strict=True)) for v in itertools.product(*grid.values())]
        if not self.experiment.sweep and not self.experiment.varies:
            values.insert(0, {axis: base[axis] for axis in grid if axis in base})
        # What is stated by a default stays unsaid, so that the fit is that of the table.
        unsaid = {a: v for a, v in self.stated_of(method, case).items() if a not in base}
        points = {}
        for chosen in values:
            said = {a: v for a, v in chosen.items() if a not in unsaid or unsaid[a] != v}
            points[canonical(base | said)] = chosen, plain(base | said)
        return list(points.values())

    def _base(self, method: str, case: Case) -> dict:
        """Parameters of a method that do not vary."""
        entry, chosen = self.configuration.methods[method], case.setting.views
        kinds = {view.name: view.kind for view in case.version.views}
        by_kind = {}
        for name, of_kind in entry.by_kind.items():
            value_of = of_kind.model_dump(by_alias=True)
            values = [value_of[kinds[view]] for view in chosen]
            by_kind[name] = values[0] if len(set(values)) == 1 else values
        base = of_data(case.data) | entry.fixed | by_kind | entry.default
        base |= self.experiment.fixed.get(method, {})
        if base.get("views") == FIRST_PAIR:
            base["views"] = list(chosen[:2])
        return base

    def fits(self) -> list[Fit]:
        """Fits of the experiment."""
        points = chain.from_iterable(of for case in self.cases for of in case.points.values())
        return [fit for point in points for fit in point.fits]

    @property
    def is_cut(self) -> bool:
        """Whether the budget leaves out masks, rates, samples or points."""
        return (
            self.budget.samples_per_class is not None
            or len(self.rates) < len(self.experiment.rates)
            or any(case.is_cut for case in self.cases)
        )
