"""The files for those who join, cite or release: well formed, and in agreement with the code."""

import json
import re
import tomllib

import pytest
import yaml
from helpers import ROOT, pages_of_docs, references_of

import mvclust

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
ZENODO = json.loads((ROOT / ".zenodo.json").read_text())
CODEMETA = json.loads((ROOT / "codemeta.json").read_text())
REUSE = tomllib.loads((ROOT / "REUSE.toml").read_text())["annotations"]
JOBS = yaml.safe_load((ROOT / ".github/workflows/ci.yml").read_text())["jobs"]
PAPER = (ROOT / "paper.md").read_text()
FORMS = sorted((ROOT / ".github/ISSUE_TEMPLATE").glob("*.yml"))
# Where a placeholder may be.
TEXTS = [ROOT / name for name in ("CITATION.cff", ".zenodo.json", "paper.bib", "pyproject.toml")]
TEXTS += [*(ROOT / ".github").rglob("*.[my]*"), *pages_of_docs(), *sorted(ROOT.glob("*.md"))]

ESTIMATORS = [getattr(mvclust, name) for name in sorted(mvclust.__all__) if name[0].isupper()]


def plain(title):
    """A title without braces, breaks and case."""
    return " ".join(re.sub(r"[{}]", "", title).lower().split())


def read_bib(text):
    """Key -> fields of each entry, with "type"."""
    entries = {}
    for kind, key, body in re.findall(r"^@(\w+)\{(\w+),\n(.*?)^\}", text, re.MULTILINE | re.DOTALL):
        fields = dict(re.findall(r"^  (\w+) = \{(.*)\},?$", body, re.MULTILINE))
        assert len(fields) == body.count("\n"), f"{key}: one field per line"
        assert key not in entries, f"{key} is there twice"
        entries[key] = fields | {"type": kind}
    assert len(entries) == text.count("@")
    return entries


BIB = read_bib((ROOT / "paper.bib").read_text())
DOI = r"10\.\d{4,9}/[^\s{}\"<>]*[^\s{}\"<>.,;]"  # without an address before it or a stop behind it
BY_TITLE = {plain(entry["title"]): entry for entry in BIB.values()}


def parts_of(reference):
    """Family name of the first author, title, year, and DOI or None."""
    author, title, where = re.fullmatch(r'([^"]*)"(.*?),?"(.*)', reference).groups()
    family = re.match(r"(?:\w+\.[ -]?(?:-\w\.)?)*\s*([\w-]+)", author)[1]
    doi = re.search(r"10\.\d{4,9}/\S*[^\s.,)]", where)
    year = re.findall(r"\b(?:19|20)\d\d\b", where.partition("10.")[0])[-1]
    return family, title, year, doi and doi[0]


def test_what_is_cited_agrees_and_all_files_have_a_licence():
    assert {"cff-version", "message", "title", "authors", "abstract"} <= CITATION.keys()
    assert CITATION["license"] == ZENODO["license"] == PROJECT["license"]
    assert CITATION["title"] == ZENODO["title"] == CODEMETA["name"]
    assert CITATION["version"] == CODEMETA["version"] == ZENODO["version"] == mvclust.__version__
    assert f"\n## {mvclust.__version__}" in (ROOT / "CHANGELOG.md").read_text()
    assert CODEMETA["license"].endswith(f"/{CITATION['license']}")
    assert CODEMETA["description"] == " ".join(CITATION["abstract"].split())
    assert CITATION["keywords"] == ZENODO["keywords"] == PROJECT["keywords"] == CODEMETA["keywords"]
    assert ZENODO["upload_type"] == CITATION["type"] == "software"
    names = [
        [author["name"] for author in where] for where in (CITATION["authors"], ZENODO["creators"])
    ]
    assert names == [[author["name"] for author in PROJECT["authors"]]] * 2
    everything, data = REUSE
    assert everything["SPDX-License-Identifier"] == PROJECT["license"]
    assert list(ROOT.glob(data["path"]))
    assert data["SPDX-License-Identifier"] == "CC-BY-4.0"


