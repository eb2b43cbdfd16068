"""Rule consistency."""

from pathlib import Path

from mvclust.multiverse.consistency import check_printed
from mvclust.pipeline.record.log import job
from mvclust.report.consistency import write_consistency

with job(snakemake) as work:
    checked = check_printed(work.slice["published"], work.slice["tables"])
    write_consistency(checked, Path(snakemake.output[0]).parents[1])
