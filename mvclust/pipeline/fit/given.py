"""A digest of what an estimator is given, to know a fit by what it works on."""

import hashlib

import numpy as np
from scipy import sparse


def digest_of_given(value):
    """Digest of arrays in lists, tuples and dicts: their types, shapes and values.

    Parameters
    ----------
    value : ndarray, sparse array, number, str or None, or a list, tuple or dict of these

    Returns
    -------
    str
        40 hexadecimal digits.

    Raises
    ------
    TypeError
        For anything else.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.arange(4.0).reshape(2, 2)
    >>> digest_of_given([X, {"a": None}]) == digest_of_given([X.copy(order="F"), {"a": None}])
    True
    >>> digest_of_given([X]) == digest_of_given([X.T])
    False
    """
    digest = hashlib.blake2b(digest_size=20)
    _feed(digest, value)
    return digest.hexdigest()


def _feed(digest, value):
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
