"""Rules write_report and write_paper."""

from pathlib import Path

import pandas as pd

from mvclust.datasets.files import sha256_of
from mvclust.pipeline.plan.plan import read_slice
from mvclust.pipeline.record.log import job
from mvclust.pipeline.record.manifest import make_manifest, write_manifest
from mvclust.pipeline.score.results import read_finding, read_results
from mvclust.pipeline.score.runs import merge_runs, read_runs
from mvclust.report.consistency import TITLE as CONSISTENCY
from mvclust.report.page import write_page
from mvclust.report.published import compare
from mvclust.report.readings import TITLE as READINGS
from mvclust.report.style import look_of


def read_texts(path):
    return pd.read_csv(path, dtype=str, keep_default_na=False)


with job(snakemake):
    plan_file = Path(snakemake.config["plan"])
    page = Path(snakemake.output.page)
    used = read_slice(plan_file, "page", page.stem, snakemake.params.uses)
    results = {Path(path).stem: read_results(path) for path in snakemake.input.results}
    runs = merge_runs([read_runs(path) for path in snakemake.input.scores])
    manifest = make_manifest(
        runs=runs,
        config=used["config"],
        root=Path(snakemake.scriptdir).parents[1],
        jobs_folder=plan_file.with_name("jobs"),
        folder=page.parent,
        files=snakemake.input.products,
    )
    figures, tables = page.parent / "figures", page.parent / "tables"
    stated = {
        use["id"]: (use["title"], read_texts(tables / f"{use['id']}.csv"))
        for use in used["statistics"]
    }
    if str(tables / "consistency.csv") in snakemake.input.products:
        checked = read_texts(tables / "consistency.csv")
        stated["consistency"] = (
            CONSISTENCY,
            checked[checked["holds"] == "False"].drop(columns="holds"),
        )
    if used["readings"]:
        stated["readings"] = READINGS, read_texts(tables / "readings.csv")
    extra = {
        "Published beside reproduced": "published_vs_reproduced",
        "What a choice is worth": "readings",
        "Cost": "cost",
    }
    compared = used["compared"]
    write_page(
        page,
        title=used["title"],
        experiments=used["experiments"] + used["partitions"],
        results=results,
        findings={Path(path).stem: read_finding(path) for path in snakemake.input.results},
        figures={
            use["id"]: figures / f"{use['id']}.svg"
            for use in used["experiments"] + used["partitions"]
        },
        statistics=stated,
        comparison=compare(
            compared["experiments"], results, compared["published"], compared["methods"]
        ),
        extra_figures={
            title: figures / f"{name}.svg"
            for title, name in extra.items()
            if str(figures / f"{name}.svg") in snakemake.input.products
        },
        manifest=manifest,
        runs=runs,
        looks=look_of(used["looks"]),
    )
    if snakemake.rule.endswith("write_report"):
        manifest["sha256"][page.name] = sha256_of(page)
        write_manifest(manifest, snakemake.output.manifest)
