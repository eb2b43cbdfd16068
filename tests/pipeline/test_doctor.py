"""What is found on a machine, and what a run cannot go on with."""

from importlib import metadata

from helpers import ROOT

from mvclust.pipeline import doctor

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
    assert doctor.main(ROOT) == 1
    lines = capsys.readouterr().out.splitlines()
    assert [line[:3] for line in lines] == ["ok "] * 9 + ["BAD"] + ["ok "] * 2
