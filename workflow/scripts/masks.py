"""Rule masks."""

from pathlib import Path

from mvclust.bench.fit.masks import draw_masks, no_masks, write_masks
from mvclust.bench.plan.settings import Setting
from mvclust.bench.record.log import job
from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.published_masks import published_masks
from mvclust.datasets.record import read_dataset

with job(snakemake) as work:
    used = work.slice
    raw_folder = Path(snakemake.input[0]).parents[1] / "raw" / used["name"]
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
