"""Rule check_printed."""

from pathlib import Path

from mvclust.multiverse.consistency import check_printed
from mvclust.pipeline.plan.plan import read_slice
from mvclust.pipeline.record.log import job
from mvclust.report.consistency import write_consistency

with job(snakemake):
    used = read_slice(snakemake.config["plan"], "printed", "consistency", snakemake.params.uses)
    write_consistency(
        check_printed(used["published"], used["tables"]), Path(snakemake.output[0]).parents[1]
    )
