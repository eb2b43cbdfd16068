"""Rule compare_published."""

from pathlib import Path

import pandas as pd

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.report.published import compare, exchanged_in_mpac, write_comparison
from mvclust.report.tables import read_csv

with job(snakemake):
    plan = read_plan(snakemake.config)
    published = pd.read_csv(snakemake.input.published)
    tables = {Path(path).stem: read_csv(path) for path in snakemake.input.tables}
    write_comparison(
        compare(plan, tables, published),
        exchanged_in_mpac(plan, published),
        Path(snakemake.output[0]).parents[1],
    )
