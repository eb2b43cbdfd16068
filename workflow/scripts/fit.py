"""Rule fit."""

from functools import partial
from pathlib import Path

from mvclust.pipeline.fit.guard import Limits, guarded
from mvclust.pipeline.fit.jobs import run_job, write_rows
from mvclust.pipeline.record.log import job

with job(snakemake) as work:
    used = work.slice
    run = partial(
        run_job,
        used,
        dataset_files=used["inputs"]["data"],
        mask_files=used["inputs"]["masks"],
        journals=used["where"]["journals"],
        threads=snakemake.threads,
        root=Path(snakemake.scriptdir).parents[1],
        report=work.fitted,
    )
    write_rows(guarded(run, Limits(**used["limits"])), snakemake.output[0])
