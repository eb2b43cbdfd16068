"""config/README.md lists every key of the schemas, and no other."""

import json
import re

import pytest
from helpers import ROOT

from mvclust.pipeline.plan.allowed import PREPARATION
from mvclust.pipeline.plan.check_published import COLUMNS

README = (ROOT / "config/README.md").read_text(encoding="utf-8")
FILES = {"run": "run", "experiment": "experiments", "method": "methods", "data set": "datasets"}
FILES |= {"reading": "readings"}


def keys_of(schema, root, prefix=""):
    """Every key of a schema -> whether it is required."""
    if "$ref" in schema:
        schema = root["$defs"][schema["$ref"].rpartition("/")[2]]
    keys = {}
    for name, below in schema.get("properties", {}).items():
        keys[prefix + name] = name in schema.get("required", [])
        keys |= keys_of(below, root, f"{prefix}{name}.")
    items = schema.get("items", {})
    return keys | (keys_of(items, root, f"{prefix.removesuffix('.')}[].") if items else {})


def listed(kind):
    """The keys of one kind of file in the table -> whether they are bold."""
    rows = re.findall(rf"^\| {kind} \| (\**)`([^`]+)`\** \|", README, re.MULTILINE)
    return {key: bool(bold) for bold, key in rows}


@pytest.mark.parametrize(("kind", "file"), FILES.items())
def test_every_key_is_in_the_table(kind, file):
    schema = json.loads((ROOT / f"workflow/schemas/{file}.schema.json").read_text())
    entry = schema if kind == "run" else schema["additionalProperties"]
    keys = keys_of(entry, schema)
    assert set(listed(kind)) == set(keys)
    if kind != "run":  # the default run gives what another leaves out
        assert listed(kind) == keys


def test_preprocessing_and_published_columns_are_explained():
    rows = re.findall(r"^\| `(\w+)` \|", README, re.MULTILINE)
    assert sorted(rows) == sorted(PREPARATION)
    published = README[README.index("## Published numbers") :]
    assert set(re.findall(r"`(\w+)`", published)) == set(COLUMNS)
