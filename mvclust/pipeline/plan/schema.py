"""Check data against a JSON schema and say each mistake in one clear sentence."""

import difflib
import json
from pathlib import Path

from jsonschema import Draft202012Validator

KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "object": "keys with values",
    "array": "a list",
    "boolean": "true or false",
    "null": "null",
}


def check_schema(data, schema_file, where):
    """Check data against a schema.

    Parameters
    ----------
    data : object
    schema_file : path
        A JSON schema; where it has a pattern, its key ``expected`` says the pattern in words.
    where : callable
        From a list of keys to "file:line".

    Returns
    -------
    list of str
        One sentence per mistake.
    """
    schema = json.loads(Path(schema_file).read_text(encoding="utf-8"))
    errors = Draft202012Validator(schema).iter_errors(data)
    return [line for error in errors for line in _explain(error, where)]


def unknown(kind, name, known):
    """Say that a name is unknown, and the nearest one or those that there are.

    Examples
    --------
    >>> unknown("method", "PCV", ["DAIMC", "PVC"])
    "unknown method 'PCV'; did you mean 'PVC'?"
    """
    known = list(map(str, known))
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"known: {', '.join(known)}."
    return f"unknown {kind} '{name}'; {hint}"


def counted(number, noun):
    """A number of things in words.

    Examples
    --------
    >>> counted(1, "job"), counted(0, "job")
    ('1 job', '0 jobs')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _explain(error, where):
    keys = list(error.absolute_path)
    if "propertyNames" in error.absolute_schema_path:
        keys.append(error.instance)
    name = ".".join(map(str, keys)) or "the file"
    place, value = where(keys), error.instance
    if error.validator == "additionalProperties":
        known = error.schema["properties"]
        return [
            f"{where([*keys, key])}: {'.'.join(map(str, [*keys, key]))}: "
            + unknown("key", key, known)
            for key in value
            if key not in known
        ]
    if error.validator == "required":
        # one error for each missing key
        missing = [key for key in error.validator_value if f"'{key}' is" in error.message]
        return [f"{place}: {name} lacks the key '{key}'." for key in missing]
    if error.validator == "oneOf" and isinstance(value, list):
        error = max(error.context, key=_depth)
        return _explain(error, where)
    if error.validator in ("type", "oneOf"):
        return [f"{place}: {name}: expected {_kinds(error)}, got {value!r}.{_list_hint(error)}"]
    if error.validator == "enum":
        return [f"{place}: {name}: " + unknown("value", value, error.validator_value)]
    if error.validator in ("minItems", "minProperties", "minLength"):
        return [f"{place}: {name} is empty; give at least one."]
    if error.validator in ("minimum", "maximum"):
        low, high = error.schema.get("minimum"), error.schema.get("maximum")
        expected = f"at least {low}" if high is None else f"from {low} to {high}"
        return [f"{place}: {name}: {value} is out of range, expected {expected}."]
    if error.validator == "uniqueItems":
        return [f"{place}: {name} has the same entry twice."]
    if error.validator == "pattern":
        expected = error.schema.get("expected", error.validator_value)
        return [f"{place}: {name}: expected {expected}, got '{value}'."]
    return [f"{place}: {name}: {error.message}."]


def _depth(error):
    """The error of the alternative that fits a list: of its items, or of what a list needs."""
    return error.validator != "enum", len(error.absolute_path)


def _kinds(error):
    kinds = error.schema.get("type", "a list of values, per_view or per_pair")
    return " or ".join(KINDS.get(k, k) for k in ([kinds] if isinstance(kinds, str) else kinds))


def _list_hint(error):
    listed = "array" in error.schema.get("type", ())
    return f" Write [{error.instance}]." if listed and isinstance(error.instance, str) else ""
