"""Classes by their dotted names, and questions on those of others in processes of their own."""

import importlib
import inspect
import multiprocessing
import traceback
from collections.abc import Callable
from functools import cache
from multiprocessing.connection import Connection, wait
from typing import Any

from mvclust.bench.record.digest import code_hash, is_ours, module_file


@cache
def find_class(estimator: str) -> type:
    """Class of a dotted name; LookupError with the reason if it cannot be loaded."""
    module, _, name = estimator.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # whatever its code does when it is imported
        if isinstance(error, ModuleNotFoundError) and module.startswith(str(error.name)):
            hint = "" if is_ours(module) else "; is its package installed, or on PYTHONPATH"
            raise LookupError(f"there is no module '{module}'{hint}") from error
        raise LookupError(f"the module '{module}' cannot be imported: {_told(error)}") from error
    if not inspect.isclass(found):
        raise LookupError(f"module '{module}' has no class '{name}'")
    return found


def ask(estimator: str, function: Callable, *arguments: Any) -> Any:
    """Call a function with a class, in another process if it is not ours; LookupError says why."""
    if is_ours(estimator):
        return function(find_class(estimator), *arguments)
    return apart(estimator.rpartition(".")[0], _of_class, estimator, function, *arguments)


def apart(module: str, function: Callable, *arguments: Any) -> Any:
    """Call a function in a process for the code of a module; its error becomes a LookupError."""
    key = module, code_hash(module) if module_file(module) else ""
    if key not in _PROCESSES:
        fork = multiprocessing.get_context("fork")
        ours, its = fork.Pipe()
        process = fork.Process(target=_serve, args=[its, ours], daemon=True)
        process.start()
        its.close()
        _PROCESSES[key] = process, ours
    process, pipe = _PROCESSES[key]
    try:
        pipe.send((function, arguments))
        answered = pipe in wait([pipe, process.sentinel])
        failed, value = pipe.recv() if answered else (True, None)
    except (EOFError, OSError):
        failed, value = True, None
    if value is None and failed:
        _PROCESSES.pop(key)[1].close()
        raise LookupError(f"the module '{module}' ends the process that imports it")
    if failed:
        raise LookupError(value)
    return value


_PROCESSES = {}  # (module, its code) -> (process, our end of its pipe)


def _serve(pipe: Connection, of_parent: Connection) -> None:
    of_parent.close()  # so that the other end is closed when the parent ends, also if it is killed
    importlib.invalidate_caches()
    while True:
        try:
            function, arguments = pipe.recv()
        except EOFError:
            return
        try:
            answer = False, function(*arguments)
        except LookupError as error:
            answer = True, str(error)
        except BaseException as error:
            answer = True, _told(error)
        pipe.send(answer)


def _of_class(estimator: str, function: Callable, *arguments: Any) -> Any:
    return function(find_class(estimator), *arguments)


def _told(error: BaseException) -> str:
    """An error in one line, with file and line for invalid Python."""
    if isinstance(error, SyntaxError):
        return f"{error.filename}:{error.lineno}: {error.msg}"
    if isinstance(error, SystemExit):
        place = traceback.extract_tb(error.__traceback__)[-1]
        return f"it calls sys.exit({error.code!r}) ({place.filename}:{place.lineno})"
    return f"{type(error).__name__}: {error}"
