"""Rule fetch_dataset."""

import json
import shutil
import sys
from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.datasets.fetch import fetch_dataset
from mvclust.datasets.files import DataNotAvailable

with job(snakemake):
    # Snakemake deletes an output before it runs its rule again; what was fetched shall stay.
    folder = Path(snakemake.output[0]).with_suffix("")
    catalogue = read_plan(snakemake.config).datasets
    try:
        fetch_dataset(snakemake.wildcards.dataset, folder, snakemake.params.mirror, catalogue)
        shutil.copyfile(folder / "source.json", snakemake.output[0])
    except DataNotAvailable as error:
        if snakemake.params.missing_data == "stop":
            raise
        print(f"mvclust: {error}\nThe run goes on without it.", file=sys.stderr)
        Path(snakemake.output[0]).write_text(json.dumps({"unavailable": str(error)}))
