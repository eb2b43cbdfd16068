"""Check a run's configuration, all of it at once, before any job starts."""

import difflib
import json
from pathlib import Path

from jsonschema import Draft202012Validator

from mvclust.benchmark.located import Document, read_document
from mvclust.benchmark.plan import PREPARATION
from mvclust.benchmark.sources import class_parameters, module_file
from mvclust.datasets.catalogue import find_subset


class ConfigError(ValueError):
    """The configuration is wrong; the message has one line a mistake."""

    def __init__(self, problems):
        self.problems = problems
        count = "1 mistake" if len(problems) == 1 else f"{len(problems)} mistakes"
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"The configuration has {count}:\n{lines}")


def check_config(config, root, config_files=("config/config.yaml",)):
    """Check the merged configuration and the catalogues.

    Parameters
    ----------
    config : dict
        The configuration as Snakemake merged it.
    root : path
        The project's folder.
    config_files : sequence of path
        The files that were merged, the last one winning; they say where a mistake stands.

    Returns
    -------
    dict with "config", "algorithms", "datasets" and "experiments" (all that are declared)

    Raises
    ------
    ConfigError
        With every mistake, each with file, line, key and the nearest right name.
    """
    root = Path(root)
    merged = [read_document(_short(path)) for path in config_files]
    algorithms = read_document(_short(root / "config/algorithms.yaml"))
    datasets = read_document(_short(root / "config/datasets.yaml"))
    declared = [
        read_document(_short(path)) for path in sorted((root / "config/experiments").glob("*.yaml"))
    ]
    problems = [p for d in (*merged, algorithms, datasets, *declared) for p in d.problems]

    schemas = root / "workflow/schemas"
    where = _Locator(merged)
    problems += _check_schema(config, schemas / "config.schema.json", where)
    problems += _check_schema(algorithms.data, schemas / "algorithms.schema.json", algorithms.where)
    problems += _check_schema(datasets.data, schemas / "datasets.schema.json", datasets.where)
    for document in declared:
        problems += _check_schema(
            document.data, schemas / "experiments.schema.json", document.where
        )
    if problems:  # what follows takes the shapes for granted
        raise ConfigError(problems)

    for name, entry in algorithms.data.items():
        problems += _check_algorithm(name, entry, algorithms)
    for name, entry in datasets.data.items():
        problems += _check_reader(name, entry, datasets)
    experiments, origin = {}, {}
    for document in declared:
        for name, experiment in document.data.items():
            if name in experiments:
                problems.append(
                    f"{document.where([name])}: the experiment '{name}' stands also in "
                    f"{origin[name].path}; keep one."
                )
            experiments[name], origin[name] = experiment, document
            problems += _check_experiment(
                name, experiment, document, algorithms.data, datasets.data
            )
    for index, name in enumerate(config["experiments"]):
        if name not in experiments:
            problems.append(
                f"{where(['experiments', index])}: experiments: "
                + _unknown("experiment", name, experiments)
            )
    for index, name in enumerate(config["datasets"] or []):
        if name not in datasets.data:
            place = where(["datasets", index])
            problems.append(f"{place}: datasets: " + _unknown("data set", name, datasets.data))
    if problems:
        raise ConfigError(problems)
    return {
        "config": config,
        "algorithms": algorithms.data,
        "datasets": datasets.data,
        "experiments": experiments,
    }


class _Locator:
    """Where a key of the merged configuration stands: the last file that has it."""

    def __init__(self, documents: list[Document]):
        self.documents = documents

    def __call__(self, keys):
        keys = tuple(keys)
        for document in reversed(self.documents):
            if keys in document.lines:
                return document.where(keys)
        if keys and any(keys[:1] in document.lines for document in self.documents):
            return self(keys[:-1])
        return "--config" if keys else self.documents[0].path


