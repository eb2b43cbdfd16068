"""Rule draw_masks."""

from mvclust.benchmark.job import job
from mvclust.benchmark.masks import draw_masks, write_masks
from mvclust.benchmark.plan import read_plan
from mvclust.datasets.record import read_dataset

with job(snakemake):
    setting = read_plan(snakemake.config).settings[snakemake.wildcards.setting]
    masks = draw_masks(
        read_dataset(snakemake.input[0], views=setting.views[:1]).y,
        setting,
        snakemake.params.repetitions,
        snakemake.params.seed,
        snakemake.params.samples_per_class,
    )
    write_masks(masks, snakemake.output[0])
