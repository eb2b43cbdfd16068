"""Rule fetch_dataset."""

import json
import sys
from pathlib import Path

from mvclust.datasets.fetch import fetch_dataset
from mvclust.datasets.files import BadMirror, DataNotAvailable, completed
from mvclust.pipeline.plan.plan import load_plan, slice_of
from mvclust.pipeline.record.log import job

with job(snakemake):
    plan = load_plan(snakemake.config["plan"])
    name = snakemake.wildcards.dataset
    used = slice_of(plan, "fetch", name, snakemake.params.uses)
    # Snakemake deletes an output before it runs its rule again; what was fetched shall stay.
    folder = Path(snakemake.output[0]).with_suffix("")
    record = {"attempt": snakemake.params.attempt}
    publishers = plan["publishers"]
    entry = used["entry"] | ({"publisher": publishers[name]} if name in publishers else {})
    try:
        catalogue, bad_mirror = {name: entry}, plan["config"]["bad_mirror"]
        source = fetch_dataset(name, folder, plan["mirror"], catalogue, bad_mirror=bad_mirror)
        record |= json.loads((folder / "source.json").read_text())
        print(f"mvclust: {name} from {source}", file=sys.stderr)
    except DataNotAvailable as error:
        if isinstance(error, BadMirror) or plan["config"]["missing_data"] == "stop":
            raise
        print(f"mvclust: {error}\nThe run goes on without it.", file=sys.stderr)
        record["unavailable"] = str(error)
    with completed(snakemake.output[0]) as unfinished:
        unfinished.write_text(json.dumps(record))
