"""What a run chooses of its configuration: experiments, settings, fits, jobs."""

from __future__ import annotations

import itertools
from collections import defaultdict
from functools import cached_property
from typing import TYPE_CHECKING

from mvclust.bench.config.experiments import Experiment
from mvclust.bench.config.protocols import BEYOND
from mvclust.bench.plan.fits import PlannedExperiment, prepared_name
from mvclust.bench.plan.folders import Folders
from mvclust.bench.plan.jobs import pack

if TYPE_CHECKING:
    from collections.abc import Collection

    from mvclust.bench.config.load import Configuration
    from mvclust.bench.config.models import Data
    from mvclust.bench.plan.costs import Costs
    from mvclust.bench.plan.resources import Packing
    from mvclust.bench.plan.settings import Setting


class Study:
    """The experiments, settings, fits and jobs that a run chooses.

    `costs` balance the jobs. They must not follow from the run itself, or each run would pack the
    next one's jobs differently. `chosen` maps ids to records with the data sets and methods that
    the run allows, `plans` ids to `PlannedExperiment`, `settings` ids to Setting, `repetitions`
    settings to numbers of masks, `jobs` names to `PackedJob`.
    """

    def __init__(
        self,
        configuration: Configuration,
        costs: Costs,
        packing: Packing,
        folders: Folders | None = None,
    ) -> None:
        run = configuration.run
        self.configuration, self.budget = configuration, run.budget
        self.folders = folders or Folders.of(run)
        self.where = {
            "mirror": configuration.mirror,
            "missing_data": run.missing_data,
            "bad_mirror": run.bad_mirror,
        }
        self.chosen = self._choose()
        self.plans = {
            name: PlannedExperiment(name, experiment, configuration)
            for name, experiment in self.chosen.items()
            if isinstance(experiment, Experiment)
        }
        self.settings, self.repetitions = {}, defaultdict(int)
        for plan in self.plans.values():
            for _, setting in plan.cases:
                self.settings[setting.id] = setting
                most = max(self.repetitions[setting.id], plan.repetitions_on[setting])
                self.repetitions[setting.id] = most
        self.jobs = pack(self.plans, costs, packing)

    def _choose(self) -> dict:
        run, chosen = self.configuration.run, {}
        for name in run.experiments:
            experiment, changes = self.configuration.experiments[name], {}
            if isinstance(experiment, Experiment) and experiment.compares:
                added = [m for m in run.add_methods if m not in experiment.methods]
                changes["methods"] = [*experiment.methods, *added]
            if run.datasets is not None and hasattr(experiment, "data"):
                changes["data"] = [d for d in experiment.data if d.dataset in run.datasets]
            if changes.get("data", True):
                chosen[name] = experiment.model_copy(update=changes)
        return chosen

    @cached_property
    def shown(self) -> list[str]:
        """Ids of the experiments with tables and figures of their own."""
        return [name for name, plan in self.plans.items() if not plan.experiment.varies]

    def in_form(self, name: str) -> list[str]:
        """Ids of the chosen experiments that the paper prints with one, itself first."""
        form = self.plans[name].experiment.form
        return [name, *(each for each in (form.beside if form else ()) if each in self.plans)]

    @cached_property
    def varying(self) -> list[str]:
        """Ids of the experiments that compare protocols of a table."""
        return [name for name, plan in self.plans.items() if plan.experiment.varies]

    @cached_property
    def printing(self) -> bool:
        """Whether papers print numbers for an experiment with tables and figures."""
        return any(self.plans[name].experiment.item for name in self.shown)

    @cached_property
    def claimed_here(self) -> list[str]:
        """Ids of the chosen experiments behind claims and printed tables, if the run judges."""
        asked = self.configuration.run.claims
        return [name for name in self.plans if asked and name in self.claimed]

    @cached_property
    def claimed(self) -> set[str]:
        """Ids of the experiments behind claims, and of those of printed tables."""
        tests = [
            test
            for claim in self.configuration.claims.values()
            for test in (*claim.tests, *(claim.printed or ()))
        ]
        printed = {
            name
            for name, each in self.configuration.experiments.items()
            if each.item and isinstance(each, Experiment) and not each.varies
        }
        tested = {name for test in tests for name in test.experiments} | printed
        again = {
            name
            for name, each in self.chosen.items()
            if {getattr(each, "repeats", None), getattr(each, "extends", None)} & tested
        }
        return tested | again

    @cached_property
    def probing(self) -> dict:
        """The probes that claims name, by name."""
        if not self.configuration.run.probes:
            return {}
        claims = self.configuration.claims.values()
        named = {name for claim in claims for test in claim.tests for name in test.probes}
        return {n: probe for n, probe in self.configuration.probes.items() if n in named}

    @cached_property
    def growing(self) -> list:
        """Methods whose time is measured, each with what grows."""
        if not self.configuration.run.growth:
            return []
        claims = self.configuration.claims.values()
        tests = [test for claim in claims for test in claim.tests if test.kind == "exponent"]
        return sorted({(method, test.grows) for test in tests for method in test.methods})

    @cached_property
    def answering(self) -> list[str]:
        """Ids of the experiments that give an answer on samples."""
        return [name for name, plan in self.plans.items() if plan.experiment.perturbed_fits]

    def by_render(self, render: str) -> list[str]:
        """Ids of the chosen experiments with a render."""
        return [name for name, each in self.chosen.items() if each.render == render]

    @cached_property
    def settings_of_masks(self) -> dict[str, list[Setting]]:
        """Settings in each file of masks, by its name."""
        found = defaultdict(list)
        for _, setting in sorted(self.settings.items()):
            found[setting.masks].append(setting)
        return dict(sorted(found.items()))

    @cached_property
    def origins(self) -> dict[str, tuple[str, str]]:
        """(data set, version) of a prepared file, by its name."""
        return {
            self.prepared_name(name, subset): (name, subset)
            for name, dataset in self.configuration.datasets.items()
            for subset in dataset.subsets
        }

    def prepared_name(self, dataset: str, subset: str | None = None) -> str:
        """Name of a prepared data set."""
        return prepared_name(self.configuration, dataset, subset)

    def prepared_of(self, data: Data) -> str:
        """Name of the prepared data set of an experiment or a probe."""
        return self.prepared_name(data.dataset, data.subset)

    @cached_property
    def prepared(self) -> list[str]:
        """Names of the prepared data sets in use."""
        names = {setting.dataset for setting in self.settings.values()}
        for probe in self.probing.values():
            names |= set(map(self.prepared_of, probe.data))
        for each in self.by_render("partitions"):
            names |= set(map(self.prepared_of, self.chosen[each].data))
        for each in self.by_render("statistics"):
            for entry in self.stated(self.chosen[each].paper).values():
                names.update(entry["prepared"].values())
        return sorted(names)

    @cached_property
    def job_of(self) -> dict[str, str]:
        """Name of the job of each fit, by key."""
        return {fit.key: name for name, job in self.jobs.items() for fit in job.fits}

    def fits_by_job(self, plan: PlannedExperiment) -> dict[str, list[str]]:
        """Keys of the fits of an experiment by the job that runs them."""
        found = defaultdict(set)
        for fit in plan.fits():
            found[self.job_of[fit.key]].add(fit.key)
        return {job: sorted(keys) for job, keys in sorted(found.items())}

    @cached_property
    def places(self) -> dict[str, int]:
        """Position of each method among the references, or the others; colours follow from it."""
        counters = {True: itertools.count(), False: itertools.count()}
        return {
            name: next(counters[method.reference])
            for name, method in self.configuration.methods.items()
        }

    def described_methods(self, names: Collection[str]) -> list[dict]:
        """Properties of each method for tables and figures."""
        methods = self.configuration.methods
        return [
            {
                "key": name,
                "label": methods[name].label or name,
                "published": methods[name].published,
                "reference": methods[name].reference,
                "place": self.places[name],
            }
            for name in names
        ]

    def controls(self, names: Collection[str]) -> list[str]:
        """Labels of the methods among some that do not see the views."""
        methods = self.configuration.methods
        return [methods[n].label or n for n in names if "control" in methods[n].fixed]

    def stated(self, paper: str) -> dict[str, dict]:
        """A paper's statements on each data set, and the prepared file to compare."""
        found = {}
        for name, dataset in self.configuration.datasets.items():
            says = [s for s in dataset.paper_says if paper in (s["paper"], BEYOND)]
            subsets = {s.get("subset") for s in says} | ({None} if paper == BEYOND else set())
            if subsets:
                about = dataset.model_dump(include={"notes", "licence"}, exclude_unset=True)
                found[name] = (about if paper == BEYOND else {}) | {
                    "paper_says": says,
                    "default_subset": dataset.default_subset,
                    "prepared": {
                        s or "": self.prepared_name(name, s) for s in sorted(subsets, key=str)
                    },
                }
        return found

    def number_of_samples(self, data: Data) -> int | None:
        """Number of samples of a fit on some data, without a budget."""
        version = self.configuration.datasets[data.dataset].version(data.subset)
        return data.samples or version.n_samples

    def class_sizes(self, data: Data) -> list[int] | None:
        """Sizes of the classes in every view; None if unknown, or if samples are drawn."""
        version = self.configuration.datasets[data.dataset].version(data.subset)
        sizes = list(version.classes.values())
        return None if data.samples or version.incomplete or None in sizes else sizes
