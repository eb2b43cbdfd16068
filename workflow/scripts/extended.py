"""Rule extended."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.render import render_extended
from mvclust.bench.score.results import read_results
from mvclust.bench.score.runs import read_runs
from mvclust.bench.score.tuning import keys_of

with job(snakemake) as work:
    used = work.slice
    runs = read_runs(snakemake.input[0], keys_of(used))
    results = read_results(used["inputs"]["results"][0])
    render_extended(used, results, runs, Path(snakemake.output[0]).parents[1])