def test_the_bibliography_is_complete_and_has_the_papers_with_experiments():
    for key, entry in BIB.items():
        place = "booktitle" if entry["type"] == "inproceedings" else "journal"
        assert {"author", "title", "year", place} <= entry.keys(), key
        assert re.fullmatch(DOI, entry.get("doi", "10.1000/none")), key
    assert len(BY_TITLE) == len(BIB)
    papers = {path.stem for path in (ROOT / "config/experiments").glob("*.yaml")}
    reproduced = {plain(BIB[name]["title"]) for name in papers & BIB.keys()}
    assert CITATION["references"]
    assert {plain(entry["title"]) for entry in CITATION["references"]} <= reproduced
    for entry in CITATION["references"]:
        same = BY_TITLE[plain(entry["title"])]
        authors = [f"{a['family-names']}, {a['given-names']}" for a in entry["authors"]]
        assert " and ".join(authors) == same["author"]
        assert str(entry["year"]) == same["year"]
        assert entry["conference"]["name"] == same["booktitle"]
        assert entry.get("doi") == same.get("doi")


@pytest.mark.parametrize("estimator", ESTIMATORS, ids=lambda e: e.__name__)
def test_references_of_docstrings_are_in_the_bibliography(estimator):
    references = references_of(estimator)
    assert references or estimator.__name__ in ("ConcatKMeans", "ConcatSpectral")
    for family, title, year, doi in map(parts_of, references):
        entry = BY_TITLE[plain(title)]
        assert entry["author"].startswith(f"{family}, ")
        assert entry["year"] == year
        assert doi is None or entry.get("doi") == doi


def test_the_paper_cites_the_bibliography():
    cited = set(re.findall(r"@(\w+)", PAPER))
    assert cited == BIB.keys()
    head = yaml.safe_load(PAPER.split("---\n")[1])
    assert {"title", "tags", "authors", "affiliations", "date", "bibliography"} <= head.keys()
    assert (ROOT / head["bibliography"]).is_file()
    assert "# Summary\n" in PAPER
    assert "# Statement of need\n" in PAPER
    estimators = {estimator.__name__.lower() for estimator in ESTIMATORS}
    assert {"daimc", "ueaf", "pvc"} <= estimators & cited


def test_versions_of_python_agree_and_dependencies_have_a_lower_bound():
    listed = re.findall(r"Python :: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    minors = [int(version.partition(".")[2]) for version in listed]
    assert minors == list(range(minors[0], minors[-1] + 1))
    assert JOBS["locked"]["strategy"]["matrix"]["python"] == listed
    assert PROJECT["requires-python"] == f">={listed[0]}"

    def python_of(job):
        (version,) = (s["with"]["python-version"] for s in JOBS[job]["steps"] if "with" in s)
        return version

    assert python_of("lowest") == python_of("workflow") == listed[0]
    assert python_of("newest") == listed[-1]
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    for line in (line for group in groups for line in group):
        assert line.startswith("mvclust[") or re.search(r"[>=]=\d", line), line


def test_the_workflow_is_as_the_catalog_of_snakemake_asks():
    catalog = yaml.safe_load((ROOT / ".snakemake-workflow-catalog.yml").read_text())["usage"]
    assert catalog["report"] is True
    assert isinstance(catalog["mandatory-flags"]["desc"], str)
    assert set(catalog["software-stack-deployment"]) == {"conda", "apptainer", "apptainer+conda"}
    for name in ("workflow/Snakefile", "workflow/report/workflow.rst", "config/README.md"):
        assert (ROOT / name).is_file()
    test, smoke = (
        yaml.safe_load((ROOT / name).read_text())
        for name in (".test/config/config.yaml", "config/runs/smoke.yaml")
    )
    assert test == smoke


@pytest.mark.parametrize("path", FORMS, ids=lambda path: path.stem)
def test_issue_forms_have_what_github_asks_for(path):
    form = yaml.safe_load(path.read_text())
    assert all(isinstance(form[key], str) for key in ("name", "description", "title"))
    ids = [item["id"] for item in form["body"]]
    assert len(ids) == len(set(ids))
    for item in form["body"]:
        assert item["type"] in ("input", "textarea", "dropdown", "checkboxes")
        assert isinstance(item["attributes"]["label"], str)
    assert any(item.get("validations", {}).get("required") for item in form["body"])


def test_placeholders_are_those_listed():
    table = (ROOT / "docs/releasing.md").read_text()
    listed = re.findall(r"^\| `(<[A-Z ]+>)` \| \[.*?\]\(\.\./(.*?)\)", table, re.MULTILINE)
    found = {
        (name, path.relative_to(ROOT).as_posix())
        for path in TEXTS
        if path.name != "releasing.md"
        for name in re.findall(r"<[A-Z][A-Z ]*[A-Z]>", path.read_text())
    }
    assert len(listed) == len(set(listed))
    assert set(listed) == found
