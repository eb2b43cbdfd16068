"""Rule report: the page of the whole run, and its manifest."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.record.manifest import write_manifest
from mvclust.bench.report.run_page import write_run_page
from mvclust.datasets.files import sha256_of

with job(snakemake) as work:
    page, manifest_file, _ = map(Path, snakemake.output)
    root = Path(snakemake.scriptdir).parents[1]
    manifest = write_run_page(page, work.slice, root=root)
    manifest["sha256"][page.name] = sha256_of(page)
    write_manifest(manifest, manifest_file)
