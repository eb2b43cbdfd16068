"""All rules after the fits: the registry names the function that makes the files of a job."""

from mvclust.bench.record.log import job, make

with job(snakemake) as work:
    make(work.slice)
