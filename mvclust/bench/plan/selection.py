"""What a run chooses of its configuration: experiments, settings, fits, jobs."""

import itertools
from collections import defaultdict
from collections.abc import Collection
from functools import cached_property

from mvclust.bench.config.experiments import Experiment
from mvclust.bench.config.load import Configuration
from mvclust.bench.config.models import ClaimTest, Data
from mvclust.bench.config.protocols import BEYOND
from mvclust.bench.plan.costs import Costs
from mvclust.bench.plan.fits import PlannedExperiment, prepared_name, prepared_versions
from mvclust.bench.plan.folders import Folders
from mvclust.bench.plan.jobs import Packing, pack


class Study:
    """The experiments, settings, fits and jobs that a run chooses.

    `costs` must not follow from the run, or each run would pack the next one's jobs differently.
    `chosen` maps ids to records with the data sets and methods that the run allows; of those with
    fits `shown` have tables and figures of their own, `varying` compare protocols, `answering` give
    an answer on samples; `printing`: papers print numbers for one that is shown.
    """

    def __init__(
        self,
        configuration: Configuration,
        costs: Costs,
        packing: Packing,
        folders: Folders | None = None,
    ) -> None:
        self.configuration, self.budget = configuration, configuration.run.budget
        self.folders = folders or Folders.of(configuration.run)
        self.where = configuration.run.model_dump(include={"missing_data", "bad_mirror"})
        self.where["mirror"] = configuration.mirror
        self.chosen = self._choose()
        self.plans = {
            name: PlannedExperiment(experiment, configuration)
            for name, experiment in self.chosen.items()
            if isinstance(experiment, Experiment)
        }
        fitted = {name: plan.experiment for name, plan in self.plans.items()}
        self.shown = [name for name, each in fitted.items() if not each.varies]
        self.varying = [name for name, each in fitted.items() if each.varies]
        self.answering = [name for name, each in fitted.items() if each.perturbed_fits]
        self.printing = any(fitted[name].item for name in self.shown)
        self.settings, self.repetitions = {}, defaultdict(int)
        for plan in self.plans.values():
            for case in plan.cases:
                name = case.setting.id
                self.settings[name] = case.setting
                self.repetitions[name] = max(self.repetitions[name], case.repetitions)
        self.jobs = pack(self.plans, costs, packing)
        self.job_of = {fit.key: name for name, job in self.jobs.items() for fit in job.fits}
        # (data set, version) of each prepared file that there may be, by its name.
        self.origins = prepared_versions(configuration)

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

    def in_form(self, name: str) -> list[str]:
        """Ids of the chosen experiments that the paper prints with one, itself first."""
        form = self.plans[name].experiment.form
        return [name, *(each for each in (form.beside if form else ()) if each in self.plans)]

    @property
    def _tests(self) -> list[ClaimTest]:
        return [test for claim in self.configuration.claims.values() for test in claim.tests]

    @cached_property
    def claimed_here(self) -> list[str]:
        """Ids of the chosen experiments behind claims and printed tables, if the run judges."""
        asked = self.configuration.run.claims
        return [name for name in self.plans if asked and name in self.claimed]

    @cached_property
    def claimed(self) -> set[str]:
        """Ids of the experiments behind claims, and of those of printed tables."""
        claims = self.configuration.claims.values()
        tests = [*self._tests, *(test for claim in claims for test in claim.printed or ())]
        tested = {name for test in tests for name in test.experiments}
        for name, each in self.configuration.experiments.items():
            if each.item and isinstance(each, Experiment) and not each.varies:
                tested.add(name)
        again = {
            name
            for name, each in self.chosen.items()
            if {getattr(each, "repeats", None), getattr(each, "extends", None)} & tested
        }
        return tested | again

    @cached_property
    def probing(self) -> dict:
        """The probes that claims name, by name."""
        asked = self.configuration.run.probes
        named = {name for test in self._tests for name in test.probes if asked}
        return {n: probe for n, probe in self.configuration.probes.items() if n in named}

    @cached_property
    def growing(self) -> list:
        """Methods whose time is measured, each with what grows."""
        asked = self.configuration.run.growth
        tests = [test for test in self._tests if asked and test.kind == "exponent"]
        return sorted({(method, test.grows) for test in tests for method in test.methods})

    def by_render(self, render: str) -> list[str]:
        """Ids of the chosen experiments with a render."""
        return [name for name, each in self.chosen.items() if each.render == render]

    def prepared_of(self, data: Data) -> str:
        """Name of the prepared data set of an experiment or a probe."""
        return prepared_name(self.configuration, data.dataset, data.subset)

    @cached_property
    def prepared(self) -> list[str]:
        """Names of the prepared data sets in use."""
        names = {setting.dataset for setting in self.settings.values()}
        whole = [self.chosen[name] for name in self.by_render("partitions")]
        for each in (*self.probing.values(), *whole):
            names.update(map(self.prepared_of, each.data))
        for name in self.by_render("statistics"):
            for entry in self.stated(self.chosen[name].paper).values():
                names.update(entry["prepared"].values())
        return sorted(names)

    def fits_by_job(self, plan: PlannedExperiment) -> dict[str, list[str]]:
        """Keys of the fits of an experiment by the job that runs them."""
        found = defaultdict(set)
        for fit in plan.fits():
            found[self.job_of[fit.key]].add(fit.key)
        return {job: sorted(keys) for job, keys in sorted(found.items())}

    @cached_property
    def methods(self) -> dict[str, dict]:
        """Properties of each method for tables and figures; its colour follows from its place."""
        counters = {True: itertools.count(), False: itertools.count()}
        return {
            name: {
                "key": name,
                "label": method.label or name,
                "published": method.published,
                "reference": method.reference,
                "place": next(counters[method.reference]),
            }
            for name, method in self.configuration.methods.items()
        }

    def controls(self, names: Collection[str]) -> list[str]:
        """Labels of the methods among some that do not see the views."""
        fixed = {name: self.configuration.methods[name].fixed for name in names}
        return [self.methods[name]["label"] for name in names if "control" in fixed[name]]

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
                        s or "": prepared_name(self.configuration, name, s)
                        for s in sorted(subsets, key=str)
                    },
                }
        return found
