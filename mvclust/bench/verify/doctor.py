"""What a run would find on this machine, and which results are older than the code."""

import importlib.util
import os
import platform
import re
import shutil
import tempfile
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from mvclust.bench.config.sources import image_folders, mirror_holds
from mvclust.bench.verify import stale
from mvclust.datasets.catalogue import load_catalogue
from mvclust.datasets.fetch import fetch_dataset
from mvclust.datasets.images.compare import compare_with_images
from mvclust.datasets.images.packing import image_names
from mvclust.datasets.loading import read_raw_dataset

ROOM_GB = 2  # of disk that data, journals and results of the largest run take
PATIENCE = 5  # seconds for a host to answer
EXECUTORS = {"slurm": ("slurm", "sbatch"), "generic": ("cluster_generic", None)}


class Finding(NamedTuple):
    """One check: its subject, whether a run can continue, the result, and whether it is old."""

    about: str
    good: bool
    text: str
    old: bool = False


def examine(root: Path | str) -> list[Finding]:
    """Check everything that a run needs; a check that fails is a finding too."""
    mirror = os.environ.get("MVCLUST_MIRROR")
    catalogue = load_catalogue(Path(root, "config/datasets.yaml"))
    checks: list[tuple[str, Any, list[Any]]] = [
        ("packages", packages, [Path(root, "envs/requirements.lock")]),
        ("BLAS", blas, []),
        ("machine", machine, [Path.cwd()]),
        ("mirror", mirror_folder, [catalogue, mirror]),
        ("features", features, [catalogue, mirror]),
        ("sources", sources, [catalogue]),
        ("profiles", profiles, [Path(root, "profiles")]),
        ("results", results, [root]),
    ]
    findings = []
    for about, check, arguments in checks:
        try:
            found = check(*arguments)
        except Exception as error:  # of a damaged installation it can be anything
            found = Finding(about, False, f"cannot be examined: {type(error).__name__}: {error}")
        findings += found if isinstance(found, list) else [found]
    return findings


def results(root: Path | str) -> list[Finding]:
    """Relate each committed run to the code here."""
    return [Finding("results", True, line, not today) for today, line in stale.findings(root)]


def packages(lock: Path) -> Finding:
    """Check that the installed packages are those of the lock; others compute other numbers."""
    from packaging.requirements import Requirement

    text, absent, other = Path(lock).read_text(encoding="utf-8"), [], []
    pinned = map(Requirement, re.findall(r"^([\w.-]+==.*?)\s*\\?$", text, re.MULTILINE))
    pinned = [each for each in pinned if each.marker is None or each.marker.evaluate()]
    for each in pinned:
        here = next(iter(metadata.distributions(name=each.name)), None)
        if here is None:
            absent.append(each.name)
        elif here.version not in each.specifier:
            other.append(f"{each.name} {here.version}, not {str(each.specifier).strip('=')}")
    missing = [f"not here: {', '.join(absent)}"] if absent else []
    differ = "; ".join([*missing, *other])
    return Finding("packages", True, differ or f"the {len(pinned)} of the lock")


def blas() -> Finding:
    """Name the BLAS, and its threads outside the pipeline, which uses one per fit."""
    import numpy  # noqa: F401
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    found = {f"{p['internal_api']} {p['version']}, {p['num_threads']} threads" for p in pools}
    return Finding("BLAS", True, "; ".join(sorted(found)) or "not recognised")


def machine(folder: Path | str) -> Finding:
    """Describe processor, memory, and free disk space for the data."""
    import psutil

    memory = psutil.virtual_memory().total / 1e9
    free = shutil.disk_usage(folder).free / 1e9
    text = f"Python {platform.python_version()}, {os.cpu_count()} cores, {memory:.0f} GB of memory"
    if not os.access(folder, os.W_OK):
        return Finding("machine", False, f"{text}; {folder} cannot be written")
    needed = "" if free >= ROOM_GB else f", {ROOM_GB} GB are needed for all data"
    return Finding("machine", free >= ROOM_GB, f"{text}, {free:.0f} GB free on disk{needed}")


