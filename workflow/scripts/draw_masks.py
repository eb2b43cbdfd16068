"""Rule draw_masks."""

from pathlib import Path

from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.published_masks import published_masks
from mvclust.datasets.record import read_dataset
from mvclust.pipeline.fit.masks import draw_masks, no_masks, write_masks
from mvclust.pipeline.plan.plan import load_plan, slice_of
from mvclust.pipeline.plan.settings import Setting
from mvclust.pipeline.record.log import job

with job(snakemake):
    plan = load_plan(snakemake.config["plan"])
    used = slice_of(plan, "masks", snakemake.wildcards.dataset, snakemake.params.uses)
    raw_folder = Path(plan["folders"]["resources"], "raw", used["name"])
    settings = [(Setting.from_record(record), number) for record, number in used["settings"]]
    try:
        dataset = read_dataset(snakemake.input[0])
        masks = {}
        for setting, number in settings:
            given = None
            if setting.protocol == "published":
                given = published_masks(used["name"], setting.rate, raw_folder)
            masks[setting.id] = draw_masks(
                dataset, setting, number, used["seed"], used["samples_per_class"], given
            )
    except DataNotAvailable:
        masks = {setting.id: no_masks(setting, number) for setting, number in settings}
    write_masks(masks, snakemake.output[0])
