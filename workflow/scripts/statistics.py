"""Rule statistics."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.datasets import write_description

with job(snakemake) as work:
    used = work.slice
    write_description(
        used["title"],
        used["caption"],
        used["paper"],
        used["entries"],
        used["inputs"]["data"],
        Path(snakemake.output[0]).with_suffix(""),
        used["order"],
    )
