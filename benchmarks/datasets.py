"""Time and memory to prepare each data set: python benchmarks/datasets.py MIRROR_FOLDER"""

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from mvclust.datasets.catalogue import load_catalogue

# A process for each, so that the highest memory is that of one data set; reading the modules
# that all need is not counted.
CHILD = """
import json, resource, sys, time
import h5py, numpy, scipy.io, scipy.sparse
from mvclust.datasets.loading import prepare_dataset
name, subset, raw, out = sys.argv[1:]
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
start = time.process_time()
data = prepare_dataset(name, raw, out, subset)
print(json.dumps({
    "seconds": time.process_time() - start,
    "mb": (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1000,
    "dense_mb": sum(8 * X.shape[0] * X.shape[1] for X in data.Xs) / 1e6,
}))
"""


def main(mirror):
    print(
        f"{'data set':16} {'version':18} {'CPU s':>6} {'MB added':>9} {'MB if dense':>12} "
        f"{'file kB':>8}"
    )
    for name, entry in load_catalogue().items():
        raw = Path(mirror, name)
        for subset in entry["subsets"]:
            if not raw.is_dir():
                print(f"{name:16} {subset:18} not in the mirror")
                continue
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder, "data.h5")
                done = subprocess.run(
                    [sys.executable, "-c", CHILD, name, subset, str(raw), str(out)],
                    capture_output=True,
                    text=True,
                    check=True,
                )
                cost = json.loads(done.stdout)
                print(
                    f"{name:16} {subset:18} {cost['seconds']:6.2f} {cost['mb']:9.0f} "
                    f"{cost['dense_mb']:12.1f} {out.stat().st_size / 1e3:8.0f}"
                )


if __name__ == "__main__":
    mirror = sys.argv[1] if len(sys.argv) > 1 else os.environ.get("MVCLUST_MIRROR")
    if not mirror:
        sys.exit("name the mirror folder, or set MVCLUST_MIRROR")
    main(mirror)
