"""Rule describe_datasets."""

from pathlib import Path

from mvclust.pipeline.plan.plan import read_slice
from mvclust.pipeline.record.log import job
from mvclust.report.datasets import write_description

with job(snakemake):
    used = read_slice(
        snakemake.config["plan"], "statistics", snakemake.wildcards.id, snakemake.params.uses
    )
    write_description(
        used["title"],
        used["caption"],
        used["paper"],
        used["entries"],
        {Path(path).stem: path for path in snakemake.input},
        Path(snakemake.output[0]).with_suffix(""),
    )
