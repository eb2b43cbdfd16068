"""Rule collect_runs."""

from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.runs import merge_runs, read_runs, write_costs, write_runs

with job(snakemake):
    runs = merge_runs([read_runs(path) for path in snakemake.input])
    write_runs(runs, snakemake.output.runs)
    write_costs(runs, snakemake.output.costs)
