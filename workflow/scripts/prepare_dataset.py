"""Rule prepare_dataset."""

from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.datasets.loading import prepare_dataset

with job(snakemake):
    prepare_dataset(
        snakemake.wildcards.dataset,
        Path(snakemake.input[0]).with_suffix(""),
        snakemake.output[0],
        catalogue=read_plan(snakemake.config).datasets,
    )
