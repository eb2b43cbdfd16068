"""What is found on a machine, and what a run cannot go on with."""

from importlib import metadata

import numpy as np
import scipy.io
from datasets.images.test_images_views import made_up
from helpers import ROOT
from own_files import cells

from mvclust.bench.verify import doctor
from mvclust.datasets.files import sha256_of
from mvclust.datasets.images.extract import six_views
from mvclust.datasets.readers import caltech101

ENTRY = {"files": {"a.csv": {}}, "sources": [{"kind": "mirror"}]}


def test_packages_are_compared_with_the_lock(tmp_path):
    lock = tmp_path / "lock"
    here = metadata.version("numpy")
    lock.write_text(f"numpy=={here} \\\n    --hash=sha256:0\nwin==1 ; sys_platform == 'win32'\n")
    assert "of the lock" in doctor.packages(lock).text
    lock.write_text("numpy==0.1 \\\nno-such-package==1\n")
    assert doctor.packages(lock).text == f"not here: no-such-package; numpy {here}, not 0.1"


def test_the_mirror_is_looked_through(tmp_path):
    catalogue = {"iris": ENTRY, "wine": ENTRY}
    assert doctor.mirror_folder(catalogue, None).good
    assert not doctor.mirror_folder(catalogue, tmp_path / "none").good
    (tmp_path / "iris").mkdir()
    (tmp_path / "iris/a.csv").touch()
    assert doctor.mirror_folder(catalogue, tmp_path).text.endswith("has iris; not wine")


def test_features_are_compared_with_the_images_where_both_are_there(tmp_path):
    contents, counts = made_up(8), dict.fromkeys(caltech101.SEVEN, 1) | {"windsor_chair": 2}
    names = [f"{name}/image_000{i + 1}.jpg" for name, n in counts.items() for i in range(n)]
    for name, content in zip(names, contents, strict=True):
        path = tmp_path / "raw" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    file = tmp_path / "objects/f.mat"
    file.parent.mkdir()
    y = np.array([1, 2, 3, 4, 5, 6, 7, 7])
    scipy.io.savemat(file, {"X": cells(*six_views(contents)), "Y": y})
    images = {name: {"n": n, "sha256": "0"} for name, n in counts.items()}
    made = {"images.tar": {"sha256": "0" * 64}}
    entry = {
        "reader": "caltech101", "n_samples": 8, "classes": counts, "default_subset": "all",
        "subsets": {"all": None}, "files": {"f.mat": {"sha256": sha256_of(file)}},
        "views": [{"name": n, "dimension": d} for n, d in caltech101.VIEWS.items()],
        "sources": [{"kind": "mirror"},
                    {"kind": "images", "folder": "raw", "images": images, "files": made}],
    }  # fmt: skip
    assert doctor.features({"objects": entry}, None) == []
    (finding,) = doctor.features({"objects": entry}, tmp_path)
    assert finding.text.startswith("objects: gabor 100.0% of the entries equal, correlation 1.0000")
    assert finding.text.count("; ") == 5
    file.unlink()
    assert doctor.features({"objects": entry}, tmp_path) == []


def test_a_host_that_does_not_answer_is_named():
    silent = {"kind": "url", "addresses": {"a.csv": "http://127.0.0.1:9/a.csv"}}
    found = doctor.sources({"iris": ENTRY | {"sources": [silent]}})
    assert found.text == "127.0.0.1:9 cannot be reached (ConnectionError)"
    assert "no address" in doctor.sources({"iris": ENTRY}).text


def test_a_profile_says_what_it_lacks(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = doctor.profiles(ROOT / "profiles")
    assert found.good
    assert "default" in found.text
    assert "the command sbatch)" in found.text
    assert not doctor.profiles(tmp_path).good


def test_a_folder_without_room_is_told(monkeypatch, tmp_path):
    assert doctor.machine(tmp_path).good
    monkeypatch.setattr(doctor, "ROOM_GB", 1e9)
    assert "are needed" in doctor.machine(tmp_path).text
    assert not doctor.machine(tmp_path).good


def test_it_ends_with_what_prevents_a_run(monkeypatch, capsys):
    monkeypatch.setattr(doctor, "sources", lambda _: doctor.Finding("sources", True, ""))
    monkeypatch.delenv("MVCLUST_MIRROR", raising=False)
    assert doctor.main(ROOT) == 0
    monkeypatch.setenv("MVCLUST_MIRROR", "/no/such/folder")
    monkeypatch.setattr(doctor, "blas", lambda: 1 / 0)
    assert doctor.main(ROOT) == 1
    lines = capsys.readouterr().out.splitlines()
    results = [line for line in lines if line[5:12] == "results"]
    assert {line[:3] for line in results} <= {"ok ", "old"}
    assert [line for line in lines if line not in results and line[:3] != "ok "] == [
        "BAD  BLAS      cannot be examined: ZeroDivisionError: division by zero",
        "BAD  mirror    /no/such/folder does not exist (MVCLUST_MIRROR)",
    ]
    committed = sorted(path.parent.name for path in ROOT.glob("results/*/manifest.json"))
    assert [line.partition(":")[0][23:] for line in results] == committed * 2
