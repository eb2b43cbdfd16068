"""Rule runs."""

from mvclust.bench.record.log import job
from mvclust.bench.score.runs import (
    merge_runs,
    read_runs,
    scores_and_fitted,
    write_costs,
    write_runs,
)

with job(snakemake) as work:
    table = merge_runs([read_runs(path) for path in work.slice["inputs"]["scores"]])
    runs, fitted = scores_and_fitted(table, work.slice["curves"])
    write_runs(runs, snakemake.output[0])
    write_runs(fitted, snakemake.output[1])
    write_costs(runs, snakemake.output[2])
