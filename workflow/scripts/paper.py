"""Rule paper: the page of one paper."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.run_page import write_run_page

with job(snakemake) as work:
    root = Path(snakemake.scriptdir).parents[1]
    write_run_page(Path(snakemake.output[0]), work.slice, root=root)
