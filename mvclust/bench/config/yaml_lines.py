"""YAML documents that remember the line of each key."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from mvclust.bench.config.messages import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable

MOST_LEVELS, MOST_VALUES = 50, 100_000  # of a file, with what aliases repeat
TOO_DEEP = f"more than {MOST_LEVELS} levels"
TEXT, MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # pyright: ignore[reportGeneralTypeIssues]
    """A loader for which an unreadable value is an error of the document."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Construct the value of a node."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, ArithmeticError, AttributeError) as error:
            kind = node.tag.rpartition(":")[2]
            raise yaml.MarkedYAMLError(
                problem=f"{shortened(node.value)} is no {kind}; put a text in quotes",
                problem_mark=node.start_mark,
            ) from error


@dataclass(frozen=True)
class Document:
    """A parsed YAML file."""

    path: str
    data: Any
    lines: dict | None  # path of keys and indices -> line number from 1; None without a file
    problems: list  # mistakes found while reading

    def where(self, keys: Iterable) -> str:
        """Place ("file:line") of a key, or of its nearest parent in the file."""
        if self.lines is None:
            return self.path
        keys = tuple(keys)
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return f"{self.path}:{self.lines.get(keys, 1)}"


def read_text(path: Path | str) -> tuple[str | None, list[str]]:
    """Read a UTF-8 file; return its text, or None and the problems."""
    try:
        if Path(path).exists() and not Path(path).is_file():  # reading a pipe may never end
            return None, [f"{path}: it is no regular file."]
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return None, [f"{path}: there is no such file."]
    except OSError as error:
        return None, [f"{path}: the file cannot be read: {error.strerror}."]
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        byte = content[error.start]
        return None, [f"{path}:{line}: not UTF-8 text (byte 0x{byte:02x}); save the file as UTF-8."]


def read_document(path: Path | str) -> Document:
    """Read one YAML file; a syntax error or a repeated key is a problem, not a crash."""
    text, problems = read_text(path)
    if problems:
        return Document(str(path), {}, {}, problems)
    try:
        root, data = _parsed(text)
    except yaml.YAMLError as error:
        line, reason = _explain(error, text)
        return Document(str(path), {}, {}, [f"{path}:{line}: not valid YAML: {reason}."])
    lines, problems = {}, []
    if root is not None:
        _index(root, (), lines, problems, path)
    return Document(str(path), {} if data is None else data, lines, problems)


def repeated(
    documents: list[Document], what: str, advice: str, problems: list[str]
) -> dict[str, Document]:
    """First document of each name; a repeated name is a problem, with `advice` (on ``{name}``)."""
    first = {}
    for document in documents:
        for name in document.data:
            if first.setdefault(name, document) is not document:
                place = f"{document.where([name])}: the {what} '{name}' is also in"
                problems.append(f"{place} {first[name].path}; {advice.format(name=name)}.")
    return first


def read_value(value: Any) -> Any:
    """Read numbers and null in a command-line value, which Snakemake may leave as texts."""
    if isinstance(value, Mapping):
        return {key: read_value(below) for key, below in value.items()}
    if isinstance(value, list):
        return [read_value(item) for item in value]
    try:
        read = _parsed(value)[1] if isinstance(value, str) else value
    except yaml.YAMLError:
        return value
    return read if read is None or type(read) in (int, float) else value


def _parsed(text: Any) -> tuple:
    """Root node of a document, and its content."""
    try:
        _check_extent(text)
    except yaml.YAMLError as error:  # the library's own limit may come first
        steps = (1 if c in "[{" else -1 for c in text if c in "[]{}")
        if max(accumulate(steps, initial=0)) > MOST_LEVELS:  # brackets, also those in quotes
            mark = getattr(error, "problem_mark", None)
            raise yaml.MarkedYAMLError(problem=TOO_DEEP, problem_mark=mark) from error
        raise
    return yaml.compose(text, Loader=Loader), yaml.load(text, Loader=Loader)


def _check_extent(text: Any | None) -> None:
    """Refuse a document that is nested too deep, or too large or endless by its aliases."""
    sizes, opened = {}, [[None, 0]]  # of each anchor, and of each node that is not at its end yet
    for event in yaml.parse(text, Loader=Loader):
        if isinstance(event, yaml.AliasEvent):
            if any(event.anchor == anchor for anchor, _ in opened):
                raise yaml.MarkedYAMLError(
                    problem=f"the alias '*{event.anchor}' is within what it stands for",
                    problem_mark=event.start_mark,
                )
            opened[-1][1] += sizes.get(event.anchor, 1)
        elif isinstance(event, yaml.ScalarEvent):
            opened[-1][1] += 1
            sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionStartEvent):
            opened.append([event.anchor, 1])
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, sizes[anchor] = opened.pop()
            opened[-1][1] += sizes[anchor]
        if len(opened) > MOST_LEVELS or opened[-1][1] > MOST_VALUES:
            raise yaml.MarkedYAMLError(
                problem=TOO_DEEP
                if len(opened) > MOST_LEVELS
                else f"more than {MOST_VALUES} values, with those that aliases repeat",
                problem_mark=event.start_mark,
            )


def _explain(error: Any, text: Any) -> tuple[int, str]:
    """Line of a syntax error, and its reason."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:  # a character that YAML does not allow
        bad = next((c for c in text if not c.isprintable() and c not in "\t\n\r"), "")
        return text[: text.find(bad)].count("\n") + 1, f"the control character {bad!r}"
    lines = text.splitlines()
    line = lines[mark.line] if mark.line < len(lines) else ""
    if "\t" in line[: len(line) - len(line.lstrip())]:
        return mark.line + 1, "a tab; indent with spaces"
    return mark.line + 1, getattr(error, "problem", None) or str(error)


def _index(
    node: yaml.Node, keys: tuple, lines: dict[tuple, int], problems: list[str], path: Path | str
) -> None:
    lines.setdefault(keys, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*keys, key.value)
            line = key.start_mark.line + 1
            if below in lines:
                problems.append(
                    f"{path}:{line}: the key '{key.value}' is also on line {lines[below]}; "
                    "keep one."
                )
            if key.tag not in (TEXT, MERGE):
                problems.append(
                    f"{path}:{line}: the key {key.value} is not a text; put it in quotes."
                )
            lines[below] = line
            _index(value, below, lines, problems, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _index(item, (*keys, index), lines, problems, path)
