"""Classes by their dotted names."""

import importlib
import inspect
from functools import cache

from mvclust.bench.record.digest import is_ours


@cache
def find_class(estimator):
    """The class of a dotted name.

    Raises
    ------
    LookupError
        With a sentence that says what is missing.
    """
    module, _, name = estimator.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), name, None)
    except Exception as error:  # whatever its code does when it is imported
        if isinstance(error, ModuleNotFoundError) and module.startswith(str(error.name)):
            hint = "" if is_ours(module) else "; is its package installed, or on PYTHONPATH"
            raise LookupError(f"there is no module '{module}'{hint}") from error
        raise LookupError(
            f"the module '{module}' cannot be imported: {type(error).__name__}: {error}"
        ) from error
    if not inspect.isclass(found):
        raise LookupError(f"module '{module}' has no class '{name}'")
    return found
