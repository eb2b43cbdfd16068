"""Rule score_experiment."""

from pathlib import Path

from mvclust.pipeline.fit.jobs import read_rows
from mvclust.pipeline.plan.plan import read_slice
from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.runs import runs_table, score_rows, settings_of, write_runs

with job(snakemake):
    used = read_slice(
        snakemake.config["plan"], "score", snakemake.wildcards.id, snakemake.params.uses
    )
    rows = [
        row
        for path in snakemake.input.fits
        for row in read_rows(path, used["fits"][Path(path).stem])
    ]
    scored = score_rows(
        rows,
        settings_of(used),
        {Path(path).stem: path for path in snakemake.input.datasets},
        {Path(path).stem: path for path in snakemake.input.masks},
    )
    write_runs(runs_table(scored), snakemake.output[0])
