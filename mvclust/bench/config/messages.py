"""What is wrong with a configuration, one clear sentence per mistake."""

import difflib
import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

KINDS = {
    "integer": "a whole number",
    "number": "a number",
    "string": "a text",
    "object": "keys with values",
    "array": "a list",
    "boolean": "true or false",
    "null": "null",
}
# Errors of pydantic by what is said of them.
OF_KIND = ("_type", "_parsing")
EMPTY = ("too_short", "string_too_short")
OUT_OF_RANGE = ("greater_than_equal", "greater_than", "less_than_equal", "less_than")

# Patterns, and what they mean in words.
PATTERNS = {
    "^[a-z0-9_-]+$": "lower-case letters, digits, - and _",
    "^[a-z0-9_]+$": "lower-case letters, digits and _",
    "^[a-z0-9][a-z0-9-]*$": "lower-case letters, digits and -",
    r"^\w[\w-]*$": "letters, digits, _ and -",
    r"^\w[\w.-]*$": "letters, digits, _, - and .",
    "^[A-Za-z][A-Za-z0-9]*(-[a-z0-9]+)*$": (
        "the name of the class, with -suffixes if several entries use it"
    ),
    r"^[^\W\d]\w*(\.\w+)+$": "the dotted name of a class, package.module.Class",
    "^https?://": "an address with http:// or https://",
    r"^\w[\w.-]*(/\w[\w.-]*)*$": "names of letters, digits, _, - and ., with / between them",
}

LONGEST = 80  # characters of a value in a message

UNAVAILABLE = "data not available"  # of a result whose data set no source gave


def in_one_line(sentence: str) -> str:
    r"""Make a sentence printable: no control characters, no endless words.

    >>> in_one_line("a\nb"), len(in_one_line("a" * 5000))
    ('a\\nb', 83)
    """
    printable = "".join(c if c.isprintable() else repr(c)[1:-1] for c in sentence)
    return re.sub(rf"(\S{{{LONGEST}}})\S{{{LONGEST},}}", r"\1...", printable)


def unknown(kind: str, name: object, known: Iterable) -> str:
    """Report an unknown name with the nearest one, all available ones, or that there are none."""
    known = list(map(str, known))
    if not known:
        return f"there is no {kind}, got '{name}'"
    folded = {each.casefold(): each for each in reversed(known)}
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=0.5)
    hint = f"did you mean '{folded[near[0]]}'?" if near else f"known: {', '.join(known)}."
    return f"unknown {kind} '{name}'; {hint}"


