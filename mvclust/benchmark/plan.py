"""Turn declared experiments into fits, and fits into jobs. Light to import, on purpose."""

import hashlib
import itertools
import json
from collections import defaultdict
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from mvclust.benchmark.located import read_document
from mvclust.benchmark.sources import code_hash
from mvclust.datasets.catalogue import canonical_file_name, find_subset

# Protocols under which every view has rows, labels and scores of its own.
PER_VIEW = ("unmapped", "mapped")

# What the pipeline does to the views for a method; these stand in the catalogue beside the method's
# own parameters, so that a fit's parameters say all that was done. See `mvclust.benchmark.prepare`.
PREPARATION = ("views", "shift", "fill", "each_view", "constraints")


@dataclass(frozen=True, order=True)
class Setting:
    """A data set with some of its views under one protocol of missing instances.

    `dataset` is the name of a prepared file: "bbcsport" for the papers' version of a data set,
    "bbcsport-544x2" for another.
    """

    dataset: str
    views: tuple
    protocol: str
    rate: float
    samples: int = 0  # drawn at random; 0: all
    scale: str = ""  # of every view, before a method sees it

    @property
    def id(self):
        """Name in file names."""
        name = f"{self.dataset}.{'+'.join(self.views)}.{self.protocol}-{self.rate:g}"
        name += f".n{self.samples}" if self.samples else ""
        return name + (f".{self.scale}" if self.scale else "")

    @property
    def per_view(self):
        """Whether every view has rows, labels and scores of its own."""
        return self.protocol in PER_VIEW


@dataclass(frozen=True, order=True)
class Fit:
    """One method with given parameters on one mask of one setting."""

    setting: Setting
    repetition: int
    method: str
    params: str  # canonical JSON, so that fits can be compared and sorted

    @cached_property
    def key(self):
        """Name of the fit in journals and in the table of runs."""
        text = f"{self.setting.id}|{self.repetition}|{self.method}|{self.params}"
        return hashlib.sha256(text.encode()).hexdigest()[:20]


def canonical(params):
    """Parameters as JSON in a fixed order; 10 and 10.0 are the same value."""
    plain = {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in params.items()
    }
    return json.dumps(plain, sort_keys=True)


def seed_of(*axes):
    """A seed that follows from named axes (data set, protocol, rate, repetition, purpose).

    The method is no axis: all methods see the same masks and the same starts.

    Examples
    --------
    >>> seed_of(0, "handwritten", "random", 0.3, 1, "mask")
    1133162348
    """
    text = "|".join(str(axis) for axis in axes)
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:4], "big")


def seed_of_setting(root, setting, repetition, purpose):
    """The seed of a mask, or of all fits on it: "mask" or "fit" is the purpose."""
    axes = setting.dataset, setting.protocol, f"{setting.rate:g}", repetition  # 0 as 0.0
    return seed_of(root, *axes, purpose)


def _thin(values, limit):
    """At most so many of the values, evenly, the first and the last kept."""
    values = list(values)
    if limit is None or len(values) <= limit:
        return values
    if limit == 1:
        return values[:1]
    last = len(values) - 1
    return [values[round(i * last / (limit - 1))] for i in range(limit)]


