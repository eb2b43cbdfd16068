"""What an estimator is given: a digest, to know a fit by it, and a form that no fit can change."""

import copy
import hashlib
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import sparse


def digest_of_given(value: Any) -> str:
    """Digest of arrays in lists, tuples and dicts: their types, shapes and values (40 hex digits).

    >>> X = np.arange(4.0).reshape(2, 2)
    >>> digest_of_given([X, {"a": None}]) == digest_of_given([X.copy(order="F"), {"a": None}])
    True
    >>> digest_of_given([X]) == digest_of_given([X.T])
    False
    """
    digest = hashlib.blake2b(digest_size=20)
    _feed(digest, value)
    return digest.hexdigest()


def frozen(value: Any) -> Any:
    """Copy arrays into memory that no fit can make writable again; to be given away by `lent`.

    >>> X = frozen(np.eye(2))
    >>> X.flags.writeable = True
    Traceback (most recent call last):
    ...
    ValueError: cannot set WRITEABLE flag to True of this array
    """
    return _rebuilt(value, _fixed)


def lent(value: Any) -> Any:
    """Give one fit its own objects over the memory of `frozen`: the next fit sees no change."""
    return _rebuilt(value, np.ndarray.view)


def _rebuilt(value: Any, of_array: Callable[[Any], Any]) -> Any:
    """The same value with new containers, and a function applied to each array."""
    if isinstance(value, np.ndarray) and value.dtype != object:
        return of_array(value)
    if sparse.issparse(value) and hasattr(value, "indptr"):
        parts = tuple(of_array(part) for part in (value.data, value.indices, value.indptr))
        return type(value)(parts, shape=value.shape)
    if isinstance(value, dict):
        return {key: _rebuilt(each, of_array) for key, each in value.items()}
    if isinstance(value, list | tuple):
        parts = [_rebuilt(each, of_array) for each in value]
        if hasattr(value, "_make"):  # a named tuple
            return value._make(parts)
        return tuple(parts) if isinstance(value, tuple) else parts
    return copy.deepcopy(value)


def _fixed(X: np.ndarray) -> np.ndarray:
    """A copy in the memory of a bytes object, in the same order of rows and columns."""
    order = "F" if X.flags.fnc else "C"
    return np.ndarray(X.shape, X.dtype, X.tobytes(order), order=order)


def _feed(digest: Any, value: Any) -> None:
    if isinstance(value, np.ndarray) and value.dtype != object:
        digest.update(f"array {value.dtype.str} {value.shape} ".encode())
        digest.update(np.ascontiguousarray(value).data)
    elif sparse.issparse(value):
        value = sparse.csr_array(value)
        if not value.has_canonical_format:
            value = value.copy()
            value.sum_duplicates()
        digest.update(f"sparse {value.shape} ".encode())
        for part in (value.data, value.indices.astype("<i8"), value.indptr.astype("<i8")):
            _feed(digest, part)
    elif isinstance(value, list | tuple):
        digest.update(f"list {len(value)} ".encode())
        for part in value:
            _feed(digest, part)
    elif isinstance(value, dict):
        digest.update(f"dict {len(value)} ".encode())
        for key in sorted(value, key=repr):
            _feed(digest, key)
            _feed(digest, value[key])
    elif value is None or isinstance(value, str | int | float | np.number | np.bool_):
        digest.update(f"{type(value).__name__} {value!r} ".encode())
    else:
        raise TypeError(f"a {type(value).__name__} among what a fit is given has no digest.")
