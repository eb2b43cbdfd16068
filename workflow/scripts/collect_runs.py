"""Rule collect_runs."""

from mvclust.pipeline.plan.plan import read_slice
from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.runs import (
    merge_runs,
    read_runs,
    scores_and_fitted,
    write_costs,
    write_runs,
)

with job(snakemake):
    used = read_slice(snakemake.config["plan"], "collect", "runs", snakemake.params.uses)
    table = merge_runs([read_runs(path) for path in snakemake.input])
    runs, fitted = scores_and_fitted(table, used["curves"])
    write_runs(runs, snakemake.output.runs)
    write_runs(fitted, snakemake.output.fitted)
    write_costs(runs, snakemake.output.costs)
