"""Rule costs."""

from pathlib import Path

from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.runs import read_runs
from mvclust.report.cost_table import write_cost

with job(snakemake) as work:
    used, runs = work.slice, read_runs(snakemake.input[0])
    write_cost(runs, used["methods"], used["controls"], Path(snakemake.output[0]).parents[1])
