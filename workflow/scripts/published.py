"""Rule published."""

from pathlib import Path

from mvclust.bench.record.log import job
from mvclust.bench.report.published import comparison_of, write_comparison
from mvclust.bench.score.results import read_results

with job(snakemake) as work:
    used = work.slice
    results = {name: read_results(path) for name, path in used["inputs"]["results"].items()}
    write_comparison(comparison_of(used, results), Path(snakemake.output[0]).parents[1])
