"""Write what the records say of themselves: python -m mvclust.bench.config.document

The tables of keys in config/README.md and docs/own_data.md, and a JSON Schema of each kind of file
for editors.
"""

import json
import re
import sys
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from mvclust.bench.config import models
from mvclust.bench.config.experiments import RENDERS, AnyExperiment
from mvclust.bench.config.messages import KINDS, resolved
from mvclust.own import views

RECORDS = {
    "run": models.Run,
    "experiment": AnyExperiment,
    "method": models.Method,
    "paper": models.Paper,
    "claim": models.Claim,
    "probe": models.Probe,
    "question": models.Question,
    "kind of methods": models.Kind,
    "data set": models.DataSet,
}
PARTS_OF_VIEWS = {
    "a view": views.View,
    "labels, batch": views.Column,
    "mask": views.Mask,
    "survival": views.Survival,
    "facts": views.Facts,
    "a question": views.Question,
    "file": views.Views,
}
PLURAL = KINDS | {"string": "texts", "integer": "whole numbers", "number": "numbers"}


def schemas() -> dict[str, dict]:
    """JSON Schema of each kind of file, by its name in config/schemas."""
    found = {name.replace(" ", "_"): schema_of(dict[str, of]) for name, of in RECORDS.items()}
    return found | {"run": schema_of(models.Run), "views": schema_of(views.Views)}


def schema_of(kind: Any) -> dict:
    """JSON Schema of a record or of several, with the meaning of each key."""
    schema = TypeAdapter(kind).json_schema()
    for record in (schema, *schema.get("$defs", {}).values()):
        keys = record.get("properties", {})
        keys |= {key: dict(sorted(part.items())) for key, part in keys.items()}
    return schema


def table_of_keys() -> str:
    """Table of all keys in Markdown."""
    rows = ["| file | key | value | default | meaning |", "| --- | --- | --- | --- | --- |"]
    for kind, record in RECORDS.items():
        schema = schema_of(record)
        rows += [f"| {kind} | {row}" for row in _rows(_joined(schema), schema, "")]
    return "\n".join(rows)


def _joined(schema: dict) -> dict:
    """Schema with the keys of all renderers, which says those that only some of them take."""
    if "oneOf" not in schema:
        return schema
    by_render = {
        name: resolved(each, schema) for name, each in zip(RENDERS, schema["oneOf"], strict=True)
    }
    keys, required = {}, []
    for record in by_render.values():
        keys |= {key: part for key, part in record["properties"].items() if key not in keys}
    keys["render"] = keys["render"] | {"enum": list(RENDERS)}
    for key, part in keys.items():
        having = [name for name, each in by_render.items() if key in each["properties"]]
        lacking = [name for name in RENDERS if name not in having]
        some = f"not {', '.join(lacking)}" if len(lacking) < len(having) else ", ".join(having)
        meaning = part.get("description", "") + (f" (renderers: {some})" if lacking else "")
        keys[key] = part | {"description": meaning}
        required += [key] if all(key in by_render[n].get("required", ()) for n in having) else []
    return {"properties": keys, "required": required}


def table_of_views() -> str:
    """Table of the keys of views.yaml, in Markdown."""
    rows = ["| part | key | value | meaning |", "| --- | --- | --- | --- |"]
    known = set()
    for part, record in PARTS_OF_VIEWS.items():
        schema = schema_of(record)
        for key, below in schema["properties"].items():
            meaning = _cell(below.get("description", ""))
            if (key, meaning) in known:
                continue
            known.add((key, meaning))
            rows.append(f"| {part} | `{key}` | {_value(below, schema)} | {meaning} |")
            for inner in ["column", "is"] if key == "event" else ():
                meaning = _cell(schema["$defs"]["Event"]["properties"][inner]["description"])
                rows.append(f"| {part} | `event.{inner}` | a text | {meaning} |")
    return "\n".join(rows)


