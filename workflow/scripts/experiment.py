"""Rule experiment."""

from pathlib import Path

from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.results import write_results
from mvclust.pipeline.score.runs import read_runs
from mvclust.pipeline.score.tuning import keys_of, results_of
from mvclust.report.render import render

with job(snakemake) as work:
    used = work.slice
    runs = read_runs(snakemake.input[0], keys_of(used))
    results = results_of(used, runs)
    finding = render(used, results, runs, Path(snakemake.output[0]).parents[1])
    write_results(results, snakemake.output[-2], finding)
