"""Check a run's configuration, all of it at once, before any job starts."""

import os
from pathlib import Path

from mvclust.pipeline.plan.applying import applicable
from mvclust.pipeline.plan.check_catalogues import check_datasets, check_methods
from mvclust.pipeline.plan.check_experiments import check_experiment, check_readings
from mvclust.pipeline.plan.check_published import read_published
from mvclust.pipeline.plan.located import read_document, read_value, repeated
from mvclust.pipeline.plan.outside import entry_points, read_entry_point
from mvclust.pipeline.plan.schema import check_schema, counted, unknown
from mvclust.pipeline.plan.settings import PAPERS
from mvclust.pipeline.plan.slices import SCIENCE
from mvclust.pipeline.plan.sources import identified


class ConfigError(ValueError):
    """The configuration is wrong; the message has one line per mistake."""

    def __init__(self, problems):
        self.problems = problems
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"The configuration has {counted(len(problems), 'mistake')}:\n{lines}")


def check_config(config, root, config_files=(), overrides=None, mirror=None):
    """Check the configuration of a run and the catalogues.

    Parameters
    ----------
    config : dict
        What the user asks for, merged from files and the command line. Keys that it leaves out
        take the values of ``config/runs/default.yaml``.
    root : path
        The workflow's own folder, with ``config/`` and ``workflow/schemas/``.
    config_files : sequence of path, default=()
        The files that were merged into `config`, the last one winning. They say where a mistake is.
    overrides : dict, default=None
        The keys that came from the command line.
    mirror : str, default=None
        The environment variable MVCLUST_MIRROR; the key ``mirror`` wins over it.

    Returns
    -------
    dict
        "config" (complete), "methods", "datasets", "experiments" (all that are declared),
        "published" (list of dict, one per number), "readings" and "warnings" (list of str).

    Raises
    ------
    ConfigError
        With every mistake, each with file, line, key and the nearest right name.
    """
    folder, schemas = Path(root, "config"), Path(root, "workflow/schemas")
    runs = [read_document(_short(p)) for p in (folder / "runs/default.yaml", *config_files)]
    readings = read_document(_short(folder / "readings.yaml"))
    problems = [problem for document in runs for problem in document.problems]
    overrides = read_value(overrides or {})
    where = _Locator(runs, overrides)
    config = _completed(runs[0].data, _merged(config, overrides))
    if not problems:
        problems += check_schema(config, schemas / "run.schema.json", where)
    more = {
        key: [] if problems else [read_document(p) for p in where.named(key, config[key])]
        for key in ("methods_files", "experiments_files", "datasets_files")
    }
    collections = [read_document(_short(folder / "datasets.yaml")), *more["datasets_files"]]
    declared = [read_document(_short(p)) for p in sorted(folder.glob("experiments/*.yaml"))]
    declared += more["experiments_files"]
    catalogues = [read_document(_short(folder / "methods.yaml")), *more["methods_files"]]
    for kind, documents in (
        ("methods", catalogues),
        ("datasets", collections),
        ("readings", [readings]),
        ("experiments", declared),
    ):
        problems += _check_shapes(documents, schemas / f"{kind}.schema.json")
    if problems:  # what follows takes the shapes for granted
        raise ConfigError(problems)
    offered = _offered(config["add_methods"], declared, catalogues)
    problems += _check_shapes(offered, schemas / "methods.schema.json")
    if problems:
        raise ConfigError(problems)

    methods, problems = check_methods([*catalogues, *offered])
    datasets, found = check_datasets(collections)
    datasets = identified(datasets, config["mirror"] or mirror)
    problems += found
    experiments, found = _check_experiments(declared, methods, datasets)
    problems += found or check_readings(experiments, declared, readings.data)
    published, found = read_published(_short(folder / "published.csv"), methods, experiments)
    problems += found + _check_choice(config, experiments, datasets, where)
    problems += [
        f"{where(['add_methods', index])}: add_methods: " + unknown("method", name, methods)
        for index, name in enumerate(config["add_methods"])
        if name not in methods
    ]
    mirror_problems = _check_mirror(config, mirror, where)
    if config["bad_mirror"] == "stop":
        problems += mirror_problems
    if problems:
        raise ConfigError(problems)
    return {
        "config": config,
        "methods": methods,
        "datasets": datasets,
        "experiments": experiments,
        "published": published,
        "readings": readings.data,
        "warnings": mirror_problems + _left_out(config, experiments, where),
    }


def check_run(file, root):
    """Check a run from its file alone, without a command line; see `check_config`.

    Parameters
    ----------
    file : path
        As those in ``config/runs``.
    root : path
    """
    return check_config(read_document(_short(file)).data, root, [file])


def complete_config(config, root):
    """The configuration with the keys of ``config/runs/default.yaml`` that it leaves out.

    A run that computes something else than the default one and has no name is called "custom", so
    that it does not overwrite the default run's results.

    Parameters
    ----------
    config : dict
    root : path
        The workflow's own folder.

    Returns
    -------
    dict
    """
    return _completed(read_document(Path(root, "config/runs/default.yaml")).data, config)


