"""Rule costs."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.cost_table import write_cost
from mvclust.bench.score.runs import read_runs

with job(snakemake) as work:
    used, runs = work.slice, read_runs(snakemake.input[0])
    write_cost(runs, used["methods"], used["controls"], Path(snakemake.output[0]).parents[1])
