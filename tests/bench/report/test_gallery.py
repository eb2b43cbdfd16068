"""Pages that follow from committed results: every table and figure, and what gains rest on."""

import json

import pytest
from bench.report.committed import skip_if_older
from helpers import ROOT

from docs.make_audit import audit
from docs.make_gallery import blocks

SHOWN = "paper"  # the run whose page is committed
RUNS = [ROOT / "results" / name for name in ("default", SHOWN)]


@pytest.mark.parametrize("folder", RUNS, ids=lambda folder: folder.name)
def test_each_entry_has_what_there_is(folder):
    skip_if_older(folder.name)
    parts = blocks(folder)
    page = "\n".join(parts.values())
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["commit"][:12] in page
    for name in manifest["config"]["experiments"]:
        if (folder / "figures" / f"{name}.svg").exists():
            assert f"(../results/{folder.name}/figures/{name}.svg)" in page
        assert f"(../results/{folder.name}/tables/{name}.md)" in page
    entries = f"\n{parts['entries']}".split("\n### ")[1:]
    assert len(entries) == len(manifest["config"]["experiments"]) + 2
    assert all("*Here:* " in entry for entry in entries[:-2] if "figures/" in entry)
    assert "nan" not in page
    if folder.name == SHOWN:
        is_in_page("gallery", parts)


def test_the_page_of_gains_follows_from_the_committed_run():
    is_in_page("audit", audit()[0])


def is_in_page(page, parts):
    committed = (ROOT / f"docs/{page}.md").read_text()
    for name, text in parts.items():
        assert f"<!-- begin: {name} -->\n{text}\n<!-- end: {name} -->" in committed
