"""Rule tabulate_cost."""

from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.benchmark.runs import read_runs
from mvclust.report.cost import write_cost

with job(snakemake):
    write_cost(
        read_runs(snakemake.input[0]),
        read_plan(snakemake.config).algorithms,
        Path(snakemake.output[0]).parents[1],
    )
