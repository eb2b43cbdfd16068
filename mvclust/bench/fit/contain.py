"""What a fit changes in its process: put back, and told.

Several fits share a process. A class that changes the working directory, replaces a function of
numpy, or leaves a thread at work would change where the rows of the others go, their labels, or
their times.
"""

from __future__ import annotations

import contextlib
import os
import random
import sys
import threading
from operator import is_
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Self

# Packages whose functions fits share: one that replaces a function changes the others.
SHARED = ("builtins", "numpy", "scipy", "sklearn", "mvclust")
MOST_TEXT, MOST_TOLD = 1000, 20  # characters of an error or warning that a row holds; warnings
MOST_NAMED = 3
OURS = __name__.partition(".")[0]


class Contained:
    """Context for an estimator that undoes and reports changes of the process.

    Classes of mvclust leave functions unchanged; checking that takes time. `told` names what was
    changed and restored, and what still runs; `left` is true if threads or processes go on, so that
    the next fit needs another process.
    """

    def __init__(self, estimator: type) -> None:
        ours = estimator.__module__.partition(".")[0] == OURS
        self.functions = None if ours else _Functions()
        self.told, self.left = [], False

    def open(self, seed: int) -> Self:
        """Start with the generators that all code of a process shares at a seed."""
        self.told, self.left = [], False
        random.seed(seed)
        np.random.seed(seed)  # noqa: NPY002, that of classes which draw from it
        self.states = [state.read() for state in STATES]
        self.threads, self.processes = set(threading.enumerate()), _has_children()
        self.process = os.getpid()
        return self

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if os.getpid() != self.process:  # a copy that the fit forked, and did not end
            os._exit(1)
        names = [] if self.functions is None else self.functions.put_back()
        for state, before in zip(STATES, self.states, strict=True):
            if state.read() != before:
                with contextlib.suppress(OSError):
                    state.put_back(before)
                names.append(state.name)
        if names:
            more = len(names) - MOST_NAMED
            named = ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
            self.told.append(f"The fit changed {named} in its process, which was put back.")
        threads = [t for t in threading.enumerate() if t not in self.threads and t.is_alive()]
        if threads:
            self.told.append("The fit left a thread at work, which was ended.")
        if _has_children() > self.processes:
            self.told.append("The fit left another process, which was ended.")
            self.left = True
        self.left = self.left or bool(threads)


class _State(NamedTuple):
    """A state of the process: its name, how to read it, how to restore it."""

    name: str
    read: object
    put_back: object


def _folder() -> str | None:
    with contextlib.suppress(OSError):  # it may be gone
        return os.getcwd()


def _set_folder(path: str | None) -> None:
    if path is not None:
        os.chdir(path)


def _set_environment(variables: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(variables)


def _streams() -> tuple:
    return sys.stdin, sys.stdout, sys.stderr


def _set_streams(streams: tuple) -> None:
    sys.stdin, sys.stdout, sys.stderr = streams


def _rights() -> int:
    rights = os.umask(0o077)
    os.umask(rights)
    return rights


def _set_errors(how: dict) -> None:
    np.seterr(**how)


STATES = (
    _State("the working directory", _folder, _set_folder),
    _State("environment variables", os.environ.copy, _set_environment),
    _State("the standard streams", _streams, _set_streams),
    _State("the rights of new files", _rights, os.umask),
    _State("how numpy treats floating-point errors", np.geterr, _set_errors),
    _State("the limit of recursion", sys.getrecursionlimit, sys.setrecursionlimit),
)


class _Functions:
    """The functions of the shared packages as first seen."""

    def __init__(self) -> None:
        self.owners, self.seen = [], set()
        self._look()

    def put_back(self) -> list[str]:
        """Restore replaced functions; return their names."""
        names = []
        for name, owner, functions in self.owners:
            there = vars(owner)
            if all(map(is_, map(there.get, functions), functions.values())):
                continue
            for key, function in functions.items():
                if there.get(key) is not function:
                    setattr(owner, key, function)
                    names.append(f"{name}.{key}")
        self._look()
        return names

    def _look(self) -> None:
        """Add the modules that were imported since."""
        for name in sys.modules.keys() - self.seen:
            self.seen.add(name)
            module = sys.modules[name]
            if name.partition(".")[0] in SHARED and isinstance(module, ModuleType):
                self._note(name, module, callable)
                for key, value in list(vars(module).items()):
                    if isinstance(value, type) and value.__module__ == name:
                        self._note(f"{name}.{key}", value, _is_function)

    def _note(self, name: str, owner: Any, which: Callable[[Any], bool]) -> None:
        functions = {key: value for key, value in list(vars(owner).items()) if which(value)}
        if functions:
            self.owners.append((name, owner, functions))


def _is_function(value: Any) -> bool:
    return isinstance(value, FunctionType)


def _has_children() -> bool:
    """Whether this process has child processes that it did not wait for."""
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)
    except (AttributeError, ChildProcessError):  # not on every system; there are none
        return False
    return True


def told(error: BaseException) -> str:
    """An error in one line, with the place where it was raised.

    Examples
    --------
    >>> told(ValueError("no")), len(told(ValueError(1_000_000 * "no ")))
    ('ValueError: no', 1036)
    """
    place, frame = "", error.__traceback__
    while frame is not None and frame.tb_next is not None:
        frame = frame.tb_next
    if frame is not None:
        file = os.path.basename(frame.tb_frame.f_code.co_filename)
        place = f" ({file}:{frame.tb_lineno})"
    return f"{type(error).__name__}: {text_of(error)}{place}"


def text_of(value: Any) -> str:
    """Text of an error or a warning, short enough for a row; that of a class may fail."""
    try:
        text = str(value).encode("utf-8", "replace").decode()
    except BaseException as error:  # as what the class raised itself
        return f"its text failed with {type(error).__name__}"
    if len(text) > MOST_TEXT:
        text = f"{text[:MOST_TEXT]}... ({len(text)} characters)"
    return text


def texts_of(caught: list) -> list[str]:
    """Sorted texts of the warnings of a fit without duplicates; the first ones of very many."""
    texts = sorted({text_of(each.message) for each in caught})
    more = len(texts) - MOST_TOLD
    return texts if more <= 0 else [*texts[:MOST_TOLD], f"... and {more} more warnings"]
