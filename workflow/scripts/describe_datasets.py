"""Rule describe_datasets."""

from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.report.datasets import write_description

with job(snakemake):
    write_description(
        read_plan(snakemake.config),
        snakemake.wildcards.id,
        {Path(path).stem: path for path in snakemake.input},
        Path(snakemake.output[0]).with_suffix(""),
    )