def _completed(default, config):
    complete = _merged(default, config)
    readable = isinstance(config, dict) and isinstance(default, dict)
    if readable and "run" not in config and any(complete.get(k) != default.get(k) for k in SCIENCE):
        complete["run"] = "custom"
    return complete


class _Locator:
    """Where a key of the merged configuration is: the command line, or the last file with it."""

    def __init__(self, documents, overrides):
        self.documents = documents
        self.overrides = overrides

    def __call__(self, keys):
        keys = tuple(keys)
        document = self._document(keys)
        if document is not None:
            return document.where(keys)
        if len(keys) > 1 and not self._is_overridden(keys):
            return self(keys[:-1])
        return "--config" if keys else self.documents[-1].path

    def named(self, key, files):
        """Paths of files that a key names: from the file with the key, or from where we are."""
        document = self._document((key,))
        start = Path(document.path).parent if document else Path()
        return [_short(start / file) for file in files]

    def _document(self, keys):
        """The document that gives a key its value, or None."""
        if self._is_overridden(keys):
            return None
        return next((d for d in reversed(self.documents) if keys in d.lines), None)

    def _is_overridden(self, keys):
        node = self.overrides
        for key in keys:
            if not isinstance(node, dict):
                return True
            if key not in node:
                return False
            node = node[key]
        return bool(keys)


def _merged(base, changes):
    """`base` with the keys that `changes` has, at any depth."""
    if not isinstance(base, dict) or not isinstance(changes, dict):
        return changes
    below = {key: _merged(base.get(key), value) for key, value in changes.items()}
    return {**base, **below}


def _short(path):
    """A path as the user would type it here."""
    absolute = Path(path).resolve()
    here = Path.cwd().resolve()
    return absolute.relative_to(here) if absolute.is_relative_to(here) else Path(path)


def _check_shapes(documents, schema):
    """The mistakes of documents that cannot be read or do not fit their schema."""
    problems = []
    for document in documents:
        found = document.problems
        problems += found or check_schema(document.data, schema, document.where)
    return problems


def _offered(added, declared, catalogues):
    """Documents of the methods that a run names and only installed distributions have."""
    named, known = set(added), {name for document in catalogues for name in document.data}
    for document in declared:
        for experiment in document.data.values():
            chosen = experiment.get("methods", [])
            named.update([] if chosen == "all" else chosen)
    missing = sorted(named - known)
    points = entry_points() if missing else {}
    return [read_entry_point(points[name]) for name in missing if name in points]


def _check_experiments(documents, methods, datasets):
    """All declared experiments by name, and their mistakes."""
    first, problems = repeated(documents, "experiment", "keep one")
    experiments = {
        name: _completed_experiment(document.data[name], methods, datasets)
        for name, document in first.items()
    }
    for name, experiment in experiments.items():
        problems += check_experiment(name, experiment, first[name], methods, datasets)
    return experiments, problems


def _completed_experiment(entry, methods, datasets):
    """An experiment with its paper, and with the list of its methods where it says "all"."""
    entry = {"paper": PAPERS[-1], **entry}
    if entry.get("methods") == "all":
        entry["methods"] = applicable(entry, methods, datasets)
    return entry


def _check_choice(config, experiments, datasets, where):
    """Whether the chosen experiments and data sets exist, and each data set is of use."""
    problems = []
    for index, name in enumerate(config["experiments"]):
        if name not in experiments:
            place = where(["experiments", index])
            problems.append(f"{place}: experiments: " + unknown("experiment", name, experiments))
    used = _used_by(config, experiments)
    for index, name in enumerate(config["datasets"] or []):
        place = where(["datasets", index])
        if name not in datasets:
            problems.append(f"{place}: datasets: " + unknown("data set", name, datasets))
        elif used and name not in used:
            users = [n for n, e in experiments.items() if name in _datasets_of(e)]
            problems.append(
                f"{place}: datasets: no chosen experiment uses '{name}'; those that do: "
                f"{', '.join(users) or 'none'}. The chosen ones use {', '.join(used)}; null = all."
            )
    return problems


def _used_by(config, experiments):
    """The data sets that the chosen experiments name, in their order."""
    chosen = [experiments[name] for name in config["experiments"] if name in experiments]
    return list(dict.fromkeys(name for entry in chosen for name in _datasets_of(entry)))


def _datasets_of(experiment):
    return [data["dataset"] for data in experiment.get("data", [])]


def _left_out(config, experiments, where):
    """A warning about the chosen experiments that none of the chosen data sets concerns."""
    if config["datasets"] is None:
        return []
    left_out = [
        name
        for name in config["experiments"]
        if (used := _datasets_of(experiments[name])) and not set(used) & set(config["datasets"])
    ]
    if not left_out:
        return []
    return [
        f"{where(['datasets'])}: datasets: these experiments use none of the chosen data sets and "
        f"are left out: {', '.join(left_out)}."
    ]


def _check_mirror(config, mirror, where):
    folder = config["mirror"] or mirror
    if not folder or os.path.isdir(folder):  # False for a name that is too long
        return []
    place = where(["mirror"]) if config["mirror"] else "MVCLUST_MIRROR"
    return [
        f"{place}: mirror: there is no folder '{folder}'; give the folder with the original data "
        "files, or none."
    ]
