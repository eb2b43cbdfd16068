"""Rule partitions."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.partitions import write_partitions

with job(snakemake) as work:
    folder = Path(snakemake.output[0]).parents[1]
    used = work.slice
    write_partitions(
        used["title"], used["caption"], snakemake.input[0], folder, used["id"], used["views"]
    )
