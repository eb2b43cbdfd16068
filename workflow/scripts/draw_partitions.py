"""Rule draw_partitions."""

from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.report.partitions import write_partitions

with job(snakemake):
    name = snakemake.wildcards.id
    write_partitions(
        read_plan(snakemake.config).partitions[name],
        snakemake.input[0],
        Path(snakemake.output[0]).parents[1],
        name,
    )
