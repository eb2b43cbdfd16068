"""Rule fit."""

from functools import partial
from pathlib import Path
from uuid import uuid4

from mvclust.bench.fit.guard import Limits
from mvclust.bench.fit.jobs import failures, run_job, run_share, shares_of
from mvclust.bench.fit.journal import write_rows
from mvclust.bench.record.log import job

with job(snakemake) as work:
    used, name_of_run = work.slice, uuid4().hex
    rows = []
    for share in shares_of(used):
        run = partial(
            run_job,
            share,
            dataset_files=used["inputs"]["data"],
            mask_files=used["inputs"]["masks"],
            journals=used["where"]["journals"],
            threads=snakemake.threads,
            root=Path(snakemake.scriptdir).parents[1],
            report=work.fitted,
            run=name_of_run,
        )
        rows += run_share(share, run, Limits(**used["limits"]))
    work.record["failed"] = failures(rows)
    write_rows(rows, snakemake.output[0])
