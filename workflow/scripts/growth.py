"""Rule growth."""

from pathlib import Path

from mvclust.bench.claims.growth import growth
from mvclust.bench.record.log import job
from mvclust.bench.report.claims import write_growth

with job(snakemake) as work:
    write_growth(growth(work.slice["asked"]), Path(snakemake.output[0]).parents[1])
