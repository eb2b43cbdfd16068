"""Read the configuration of a run: files and command line become records."""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, starmap
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter, ValidationError

from mvclust.bench.config import models
from mvclust.bench.config.applying import applicable
from mvclust.bench.config.classes import Classes, entry_points, read_entry_point
from mvclust.bench.config.experiments import RENDERS, Rendered
from mvclust.bench.config.messages import PATTERNS, counted, explain, in_one_line
from mvclust.bench.config.models import MOST_LETTERS, Method, Run
from mvclust.bench.config.names import Scope, needed_keys, unknown_names
from mvclust.bench.config.published import read_published
from mvclust.bench.config.sources import identified
from mvclust.bench.config.yaml_lines import Document, read_document, read_value, repeated
from mvclust.bench.record.syntax import KEPT
from mvclust.own.reserved import PRODUCTS, RESERVED

# Of each kind of entries: the file in config/, the key of a run that names more, the record of an
# entry, what a name must look like, what a name is of, and what to do about a name given twice.
KINDS = {
    "methods": ("methods.yaml", "methods_files", Method, "^[A-Za-z][A-Za-z0-9]*(-[a-z0-9]+)*$",
                "method", "name this one '{name}-something'"),
    "datasets": ("datasets.yaml", "datasets_files", models.DataSet, "^[a-z0-9][a-z0-9-]*$",
                 "data set", "give this one another name"),
    "papers": ("papers.yaml", "papers_files", models.Paper, "^[a-z0-9_]+$",
               "paper", "give this one another name"),
    "claims": ("claims.yaml", "claims_files", models.Claim, r"^\w[\w-]*$",
               "claim", "give this one another name"),
    "probes": ("probes.yaml", None, models.Probe, "^[a-z0-9_]+$", "probe", "keep one"),
    "questions": ("questions.yaml", None, models.Question, "", "question", "keep one"),
    "kinds": ("multiverse.yaml", None, models.Kind, "^[a-z0-9_]+$", "kind of methods", "keep one"),
    "experiments": ("experiments/*.yaml", "experiments_files", None, "^[a-z0-9_]+$",
                    "experiment", "keep one"),
}  # fmt: skip


class ConfigError(ValueError):
    """The configuration is wrong; the message has one line per mistake."""

    def __init__(self, problems: Iterable[str]) -> None:
        self.problems = problems = list(map(in_one_line, problems))
        lines = "\n".join(f"  {problem}" for problem in problems)
        super().__init__(f"The configuration has {counted(len(problems), 'mistake')}:\n{lines}")


@dataclass(frozen=True)
class Configuration:
    """The configuration of a run; catalogues map names to records in the order of the files."""

    run: Run
    methods: dict
    datasets: dict
    experiments: dict
    papers: dict
    questions: dict
    kinds: dict
    claims: dict = field(default_factory=dict)
    probes: dict = field(default_factory=dict)
    published: list = field(default_factory=list)  # rows of `config.published.read_published`
    classes: Classes = field(default_factory=Classes)  # facts of the classes of the methods
    mirror: str | None = None  # folder with the original data files
    warnings: list = field(default_factory=list)


