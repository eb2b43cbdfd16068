"""Rule probes."""

from pathlib import Path

import pandas as pd

from mvclust.bench.record.log import job
from mvclust.bench.report.claims import write_probes

with job(snakemake) as work:
    used = work.slice
    tables = {name: pd.read_csv(path) for name, path in used["inputs"]["measured"].items()}
    write_probes(used["probes"], tables, Path(snakemake.output[0]).parents[1])
