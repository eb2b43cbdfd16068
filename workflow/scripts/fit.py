"""Rule fit."""

from functools import partial
from pathlib import Path
from uuid import uuid4

from mvclust.bench.fit.guard import Limits
from mvclust.bench.fit.jobs import failures, run_job, run_shares
from mvclust.bench.fit.journal import write_rows
from mvclust.bench.record.log import job

with job(snakemake) as work:
    used = work.slice
    run = partial(
        run_job,
        threads=snakemake.threads,
        root=Path(snakemake.scriptdir).parents[1],
        report=work.fitted,
        run=uuid4().hex,
    )
    rows = run_shares(used, run, Limits(**used["limits"]))
    work.record["failed"] = failures(rows)
    write_rows(rows, snakemake.output[0])
