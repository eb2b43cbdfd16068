"""Rule render_experiment."""

from pathlib import Path

import pandas as pd

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.benchmark.runs import read_runs
from mvclust.report.render import render_experiment

with job(snakemake):
    render_experiment(
        read_plan(snakemake.config),
        snakemake.wildcards.id,
        read_runs(snakemake.input.runs),
        pd.read_csv(snakemake.input.published),
        Path(snakemake.output[0]).parents[1],
    )
