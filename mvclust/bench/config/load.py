"""Read the configuration of a run: files and command line become records."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from mvclust.bench.config.applying import applicable
from mvclust.bench.config.classes import Classes, entry_points, read_entry_point
from mvclust.bench.config.crosscheck import (
    check_claim,
    check_datasets,
    check_experiment,
    check_kinds,
    check_methods,
    check_probe,
)
from mvclust.bench.config.messages import counted, explain, in_one_line, unknown
from mvclust.bench.config.models import (
    MOST_LETTERS,
    PATTERNS,
    Claim,
    DataSet,
    Experiment,
    Kind,
    Method,
    Paper,
    Probe,
    Question,
    Run,
    experiment_model,
)
from mvclust.bench.config.published import read_published
from mvclust.bench.config.sources import identified
from mvclust.bench.config.yaml_lines import read_document, read_value, repeated
from mvclust.bench.record.syntax import KEPT

# Of each kind of entries: the file in config/, the key of a run that names more, the record of an
# entry, what a name must look like, what a name is of, and what to do about a name given twice.
KINDS = {
    "methods": ("methods.yaml", "methods_files", Method, "^[A-Za-z][A-Za-z0-9]*(-[a-z0-9]+)?$",
                "method", "name this one '{name}-something'"),
    "datasets": ("datasets.yaml", "datasets_files", DataSet, "^[a-z0-9][a-z0-9-]*$",
                 "data set", "give this one another name"),
    "papers": ("papers.yaml", "papers_files", Paper, "^[a-z0-9_]+$",
               "paper", "give this one another name"),
    "claims": ("claims.yaml", "claims_files", Claim, r"^\w[\w-]*$",
               "claim", "give this one another name"),
    "probes": ("probes.yaml", None, Probe, "^[a-z0-9_]+$", "probe", "keep one"),
    "questions": ("questions.yaml", None, Question, "", "question", "keep one"),
    "kinds": ("multiverse.yaml", None, Kind, "^[a-z0-9_]+$", "kind of methods", "keep one"),
    "experiments": ("experiments/*.yaml", "experiments_files", None, "^[a-z0-9_]+$",
                    "experiment", "keep one"),
}  # fmt: skip
WILDCARDS = "'{}' holds a brace, which Snakemake takes for a wildcard; choose another name."


class ConfigError(ValueError):
    """The configuration is wrong; the message has one line per mistake."""

    def __init__(self, problems):
        self.problems = problems = list(map(in_one_line, problems))
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"The configuration has {counted(len(problems), 'mistake')}:\n{lines}")


@dataclass(frozen=True)
class Configuration:
    """All that a run is planned from.

    Attributes
    ----------
    run : Run
    methods, datasets, experiments, papers, claims, probes, questions, kinds : dict
        Name -> record, in the order of the files.
    published : list of dict
        One row per published number, see `mvclust.bench.config.published.read_published`.
    classes : Classes
        What the classes of the methods take.
    mirror : str or None
        The folder with the original data files.
    warnings : list of str
    """

    run: Run
    methods: dict
    datasets: dict
    experiments: dict
    papers: dict
    questions: dict
    kinds: dict
    claims: dict = field(default_factory=dict)
    probes: dict = field(default_factory=dict)
    published: list = field(default_factory=list)
    classes: Classes = field(default_factory=Classes)
    mirror: str | None = None
    warnings: list = field(default_factory=list)


def load(config, root, config_files=(), overrides=None, mirror=None):
    """Read and check the configuration of a run.

    Parameters
    ----------
    config : dict
        What the user asks for, merged from files and the command line. Keys that it leaves out
        take the values of ``config/runs/default.yaml``.
    root : path-like
        The workflow's own folder, with ``config/``.
    config_files : sequence of path-like, default=()
        The files that were merged into `config`, the last one winning. They say where a mistake is.
    overrides : dict, default=None
        The keys that came from the command line.
    mirror : str, default=None
        The environment variable MVCLUST_MIRROR; the key ``mirror`` wins over it.

    Returns
    -------
    Configuration

    Raises
    ------
    ConfigError
        With every mistake, each with file, line, key and the nearest right name.
    """
    folder = Path(root, "config")
    documents = [read_document(_short(p)) for p in (folder / "runs/default.yaml", *config_files)]
    overrides = read_value(overrides or {})
    where = _Locator(documents, overrides)
    merged = _merged(documents[0].data, _merged(config, overrides))
    problems = [problem for document in documents for problem in document.problems]
    run, found = (None, []) if problems else _validated(Run, merged, where)
    problems += found
    files = {kind: _documents_of(kind, folder, run, where) for kind in KINDS}
    entries, found = _read_entries(files)
    problems += found
    if not problems:
        offered = _offered(run.add_methods, entries["experiments"], entries["methods"])
        files["methods"] += offered
        found_entries, problems = _read_entries({"methods": offered})
        entries["methods"] |= found_entries["methods"]
    if problems:  # what follows takes the shapes for granted
        raise ConfigError(problems)
    if isinstance(config, dict) and "run" not in config and "run" not in overrides:
        run = _named(run, documents[0].data)
    return _checked(run, entries, files, folder, where, mirror)


def load_run(file, root):
    """Read a run from its file alone, without a command line; see `load`.

    Parameters
    ----------
    file : path-like
        As those in ``config/runs``.
    root : path-like
    """
    return load(read_document(_short(file)).data, root, [file])


def load_folders(config, root):
    """The run's name and folders alone, for a job on a cluster; nothing is checked again.

    Parameters
    ----------
    config : dict
    root : path-like

    Returns
    -------
    Run
    """
    default = read_document(Path(root, "config/runs/default.yaml")).data
    run = Run.model_validate(_merged(default, read_value(config)))
    return run if "run" in config else _named(run, default)


def _named(run, default):
    """The run, called "custom" if it computes something else than the default one."""
    same = run.science == Run.model_validate(default).science
    return run if same else run.model_copy(update={"run": "custom"})


def _checked(run, entries, files, folder, where, mirror):
    """The configuration, after all checks of its records against each other."""
    mirror = run.mirror or mirror
    KEPT.recall(run.resources)
    owners, problems = {}, []
    for kind, documents in files.items():
        *_, what, advice = KINDS[kind]
        owners[kind], found = repeated(documents, what, advice)
        problems += found
    configuration = Configuration(
        run=run,
        **entries | {"datasets": identified(entries["datasets"], mirror)},
        classes=Classes(Path(run.resources, "classes.json")),
        mirror=str(mirror) if mirror else None,
    )
    _choose_methods(configuration)
    problems += check_methods(configuration.methods, owners["methods"], configuration.classes)
    problems += check_datasets(configuration.datasets, owners["datasets"])
    for name, experiment in configuration.experiments.items():
        document = owners["experiments"][name]
        problems += check_experiment(name, experiment, document, configuration)
    problems += check_kinds(configuration, owners["kinds"])
    for name, probe in configuration.probes.items():
        problems += check_probe(name, probe, owners["probes"][name], configuration)
    for name, claim in configuration.claims.items():
        problems += check_claim(name, claim, owners["claims"][name], configuration)
    paths = [_short(folder / "published.csv"), *where.named("published_files", run.published_files)]
    for path in paths:
        rows, found = read_published(path, configuration)
        configuration.published.extend(rows)
        problems += found
    problems += _check_choice(configuration, where)
    problems += _check_folders(run, folder.parent, where)
    mirror_problems = _check_mirror(run, mirror, where)
    if run.bad_mirror == "stop":
        problems += mirror_problems
    if problems:
        raise ConfigError(problems)
    configuration.warnings.extend(mirror_problems + _left_out(configuration, where))
    return configuration


def _choose_methods(configuration):
    """Put the list of the methods that apply in place of the word "all"."""
    for name, experiment in configuration.experiments.items():
        if getattr(experiment, "methods", None) == "all":
            chosen = applicable(
                experiment, configuration.methods, configuration.datasets, configuration.classes
            )
            configuration.experiments[name] = experiment.model_copy(update={"methods": chosen})


def _documents_of(kind, folder, run, where):
    """The files with the entries of a kind: those of the project, then those that a run names."""
    pattern, more, *_ = KINDS[kind]
    paths = sorted(folder.glob(pattern)) if "*" in pattern else [folder / pattern]
    named = where.named(more, getattr(run, more)) if run is not None and more else []
    return [read_document(path) for path in [*map(_short, paths), *named]]


def _read_entries(files):
    """The records of all entries by kind and name, and what is wrong with them."""
    entries, problems = {}, []
    for kind, documents in files.items():
        _, _, model, pattern, *_ = KINDS[kind]
        entries[kind] = {}
        for document in documents:
            problems += document.problems
            if document.problems:
                continue
            if not isinstance(document.data, dict) or not document.data:
                problems.append(_no_entries(document))
                continue
            for name, entry in document.data.items():
                record, found = _read_entry(name, entry, model, pattern, document)
                problems += found
                entries[kind].setdefault(name, record)
    return entries, problems


def _no_entries(document):
    if document.data in ({}, None):
        return f"{document.where([])}: the file is empty; give at least one."
    return f"{document.where([])}: the file: expected keys with values, got {document.data!r}."


def _read_entry(name, entry, model, pattern, document):
    problems = []
    if pattern and not re.search(pattern, str(name)):
        place = document.where([name])
        problems.append(f"{place}: {name}: expected {PATTERNS[pattern]}, got '{name}'.")
    if len(str(name)) > MOST_LETTERS:  # files are named so, with more before and after it
        place = document.where([name])
        problems.append(f"{place}: {name}: expected a name of at most {MOST_LETTERS} letters.")
    if model is None:
        model = experiment_model(entry)
        if model is not Experiment:
            entry, found = _without_fits(name, entry, model, document)
            problems += found
    record, found = _validated(model, entry, document.where, [name])
    return record, problems + found


def _without_fits(name, entry, model, document):
    """The entry of an experiment without the keys that only one with fits takes, and these."""
    taken = [k for k in entry if k in Experiment.model_fields and k not in model.model_fields]
    problems = [
        f"{document.where([name, key])}: {name}.{key}: the renderer '{entry['render']}' takes no "
        f"{key}; take it out."
        for key in taken
    ]
    return {key: value for key, value in entry.items() if key not in taken}, problems


def _validated(model, data, where, above=()):
    """A record, or None and what is wrong."""
    unusable = list(_unusable(data, tuple(above)))
    if unusable:
        return None, [f"{where(keys)}: {'.'.join(map(str, keys))}: {why}" for keys, why in unusable]
    try:
        return model.model_validate(data), []
    except ValidationError as error:
        schema = TypeAdapter(model).json_schema()
        return None, explain(error.errors(), schema, where, PATTERNS, above)


def _unusable(value, keys):
    """The keys of values that no file name, table or library can hold, and what is wrong."""
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _unusable(below, (*keys, key))
    elif isinstance(value, int) and abs(value) >= 2**63:
        yield keys, "expected a number of at most 64 bits."
    elif isinstance(value, str) and "\0" in value:
        yield keys, "the text holds a NUL character; take it out."


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


def _offered(added, experiments, methods):
    """Documents of the methods that a run names and only installed distributions have."""
    named = set(added)
    for experiment in experiments.values():
        chosen = getattr(experiment, "methods", ())
        named.update(() if chosen == "all" else chosen)
    missing = sorted(named - set(methods))
    points = entry_points() if missing else {}
    return [read_entry_point(points[name]) for name in missing if name in points]


def _check_choice(configuration, where):
    """Whether what a run chooses exists, and each data set is of use."""
    run, experiments = configuration.run, configuration.experiments
    problems = [
        f"{where([key, index])}: {key}: " + unknown(kind, name, known)
        for key, kind, known in (
            ("experiments", "experiment", experiments),
            ("add_methods", "method", configuration.methods),
            ("datasets", "data set", configuration.datasets),
        )
        for index, name in enumerate(getattr(run, key) or ())
        if name not in known
    ]
    used = _used_by(run, experiments)
    for index, name in enumerate(run.datasets or ()):
        if name in configuration.datasets and used and name not in used:
            users = [n for n, e in experiments.items() if name in _datasets_of(e)]
            problems.append(
                f"{where(['datasets', index])}: datasets: no chosen experiment uses '{name}'; "
                f"those that do: {', '.join(users) or 'none'}. The chosen ones use "
                f"{', '.join(used)}; null = all."
            )
    return problems


def _used_by(run, experiments):
    """The data sets that the chosen experiments name, in their order."""
    chosen = [experiments[name] for name in run.experiments if name in experiments]
    return list(dict.fromkeys(name for entry in chosen for name in _datasets_of(entry)))


def _datasets_of(experiment):
    return [data.dataset for data in getattr(experiment, "data", ())]


def _left_out(configuration, where):
    """A warning about the chosen experiments that none of the chosen data sets concerns."""
    run = configuration.run
    if run.datasets is None:
        return []
    left_out = [
        name
        for name in run.experiments
        if (used := _datasets_of(configuration.experiments[name]))
        and not set(used) & set(run.datasets)
    ]
    if not left_out:
        return []
    return [
        f"{where(['datasets'])}: datasets: these experiments use none of the chosen data sets and "
        f"are left out: {', '.join(left_out)}."
    ]


def _check_folders(run, root, where):
    """Whether Snakemake can take the names of the folders for what they are."""
    folders = {"results": run.results, "resources": run.resources, None: Path(root).resolve()}
    return [
        f"{where([key])}: {key}: {WILDCARDS.format(folder)}"
        if key
        else f"the project's folder: {WILDCARDS.format(folder)}"
        for key, folder in folders.items()
        if set("{}") & set(str(folder))
    ]


def _check_mirror(run, mirror, where):
    if not mirror or os.path.isdir(mirror):  # False for a name that is too long
        return []
    place = where(["mirror"]) if run.mirror else "MVCLUST_MIRROR"
    return [
        f"{place}: mirror: there is no folder '{mirror}'; give the folder with the original data "
        "files, or none."
    ]
