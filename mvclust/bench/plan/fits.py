"""One chosen experiment: its settings, the points of its methods, its fits."""

import itertools
from functools import cached_property

from mvclust.bench.config.applying import stated_value
from mvclust.bench.plan.settings import Fit, Setting, canonical, plain
from mvclust.datasets.catalogue import file_stem

FIRST_PAIR, PER_VIEW, PER_PAIR = "first_pair", "per_view", "per_pair"


def thin(values, limit):
    """At most so many of the values, evenly, the first and the last kept."""
    values = list(values)
    if limit is None or len(values) <= limit:
        return values
    if limit == 1:
        return values[:1]
    last = len(values) - 1
    return [values[round(i * last / (limit - 1))] for i in range(limit)]


def prepared_name(configuration, dataset, subset=None):
    """The name of a prepared data set: that of its file without the ending."""
    return file_stem(dataset, configuration.datasets[dataset].default_subset, subset)


class PlannedExperiment:
    """One chosen experiment with fits.

    Parameters
    ----------
    name : str
    experiment : Experiment
        With the data sets and methods that the run chooses.
    configuration : mvclust.bench.config.load.Configuration

    Attributes
    ----------
    cases : list of (label, Setting)
    kinds : dict
        Setting -> view -> kind of its values, as the data set states it.
    points : dict
        (Setting, method) -> its parameter settings, the default first: (varied, all values).
    repetitions : int
    """

    def __init__(self, name, experiment, configuration):
        self.name, self.experiment, self.configuration = name, experiment, configuration
        self.budget = configuration.run.budget
        most, declared = self.budget.repetitions, experiment.repetitions
        self.repetitions = declared if most is None else min(most, declared)
        self.cases, self.features, self.kinds, self.data = [], {}, {}, {}
        for data, rate in itertools.product(experiment.data, self.rates):
            version = configuration.datasets[data.dataset].version(data.subset)
            setting = self._setting(data, version, rate)
            self.cases.append((data.label, setting))
            self.data[setting] = data
            self.kinds[setting] = {view.name: view.kind for view in version.views}
            if "features" in data.model_fields_set:
                self.features[setting] = {"features": data.features}
        self.points = {
            (setting, method): self.points_of(method, setting, self.budget)
            for label, setting in self.cases
            for method in self.methods_on(label)
        }

    def methods_on(self, label):
        """The methods that run on a data set."""
        left_out = self.experiment.leave_out
        return [name for name in self.experiment.methods if label not in left_out.get(name, ())]

    @property
    def rates(self):
        """The rates that the budget leaves."""
        return thin(self.experiment.rates, self.budget.rates)

    def _setting(self, data, version, rate):
        return Setting(
            prepared_name(self.configuration, data.dataset, data.subset),
            tuple(data.views or [view.name for view in version.views]),
            self.experiment.protocol,
            rate,
            data.samples or 0,
            self.experiment.scale or "",
            self.experiment.strength or 0.0,
        )

    def axes(self, method, setting, budget):
        """The parameters that the experiment varies for a method: name -> values."""
        experiment, entry = self.experiment, self.configuration.methods[method]
        grid = experiment.grids.get(method, {} if experiment.sweep else entry.grid)
        fixed = experiment.fixed.get(method, {})
        pairs = [list(pair) for pair in itertools.combinations(setting.views, 2)]
        by_name = {PER_VIEW: range(len(setting.views)), PER_PAIR: thin(pairs, budget.pairs)}
        most = budget.sweep_points if experiment.sweep else budget.grid_points
        return {
            axis: thin(by_name[values] if isinstance(values, str) else values, most)
            for axis, values in (grid | self.questions_of(method)).items()
            if axis not in fixed or axis in self.questions_of(method)
        }

    def kind_of(self, method):
        """The kind of a method whose protocols are tried; None in other experiments."""
        name = self.experiment.kinds.get(method)
        return None if name is None else self.configuration.kinds[name]

    def questions_of(self, method):
        """What is tried for a method: parameter -> options."""
        kind = self.kind_of(method)
        return {} if kind is None else kind.questions

    def stated_of(self, method, setting):
        """What the experiment states of each question, and of the start."""
        if not self.experiment.varies:
            return {}
        data = self.data[setting]
        return {
            axis: stated_value(axis, method, self.experiment, data, self.configuration)
            for axis in (*self.questions_of(method), "start")
        }

    def points_of(self, method, setting, budget):
        """Each parameter setting of a method once, the default first: (varied, all values)."""
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

    def _base(self, method, setting):
        entry = self.configuration.methods[method]
        base = (
            self.features.get(setting, {})
            | entry.fixed
            | self._by_kind(entry.by_kind, setting)
            | entry.default
            | self.experiment.fixed.get(method, {})
        )
        if base.get("views") == FIRST_PAIR:
            base["views"] = list(setting.views[:2])
        return base

    def _by_kind(self, parameters, setting):
        """Parameters that follow from the kind of the views; a list where the views differ."""
        if not parameters:
            return {}
        kinds, chosen = self.kinds[setting], {}
        for name, of_kind in parameters.items():
            value_of = of_kind.model_dump(by_alias=True)
            values = [value_of[kinds[view]] for view in setting.views]
            chosen[name] = values[0] if len(set(values)) == 1 else values
        return chosen

    @cached_property
    def fits_at(self):
        """(setting, method) -> for each of its points the fits, one per repetition."""
        return {
            (setting, method): [
                [Fit(setting, repetition, method, params) for repetition in range(self.repetitions)]
                for _, params in points
            ]
            for (setting, method), points in self.points.items()
        }

    def fits(self):
        """The fits of the experiment."""
        return [fit for points in self.fits_at.values() for fits in points for fit in fits]

    @cached_property
    def declared(self):
        """(setting, method) -> number of its parameter settings without a budget."""
        unlimited = self.budget.model_copy(update=dict.fromkeys(type(self.budget).model_fields))
        return {
            (setting, method): len(self.points_of(method, setting, unlimited))
            for setting, method in self.points
        }

    @property
    def is_cut(self):
        """Whether the budget leaves out masks, rates, samples or points."""
        return (
            self.repetitions < self.experiment.repetitions
            or self.budget.samples_per_class is not None
            or len(self.rates) < len(self.experiment.rates)
            or any(len(points) < self.declared[place] for place, points in self.points.items())
        )