def counted(number: int, noun: str) -> str:
    """Number and noun in words."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def explain(
    errors: Sequence[Mapping], schema: dict, where: Callable[[Sequence], str], above: Sequence = ()
) -> list[str]:
    """Turn the errors of a pydantic validation below some keys into sentences, with "file:line"."""
    sentences = []
    followed = [(error, *_place(error, schema)) for error in errors]
    for error, keys, expected in followed:
        others = [other for each, other, _ in followed if each is not error]
        is_list = error["type"] == "literal_error" and isinstance(error["input"], list)
        if is_list and any(other[: len(keys)] == keys for other in others):
            continue  # the other alternative, a list, is what was meant
        keys = [*above, *keys]
        name = ".".join(map(str, keys)) or "the file"
        sentences.append(f"{where(keys)}: {_sentence(error, name, keys, expected)}")
    return list(dict.fromkeys(sentences))


def shown(value: Any) -> str:
    """Any value in YAML, in few words.

    >>> shown(None), shown("a"), shown(10**5000), len(shown("a" * 1000))
    ('null', "'a'", 'a number of more than 4,300 digits', 83)
    """
    try:
        text = json.dumps(value) if value is None or isinstance(value, bool) else repr(value)
    except ValueError:
        return "a number of more than 4,300 digits"
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


def _sentence(error: Mapping, name: str, keys: list, expected: dict) -> str:
    kind, value, context = error["type"], error["input"], error.get("ctx", {})
    if kind == "extra_forbidden":
        return f"{name}: " + unknown("key", keys[-1], expected.get("properties", ()))
    if kind == "missing":
        above = name.rpartition(".")[0] or "the file"
        return f"{above} lacks the key '{keys[-1]}'."
    if kind == "literal_error":
        return f"{name}: " + unknown("value", value, _options(expected))
    if kind in EMPTY:
        return f"{name} is empty; give at least one."
    if kind in OUT_OF_RANGE:
        return f"{name}: {value} is out of range, expected {_range(expected)}."
    if kind == "repeated":
        return f"{name} has the same entry twice."
    if kind == "string_too_long":
        return f"{name}: expected at most {context['max_length']} letters, got '{value}'."
    if kind == "string_pattern_mismatch":
        return f"{name}: expected {PATTERNS[context['pattern']]}, got '{value}'."
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        tag = value.get("kind") if isinstance(value, dict) else value
        return f"{name}.kind: " + unknown("value", tag, expected["discriminator"]["mapping"])
    if kind == "kind":
        return f"{name}: {error['msg']}, got {shown(value)}."
    if kind.endswith(OF_KIND):
        kinds = _kinds(expected)
        listed = "array" in kinds and isinstance(value, str)
        hint = f" Write [{value}]." if listed else ""
        if "boolean" in kinds and str(value).lower() in ("true", "false"):
            hint = f" Without quotes, and after --config: {str(value).capitalize()}."
        words = " or ".join(KINDS.get(each, each) for each in kinds) or error["msg"]
        return f"{name}: expected {words}, got {shown(value)}.{hint}"
    return f"{name}: {error['msg']}."


def _place(error: Mapping, schema: dict) -> tuple[list, dict]:
    """Keys of an error in the file, and the part of the schema for it, of which it may be a key."""
    if error["type"] != "extra_forbidden":
        return _follow(schema, error["loc"])
    keys, part = _follow(schema, error["loc"][:-1])
    records = [each for each in [part, *_alternatives(part, schema)] if "properties" in each]
    return [*keys, error["loc"][-1]], (records or [part])[0]


def _follow(schema: dict, place: Sequence) -> tuple[list, dict]:
    """Keys of the place of an error, without the alternatives that it names, and their schema."""
    keys, part, above = [], resolved(schema, schema), schema
    for step in place:
        if step == "[key]":
            part = above.get("propertyNames", part)
            continue
        inside = _inside(part, step, schema)
        if inside is None and isinstance(step, str) and not _is_open(part):
            alternatives = _alternatives(part, schema)
            if alternatives:  # the step names one of them
                keys_of = [(p, p.get("properties", {})) for p in alternatives]
                called = [p for p, of in keys_of if of.get("kind", {}).get("const") == step]
                lists = [p for p in alternatives if p.get("type") == "array"]
                part = (called or lists or alternatives)[0]
                continue
        keys.append(step)
        above, part = part, part if inside is None else resolved(inside, schema)
    return keys, part


def _alternatives(part: dict, schema: dict) -> list[dict]:
    return [resolved(p, schema) for word in ("anyOf", "oneOf") for p in part.get(word, ())]


def _is_open(part: dict) -> bool:
    return isinstance(part.get("additionalProperties"), dict)


def _inside(part: dict, step: Any, schema: dict) -> dict | None:
    """Schema of a key or of an item; None if unknown."""
    for candidate in [part, *_alternatives(part, schema)]:
        if isinstance(step, int) and "items" in candidate:
            return candidate["items"]
        if step in candidate.get("properties", {}):
            return candidate["properties"][step]
        if _is_open(candidate) and not isinstance(step, int):
            return candidate["additionalProperties"]
        if "patternProperties" in candidate:
            return next(iter(candidate["patternProperties"].values()))
    return None


def resolved(part: dict, schema: dict) -> dict:
    """Replace a reference in a JSON Schema by its target."""
    while "$ref" in part:
        part = schema["$defs"][part["$ref"].rpartition("/")[2]]
    return part


def _options(part: dict) -> list:
    values = [part["const"]] if "const" in part else list(part.get("enum", ()))
    for alternative in part.get("anyOf", ()):
        values += _options(alternative)
    return values


def _kinds(part: dict) -> list[str]:
    kinds = part.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    for alternative in part.get("anyOf", ()):
        kinds += _kinds(alternative) or ["object"] * ("$ref" in alternative)
    return list(dict.fromkeys(kinds))


def _range(part: dict) -> str:
    parts = [part, *part.get("anyOf", ())]
    bounds = {key: value for each in parts for key, value in each.items()}
    low, high = bounds.get("minimum"), bounds.get("maximum")
    if "exclusiveMinimum" in bounds:
        return f"above {bounds['exclusiveMinimum']:g}"
    return f"at least {low:g}" if high is None else f"from {low:g} to {high:g}"
