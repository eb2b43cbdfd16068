"""Rule claims."""

from pathlib import Path

import pandas as pd

from mvclust.claims.ledger import Ledger
from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.runs import read_runs
from mvclust.report.claims import write_claims

with job(snakemake) as work:
    used = work.slice
    runs = {name: read_runs(path) for name, path in used["inputs"]["scores"].items()}
    growth = [pd.read_csv(path) for path in used["inputs"].get("growth", [])]
    write_claims(Ledger(used, runs, *growth), Path(snakemake.output[0]).parents[1])
