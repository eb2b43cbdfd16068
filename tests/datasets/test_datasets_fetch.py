"""Fetching: every way in which a source can fail, and that nothing wrong is ever left behind."""

import contextlib
import errno
import hashlib
import http.server
import io
import json
import lzma
import os
import re
import subprocess
import sys
import tarfile
import threading
import time
import zipfile
from functools import partial
from pathlib import Path

import pytest
from helpers import ROOT

from mvclust.datasets import BadMirror, DataNotAvailable, fetch_dataset
from mvclust.datasets import fetch as fetch_module
from mvclust.datasets.images.packing import pack

CONTENTS = {"one.txt": b"1 2 3\n" * 50, "two.txt": b"4 5 6\n" * 70}


def known(content):
    """What a catalogue knows of a file."""
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}


@pytest.fixture
def small():
    """A catalogue with one data set of two files; the tests add its sources."""
    files = {name: known(content) for name, content in CONTENTS.items()}
    return {"small": {"files": files, "sources": [], "publisher": "Example Press"}}


class Server(http.server.ThreadingHTTPServer):
    """A web server on this machine; `pages` maps a path to a function that answers."""

    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.pages, self.asked = {}, []
        self.over = threading.Event()

    def serve(self, **contents):
        """Serve contents under /<name>, with "_" for "."; return the source for a catalogue."""
        for name, content in contents.items():
            self.pages[f"/{name.replace('_', '.')}"] = send(content)
        return {"kind": "url", "addresses": {f: f"{self.address}/{f}" for f in CONTENTS}}

    @property
    def address(self):
        return f"http://127.0.0.1:{self.server_port}"