def mirror_folder(catalogue: dict[str, dict], mirror: Path | str | None) -> Finding:
    """Count the data sets in the mirror."""
    if not mirror:
        return Finding("mirror", True, "none named (MVCLUST_MIRROR)")
    if not Path(mirror).is_dir():
        return Finding("mirror", False, f"{mirror} does not exist (MVCLUST_MIRROR)")
    there, rest = [], []
    for name, entry in catalogue.items():
        held = mirror_holds(name, entry, mirror) or image_folders(entry, mirror)
        (there if held else rest).append(name)
    lacks = f"; not {', '.join(rest)}" if rest else ""
    return Finding("mirror", True, f"{mirror} has {', '.join(there) or 'no data set'}{lacks}")


def features(catalogue: dict[str, dict], mirror: Path | str | None) -> list[Finding]:
    """Compare published features with those computed from images, for data sets with both."""
    if not mirror:
        return []
    return [
        Finding("features", True, f"{name}: {_agreement(name, entry, mirror)}")
        for name, entry in catalogue.items()
        if entry["reader"] == "caltech101"  # of the other images no features were published
        and image_folders(entry, mirror)
        and mirror_holds(name, entry, mirror)
    ]


def _agreement(name: str, entry: dict, mirror: Path | str) -> str:
    source = next(source for source in entry["sources"] if source["kind"] == "images")
    with tempfile.TemporaryDirectory() as folder:
        fetch_dataset(name, folder, mirror, {name: entry}, bad_mirror="warn")
        published = read_raw_dataset(name, folder, catalogue={name: entry})
    names = image_names(source["images"])
    folder = Path(mirror, source["folder"])
    agreement = compare_with_images(published.Xs, [folder / image for image in names])
    views = zip(published.view_names, agreement, strict=True)
    return "; ".join(f"{view} {each}" for view, each in views)


def sources(catalogue: dict[str, dict]) -> Finding:
    """Check which hosts of the data answer, with one address of each."""
    known = [source for entry in catalogue.values() for source in entry["sources"]]
    every = [address for each in known for address in each.get("addresses", {}).values()]
    addresses = {}
    for address in every:
        addresses.setdefault(urlsplit(address).netloc, address)
    if not addresses:
        return Finding("sources", True, "no address is known")
    with ThreadPoolExecutor(len(addresses)) as pool:
        answers = list(pool.map(_answer, addresses.values()))
    told = [f"{host} {answer}" for host, answer in zip(addresses, answers, strict=True)]
    return Finding("sources", True, "; ".join(told))


def _answer(address: str) -> str:
    import requests

    try:
        code = requests.head(address, timeout=PATIENCE, allow_redirects=True).status_code
    except requests.RequestException as error:
        return f"cannot be reached ({type(error).__name__})"
    return "answers" if code < 400 else f"answers HTTP {code}"


def profiles(folder: Path | str) -> Finding:
    """List the profiles, and what those for clusters lack here."""
    names = sorted(path.parent.name for path in Path(folder).glob("*/config.yaml"))
    told = [f"{name}{_lacks(*EXECUTORS[name])}" if name in EXECUTORS else name for name in names]
    return Finding("profiles", bool(names), ", ".join(told) or f"none in {folder}")


def _lacks(plugin: str, command: str | None) -> str:
    missing = []
    if importlib.util.find_spec(f"snakemake_executor_plugin_{plugin}") is None:
        missing.append("its plugin")
    if command is not None and shutil.which(command) is None:
        missing.append(f"the command {command}")
    return f" (not here: {' and '.join(missing)})" if missing else ""


def main(root: Path | str) -> int:
    """Print the findings; the exit code is 1 if a run could not continue."""
    findings = examine(root)
    for finding in findings:
        mark = "old" if finding.old else "ok" if finding.good else "BAD"
        print(f"{mark:4} {finding.about:9} {finding.text}")
    return int(not all(finding.good for finding in findings))
