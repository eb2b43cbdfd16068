"""YAML that people write: parsed with the line of each key, or refused with a line and a reason."""

from __future__ import annotations

from itertools import accumulate
from typing import Any, NamedTuple

import yaml

MOST_LEVELS, MOST_REPEATED = 50, 100_000  # values within each other; values that aliases repeat
TOO_DEEP = f"more than {MOST_LEVELS} levels"
LONGEST = 80  # characters of a value in a message
TEXT, MERGE = "tag:yaml.org,2002:str", "tag:yaml.org,2002:merge"


class NotYaml(ValueError):
    """A text that is no YAML: the number of its `line`, from 1, and the `reason`."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line, self.reason = line, reason


class Parsed(NamedTuple):
    """Content of a YAML text."""

    data: Any
    lines: dict[tuple, int]  # path of keys and indices -> line number from 1
    repeated: list[tuple[int, str]]  # of keys: line and reason
    no_texts: list[tuple[int, str]]  # likewise


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # pyright: ignore[reportGeneralTypeIssues]
    """A loader for which an unreadable value is an error of the document."""

    def construct_object(self, node: yaml.Node, deep: bool = False) -> Any:
        """Construct the value of a node."""
        try:
            return super().construct_object(node, deep)
        except (ValueError, LookupError, ArithmeticError, AttributeError) as error:
            kind, text = node.tag.rpartition(":")[2], repr(node.value)
            text = text if len(text) <= LONGEST else f"{text[:LONGEST]}..."
            raise yaml.MarkedYAMLError(
                problem=f"{text} is no {kind}; put a text in quotes", problem_mark=node.start_mark
            ) from error


def parse(text: str) -> Parsed:
    """Parse a text; NotYaml with the line and the reason if that fails."""
    try:
        _check_extent(text)
        root, data = yaml.compose(text, Loader=Loader), yaml.load(text, Loader=Loader)
    except yaml.YAMLError as error:
        raise _explained(error, text) from error
    parsed = Parsed(data, {}, [], [])
    if root is not None:
        _index(root, (), parsed)
    return parsed


def _check_extent(text: str) -> None:
    """Refuse a text that is nested too deep, or too large or endless by its aliases."""
    sizes, opened = {}, [[None, 0]]  # of each anchor, and of each node that is not at its end yet
    repeated = 0
    for event in yaml.parse(text, Loader=Loader):
        if isinstance(event, yaml.AliasEvent):
            if any(event.anchor == anchor for anchor, _ in opened):
                raise yaml.MarkedYAMLError(
                    problem=f"the alias '*{event.anchor}' is within what it stands for",
                    problem_mark=event.start_mark,
                )
            repeated += sizes.get(event.anchor, 1)
            opened[-1][1] += sizes.get(event.anchor, 1)
        elif isinstance(event, yaml.ScalarEvent):
            opened[-1][1] += 1
            sizes[event.anchor] = 1
        elif isinstance(event, yaml.CollectionStartEvent):
            opened.append([event.anchor, 1])
        elif isinstance(event, yaml.CollectionEndEvent):
            anchor, sizes[anchor] = opened.pop()
            opened[-1][1] += sizes[anchor]
        if len(opened) > MOST_LEVELS or repeated > MOST_REPEATED:
            too_large = f"its aliases repeat more than {MOST_REPEATED} values"
            raise yaml.MarkedYAMLError(
                problem=TOO_DEEP if len(opened) > MOST_LEVELS else too_large,
                problem_mark=event.start_mark,
            )


def _explained(error: Any, text: str) -> NotYaml:
    """Line of a syntax error, and its reason."""
    mark = getattr(error, "problem_mark", None)
    if mark is None:  # a character that YAML does not allow
        bad = next((c for c in text if not c.isprintable() and c not in "\t\n\r"), "")
        return NotYaml(text[: text.find(bad)].count("\n") + 1, f"the control character {bad!r}")
    lines = text.splitlines() or [""]
    number = min(mark.line, len(lines) - 1)  # a mark may be behind the last line
    steps = (1 if c in "[{" else -1 for c in text if c in "[]{}")
    reason = getattr(error, "problem", None) or str(error)
    if max(accumulate(steps, initial=0)) > MOST_LEVELS:  # brackets, also those in quotes
        reason = TOO_DEEP  # the library's own limit may come first
    elif "\t" in lines[number][: len(lines[number]) - len(lines[number].lstrip())]:
        reason = "a tab; indent with spaces"
    return NotYaml(number + 1, reason)


def _index(node: yaml.Node, keys: tuple, parsed: Parsed) -> None:
    lines = parsed.lines
    lines.setdefault(keys, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below, line = (*keys, key.value), key.start_mark.line + 1
            if below in lines:
                reason = f"the key '{key.value}' is also on line {lines[below]}; keep one"
                parsed.repeated.append((line, reason))
                continue  # what it holds replaces what the first one holds
            if key.tag not in (TEXT, MERGE):
                reason = f"the key {key.value} is not a text; put it in quotes"
                parsed.no_texts.append((line, reason))
            lines[below] = line
            _index(value, below, parsed)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _index(item, (*keys, index), parsed)
