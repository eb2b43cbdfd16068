"""Rule experiment."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.render import in_form, render
from mvclust.bench.score.results import write_results
from mvclust.bench.score.runs import merge_runs, read_runs
from mvclust.bench.score.tuning import keys_of, results_of

with job(snakemake) as work:
    used = work.slice
    parts = zip(used["inputs"]["scores"], in_form(used), strict=True)
    runs = merge_runs([read_runs(path, keys_of(part)) for path, part in parts])
    results = results_of(used, runs)
    finding = render(used, results, runs, Path(snakemake.output[0]).parents[1])
    write_results(results, snakemake.output[-2], finding)