class Answer(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.asked.append(self.path)
        # The client may have given up, as some tests want.
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            self.server.pages.get(self.path, fail)(self)

    def log_message(self, *parts):
        pass


def send(content, length=None, pause=None):
    """Answer with a content, maybe announcing more than comes, or waiting in its middle."""

    def answer(request):
        request.send_response(200)
        request.send_header("Content-Length", str(length or len(content)))
        request.end_headers()
        request.wfile.write(content[:50])
        if pause:
            request.wfile.flush()
            pause()
        request.wfile.write(content[50:])

    return answer


def fail(request):
    request.send_error(404)


def redirect(address):
    def answer(request):
        request.send_response(302)
        request.send_header("Location", address)
        request.end_headers()

    return answer


def hang(request):
    """Take the request and say nothing until the test is over."""
    request.server.over.wait(30)


def drip(request):
    """Send one byte now and then, so that no single wait is long."""
    request.send_response(200)
    request.send_header("Content-Length", "10000")
    request.end_headers()
    for _ in range(100):
        request.wfile.write(b".")
        if request.server.over.wait(0.05):
            return


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.over.set()
        server.shutdown()


ONE, TWO = CONTENTS["one.txt"], CONTENTS["two.txt"]
SHORT = (1, 1)  # seconds to wait for a server


def fill(folder, contents=CONTENTS):
    folder.mkdir(parents=True)
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder.parent


def names(folder):
    """All names in a folder, also those that start with a dot."""
    return sorted(path.name for path in folder.iterdir())


def is_whole(folder):
    return names(folder) == ["one.txt", "source.json", "two.txt"] and all(
        (folder / name).read_bytes() == content for name, content in CONTENTS.items()
    )


@pytest.fixture
def fetch(small, tmp_path):
    """Fetch the small data set from sources, or again from the same, into a folder of the test."""

    def fetch(*sources, to="raw", mirror=None, **how):
        if sources:
            small["small"]["sources"] = list(sources)
        return fetch_dataset("small", tmp_path / to, mirror, small, **how)

    return fetch


MIRROR = {"kind": "mirror"}


def test_mirror(fetch, tmp_path, monkeypatch):
    mirror = fill(tmp_path / "mirror" / "small")
    assert fetch(MIRROR, mirror=mirror) == "mirror folder"
    assert is_whole(tmp_path / "raw")
    monkeypatch.setenv("MVCLUST_MIRROR", str(mirror))
    assert fetch(to="by_variable") == "mirror folder"
    assert is_whole(tmp_path / "by_variable")
    written = json.loads((tmp_path / "raw" / "source.json").read_text())
    assert (written["source"], written["set"]) == ("mirror folder", 0)
    assert written["files"] == [{"name": n} | known(CONTENTS[n]) for n in CONTENTS]
    assert str(tmp_path) not in json.dumps(written)


@pytest.mark.parametrize("progress", [False, True])
def test_addresses_are_asked_once_with_a_progress_bar_where_it_is_wanted(
    progress, fetch, tmp_path, server, capsys
):
    source = server.serve(one_txt=ONE, two_txt=TWO)
    assert fetch(source, progress=progress) == "public URL"
    assert is_whole(tmp_path / "raw")
    captured = capsys.readouterr()
    assert captured.out == ""
    assert ("one.txt" in captured.err) == progress
    before = (tmp_path / "raw" / "source.json").stat().st_mtime_ns
    assert fetch() == "public URL"
    assert len(server.asked) == 2
    assert (tmp_path / "raw" / "source.json").stat().st_mtime_ns == before


def test_address_beyond_ascii_and_redirect(fetch, tmp_path, server):
    server.serve(one_txt=ONE)
    server.pages["/%E5%A4%9A%20x/two.txt"] = send(TWO)
    server.pages["/moved"] = redirect("/one.txt")
    addresses = {"one.txt": f"{server.address}/moved", "two.txt": f"{server.address}/多 x/two.txt"}
    fetch({"kind": "url", "addresses": addresses})
    assert is_whole(tmp_path / "raw")


HTML = b"<!DOCTYPE html><html><body>Please log in</body></html>" + b" " * 400
BAD = {
    "wrong byte": (send(b"9" + TWO[1:]), r"two.txt: wrong content: the checksum differs"),
    "truncated": (send(TWO[:100]), r"two.txt: truncated: 100 of 420 bytes"),
    "broken off": (send(TWO[:100], len(TWO)), r"two.txt: the connection broke off"),
    "too long": (send(TWO + b"x"), r"two.txt: more than the expected 420 bytes"),
    "HTML": (send(HTML[:300]), r"two.txt: an HTML page instead of the data"),
    "pointer": (
        send(b"version https://git-lfs.github.com/spec/v1\noid sha256:00\n"),
        r"two.txt: a pointer to a file in Git LFS instead of the data",
    ),
    "missing": (None, r"two.txt: HTTP 404"),
    "in circles": (redirect("/two.txt"), r"two.txt: Exceeded \d+ redirects"),
    "hanging": (hang, r"two.txt: no answer within 1 s"),
}


@pytest.mark.parametrize("how", BAD)
def test_bad_answer(how, fetch, tmp_path, server):
    """The reason is told, nothing wrong stays, the next source is tried, a second run heals."""
    answer, reason = BAD[how]
    source, raw = server.serve(one_txt=ONE), tmp_path / "raw"
    if answer:
        server.pages["/two.txt"] = answer
    with pytest.raises(DataNotAvailable, match=reason) as caught:
        fetch(source, timeout=SHORT)
    message = str(caught.value)
    for part in ("data set small", "Example Press", str(raw)):
        assert part in message
    assert all(known(content)["sha256"] in message for content in CONTENTS.values())
    assert names(raw) == ["one.txt"]

    mirror = fill(tmp_path / "mirror" / "small")
    words = fetch(source, MIRROR, to="other", mirror=mirror, timeout=SHORT)
    assert words == "public URL and mirror folder"
    assert is_whole(tmp_path / "other")

    server.serve(two_txt=TWO)
    asked = len(server.asked)
    fetch(source)
    assert server.asked[asked:] == ["/two.txt"]  # what was right is not fetched again
    assert is_whole(raw)


def test_a_host_that_drips_or_is_silent_or_gone_is_given_up(fetch, tmp_path, server, monkeypatch):
    source = server.serve()
    server.pages |= {"/one.txt": hang, "/two.txt": hang}
    with pytest.raises(DataNotAvailable):
        fetch(source, timeout=(1, 0.2))
    assert server.asked == ["/one.txt"]  # it is not asked for every file
    server.serve(one_txt=ONE)
    server.pages["/two.txt"] = drip
    monkeypatch.setattr(fetch_module, "PATIENCE", 0.3)
    start = time.monotonic()
    with pytest.raises(DataNotAvailable, match=r"two.txt: not finished within 0 s"):
        fetch(timeout=SHORT)
    assert time.monotonic() - start < 5
    assert names(tmp_path / "raw") == ["one.txt"]
    server.server_close()
    with pytest.raises(DataNotAvailable, match="cannot be reached"):
        fetch(to="other", timeout=SHORT)


def test_mirrors_that_are_none_or_lack_files_and_unknown_names(
    fetch, small, tmp_path, server, capsys
):
    with pytest.raises(DataNotAvailable, match=r"none is set .*MVCLUST_MIRROR"):
        fetch(MIRROR)
    with pytest.raises(DataNotAvailable, match=r"small/one.txt: No such file"):
        fetch(mirror=tmp_path)
    with pytest.raises(ValueError, match="bad_mirror='ignore' is unknown; expected 'stop' or 'wa"):
        fetch(bad_mirror="ignore")
    with pytest.raises(ValueError, match=r"Unknown data set 'smal'. Did you mean 'small'\?"):
        fetch_dataset("smal", tmp_path, catalogue=small)
    # A mirror without the data set is no error.
    assert fetch(MIRROR, server.serve(one_txt=ONE, two_txt=TWO), mirror=tmp_path) == "public URL"
    mirror = fill(tmp_path / "mirror" / "small", {"one.txt": ONE})
    assert fetch(to="other", mirror=mirror) == "mirror folder and public URL"
    assert capsys.readouterr().err == ""


@pytest.mark.fault("a pipe, a folder or a device in the mirror")
@pytest.mark.parametrize("kind", ["pipe", "folder", "link to a device"])
def test_what_is_no_file_in_the_mirror_is_not_read(kind, fetch, tmp_path):
    mirror = fill(tmp_path / "mirror" / "small")
    path = mirror / "small/one.txt"
    path.unlink()
    {"pipe": os.mkfifo, "folder": os.mkdir}.get(kind, partial(os.symlink, "/dev/zero"))(path)
    with pytest.raises(DataNotAvailable, match=r"small/one.txt: it is no regular file"):
        fetch(MIRROR, mirror=mirror)


@pytest.mark.parametrize("by_variable", [False, True])
def test_mirror_that_does_not_exist(by_variable, fetch, tmp_path, server, monkeypatch, capsys):
    """It stops the fetch, even if it is not needed; with "warn" the next source is used."""
    sources, nowhere = [MIRROR, server.serve(one_txt=ONE, two_txt=TWO)], tmp_path / "nowhere"
    if by_variable:
        monkeypatch.setenv("MVCLUST_MIRROR", str(nowhere))
    mirror, namer = (None, "MVCLUST_MIRROR") if by_variable else (nowhere, "the argument mirror")
    for _ in range(2):
        with pytest.raises(BadMirror, match=f"mirror folder {nowhere}, which .*{namer} names, do"):
            fetch(*sources, mirror=mirror)
        assert fetch(mirror=mirror, bad_mirror="warn") == "public URL"
        assert f"mvclust: warning: The mirror folder {nowhere}" in capsys.readouterr().err
    assert issubclass(BadMirror, DataNotAvailable)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"2" + ONE[1:], "wrong content: the checksum differs"),
        (ONE[:100], "truncated: 100 of 300 bytes"),
        (b"", "truncated: 0 of 300 bytes"),
        (ONE + b"x", "wrong size: 301 bytes, expected 300"),
    ],
)
def test_damaged_file_in_the_mirror(content, reason, fetch, tmp_path, server, capsys):
    mirror = fill(tmp_path / "mirror" / "small", CONTENTS | {"one.txt": content})
    raw = tmp_path / "raw"
    with pytest.raises(BadMirror) as caught:
        fetch(MIRROR, server.serve(one_txt=ONE), mirror=mirror)
    message = str(caught.value)
    sha256 = known(ONE)["sha256"]
    assert f"mirror folder {mirror} holds damaged files of the data set small" in message
    assert f"small/one.txt: {reason} (expected: 300 bytes, sha256 {sha256})" in message
    assert "two.txt" not in message
    assert "Copy them again" in message
    assert names(raw) == server.asked == []

    words = fetch(mirror=mirror, bad_mirror="warn")
    assert words == "public URL and mirror folder"
    assert is_whole(raw)
    error = capsys.readouterr().err
    assert "mvclust: warning: The mirror folder" in error
    assert reason in error
    # What is in place is not needed from the mirror.
    assert fetch(mirror=mirror) == words
    with pytest.raises(DataNotAvailable, match=r"mirror folder: small/one.txt: ") as caught:
        fetch(MIRROR, to="alone", mirror=mirror, bad_mirror="warn")
    assert not isinstance(caught.value, BadMirror)
    assert names(tmp_path / "alone") == ["two.txt"]