class Plan:
    """All fits of the chosen experiments, each once, packed into jobs.

    Parameters
    ----------
    science : dict
        What `mvclust.benchmark.config.check_config` returns.

    Attributes
    ----------
    experiments : dict, the chosen experiments under the limits of the configuration
    statistics, partitions : dict, the chosen experiments that need no fits in jobs of their own
    jobs : dict, (data set, method, number) -> list of Fit
    settings : dict, id -> Setting
    repetitions : dict, setting id -> number of masks
    """

    def __init__(self, science):
        self.config = science["config"]
        self.algorithms = science["algorithms"]
        self.datasets = science["datasets"]
        self.budget = self.config["budget"]
        chosen = {
            name: self._limit(science["experiments"][name]) for name in self.config["experiments"]
        }
        self.statistics = {n: e for n, e in chosen.items() if e["render"] == "statistics"}
        self.partitions = {n: e for n, e in chosen.items() if e["render"] == "partitions"}
        self.experiments = {
            name: experiment
            for name, experiment in chosen.items()
            if name not in self.statistics | self.partitions and experiment["data"]
        }
        self._fits = {name: self._declared_fits(name) for name in self.experiments}
        fits = {fit for group in self._fits.values() for fit in group}
        self.settings = {fit.setting.id: fit.setting for fit in sorted(fits)}
        self.repetitions = defaultdict(int)
        for fit in fits:
            known = self.repetitions[fit.setting.id]
            self.repetitions[fit.setting.id] = max(known, fit.repetition + 1)
        self.jobs = self._pack(fits)
        self._job_of = {fit.key: job for job, group in self.jobs.items() for fit in group}

    def fits_of(self, name):
        """The fits of one experiment, sorted."""
        return self._fits[name]

    def _declared_fits(self, name):
        return sorted(
            {
                Fit(setting, repetition, method, params)
                for _, setting in self.cases_of(name)
                for repetition in range(self.experiments[name]["repetitions"])
                for method in self.experiments[name]["methods"]
                for params in self.points(name, method, setting)
            }
        )

    def cases_of(self, name):
        """(label of the data, setting) pairs of one experiment, in its order."""
        experiment = self.experiments[name]
        return [
            (
                data["label"],
                Setting(
                    self.prepared_name(data["dataset"], data.get("subset")),
                    self._views_of(data),
                    experiment["protocol"],
                    rate,
                    data.get("samples", 0),
                    experiment.get("scale", ""),
                ),
            )
            for data in experiment["data"]
            for rate in experiment.get("rates", [0])
        ]

    def _views_of(self, data):
        _, facts = find_subset(data["dataset"], self.datasets[data["dataset"]], data.get("subset"))
        return tuple(data.get("views", [view["name"] for view in facts["views"]]))

    def prepared_name(self, dataset, subset=None):
        """The name of a prepared data set: that of its file without the ending."""
        return Path(canonical_file_name(dataset, self.datasets[dataset], subset)).stem

    def points(self, name, method, setting):
        """The parameter settings of a method in an experiment, the default one first."""
        experiment = self.experiments[name]
        grid = self.grid(name, method, setting)
        swept = [dict(zip(grid, v, strict=True)) for v in itertools.product(*grid.values())]
        base = self._base(experiment, method, setting)
        points = [canonical(base | point) for point in swept]
        if experiment.get("sweep"):
            return points
        return list(dict.fromkeys([canonical(base), *points]))

    def grid(self, name, method, setting):
        """The axes that an experiment varies for a method: parameter -> values."""
        experiment, entry = self.experiments[name], self.algorithms[method]
        grid = {} if experiment.get("sweep") else entry.get("grid", {})
        grid = experiment.get("grids", {}).get(method, grid)
        fixed = experiment.get("fixed", {}).get(method, {})
        pairs = ["+".join(pair) for pair in itertools.combinations(setting.views, 2)]
        by_name = {
            "per_view": range(len(setting.views)),
            "per_pair": _thin(pairs, self.budget["pairs"]),
        }
        most = self.budget["sweep_points" if experiment.get("sweep") else "grid_points"]
        return {
            axis: _thin(by_name[values] if isinstance(values, str) else values, most)
            for axis, values in grid.items()
            if axis not in fixed
        }

    def _base(self, experiment, method, setting):
        entry = self.algorithms[method]
        base = (
            entry.get("fixed", {})
            | entry.get("default", {})
            | experiment.get("fixed", {}).get(method, {})
        )
        if base.get("views") == "first_pair":
            base["views"] = "+".join(setting.views[:2])
        return base

    def _limit(self, experiment):
        """An experiment with the data sets and the repetitions that the configuration allows."""
        experiment = dict(experiment)
        if self.config["datasets"] is not None:
            allowed = self.config["datasets"]
            data = [data for data in experiment.get("data", []) if data["dataset"] in allowed]
            experiment["data"] = data
        if self.budget["repetitions"] is not None and "repetitions" in experiment:
            fewer = min(self.budget["repetitions"], experiment["repetitions"])
            experiment["repetitions"] = fewer
        return experiment

    def _pack(self, fits):
        """Fill jobs of one data set and method with whole settings, up to fits_per_job."""
        per_setting = defaultdict(lambda: defaultdict(list))
        for fit in sorted(fits):
            per_setting[fit.setting.dataset, fit.method][fit.setting].append(fit)
        jobs = {}
        for (dataset, method), settings in sorted(per_setting.items()):
            most = self.algorithms[method].get("fits_per_job", self.config["fits_per_job"])
            packed = [[]]
            for _, group in sorted(settings.items()):
                if packed[-1] and len(packed[-1]) + len(group) > most:
                    packed.append([])
                packed[-1] += group
            for number, group in enumerate(packed):
                jobs[dataset, method, str(number)] = group
        return jobs

    # What the rules ask for.

    def jobs_of(self, name):
        """Data sets, methods and numbers of the jobs that an experiment needs, as three lists."""
        needed = sorted({self._job_of[fit.key] for fit in self.fits_of(name)})
        datasets, methods, numbers = (list(names) for names in zip(*needed, strict=True))
        return {"dataset": datasets, "method": methods, "number": numbers}

    def settings_of(self, name):
        """The ids of the settings of an experiment."""
        return list(dict.fromkeys(setting.id for _, setting in self.cases_of(name)))

    def datasets_of(self, name):
        """The prepared data sets of an experiment."""
        return list(dict.fromkeys(setting.dataset for _, setting in self.cases_of(name)))

    def of_paper(self, paper):
        """The chosen experiments of a paper that have figures, and its tables of statistics."""
        drawn = self.experiments | self.partitions
        return (
            [name for name, entry in drawn.items() if entry["paper"] == paper],
            [name for name, entry in self.statistics.items() if entry["paper"] == paper],
        )

    def job_settings(self, dataset, method, number):
        """The ids of the settings of a job."""
        return list(dict.fromkeys(fit.setting.id for fit in self.jobs[dataset, method, number]))

    def job_digest(self, dataset, method, number):
        """Changes when a job's fits or seeds change."""
        fits = self.jobs[dataset, method, number]
        text = f"{self.config['seed']}|" + "|".join(fit.key for fit in fits)
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def experiment_digest(self, name):
        """Changes when an experiment's fits change."""
        text = "|".join(fit.key for fit in self.fits_of(name))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def job_code(self, method):
        """Hash of all code that a method's fits run."""
        module = self.algorithms[method]["estimator"].rpartition(".")[0]
        return code_hash(module, "mvclust.benchmark.run")

    def origin(self, prepared):
        """(data set, subset) of a prepared name."""
        return self._origins[prepared]

    @cached_property
    def _origins(self):
        return {
            self.prepared_name(dataset, subset): (dataset, subset)
            for dataset, entry in self.datasets.items()
            for subset in entry["subsets"]
        }

    def described(self, name):
        """The prepared data sets that a table of statistics describes."""
        paper = self.statistics[name]["paper"]
        names = []
        for dataset, entry in self.datasets.items():
            said = [s for s in entry.get("paper_says", []) if paper in (s["paper"], "beyond")]
            subsets = [s.get("subset") for s in said] + ([None] if paper == "beyond" else [])
            names += [self.prepared_name(dataset, subset) for subset in subsets]
        return sorted(set(names))

    def reader_code(self, prepared):
        """Hash of all code that prepares a data set."""
        reader = self.datasets[self.origin(prepared)[0]]["reader"]
        return code_hash("mvclust.datasets.loading", f"mvclust.datasets.readers.{reader}")

    def open_jobs(self, folder):
        """Jobs without an output file: name -> {method: number of fits}."""
        names = {job: ".".join(job) for job in self.jobs}
        return {
            names[job]: {job[1]: len(fits)}
            for job, fits in self.jobs.items()
            if not Path(folder, f"{names[job]}.jsonl").exists()
        }

    def datasets_in_use(self):
        """The prepared data sets of all settings, sorted."""
        return sorted({setting.dataset for setting in self.settings.values()})

    def dataset_of_partitions(self, name):
        """The prepared data set whose partitions an experiment shows."""
        (data,) = self.partitions[name]["data"]
        return self.prepared_name(data["dataset"], data.get("subset"))

    def cpu_minutes(self, costs):
        """About how long all fits take.

        Parameters
        ----------
        costs : dict
            (data set, method) -> CPU seconds of a fit, of earlier runs; where a pair is missing the
            method's mean is taken, then that of all.

        Returns
        -------
        float, or None if nothing is known
        """
        if not costs:
            return None
        by_method = defaultdict(list)
        for (_, method), seconds in costs.items():
            by_method[method].append(seconds)
        means = {method: sum(s) / len(s) for method, s in by_method.items()}
        overall = sum(means.values()) / len(means)
        seconds = sum(
            len(fits) * costs.get((dataset, method), means.get(method, overall))
            for (dataset, method, _), fits in self.jobs.items()
        )
        return seconds / 60


def read_plan(config, root="."):
    """The plan of a configuration that was checked before (as scripts do).

    Parameters
    ----------
    config : dict
    root : path, the project's folder
    """
    root = Path(root, "config")
    experiments = {}
    for path in sorted(root.glob("experiments/*.yaml")):
        experiments |= read_document(path).data
    return Plan(
        {
            "config": config,
            "algorithms": read_document(root / "algorithms.yaml").data,
            "datasets": read_document(root / "datasets.yaml").data,
            "experiments": experiments,
        }
    )
