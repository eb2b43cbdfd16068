"""Rule published."""

from pathlib import Path

from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.published import compare
from mvclust.pipeline.score.results import read_results
from mvclust.report.published import write_comparison

with job(snakemake) as work:
    used = work.slice
    results = {name: read_results(path) for name, path in used["inputs"]["results"].items()}
    write_comparison(
        compare(used["experiments"], results, used["published"], used["methods"]),
        Path(snakemake.output[0]).parents[1],
    )
