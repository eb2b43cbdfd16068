"""Rule fit_method."""

from functools import partial
from pathlib import Path

from mvclust.pipeline.fit.guard import Limits, guarded
from mvclust.pipeline.fit.jobs import run_job, write_rows
from mvclust.pipeline.plan.plan import load_plan, slice_of
from mvclust.pipeline.record.log import job

with job(snakemake) as fitted:
    plan = load_plan(snakemake.config["plan"])
    used = slice_of(plan, "fit", snakemake.wildcards.job, snakemake.params.uses)
    work = partial(
        run_job,
        used,
        dataset_files={Path(path).stem: path for path in snakemake.input.datasets},
        mask_files={Path(path).stem: path for path in snakemake.input.masks},
        journals=plan["folders"]["journals"],
        threads=snakemake.threads,
        root=Path(snakemake.scriptdir).parents[1],
        report=fitted,
    )
    write_rows(guarded(work, Limits(**used["limits"])), snakemake.output[0])
