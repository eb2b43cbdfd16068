"""Names of other records: a note on a type says what its values name, and one walk checks them."""

from collections.abc import Collection, Iterable, Iterator
from functools import cache
from inspect import isclass
from types import UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints

from pydantic import BaseModel, ConfigDict

from mvclust.bench.config.messages import unknown


class Name(NamedTuple):
    """The note on a type whose values are names: ``Annotated[str, Name("methods")]``."""

    scope: str


class Scope(NamedTuple):
    """The names that a name can be one of, and what they are names of."""

    what: str
    names: Collection


class Record(BaseModel):
    """A part of a file: no key but the declared ones, no value of another type."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, use_attribute_docstrings=True
    )

    def offers(self, scopes: dict[str, Scope]) -> dict[str, Scope | None]:
        """Scopes of the names inside, besides those of the catalogues; None: cannot be known."""
        return {}

    def check(self, name: str, configuration: Any) -> Iterable[tuple]:
        """Mistakes of an entry, called `name`, that no type and no name shows: (keys, reason)."""
        return ()


def needed_keys(record: type[BaseModel]) -> set[str]:
    """Keys that a record cannot do without."""
    return {key for key, field in record.model_fields.items() if field.is_required()}


def unknown_names(record: Record, scopes: dict, keys: tuple = ()) -> Iterator[tuple[tuple, str]]:
    """Find the names in a record that its scopes lack, each as (keys, reason)."""
    scopes = scopes | record.offers(scopes)
    for field, hint in _hints(type(record)).items():
        yield from _unknown(getattr(record, field), hint, scopes, (*keys, field))


def _unknown(value: Any, hint: Any, scopes: dict, keys: tuple) -> Iterator[tuple[tuple, str]]:
    origin, inside = get_origin(hint), get_args(hint)
    if isinstance(value, Record):
        yield from unknown_names(value, scopes, keys)
    elif origin is Annotated:
        for scope in (scopes[note.scope] for note in inside if isinstance(note, Name)):
            if scope and value not in scope.names:
                yield keys, unknown(scope.what, value, scope.names)
        yield from _unknown(value, inside[0], scopes, keys)
    elif origin in (Union, UnionType) and value is not None:
        for each in inside:
            yield from _unknown(value, each, scopes, keys)
    elif origin is list and isinstance(value, list):
        for index, item in enumerate(value):
            yield from _unknown(item, inside[0], scopes, (*keys, index))
    elif origin is dict:
        for name, item in value.items():
            yield from _unknown(name, inside[0], scopes, (*keys, name))
            yield from _unknown(item, inside[1], scopes, (*keys, name))


@cache
def _hints(record: type[Record]) -> dict[str, Any]:
    """Types of the fields that hold names or records, with their notes."""
    hints = get_type_hints(record, include_extras=True)
    return {field: hints[field] for field in record.model_fields if _has_names(hints[field])}


def _has_names(hint: Any) -> bool:
    is_one = isinstance(hint, Name) or (isclass(hint) and issubclass(hint, Record))
    return is_one or any(map(_has_names, get_args(hint)))