def load(
    config: Any,
    root: Path | str,
    config_files: Sequence[Path | str] = (),
    overrides: dict | None = None,
    mirror: str | None = None,
) -> Configuration:
    """Read and check the configuration of a run; ConfigError with all its mistakes.

    `config` is merged from `config_files`, the last one winning, and the `overrides` of the command
    line, which tell where a mistake is; missing keys take the values of the default run. `mirror`
    is the variable MVCLUST_MIRROR, over which the key ``mirror`` wins.
    """
    folder = Path(root, "config")
    documents = [read_document(_short(p)) for p in (folder / "runs/default.yaml", *config_files)]
    overrides = read_value(overrides or {})
    given = _merged(config, overrides) if overrides else config
    where = _Locator(documents, overrides if config_files else given)
    merged = _merged(documents[0].data, given)
    problems = [problem for document in documents for problem in document.problems]
    run = None if problems else _validated(Run, merged, where, problems)
    files = {kind: _documents_of(kind, folder, run, where) for kind in KINDS}
    entries = {kind: _read_entries(kind, files[kind], problems) for kind in KINDS}
    if not problems:
        offered = _offered(run.add_methods, entries["experiments"], entries["methods"])
        files["methods"] += offered
        entries["methods"] |= _read_entries("methods", offered, problems)
    if problems:  # what follows takes the shapes for granted
        raise ConfigError(problems)
    if isinstance(config, dict) and "run" not in config and "run" not in overrides:
        run = _named(run, documents[0].data)
    KEPT.recall(run.resources)
    mirror = str(run.mirror or mirror or "") or None
    entries["datasets"] = identified(entries["datasets"], mirror)
    classes = Classes(Path(run.resources, "classes.json"))
    configuration = Configuration(run=run, **entries, classes=classes, mirror=mirror)  # pyright: ignore[reportArgumentType]
    for name, experiment in configuration.experiments.items():
        if getattr(experiment, "methods", None) == "all":
            chosen = {"methods": applicable(experiment, configuration)}
            configuration.experiments[name] = experiment.model_copy(update=chosen)
    problems = _mistakes(configuration, files, folder, where)
    if problems:
        raise ConfigError(problems)
    return configuration


def load_run(file: Path | str, root: Path | str) -> Configuration:
    """Read a run from its file alone, without a command line; see `load`."""
    return load(read_document(_short(file)).data, root, [file])


def load_folders(config: dict, root: Path | str) -> Run:
    """Read the run's name and folders, for a job on a cluster, without checks."""
    default = read_document(Path(root, "config/runs/default.yaml")).data
    run = Run.model_validate(_merged(default, read_value(config)))
    return run if "run" in config else _named(run, default)


def _named(run: Any, default: Any) -> Run:
    """The run, renamed to "custom" if it differs from the default one."""
    same = run.science == Run.model_validate(default).science
    return run if same else run.model_copy(update={"run": "custom"})


def _mistakes(
    configuration: Configuration, files: dict[str, list[Document]], folder: Path, where: _Locator
) -> list[str]:
    """Mistakes in the records beside each other; the published numbers are read as well."""
    run, mirror, problems = configuration.run, configuration.mirror, []
    owners = {kind: repeated(files[kind], *KINDS[kind][-2:], problems) for kind in KINDS}
    scopes = {kind: Scope(KINDS[kind][4], getattr(configuration, kind)) for kind in KINDS}
    for kind in KINDS:
        for name, record in getattr(configuration, kind).items():
            mistakes = chain(
                unknown_names(record, scopes, (name,)),
                (([name, *keys], why) for keys, why in record.check(name, configuration)),
            )
            problems += [_sentence(owners[kind][name].where, *mistake) for mistake in mistakes]
    for keys, reason in unknown_names(run, scopes):
        problems.append(f"{where(keys)}: {keys[0]}: {reason}")
    named = where.named("published_files", run.published_files)
    for path, key in [(_short(folder / "published.csv"), ""), *named]:
        rows, found = read_published(path, configuration, key)
        configuration.published.extend(rows)
        problems += found
    of_mirror = problems if run.bad_mirror == "stop" else configuration.warnings
    if mirror and not os.path.isdir(mirror):  # False for a name that is too long
        of_mirror.append(
            f"{where(['mirror']) if run.mirror else 'MVCLUST_MIRROR'}: mirror: there is no folder "
            f"'{mirror}'; give the folder with the original data files, or none."
        )
    _check_datasets(configuration, where, problems)
    folders = {f"{where([key])}: {key}": getattr(run, key) for key in ("results", "resources")}
    for place, path in (folders | {"the project's folder": folder.parent.resolve()}).items():
        if set("{}") & set(str(path)):
            reason = "holds a brace, which Snakemake takes for a wildcard; choose another name."
            problems.append(f"{place}: '{path}' {reason}")
        file = next(filter(os.path.exists, [Path(path), *Path(path).parents]), folder)
        if not file.is_dir():
            problems.append(f"{place}: '{file}' is a file; choose another folder.")
    return problems


