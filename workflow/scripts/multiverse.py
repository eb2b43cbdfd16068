"""Rule multiverse."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.multiverse import write_multiverse
from mvclust.bench.score.runs import merge_runs, read_runs

with job(snakemake) as work:
    used = work.slice
    runs = merge_runs([read_runs(path) for path in used["inputs"]["scores"]])
    write_multiverse(used, runs, Path(snakemake.output[0]).parents[1])
