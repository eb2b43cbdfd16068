"""Rule compare_published."""

from pathlib import Path

from mvclust.pipeline.plan.plan import read_slice
from mvclust.pipeline.record.log import job
from mvclust.pipeline.score.published import compare
from mvclust.pipeline.score.results import read_results
from mvclust.report.published import write_comparison

with job(snakemake):
    used = read_slice(snakemake.config["plan"], "compare", "published", snakemake.params.uses)
    results = {Path(path).stem: read_results(path) for path in snakemake.input}
    write_comparison(
        compare(used["experiments"], results, used["published"], used["methods"]),
        Path(snakemake.output[0]).parents[1],
    )
