"""Rule consistency."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.consistency import write_consistency

with job(snakemake) as work:
    write_consistency(work.slice, Path(snakemake.output[0]).parents[1])
