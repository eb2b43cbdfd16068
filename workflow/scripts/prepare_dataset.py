"""Rule prepare_dataset."""

import json
from pathlib import Path

from mvclust.datasets.fetch import fetch_dataset
from mvclust.datasets.files import DamagedFile
from mvclust.datasets.loading import prepare_dataset
from mvclust.datasets.record import write_unavailable
from mvclust.pipeline.plan.plan import load_plan, slice_of
from mvclust.pipeline.record.log import job

with job(snakemake):
    plan, output = load_plan(snakemake.config["plan"]), snakemake.output[0]
    used = slice_of(plan, "prepare", snakemake.wildcards.dataset, snakemake.params.uses)
    fetched = Path(snakemake.input[0])
    try:
        reason = json.loads(fetched.read_text()).get("unavailable")
    except ValueError as error:
        raise DamagedFile(fetched, str(error)) from error
    if reason:
        write_unavailable(used["name"], reason, output)
    else:
        folder, catalogue = fetched.with_suffix(""), {used["name"]: used["entry"]}
        # Files that were damaged meanwhile are fetched again; right ones stay as they are.
        bad_mirror = plan["config"]["bad_mirror"]
        fetch_dataset(used["name"], folder, plan["mirror"], catalogue, bad_mirror=bad_mirror)
        prepare_dataset(used["name"], folder, output, used["subset"], catalogue)
