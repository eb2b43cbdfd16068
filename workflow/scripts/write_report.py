"""Rules write_report and write_paper."""

from pathlib import Path

from mvclust.datasets.files import sha256_of
from mvclust.pipeline.plan.plan import read_slice
from mvclust.pipeline.record.log import job
from mvclust.pipeline.record.manifest import write_manifest
from mvclust.report.run_page import write_run_page

with job(snakemake):
    plan_file = Path(snakemake.config["plan"])
    page = Path(snakemake.output.page)
    manifest = write_run_page(
        page,
        read_slice(plan_file, "page", page.stem, snakemake.params.uses),
        scores=snakemake.input.scores,
        results=snakemake.input.results,
        products=snakemake.input.products,
        root=Path(snakemake.scriptdir).parents[1],
        jobs_folder=plan_file.with_name("jobs"),
    )
    if snakemake.rule.endswith("write_report"):
        manifest["sha256"][page.name] = sha256_of(page)
        write_manifest(manifest, snakemake.output.manifest)
