"""Rule claims."""

from pathlib import Path

import pandas as pd

from mvclust.bench.claims.ledger import Ledger
from mvclust.bench.record.log import job
from mvclust.bench.report.claims import write_claims
from mvclust.bench.score.runs import read_runs

with job(snakemake) as work:
    used = work.slice
    runs = {name: read_runs(path) for name, path in used["inputs"]["scores"].items()}
    measured = {
        name: pd.read_csv(used["inputs"][name][0])
        for name in ("growth", "probes")
        if name in used["inputs"]
    }
    write_claims(Ledger(used, runs, measured), Path(snakemake.output[0]).parents[1])
