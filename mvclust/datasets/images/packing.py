"""The images of a data set as one file: a plain tar that is the same wherever they came from."""

import contextlib
import hashlib
import io
import tarfile
import zipfile
from pathlib import PurePosixPath

LARGEST = 10_000_000  # bytes of one image; the largest of the known sets has 1.1 million


def image_names(images):
    """Name the images of a data set in the order of its samples.

    `images` is a dict, folder -> dict with "n", the number of its images; "." is the folder that
    holds them all. Folders are in ASCII order (capitals first), the images of a folder by number.

    >>> image_names({"brain": {"n": 1}, "Faces": {"n": 2}})
    ['Faces/image_0001.jpg', 'Faces/image_0002.jpg', 'brain/image_0001.jpg']
    """
    return [
        str(PurePosixPath(folder, f"image_{number:04d}.jpg"))
        for folder in sorted(images)
        for number in range(1, images[folder]["n"] + 1)
    ]


def pack(contents, path):
    """Write images, pairs of name and content, into a tar whose bytes follow from these only."""
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        for name, content in contents:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))


def unpack(path):
    """Yield name and content of the images of a tar that `pack` wrote, in order."""
    with tarfile.open(path, "r:") as archive:
        for member in archive:
            yield member.name, archive.extractfile(member).read()


def differing_folders(contents, images):
    """Which folders do not hold the images that are known.

    `contents` maps names of images to bytes, `images` a folder to a dict with "n" and "sha256", the
    checksum over its images in order.

    >>> differing_folders({"a/image_0001.jpg": b""}, {"a": {"n": 1, "sha256": "0"}})
    ['a']
    """
    differing = []
    for folder, known in images.items():
        digest = hashlib.sha256()
        for name in image_names({folder: known}):
            digest.update(contents[name])
        if digest.hexdigest() != known["sha256"]:
            differing.append(folder)
    return differing


def images_in_archive(path, inner, folder, names):
    """Read images from a publisher's archive, without unpacking anything else or any path.

    The archive is a tar, compressed or not, or a zip that holds the tar `inner`. `names` are those
    of images in a folder of the tar. Returns a dict, name -> bytes, of the images that are there:
    ordinary files with exactly these names. ValueError if the archive is damaged, or an image is
    larger than any known one.
    """
    wanted = {str(PurePosixPath(folder, name)): name for name in names}
    contents = {}
    try:
        with contextlib.ExitStack() as stack:
            file = stack.enter_context(open(path, "rb"))
            if inner is not None:
                file = stack.enter_context(stack.enter_context(zipfile.ZipFile(file)).open(inner))
            archive = stack.enter_context(tarfile.open(fileobj=file, mode="r|*"))
            for member in archive:
                name = wanted.get(str(PurePosixPath(member.name)))
                if name is None or not member.isfile():
                    continue
                if member.size > LARGEST:
                    raise ValueError(f"{member.name} has {member.size} bytes")
                contents[name] = archive.extractfile(member).read()
    except (tarfile.TarError, zipfile.BadZipFile, KeyError, EOFError, OSError) as error:
        raise ValueError(f"the archive cannot be read: {error}") from error
    return contents