def _short(path):
    """A path as the user would type it here."""
    absolute = Path(path).resolve()
    here = Path.cwd().resolve()
    return absolute.relative_to(here) if absolute.is_relative_to(here) else Path(path)


def _check_schema(data, schema_file, where):
    schema = json.loads(Path(schema_file).read_text())
    errors = Draft202012Validator(schema).iter_errors(data)
    return [line for error in errors for line in _explain(error, where)]


def _explain(error, where):
    keys = list(error.absolute_path)
    name = ".".join(map(str, keys)) or "the file"
    place, value = where(keys), error.instance
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        return [
            f"{where([*keys, key])}: {'.'.join(map(str, [*keys, key]))}: "
            + _unknown("key", key, known)
            for key in value
            if key not in known
        ]
    if error.validator == "required":
        # one error for each missing key
        missing = [key for key in error.validator_value if f"'{key}' is" in error.message]
        return [f"{place}: {name} lacks the key '{key}'." for key in missing]
    if error.validator in ("type", "oneOf"):
        kinds = error.schema.get("type", "a list of values, per_view or per_pair")
        kinds = " or ".join(
            _KINDS.get(k, k) for k in ([kinds] if isinstance(kinds, str) else kinds)
        )
        if error.validator == "oneOf" and value == []:
            return [f"{place}: {name} is empty; give at least one."]
        return [f"{place}: {name}: expected {kinds}, got {value!r}."]
    if error.validator == "enum":
        return [f"{place}: {name}: " + _unknown("value", value, error.validator_value)]
    if error.validator in ("minItems", "minProperties", "minLength"):
        return [f"{place}: {name} is empty; give at least one."]
    if error.validator in ("minimum", "maximum"):
        low, high = error.schema.get("minimum"), error.schema.get("maximum")
        expected = f"at least {low}" if high is None else f"from {low} to {high}"
        return [f"{place}: {name}: {value} is out of range, expected {expected}."]
    if error.validator == "uniqueItems":
        return [f"{place}: {name} has the same entry twice."]
    return [f"{place}: {name}: {error.message}."]


_KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "object": "keys with values",
    "array": "a list",
    "boolean": "true or false",
    "null": "null",
}


def _unknown(kind, name, known):
    known = list(map(str, known))
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}."
    return f"unknown {kind} '{name}'; {hint}"


def _check_algorithm(name, entry, document):
    try:
        known = class_parameters(entry["estimator"])
    except LookupError as error:
        return [f"{document.where([name, 'estimator'])}: {name}.estimator: {error}."]
    problems = []
    for part in ("fixed", "default", "grid"):
        for key in entry.get(part, {}):
            problems += _check_parameter([name, part, key], known, document)
    for key in entry.get("grid", {}):
        if key in entry.get("fixed", {}):
            problems.append(
                f"{document.where([name, 'grid', key])}: {name}.grid.{key} stands also under "
                "fixed; keep one."
            )
        elif key not in entry.get("default", {}):
            problems.append(
                f"{document.where([name, 'grid', key])}: {name}.default lacks '{key}', which the "
                'grid varies: say which value the tuning "default" uses.'
            )
    return problems


def _check_reader(name, entry, document):
    if module_file(f"mvclust.datasets.readers.{entry['reader']}") is None:
        place = document.where([name, "reader"])
        return [
            f"{place}: {name}.reader: there is no module 'mvclust.datasets.readers."
            f"{entry['reader']}'."
        ]
    return []


def _check_parameter(keys, known, document):
    name = ".".join(map(str, keys))
    if keys[-1] in ("n_clusters", "random_state"):
        return [f"{document.where(keys)}: {name} is set by the pipeline; take it out."]
    if keys[-1] not in known and keys[-1] not in PREPARATION:
        known = [*known, *PREPARATION]
        return [f"{document.where(keys)}: {name}: " + _unknown("parameter", keys[-1], known)]
    return []