def _sentence(where: Callable[[Sequence], str], keys: Sequence, reason: str) -> str:
    """A mistake at a key of a file."""
    name = ".".join(map(str, keys))
    name = f"{name} {reason}" if reason.startswith(("is ", "lacks ")) else f"{name}: {reason}"
    return f"{where(keys)}: {name}" + "." * (reason[-1] not in ".?")


def _documents_of(kind: str, folder: Path, run: Run | None, where: _Locator) -> list[Document]:
    """Files with the entries of a kind: those of the project, then those that a run names."""
    pattern, more, *_ = KINDS[kind]
    paths = sorted(folder.glob(pattern)) if "*" in pattern else [folder / pattern]
    named = where.named(more, getattr(run, more)) if run is not None and more else []
    return [*map(read_document, map(_short, paths)), *starmap(read_document, named)]


def _read_entries(kind: str, documents: list[Document], problems: list[str]) -> dict[str, Any]:
    """Records of all entries of a kind by name; their mistakes are added to the problems."""
    entries = {}
    for document in documents:
        problems += document.problems
        data, place = document.data, document.where([])
        if document.problems:
            continue
        if data in ({}, None):
            problems.append(f"{place}: the file is empty; give at least one.")
        elif not isinstance(data, dict):
            problems.append(f"{place}: the file: expected keys with values, got {data!r}.")
        elif other := _other_kind(kind, data):
            what = KINDS[kind][4], KINDS[other][4], KINDS[other][1]
            reason = "expected the entries of a {}, most are those of a {}; see the key '{}'."
            problems.append(f"{place}: the file: {reason.format(*what)}")
        else:
            for name, entry in data.items():
                entries.setdefault(name, _read_entry(name, entry, kind, document, problems))
    return entries


def _other_kind(kind: str, data: dict) -> str | None:
    """Kind of most entries of a file, if they lack what those of its own kind need."""
    entries = [entry.keys() for entry in data.values() if isinstance(entry, dict)]
    own = needed_keys(KINDS[kind][2] or Rendered)
    for other in (each for each, of in KINDS.items() if of[1]):
        needed = needed_keys(KINDS[other][2] or Rendered)
        if 2 * sum(needed <= keys and not own <= keys for keys in entries) > len(data):
            return other
    return None


def _read_entry(name: str, entry: Any, kind: str, document: Document, problems: list[str]) -> Any:
    """Record of an entry, or None."""
    _, _, model, pattern, *_ = KINDS[kind]
    mistakes = []
    if pattern and not re.search(pattern, str(name)):
        mistakes.append(f"expected {PATTERNS[pattern]}, got '{name}'.")
    if len(str(name)) > MOST_LETTERS:  # files are named so, with more before and after it
        mistakes.append(f"expected a name of at most {MOST_LETTERS} letters.")
    taken = {"experiments": PRODUCTS, "papers": RESERVED}.get(kind, ())
    if str(name).replace("_", "-") in taken:
        reason = "is the name of a table, a page or a rule of a run; choose another one."
        mistakes.append(f"'{name}' {reason}")
    problems += [f"{document.where([name])}: {name}: {mistake}" for mistake in mistakes]
    if model is None:
        if _validated(Rendered, entry, document.where, problems, [name]) is None:
            return None
        model = RENDERS[entry["render"]]
        others = {key for record in RENDERS.values() for key in record.model_fields}
        ignored = [key for key in entry if key in others and key not in model.model_fields]
        for key in ignored:
            reason = f"the renderer '{entry['render']}' takes no {key}; take it out."
            problems.append(f"{document.where([name, key])}: {name}.{key}: {reason}")
        entry = {key: value for key, value in entry.items() if key not in ignored}
    return _validated(model, entry, document.where, problems, [name])


def _validated(
    model: Any, data: Any, where: Callable, problems: list[str], above: Sequence = ()
) -> Any:
    """Record, or None with its mistakes among the problems."""
    unusable = list(_unusable(data, tuple(above)))
    problems += [f"{where(keys)}: {'.'.join(map(str, keys))}: {why}" for keys, why in unusable]
    try:
        return None if unusable else model.model_validate(data)
    except ValidationError as error:
        schema = TypeAdapter(model).json_schema()
        problems += explain(error.errors(), schema, where, above)
        return None