@pytest.mark.parametrize("record", [None, "", "[]", "{}", "\udcff"])
def test_files_put_there_by_hand(record, fetch, tmp_path):
    raw = fill(tmp_path / "raw") / "raw"
    if record is not None:  # that of an earlier fetch, damaged
        (raw / "source.json").write_text(record, errors="surrogateescape")
    assert fetch() == "files already in place"
    assert is_whole(raw)
    assert read_set(raw) == 0


def test_wrong_file_is_replaced_only_by_a_right_one(fetch, tmp_path, server, capsys):
    raw = tmp_path / "raw"
    fill(raw, CONTENTS | {"two.txt": b"my own"})
    wrong = "truncated: 6 of 420 bytes"
    with pytest.raises(DataNotAvailable, match=f"already in place: two.txt: {wrong}"):
        fetch(server.serve(one_txt=ONE))
    assert (raw / "two.txt").read_bytes() == b"my own"
    assert capsys.readouterr().err == ""
    server.serve(two_txt=TWO)
    fetch()
    assert is_whole(raw)
    line = f"mvclust: {raw}/two.txt has a wrong checksum ({wrong}); fetched again.\n"
    assert capsys.readouterr().err == line


ROUNDED = b"1 2\n" * 60


@pytest.fixture
def two_sets(small, server):
    """The preferred files from a mirror or an address that is down, a rounded one from another."""
    preferred = server.serve()
    server.pages["/rounded.csv"] = send(ROUNDED)
    rounded = {
        "kind": "url",
        "files": {"rounded.csv": known(ROUNDED) | {"note": "values rounded"}},
        "addresses": {"rounded.csv": f"{server.address}/rounded.csv"},
    }
    small["small"]["sources"] = [MIRROR, preferred, rounded]


