"""What a file was made from: the plan file that a job reads, and the record that it leaves.

The record of a job is its last output. It holds the slice as the job read it, the checksums of what
it read and of what it wrote, the versions of libraries and what the job took.
"""

import json
from pathlib import Path

from mvclust.datasets.files import completed, sha256_of

SHARED = ("download", "prepare")  # rules whose files all runs share


def plan_file(folders, rule, name):
    """Where the slice of a job is written when a run starts.

    It is a parameter of the rule: of files that all runs share it must be the same in each.
    """
    folder = folders.resources if rule in SHARED else folders.work
    return f"{folder}/plan/{rule}/{name}.json"


def record_of(output, rule, name, folders):
    """Where the record of a job is: beside its output, or in the work folder for results.

    Parameters
    ----------
    output : str
        The first output of the job.
    rule, name : str
    folders : mvclust.bench.plan.selection.Folders
        Readers shall find results in the folder of results, and nothing else.
    """
    if output.startswith(f"{folders.results}/"):
        return f"{folders.work}/records/{rule}/{name}.json"
    return f"{output}.record"


def read_json(path):
    """The content of a file of JSON with an object; None if it is not there, or damaged."""
    try:
        content = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return content if isinstance(content, dict) else None


def without_where(content):
    """What of a slice decides whether its output stands."""
    return {key: value for key, value in content.items() if key != "where"}


def different_keys(new, old):
    """Keys of two slices whose values differ, or have what is in them in another order.

    Tables have columns and rows in the order of metrics, methods and axes.
    """
    new, old = without_where(new), without_where(old)
    keys = sorted({*new, *old})
    return [key for key in keys if json.dumps(new.get(key)) != json.dumps(old.get(key))]


def read_record(path):
    """The record of a job; None if it is not there, damaged, or not whole."""
    record = read_json(path)
    whole = record is not None and all(
        isinstance(record.get(part), dict) for part in ("slice", "inputs", "outputs")
    )
    return record if whole else None


def write_if_other(path, content):
    """Write an object as JSON, whole or not at all, unless it is there already, in this order."""
    there = read_json(path)
    if there is None or json.dumps(there) != json.dumps(content):
        write_json(path, content)


def write_json(path, content):
    """Write an object as JSON, whole or not at all."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with completed(path) as unfinished:
        unfinished.write_text(json.dumps(content), encoding="utf-8")


def checksums(paths):
    """Path -> SHA-256 of its content."""
    return {str(path): sha256_of(path) for path in paths}
