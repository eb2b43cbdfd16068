"""Rule fetch_dataset."""

import shutil
from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.datasets.fetch import fetch_dataset

with job(snakemake):
    # Snakemake deletes an output before it runs its rule again; what was fetched shall stay.
    folder = Path(snakemake.output[0]).with_suffix("")
    catalogue = read_plan(snakemake.config).datasets
    fetch_dataset(snakemake.wildcards.dataset, folder, snakemake.params.mirror, catalogue)
    shutil.copyfile(folder / "source.json", snakemake.output[0])
