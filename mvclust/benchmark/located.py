"""YAML documents that remember on which line each key stands."""

from dataclasses import dataclass
from pathlib import Path

import yaml

LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@dataclass(frozen=True)
class Document:
    """A parsed YAML file.

    Attributes
    ----------
    path : str
    data : the content
    lines : dict, path of keys and indices (a tuple) -> line number from 1
    problems : list of str, what was wrong already while reading
    """

    path: str
    data: object
    lines: dict
    problems: list

    def where(self, keys):
        """ "file:line" of a key, or of its nearest parent that stands in the file."""
        keys = tuple(keys)
        while keys and keys not in self.lines:
            keys = keys[:-1]
        return f"{self.path}:{self.lines.get(keys, 1)}"


def read_document(path):
    """Read one YAML file; a syntax error or a repeated key becomes a problem, not a crash."""
    try:
        text = Path(path).read_text(encoding="utf-8")
        root = yaml.compose(text, Loader=LOADER)
        data = yaml.load(text, Loader=LOADER)
    except FileNotFoundError:
        return Document(str(path), {}, {}, [f"{path}: there is no such file."])
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else 1
        reason = getattr(error, "problem", None) or str(error)
        return Document(str(path), {}, {}, [f"{path}:{line}: not valid YAML: {reason}."])
    lines, problems = {}, []
    if root is not None:
        _index(root, (), lines, problems, path)
    return Document(str(path), {} if data is None else data, lines, problems)


def _index(node, keys, lines, problems, path):
    lines.setdefault(keys, node.start_mark.line + 1)
    if isinstance(node, yaml.MappingNode):
        for key, value in node.value:
            below = (*keys, key.value)
            line = key.start_mark.line + 1
            if below in lines:
                problems.append(
                    f"{path}:{line}: the key '{key.value}' stands here and on line "
                    f"{lines[below]}; keep one."
                )
            lines[below] = line
            _index(value, below, lines, problems, path)
    elif isinstance(node, yaml.SequenceNode):
        for index, item in enumerate(node.value):
            _index(item, (*keys, index), lines, problems, path)
