"""Rule prepare_dataset."""

import json
from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.datasets.loading import prepare_dataset
from mvclust.datasets.record import write_unavailable

with job(snakemake):
    plan = read_plan(snakemake.config)
    name, subset = plan.origin(snakemake.wildcards.dataset)
    fetched = Path(snakemake.input[0])
    reason = json.loads(fetched.read_text()).get("unavailable")
    if reason:
        write_unavailable(name, reason, snakemake.output[0])
    else:
        prepare_dataset(name, fetched.with_suffix(""), snakemake.output[0], subset, plan.datasets)