def read_set(folder):
    return json.loads((folder / "source.json").read_text())["set"]


@pytest.mark.usefixtures("two_sets")
def test_rounded_files_are_used_with_a_notice(fetch, small, tmp_path, capsys):
    """The words, the record and a line on stderr with all reasons say it."""
    assert fetch() == "public URL (values rounded)"
    assert read_set(tmp_path / "raw") == 1
    error = capsys.readouterr().err
    assert "small: the preferred files are not available; using public URL (values rou" in error
    assert "one.txt: HTTP 404" in error
    del small["small"]["sources"][2]["files"]["rounded.csv"]["note"]
    assert fetch(to="other") == "public URL (alternative files)"


@pytest.mark.usefixtures("two_sets")
def test_better_source_replaces_a_worse_one(fetch, tmp_path, server):
    fetch()
    asked = len(server.asked)
    (tmp_path / "empty").mkdir()
    for mirror in (None, tmp_path / "empty"):  # nothing better is in sight, so nobody is asked
        assert fetch(mirror=mirror) == "public URL (values rounded)"
    assert len(server.asked) == asked
    mirror = fill(tmp_path / "mirror" / "small")
    assert fetch(mirror=mirror) == "mirror folder"
    assert read_set(tmp_path / "raw") == 0
    assert fetch() == fetch(to="new", mirror=mirror) == "mirror folder"
    assert is_whole(tmp_path / "new")  # and nothing worse is fetched beside it


