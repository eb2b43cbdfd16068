"""Rule probe."""

from mvclust.claims.probing import probe
from mvclust.pipeline.record.log import job
from mvclust.report.writing import csv_text, write_texts

with job(snakemake) as work:
    table = probe(work.slice, work.slice["inputs"]["data"])
    write_texts(snakemake.output[0].removesuffix(".csv"), {"csv": csv_text(table)})
