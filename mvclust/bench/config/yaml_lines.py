"""YAML documents that remember the line of each key."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from mvclust.own.yaml_text import NotYaml, parse


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


def read_text(path: Path | str, key: str = "") -> tuple[str | None, list[str]]:
    """Read a UTF-8 file, which a key may name; return its text, or None and the problems."""
    try:
        if Path(path).exists() and not Path(path).is_file():  # reading a pipe may never end
            return None, [f"{key}{path}: it is no regular file."]
        content = Path(path).read_bytes()
    except FileNotFoundError:
        return None, [f"{key}{path}: there is no such file."]
    except OSError as error:
        return None, [f"{key}{path}: the file cannot be read: {error.strerror}."]
    try:
        return content.decode("utf-8-sig"), []
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        byte = content[error.start]
        return None, [f"{path}:{line}: not UTF-8 text (byte 0x{byte:02x}); save the file as UTF-8."]


def read_document(path: Path | str, key: str = "") -> Document:
    """Read one YAML file; a syntax error or a repeated key is a problem, not a crash."""
    text, problems = read_text(path, key)
    data, lines, mistakes = None, {}, []
    try:
        data, lines, *mistakes = parse(text or "")
    except NotYaml as error:
        problems = [f"{path}:{error.line}: not valid YAML: {error.reason}."]
    problems += [f"{path}:{line}: {reason}." for line, reason in chain(*mistakes)]
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
        read = parse(value).data if isinstance(value, str) else value
    except NotYaml:
        return value
    return read if read is None or type(read) in (int, float) else value
