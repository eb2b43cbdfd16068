"""Rule draw_partitions."""

from pathlib import Path

from mvclust.pipeline.plan.plan import read_slice
from mvclust.pipeline.record.log import job
from mvclust.report.partitions import write_partitions

with job(snakemake):
    name = snakemake.wildcards.id
    used = read_slice(snakemake.config["plan"], "partitions", name, snakemake.params.uses)
    folder = Path(snakemake.output[0]).parents[1]
    write_partitions(used["title"], used["caption"], snakemake.input[0], folder, name)
