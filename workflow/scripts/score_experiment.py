"""Rule score_experiment."""

import json
from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.benchmark.runs import runs_table, score_rows, write_runs

with job(snakemake):
    keys = {fit.key for fit in read_plan(snakemake.config).fits_of(snakemake.wildcards.id)}
    files = [Path(path).read_text() for path in snakemake.input.fits]
    rows = [json.loads(line) for text in files for line in text.splitlines()]
    rows = [row for row in rows if row["key"] in keys]
    masks = {Path(path).stem: path for path in snakemake.input.masks}
    scored = []
    for path in snakemake.input.datasets:
        own = [row for row in rows if row["dataset"] == Path(path).stem]
        scored += score_rows(own, path, masks)
    write_runs(runs_table(scored), snakemake.output[0])
