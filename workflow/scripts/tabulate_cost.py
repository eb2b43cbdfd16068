"""Rule tabulate_cost."""

from pathlib import Path

from mvclust.pipeline.plan.plan import read_slice
from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.runs import read_runs
from mvclust.report.cost_table import write_cost

with job(snakemake):
    used = read_slice(snakemake.config["plan"], "cost", "cost", snakemake.params.uses)
    write_cost(read_runs(snakemake.input[0]), used["methods"], Path(snakemake.output[0]).parents[1])
