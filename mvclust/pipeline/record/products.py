"""Whether the results are still what the run wrote: tables and figures against their checksums."""

import json
from pathlib import Path

from mvclust.datasets.files import sha256_of


def remove_changed(folder):
    """Remove results that are not as the run that made them left them, so that they are made again.

    Parameters
    ----------
    folder : path-like
        The results of a run. Without a manifest in it nothing is removed.

    Returns
    -------
    list of str
        The files that were removed.
    """
    manifest = Path(folder, "manifest.json")
    if not manifest.is_file():
        return []
    try:
        checksums = dict(json.loads(manifest.read_text(encoding="utf-8"))["sha256"])
    except (ValueError, KeyError, TypeError):
        changed = [manifest]
    else:
        paths = {Path(folder, name): sha256 for name, sha256 in checksums.items()}
        changed = [p for p, sha256 in paths.items() if p.is_file() and sha256_of(p) != sha256]
    for path in changed:
        path.unlink()
    return [str(path) for path in changed]