@pytest.mark.usefixtures("two_sets")
def test_worse_files_stay_when_the_better_source_fails_and_damage_stops(
    fetch, tmp_path, server, capsys
):
    """One of the two preferred files is damaged, then missing, and comes from an address last."""
    fetch()
    mirror = fill(tmp_path / "mirror" / "small", CONTENTS | {"two.txt": TWO[:7]})
    with pytest.raises(BadMirror, match=r"two.txt: truncated: 7 of 420"):
        fetch(mirror=mirror)
    assert fetch(mirror=mirror, bad_mirror="warn") == "public URL (values rounded)"
    (mirror / "small" / "two.txt").unlink()
    assert fetch(mirror=mirror) == "public URL (values rounded)"
    assert read_set(tmp_path / "raw") == 1
    server.serve(two_txt=TWO)
    assert fetch() == "public URL"
    assert read_set(tmp_path / "raw") == 0
    # A damaged preferred file does not fall back in silence.
    (tmp_path / "raw" / "two.txt").write_bytes(TWO[:7])
    server.pages.clear()
    capsys.readouterr()
    assert fetch() == "files already in place (values rounded)"
    error = capsys.readouterr().err
    assert "the preferred files are not available" in error
    assert "two.txt: truncated: 7 of 420 bytes" in error


def test_several_known_copies(fetch, small, server):
    """A copy may be known by its git id only; the source says which one it was."""
    accepted = [
        {"sha256": "0" * 64, "bytes": len(ONE), "note": "copy of A"},
        {"git_blob": hashlib.sha1(b"blob 300\0" + ONE).hexdigest(), "note": "copy of B"},
    ]
    small["small"]["files"] = {"one.txt": {"accepted": accepted}}
    server.serve(one_txt=ONE)
    addresses = {"one.txt": f"{server.address}/one.txt"}
    assert fetch({"kind": "url", "addresses": addresses}) == "public URL (copy of B)"
    server.serve(one_txt=TWO)
    with pytest.raises(DataNotAvailable, match=r"wrong content") as caught:
        fetch(to="other")
    assert re.search(r"one.txt \(300 bytes, sha256 0+; or git blob \w{40}\)", str(caught.value))


def test_files_that_come_with_the_package(fetch, tmp_path, monkeypatch):
    """The default data are had without network; damaged ones are named."""
    for name, content in CONTENTS.items():
        packed = tmp_path / "included" / "small" / f"{name}.xz"
        packed.parent.mkdir(parents=True, exist_ok=True)
        packed.write_bytes(lzma.compress(content))
    monkeypatch.setattr(fetch_module, "INCLUDED", tmp_path / "included")
    assert fetch({"kind": "included"}) == "repository"
    assert is_whole(tmp_path / "raw")
    packed.write_bytes(packed.read_bytes()[:-9])
    with pytest.raises(DataNotAvailable, match=rf"repository: {name}.xz: "):
        fetch(to="other")


