"""Rule write_report."""

import json
from pathlib import Path

import pandas as pd

from mvclust.benchmark.job import job
from mvclust.benchmark.manifest import write_manifest
from mvclust.benchmark.plan import read_plan
from mvclust.benchmark.runs import read_runs
from mvclust.report.page import write_page
from mvclust.report.tables import read_csv

with job(snakemake):
    runs = read_runs(snakemake.input.runs)
    write_manifest(
        snakemake.output.manifest,
        runs=runs,
        config=snakemake.config,
        root=Path.cwd(),
        jobs_folder=Path(snakemake.config["work"], "jobs"),
        files=[
            *snakemake.input.tables,
            *snakemake.input.figures,
            *snakemake.input.get("partitions", []),
            *(snakemake.input.comparison, snakemake.input.scatter, snakemake.input.cost),
            *snakemake.input.get("statistics", []),
        ],
    )
    write_page(
        snakemake.output.page,
        plan=read_plan(snakemake.config),
        results={Path(p).stem: read_csv(p) for p in snakemake.input.tables},
        figures={
            Path(p).stem: p
            for p in [*snakemake.input.figures, *snakemake.input.get("partitions", [])]
        },
        comparison=pd.read_csv(snakemake.input.comparison, dtype={"note": str, "experiment": str}),
        extra_figures={
            "Published beside reproduced": snakemake.input.scatter,
            "Cost": snakemake.input.cost,
        },
        statistics={
            Path(p).stem: pd.read_csv(p, dtype=str, keep_default_na=False)
            for p in snakemake.input.get("statistics", [])
        },
        manifest=json.loads(Path(snakemake.output.manifest).read_text()),
        runs=runs,
    )
