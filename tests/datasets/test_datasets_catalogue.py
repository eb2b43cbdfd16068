"""The catalogue: complete, consistent with the mirror's table of sources and with the papers."""

import csv
import re

import pytest

from mvclust.datasets import list_datasets, load_catalogue, load_dataset
from mvclust.datasets.catalogue import REBUILT, canonical_file_name, find_subset
from mvclust.datasets.images.packing import image_names

CATALOGUE = load_catalogue()
NAMES = list_datasets()


@pytest.mark.parametrize("name", NAMES)
def test_entry_is_complete_and_every_file_has_a_checksum_and_a_source(name):
    entry = CATALOGUE[name]
    for key in ("title", "publisher", "licence", "citation"):
        assert isinstance(entry[key], str)
        assert entry[key]
    assert entry["default_subset"] in entry["subsets"]
    for subset in entry["subsets"]:
        _, facts = find_subset(name, entry, subset)
        sizes = facts["classes"].values()
        assert None in sizes or sum(sizes) == facts["n_samples"]
        view_names = [view["name"] for view in facts["views"]]
        assert len(set(view_names)) == len(view_names) > 1
        assert {view["kind"] for view in facts["views"]} <= {"counts", "tf-idf", "real", "links"}
    assert all(isinstance(note, str) for note in entry["notes"])
    included = entry["sources"][0]["kind"] == "included"
    assert entry["sources"][included]["kind"] == "mirror"
    offered = set()
    for source in entry["sources"]:
        offered |= source.get("addresses", {}).keys()
        assert source["kind"] in ("included", "mirror", "url", "images", "archive")
        if source["kind"] in ("images", "archive"):
            (packed,) = source["files"].values()
            assert packed["note"] == REBUILT
            assert sum(folder["n"] for folder in source["images"].values()) == entry["n_samples"]
        for address in source.get("addresses", {}).values():
            # A branch would change under our feet; a commit does not.
            assert "github" not in address or re.search(r"/[0-9a-f]{7,40}/", address)
    known = dict(entry["files"])
    for source in entry["sources"]:
        known |= source.get("files", {})
    by_hand = {"miniACC.RData"}  # in a package of Debian
    assert offered == set(known) - by_hand
    for expected in known.values():
        for version in expected.get("accepted", [expected]):
            if "sha256" in version:
                assert re.fullmatch("[0-9a-f]{64}", version["sha256"])
                assert version["bytes"] > 0
            else:
                assert re.fullmatch("[0-9a-f]{40}", version["git_blob"])


def test_agrees_with_the_table_of_sources(mirror):
    """The checksum, size and address of every file of the mirror, if its data set has an entry."""
    found = {}
    with open(mirror / "SOURCES.tsv", encoding="utf-8", newline="") as file:
        for row in csv.DictReader(file, delimiter="\t"):
            if row["dataset"] not in CATALOGUE:
                continue
            entry = CATALOGUE[row["dataset"]]
            expected = {"sha256": row["sha256"], "bytes": int(row["bytes"])}
            assert entry["files"][row["file"]] == expected
            address = "https://raw.githubusercontent.com/{github_repo}/{commit}/{path_in_repo}"
            addresses = next(s["addresses"] for s in entry["sources"] if "addresses" in s)
            assert addresses[row["file"]] == address.format(**row)
            found.setdefault(row["dataset"], set()).add(row["file"])
    assert found == {name: set(CATALOGUE[name]["files"]) for name in found}
    assert {name for name in NAMES if (mirror / name).is_dir()} <= found.keys() | {"omics"}


@pytest.mark.parametrize("folder", ["caltech101-raw", "flowers17-raw", "omics"])
def test_agrees_with_the_lists_of_checksums(mirror, folder):
    """Images are known by one checksum per folder, the other files each by its own."""
    path = mirror / folder / "SHA256SUMS"
    if not path.exists():
        pytest.skip(f"the mirror has no folder {folder}")
    listed = {name: digest for digest, name in map(str.split, path.read_text().splitlines())}
    for name in NAMES:
        for source in CATALOGUE[name]["sources"]:
            within = source.get("folder", "").partition("/")
            if within[0] != folder:
                continue
            if source["kind"] == "images":
                images = {f"{within[2]}/{image}" for image in image_names(source["images"])}
                assert images <= set(listed)
            else:
                for file, known in CATALOGUE[name]["files"].items():
                    assert listed["/".join(filter(None, [within[2], file]))] == known["sha256"]


def test_nearest_names_and_file_names():
    with pytest.raises(ValueError, match=r"version of the data set buaa '1350x2'.*'1350'\?"):
        load_dataset("buaa", subset="1350x2")
    assert canonical_file_name("buaa", CATALOGUE["buaa"]) == "buaa.h5"
    assert canonical_file_name("buaa", CATALOGUE["buaa"], "90") == "buaa.h5"
    assert canonical_file_name("buaa", CATALOGUE["buaa"], 1350) == "buaa-1350.h5"


def test_disagreements_are_told():
    """The catalogue differs from the papers' numbers in one place, and its notes tell all."""
    differing = []
    for name, entry in CATALOGUE.items():
        for said in entry["paper_says"]:
            _, facts = find_subset(name, entry, said.get("subset"))
            dimensions = {view["name"]: view["dimension"] for view in facts["views"]}
            views = said.get("views", list(dimensions))
            ours = {
                "n_samples": facts["n_samples"],
                "n_views": len(views),
                "n_clusters": len(facts["classes"]),
                "dimensions": [dimensions[view] for view in views],
            }
            differing += [(said["paper"], name, k) for k in ours if said.get(k, ours[k]) != ours[k]]
    assert differing == [("cmvnmf", "wikipedia", "n_samples")]
    assert "2800" in CATALOGUE["wikipedia"]["notes"][0]