def _check_experiment(name, experiment, document, algorithms, datasets):
    problems = []
    for index, data in enumerate(experiment.get("data", [])):
        problems += _check_data([name, "data", index], data, experiment, document, datasets)
    if experiment["render"] in ("statistics", "partitions"):
        return problems
    for index, method in enumerate(experiment["methods"]):
        if method not in algorithms:
            problems.append(
                f"{document.where([name, 'methods', index])}: {name}.methods: "
                + _unknown("method", method, algorithms)
            )
    for part in ("grids", "fixed"):
        for method, parameters in experiment.get(part, {}).items():
            if method not in experiment["methods"]:
                problems.append(
                    f"{document.where([name, part, method])}: {name}.{part}: "
                    + _unknown("method", method, experiment["methods"])
                )
            elif method in algorithms:
                problems += _check_parameters(name, part, method, parameters, document, algorithms)
    return problems + _check_axes(name, experiment, document)


def _check_axes(name, experiment, document):
    """Some figures show a grid as it is, and need one of a certain kind."""
    wanted = {"surfaces": "two parameters", "convergence": "max_iter"}.get(experiment["render"])
    problems = []
    for method in experiment["methods"] if wanted else []:
        axes = list(experiment.get("grids", {}).get(method, {}))
        right = len(axes) == 2 if wanted == "two parameters" else axes == ["max_iter"]
        if not right or not experiment.get("sweep"):
            problems.append(
                f"{document.where([name, 'render'])}: {name}: {experiment['render']} need "
                f"'sweep: true' and under grids.{method} a grid over {wanted}, "
                f"not {' and '.join(axes) or 'nothing'}."
            )
    if experiment.get("x") == "parameter" and not (
        experiment.get("sweep") and "grids" in experiment
    ):
        problems.append(
            f"{document.where([name, 'x'])}: {name}: the axis 'parameter' needs 'sweep: true' and "
            "under grids the parameter's values."
        )
    return problems


def _check_parameters(name, part, method, parameters, document, algorithms):
    try:
        known = class_parameters(algorithms[method]["estimator"])
    except LookupError:
        return []  # said where the catalogue names it
    return [
        problem
        for key in parameters
        for problem in _check_parameter([name, part, method, key], known, document)
    ]


def _check_data(keys, data, experiment, document, datasets):
    place, name = document.where([*keys, "dataset"]), ".".join(map(str, keys))
    if data["dataset"] not in datasets:
        return [f"{place}: {name}.dataset: " + _unknown("data set", data["dataset"], datasets)]
    entry = datasets[data["dataset"]]
    if data.get("subset", entry["default_subset"]) not in entry["subsets"]:
        place = document.where([*keys, "subset"])
        return [f"{place}: {name}.subset: " + _unknown("version", data["subset"], entry["subsets"])]
    _, facts = find_subset(data["dataset"], entry, data.get("subset"))
    known = [view["name"] for view in facts["views"]]
    views = data.get("views", known)
    problems = [
        f"{document.where([*keys, 'views', index])}: {name}.views: " + _unknown("view", view, known)
        for index, view in enumerate(views)
        if view not in known
    ]
    protocol = experiment.get("protocol", "complete")
    plain = protocol in ("natural", "complete", "unmapped")
    if plain == ("rates" in experiment):
        said = "takes no rates" if plain else "needs rates"
        problems.append(f"{place}: {name}: the protocol '{experiment['protocol']}' {said}.")
    highest = max(experiment.get("rates", [0]))
    if protocol == "paired" and len(views) != 2:
        problems.append(f"{place}: {name} has {len(views)} views; the protocol 'paired' needs two.")
    place = document.where([keys[0], "rates"])
    if protocol == "random" and highest > 1 - 1 / len(views):
        problems.append(
            f"{place}: {name} has {len(views)} views, so that every sample keeps one only up to "
            f"the rate {1 - 1 / len(views):.3g}; the rates go to {highest}."
        )
    return problems
