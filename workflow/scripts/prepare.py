"""Rule prepare."""

import json
import sys
from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.datasets.fetch import fetch_dataset
from mvclust.datasets.files import DamagedFile
from mvclust.datasets.loading import prepare_dataset
from mvclust.datasets.record import write_unavailable
from mvclust.extras import NotInstalled

with job(snakemake) as work:
    used, output = work.slice, snakemake.output[0]
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
        where = used["where"]
        fetch_dataset(
            used["name"], folder, where["mirror"], catalogue, bad_mirror=where["bad_mirror"]
        )
        try:
            prepare_dataset(used["name"], folder, output, used["subset"], catalogue)
        except NotInstalled as error:
            if where["missing_data"] == "stop":
                raise
            print(f"mvclust: {error}\nThe run goes on without {used['name']}.", file=sys.stderr)
            write_unavailable(used["name"], str(error), output)
