"""Libraries that only an extra of the package installs."""

import importlib


class NotInstalled(ModuleNotFoundError):
    """A library that only an extra of the package brings is not installed."""


def need(module, extra="data"):
    """Import a library that the bare package does not need, installed by an `extra`.

    NotInstalled if it is not installed; the message says how to install it.

    >>> need("json").dumps([1])
    '[1]'
    """
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise NotInstalled(
            f"{module} is not installed; pip install 'mvclust[{extra}]' brings it.",
            name=error.name,
        ) from None
