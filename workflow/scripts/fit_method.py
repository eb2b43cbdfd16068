"""Rule fit_method."""

import json
from pathlib import Path

from mvclust.benchmark.job import job
from mvclust.benchmark.plan import read_plan
from mvclust.benchmark.progress import Progress
from mvclust.benchmark.run import load_estimator, run_job
from mvclust.datasets.files import completed

plan = read_plan(snakemake.config)
names = tuple(snakemake.wildcards)
fits = plan.jobs[names]
method = names[1]
estimator = load_estimator(plan.algorithms[method]["estimator"])
work = Path(snakemake.config["work"])
progress = Progress(work / "progress.jsonl")

with job(snakemake), progress.job(".".join(names), method, len(fits)) as fit_done:
    rows = run_job(
        fits,
        estimator=estimator,
        seed=snakemake.config["seed"],
        dataset_file=snakemake.input.dataset,
        mask_files={Path(path).stem: path for path in snakemake.input.masks},
        journals=work / "journals",
        code=snakemake.params.code,
        threads=snakemake.threads,
        report=fit_done,
    )
    with completed(snakemake.output[0]) as unfinished:
        unfinished.write_text("".join(json.dumps(row) + "\n" for row in rows))
