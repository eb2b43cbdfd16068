"""Rule download."""

import json
import sys
from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.datasets.fetch import fetch_dataset
from mvclust.datasets.files import BadMirror, DataNotAvailable, completed

with job(snakemake) as work:
    name, where = work.slice["name"], work.slice["where"]
    # Snakemake deletes an output before it runs its rule again; what was fetched shall stay.
    folder = Path(snakemake.output[0]).with_suffix("")
    publisher = {"publisher": where["publisher"]} if where["publisher"] else {}
    catalogue = {name: work.slice["entry"] | publisher}
    record = {}
    try:
        source = fetch_dataset(
            name, folder, where["mirror"], catalogue, bad_mirror=where["bad_mirror"]
        )
        record |= json.loads((folder / "source.json").read_text(encoding="utf-8"))
        print(f"mvclust: {name} from {source}", file=sys.stderr)
    except DataNotAvailable as error:
        if isinstance(error, BadMirror) or where["missing_data"] == "stop":
            raise
        print(f"mvclust: {error}\nThe run goes on without it.", file=sys.stderr)
        record["unavailable"] = str(error)
    with completed(snakemake.output[0]) as unfinished:
        unfinished.write_text(json.dumps(record))
