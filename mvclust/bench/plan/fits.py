"""One chosen experiment: its settings, the points of its methods, its fits."""

from __future__ import annotations

import itertools
from functools import cached_property
from typing import TYPE_CHECKING

from mvclust.bench.config.applying import of_data, stated_value
from mvclust.bench.plan.settings import Fit, Setting, canonical, plain
from mvclust.datasets.catalogue import file_stem

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mvclust.bench.config.experiments import Experiment
    from mvclust.bench.config.load import Configuration
    from mvclust.bench.config.models import Budget, Kind, Version

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


class PlannedExperiment:
    """One chosen experiment with fits, on the data sets and with the methods that the run chooses.

    `cases` are (label, Setting), `repetitions_on` numbers of masks or starts by setting; `points`
    maps (setting, method) to its parameter settings (varied, all values), the default first.
    """

    def __init__(self, experiment: Experiment, configuration: Configuration) -> None:
        self.experiment, self.configuration = experiment, configuration
        self.budget = configuration.run.budget
        self.rates = thin(experiment.rates, self.budget.rates)
        self.cases, self.data, self.versions = [], {}, {}
        self.repetitions_on, self.declared_on = {}, {}
        for data, rate in itertools.product(experiment.data, self.rates):
            version = configuration.datasets[data.dataset].version(data.subset)
            views = tuple(data.views or [view.name for view in version.views])
            name, samples = (
                prepared_name(configuration, data.dataset, data.subset),
                data.samples or 0,
            )
            scale, strength = experiment.scale or "", experiment.strength or 0.0
            setting = Setting(name, views, experiment.protocol, rate, samples, scale, strength)
            self.cases.append((data.label, setting))
            self.data[setting], self.versions[setting] = data, version
            each = experiment.repetitions if data.repetitions is None else data.repetitions
            self.declared_on[setting] = each
            self.repetitions_on[setting] = min(self.budget.repetitions or each, each)
        self.points = {
            (setting, method): self.points_of(method, setting, self.budget)
            for label, setting in self.cases
            for method in self.methods_on(label)
        }

    def methods_on(self, label: str) -> list[str]:
        """Methods that run on a data set."""
        left_out = self.experiment.leave_out
        return [name for name in self.experiment.methods if label not in left_out.get(name, ())]

    def axes(self, method: str, setting: Setting, budget: Budget) -> dict[str, list]:
        """Values of the parameters that the experiment varies for a method."""
        experiment, entry = self.experiment, self.configuration.methods[method]
        grid = experiment.grids.get(method, {} if experiment.sweep else entry.grid)
        fixed, questions = experiment.fixed.get(method, {}), self.questions_of(method)
        pairs = [list(pair) for pair in itertools.combinations(setting.views, 2)]
        by_name = {PER_VIEW: range(len(setting.views)), PER_PAIR: thin(pairs, budget.pairs)}
        most = budget.sweep_points if experiment.sweep else budget.grid_points
        return {
            axis: thin(by_name[values] if isinstance(values, str) else values, most)
            for axis, values in (grid | questions).items()
            if axis not in fixed or axis in questions
        }

    def kind_of(self, method: str) -> Kind | None:
        """Kind of a method whose protocols are tried; None in other experiments."""
        return self.configuration.kinds.get(self.experiment.kinds.get(method))

    def questions_of(self, method: str) -> dict:
        """Options that are tried for a method, by parameter."""
        kind = self.kind_of(method)
        return {} if kind is None else kind.questions

    def stated_of(self, method: str, setting: Setting) -> dict:
        """The experiment's own answers to each question, and its start."""
        axes = (*self.questions_of(method), "start") if self.experiment.varies else ()
        of = method, self.experiment, self.data[setting], self.configuration
        return {axis: stated_value(axis, *of) for axis in axes}

    def points_of(self, method: str, setting: Setting, budget: Budget) -> list[tuple[dict, dict]]:
        """Different parameter settings of a method, (varied, all values), the default first."""
        grid = self.axes(method, setting, budget)
        base = self._base(method, setting)
        values = [dict(zip(grid, v, strict=True)) for v in itertools.product(*grid.values())]
        if not self.experiment.sweep and not self.experiment.varies:
            values.insert(0, {axis: base[axis] for axis in grid if axis in base})
        # What is stated by a default stays unsaid, so that the fit is that of the table.
        unsaid = {a: v for a, v in self.stated_of(method, setting).items() if a not in base}
        points = {}
        for chosen in values:
            said = {a: v for a, v in chosen.items() if a not in unsaid or unsaid[a] != v}
            points[canonical(base | said)] = chosen, plain(base | said)
        return list(points.values())

    def _base(self, method: str, setting: Setting) -> dict:
        """Parameters of a method that do not vary."""
        entry, version = self.configuration.methods[method], self.versions[setting]
        kinds = {view.name: view.kind for view in version.views}
        by_kind = {}
        for name, of_kind in entry.by_kind.items():
            value_of = of_kind.model_dump(by_alias=True)
            values = [value_of[kinds[view]] for view in setting.views]
            by_kind[name] = values[0] if len(set(values)) == 1 else values
        base = of_data(self.data[setting]) | entry.fixed | by_kind | entry.default
        base |= self.experiment.fixed.get(method, {})
        if base.get("views") == FIRST_PAIR:
            base["views"] = list(setting.views[:2])
        return base

    @cached_property
    def fits_at(self) -> dict[tuple[Setting, str], list[list[Fit]]]:
        """Fits per repetition, for each point of a (setting, method)."""
        return {
            (setting, method): [
                [Fit(setting, i, method, params) for i in range(self.repetitions_on[setting])]
                for _, params in points
            ]
            for (setting, method), points in self.points.items()
        }

    def fits(self) -> list[Fit]:
        """Fits of the experiment."""
        return [fit for points in self.fits_at.values() for fits in points for fit in fits]

    @cached_property
    def declared(self) -> dict[tuple[Setting, str], int]:
        """Number of parameter settings without a budget, by (setting, method)."""
        unlimited = self.budget.model_copy(update=dict.fromkeys(type(self.budget).model_fields))
        return {place: len(self.points_of(*place[::-1], unlimited)) for place in self.points}

    @property
    def is_cut(self) -> bool:
        """Whether the budget leaves out masks, rates, samples or points."""
        return (
            self.repetitions_on != self.declared_on
            or self.budget.samples_per_class is not None
            or len(self.rates) < len(self.experiment.rates)
            or any(len(points) < self.declared[place] for place, points in self.points.items())
        )
