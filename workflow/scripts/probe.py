"""Rule probe."""

from mvclust.bench.claims.probing import probe
from mvclust.bench.record.log import job
from mvclust.bench.report.writing import csv_text, write_texts

with job(snakemake) as work:
    table = probe(work.slice, work.slice["inputs"]["data"])
    write_texts(snakemake.output[0].removesuffix(".csv"), {"csv": csv_text(table)})