def test_folder_that_is_read_only_or_full_or_a_file(fetch, tmp_path, server, monkeypatch):
    """A file that cannot be written is an error of the folder, not of the source."""
    mirror = fill(tmp_path / "mirror" / "small")
    (tmp_path / "file").write_text("")
    with pytest.raises(DataNotAvailable, match="cannot be written into the folder"):
        fetch(to="file")

    def refuse(path, content):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))

    def open_full(path, mode="r", *rest, **more):
        return open("/dev/full" if str(path).endswith(".part") else path, mode, *rest, **more)

    # The rights of a folder do not stop an administrator, who may run the tests.
    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", refuse)
        with pytest.raises(DataNotAvailable, match=r"cannot be written.*Read-only file system"):
            fetch(MIRROR, mirror=mirror)
    if Path("/dev/full").exists():
        with monkeypatch.context() as patch:
            patch.setattr(fetch_module, "open", open_full, raising=False)
            with pytest.raises(DataNotAvailable, match=r"cannot be written.*No space left on dev"):
                fetch(server.serve(one_txt=ONE, two_txt=TWO))
    assert names(tmp_path / "raw") == []
    fetch()
    assert is_whole(tmp_path / "raw")


WORKER = """
import json, sys
from mvclust.datasets import fetch_dataset
print(fetch_dataset("small", sys.argv[1], catalogue=json.loads(sys.argv[2])))
"""


def work(catalogue, folder):
    command = [sys.executable, "-c", WORKER, str(folder), json.dumps(catalogue)]
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_two_processes_at_once(small, tmp_path, server):
    """Both wait for each other in the middle of the download, and both succeed."""
    small["small"]["sources"] = [server.serve()]
    together = threading.Barrier(2, timeout=20)
    server.pages |= {
        f"/{name}": send(content, pause=together.wait) for name, content in CONTENTS.items()
    }
    workers = [work(small, tmp_path / "raw") for _ in range(2)]
    assert [worker.communicate(timeout=30)[0] for worker in workers] == ["public URL\n"] * 2
    assert sorted(server.asked) == ["/one.txt", "/one.txt", "/two.txt", "/two.txt"]
    assert is_whole(tmp_path / "raw")


def test_killed_in_the_middle(fetch, small, tmp_path, server):
    """Whatever moment a process is killed at, no half file has a final name; the next run heals."""
    small["small"]["sources"] = [server.serve(one_txt=ONE)]
    server.pages["/two.txt"] = drip
    raw = tmp_path / "raw"
    worker = work(small, raw)
    while "/two.txt" not in server.asked:
        assert worker.poll() is None
        time.sleep(0.02)
    time.sleep(0.1)
    worker.kill()
    worker.communicate()
    assert [name for name in names(raw) if not name.startswith(".")] == ["one.txt"]
    server.serve(two_txt=TWO)
    assert fetch() == "public URL"
    assert (raw / "two.txt").read_bytes() == TWO


IMAGES = {f"{c}/image_000{i}.jpg": f"{c} {i}".encode() for c in ("B", "a") for i in (1, 2)}


def archive_of(contents, zipped):
    """A publisher's archive: a compressed tar, maybe in a zip, with more in it than is needed."""
    packed = io.BytesIO()
    others = [("x/c/image_0001.jpg", b"c"), ("../a/image_0002.jpg", b"")]
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for name, content in [others[0], *contents, others[1]]:
            member = tarfile.TarInfo(name)
            member.size, member.mtime = len(content), 1_000_000
            archive.addfile(member, io.BytesIO(content))
        link = tarfile.TarInfo("x/a/image_0003.jpg")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    if not zipped:
        return packed.getvalue()
    outer = io.BytesIO()
    with zipfile.ZipFile(outer, "w") as archive:
        archive.writestr("all/inner.tar.gz", packed.getvalue())
    return outer.getvalue()


@pytest.fixture
def pictures(tmp_path, server):
    """A catalogue with a data set that is made of images; its features are preferred."""
    images = {
        c: {"n": 2, "sha256": hashlib.sha256(f"{c} 1{c} 2".encode()).hexdigest()} for c in "Ba"
    }
    path = tmp_path / "expected.tar"
    pack(sorted(IMAGES.items()), path)
    content = path.read_bytes()
    files = {"images.tar": known(content) | {"note": "rebuilt features"}}
    made = {"images": images, "files": files}
    archive = {"kind": "archive", "addresses": {"images.tar": f"{server.address}/all"}}
    sources = [
        {"kind": "mirror"},
        {"kind": "images", "folder": "raw/all"} | made,
        archive | {"bytes": 100_000, "folder": "x"} | made,
    ]
    entry = {"files": {"f.mat": {"sha256": "0" * 64, "bytes": 9}}, "sources": sources}
    mirror = tmp_path / "mirror"
    for name, image in IMAGES.items():
        (mirror / "raw/all" / name).parent.mkdir(parents=True, exist_ok=True)
        (mirror / "raw/all" / name).write_bytes(image)
    return {"pictures": entry}, mirror, content


