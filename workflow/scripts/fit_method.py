"""Rule fit_method."""

from functools import partial
from pathlib import Path

from mvclust.pipeline.fit.jobs import run_job, write_rows
from mvclust.pipeline.plan.plan import load_plan, slice_of
from mvclust.pipeline.record.log import job
from mvclust.pipeline.record.progress import Progress

with job(snakemake):
    plan_file, name = snakemake.config["plan"], snakemake.wildcards.job
    plan = load_plan(plan_file)
    progress = Progress(Path(plan_file).with_name("progress.jsonl"))
    rows = run_job(
        slice_of(plan, "fit", name, snakemake.params.uses),
        dataset_files={Path(path).stem: path for path in snakemake.input.datasets},
        mask_files={Path(path).stem: path for path in snakemake.input.masks},
        journals=plan["folders"]["journals"],
        threads=snakemake.threads,
        root=Path(snakemake.scriptdir).parents[1],
        report=partial(progress.fitted, f"fit_method.{name}"),
    )
    write_rows(rows, snakemake.output[0])
