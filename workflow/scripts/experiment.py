"""Rule experiment."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.render import render
from mvclust.bench.score.results import write_results
from mvclust.bench.score.runs import read_runs
from mvclust.bench.score.tuning import keys_of, results_of

with job(snakemake) as work:
    used = work.slice
    runs = read_runs(snakemake.input[0], keys_of(used))
    results = results_of(used, runs)
    finding = render(used, results, runs, Path(snakemake.output[0]).parents[1])
    write_results(results, snakemake.output[-2], finding)