@pytest.mark.parametrize("zipped", [False, True])
def test_images_are_the_same_bytes_from_a_folder_and_from_an_archive(
    pictures, zipped, tmp_path, server
):
    catalogue, mirror, content = pictures
    source = fetch_dataset("pictures", tmp_path / "one", mirror, catalogue)
    assert source == "mirror folder (rebuilt features)"
    assert (tmp_path / "one" / "images.tar").read_bytes() == content
    contents = [(f"./x/{name}", image) for name, image in reversed(IMAGES.items())]
    server.pages["/all"] = send(archive_of(contents, zipped))
    if zipped:
        catalogue["pictures"]["sources"][2]["inner"] = "all/inner.tar.gz"
    source = fetch_dataset("pictures", tmp_path / "two", None, catalogue)
    assert source == "publisher's archive (rebuilt features)"
    assert (tmp_path / "two" / "images.tar").read_bytes() == content
    assert names(tmp_path / "two") == ["images.tar", "source.json"]
    record = json.loads((tmp_path / "two" / "source.json").read_text())
    assert record["set"] == 1


def test_a_damaged_image_is_named_by_its_folder(pictures, tmp_path):
    catalogue, mirror, _ = pictures
    (mirror / "raw/all/a/image_0002.jpg").write_bytes(b"a 3")
    with pytest.raises(BadMirror, match="checksum of the images differs in raw/all/a"):
        fetch_dataset("pictures", tmp_path / "raw", mirror, catalogue)
    (mirror / "raw/all/a/image_0002.jpg").unlink()
    with pytest.raises(DataNotAvailable, match=r"raw/all/a/image_0002\.jpg: No such file") as error:
        fetch_dataset("pictures", tmp_path / "raw", mirror, catalogue)
    assert "put the publisher's images into <mirror>/raw/all/" in str(error.value)
    assert names(tmp_path / "raw") == []


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"no archive", "the archive cannot be read"),
        (archive_of([(f"x/{n}", c) for n, c in list(IMAGES.items())[:3]], False), "1 images are"),
        (archive_of([(f"x/{n}", c) for n, c in IMAGES.items()], False)[:100], "cannot be read"),
        (archive_of([(f"x/{n}", c + b"!") for n, c in IMAGES.items()], False), "checksum differs"),
        (b"0" * 100_001, "more than the expected 100000 bytes"),
    ],
)
def test_what_an_archive_lacks_is_told_and_nothing_is_left(
    content, reason, pictures, tmp_path, server
):
    catalogue, _, _ = pictures
    server.pages["/all"] = send(content)
    with pytest.raises(DataNotAvailable, match=reason):
        fetch_dataset("pictures", tmp_path / "raw", None, catalogue)
    assert names(tmp_path / "raw") == []


def test_files_without_a_checksum_are_taken_as_they_are_and_recorded(fetch, small, tmp_path):
    mirror = fill(tmp_path / "mirror" / "small", {"one.txt": b"mine"})
    small["small"] |= {"files": {"one.txt": {}, "two.txt": {}}}
    with pytest.raises(DataNotAvailable, match=r"one\.txt \(any content\)"):
        fetch(MIRROR, mirror=mirror)
    (mirror / "small" / "two.txt").write_bytes(b"")
    assert fetch(mirror=mirror) == "mirror folder"
    recorded = json.loads((tmp_path / "raw" / "source.json").read_text())["files"]
    assert [record["bytes"] for record in recorded] == [4, 0]
    assert recorded[0]["sha256"] == known(b"mine")["sha256"]