def _unusable(value: Any, keys: tuple) -> Iterator[tuple[tuple, str]]:
    """Keys of values that no file name, table or library can hold, and the mistakes."""
    if isinstance(value, dict | list):
        for key, below in value.items() if isinstance(value, dict) else enumerate(value):
            yield from _unusable(below, (*keys, key))
    elif isinstance(value, float) and math.isnan(value):
        yield keys, "expected a number, got nan."
    elif isinstance(value, int) and abs(value) >= 2**63:
        yield keys, "expected a number of at most 64 bits."
    elif isinstance(value, str) and "\0" in value:
        yield keys, "the text holds a NUL character; take it out."


class _Locator:
    """Places of keys of the merged configuration: command line, or last file with the key."""

    def __init__(self, documents: list[Document], overrides: dict | None) -> None:
        self.documents = documents
        self.overrides = overrides

    def __call__(self, keys: Iterable) -> str:
        keys = tuple(keys)
        document = self._document(keys)
        if document is not None:
            return document.where(keys)
        if len(keys) > 1 and not self._is_overridden(keys):
            return self(keys[:-1])
        return "--config" if keys else self.documents[-1].path

    def named(self, key: str, files: list) -> list[tuple[Path, str]]:
        """Paths of files that a key names, from its file or the working folder; and this key."""
        document = self._document((key,))
        start = Path(document.path).parent if document else Path()
        return [(_short(start / file), f"{self([key])}: {key}: ") for file in files]

    def _document(self, keys: tuple) -> Document | None:
        """Document that gives a key its value, or None."""
        if self._is_overridden(keys):
            return None
        return next((d for d in reversed(self.documents) if keys in d.lines), None)

    def _is_overridden(self, keys: tuple) -> bool:
        node = self.overrides
        for key in keys:
            if not isinstance(node, dict):
                return True
            if key not in node:
                return False
            node = node[key]
        return bool(keys)


def _merged(base: Any, changes: Any) -> Any:
    """`base` with the keys of `changes`, at any depth."""
    if not isinstance(base, dict) or not isinstance(changes, dict):
        return changes
    below = {key: _merged(base.get(key), value) for key, value in changes.items()}
    return {**base, **below}


def _short(path: Path | str) -> Path:
    """A path as the user would type it here."""
    absolute = Path(path).resolve()
    here = Path.cwd().resolve()
    return absolute.relative_to(here) if absolute.is_relative_to(here) else Path(path)


def _offered(added: list[str], experiments: dict, methods: dict[str, Method]) -> list[Document]:
    """Documents of the methods that a run names and only installed distributions have."""
    named = set(added)
    for experiment in experiments.values():
        chosen = getattr(experiment, "methods", ())
        named.update(() if chosen == "all" else chosen)
    missing = sorted(named - set(methods))
    points = entry_points() if missing else {}
    return [read_entry_point(points[name]) for name in missing if name in points]


def _check_datasets(configuration: Configuration, where: _Locator, problems: list[str]) -> None:
    """Find chosen data sets that no chosen experiment uses; warn of experiments without any."""
    run = configuration.run
    uses = {
        name: [data.dataset for data in getattr(experiment, "data", ())]
        for name, experiment in configuration.experiments.items()
    }
    chosen = {name: uses[name] for name in run.experiments if name in uses}
    used = list(dict.fromkeys(chain.from_iterable(chosen.values())))
    for index, name in enumerate(run.datasets or ()):
        if name in configuration.datasets and used and name not in used:
            users = [n for n, names in uses.items() if name in names]
            problems.append(
                f"{where(['datasets', index])}: datasets: no chosen experiment uses '{name}'; "
                f"those that do: {', '.join(users) or 'none'}. The chosen ones use "
                f"{', '.join(used)}; null = all."
            )
    without = [
        n for n, names in chosen.items() if names and not set(names) & set(run.datasets or names)
    ]
    if without:
        configuration.warnings.append(
            f"{where(['datasets'])}: datasets: these experiments use none of the chosen data sets "
            f"and are left out: {', '.join(without)}."
        )
