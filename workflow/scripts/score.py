"""Rule score."""

from mvclust.bench.fit.journal import read_rows
from mvclust.bench.record.log import job
from mvclust.bench.score.runs import runs_table, score_rows, settings_of, write_runs

with job(snakemake) as work:
    used, inputs = work.slice, work.slice["inputs"]
    rows = [
        row for name, path in inputs["fits"].items() for row in read_rows(path, used["fits"][name])
    ]
    scored = score_rows(rows, settings_of(used), inputs["data"], inputs["masks"])
    write_runs(runs_table(scored), snakemake.output[0])
