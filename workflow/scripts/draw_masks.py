"""Rule draw_masks."""

from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.masks import draw_masks, no_masks, write_masks
from mvclust.benchmark.plan import read_plan
from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.record import read_dataset

with job(snakemake):
    plan = read_plan(snakemake.config)
    setting = plan.settings[snakemake.wildcards.setting]
    name, _ = plan.origin(setting.dataset)
    try:
        masks = draw_masks(
            read_dataset(snakemake.input[0]),
            setting,
            snakemake.params.repetitions,
            snakemake.params.seed,
            snakemake.params.samples_per_class,
            Path(snakemake.config["resources"], "raw", name),
        )
    except DataNotAvailable:
        masks = no_masks(setting, snakemake.params.repetitions)
    write_masks(masks, snakemake.output[0])