def table_of_preparation() -> str:
    """Table of the preprocessing of the views, in Markdown."""
    schema = schema_of(models.Preparation)
    rows = ["| key | value | meaning |", "| --- | --- | --- |"]
    for key, part in schema["properties"].items():
        rows.append(f"| `{key}` | {_value(part, schema)} | {_cell(part['description'])} |")
    return "\n".join(rows)


def _rows(part: dict, schema: dict, above: str) -> list[str]:
    rows = []
    for key, below in part.get("properties", {}).items():
        required = key in part.get("required", ())
        name = f"`{above}{key}`"
        name = f"**{name}**" if required else name
        meaning = _cell(below.get("description", resolved(below, schema).get("description", "")))
        inner = _inner(below, schema)
        default = "" if required or inner else f"`{json.dumps(below.get('default'))}`"
        rows.append(f"{name} | {_value(below, schema)} | {default} | {meaning} |")
        for suffix, record in inner:
            known = {row.partition("|")[0] for row in rows}
            found = _rows(record, schema, f"{above}{key}{suffix}.")
            rows += [row for row in found if row.partition("|")[0] not in known]
    return rows


def _inner(part: dict, schema: dict) -> list[tuple[str, dict]]:
    """Records inside a value, as pairs (text between the keys, schema)."""
    part = resolved(part, schema)
    for each in (part, *(resolved(p, schema) for p in part.get("anyOf", ()))):
        if "properties" in each:
            return [("", each)]
    items = resolved(part.get("items", {}), schema)
    records = [items, *(resolved(p, schema) for p in items.get("oneOf", ()))]
    return [("[]", record) for record in records if "properties" in record]


def _value(part: dict, schema: dict) -> str:
    """Describe the allowed values."""
    part = resolved(part, schema)
    if "anyOf" in part:
        return " or ".join(dict.fromkeys(_value(p, schema) for p in part["anyOf"]))
    if "enum" in part or "const" in part:
        return ", ".join(map(str, part.get("enum", [part.get("const")])))
    kind = part.get("type", "value")
    if isinstance(kind, list):
        return "value" if len(kind) > 2 else " or ".join(KINDS[each] for each in kind)
    if kind == "array":
        items = resolved(part.get("items", {}), schema)
        inner = items.get("type")
        return f"list of {PLURAL[inner]}" if inner in ("string", "integer", "number") else "list"
    if kind == "object":
        below = resolved(part.get("additionalProperties") or {}, schema)
        return "keys with values" if "properties" in part else f"name: {_value(below, schema)}"
    words, low, high = KINDS.get(kind, kind), part.get("minimum"), part.get("maximum")
    if "exclusiveMinimum" in part:
        return f"{words} above {part['exclusiveMinimum']:g}"
    return words + (f" from {low:g}" if low is not None else "") + (f" to {high:g}" if high else "")


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def written(folder: Path | str) -> dict[Path, str]:
    """Contents of all generated files by path, for a folder config/."""
    folder = Path(folder)
    tables = {"keys": table_of_keys(), "preparation": table_of_preparation()}
    files = {folder / "README.md": _with_tables(folder / "README.md", tables)}
    page = folder.parent / "docs" / "own_data.md"
    files[page] = _with_tables(page, {"keys": table_of_views()})
    for name, schema in schemas().items():
        files[Path(folder, "schemas", f"{name}.json")] = json.dumps(schema, indent=1) + "\n"
    return files


def _with_tables(page: Path, tables: dict[str, str]) -> str:
    """Text of a page with tables between their marks."""
    text = page.read_text(encoding="utf-8")
    for name, table in tables.items():
        marks = f"<!-- begin: {name} -->", f"<!-- end: {name} -->"
        block = f"{marks[0]}\n{table}\n{marks[1]}".replace("\\", r"\\")
        text = re.sub(f"{marks[0]}.*?{marks[1]}", block, text, flags=re.DOTALL)
    return text


def main(folder: Path | str) -> None:
    """Write all generated files."""
    for path, content in written(folder).items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(content, encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main(Path(__file__).parents[3] / "config"))
