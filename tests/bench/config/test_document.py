"""The tables of keys and the schemas are those that the records give."""

import re

import pytest
from helpers import ROOT

from mvclust.bench.config.document import RECORDS, schemas, written
from mvclust.bench.config.experiments import RENDERS
from mvclust.bench.config.models import Preparation
from mvclust.bench.config.protocols import PREPARATION
from mvclust.bench.config.published import COLUMNS

README = (ROOT / "config/README.md").read_text(encoding="utf-8")


def test_the_committed_pages_are_made_from_the_records():
    """If this fails: python -m mvclust.bench.config.document"""
    for path, content in written(ROOT / "config").items():
        assert path.read_text(encoding="utf-8") == content, path.name
    names = {path.stem for path in (ROOT / "config/schemas").iterdir()}
    assert names == set(schemas())


@pytest.mark.parametrize("kind", RECORDS)
def test_every_key_has_a_meaning(kind):
    rows = re.findall(rf"^\| {kind} \|.*$", README, re.MULTILINE)
    assert rows
    assert all(len(row.split("|")[-2].strip()) > 4 for row in rows)
    keys = {re.search(r"`([^`]+)`", row)[1] for row in rows}
    records = RENDERS.values() if kind == "experiment" else [RECORDS[kind]]
    assert {key for record in records for key in record.model_fields} <= keys


def test_preprocessing_and_published_columns_are_explained():
    assert set(PREPARATION) == set(Preparation.model_fields)
    published = README[README.index("## Published numbers") :]
    assert set(re.findall(r"`(\w+)`", published)) == set(COLUMNS)
