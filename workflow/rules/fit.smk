# One job = one method, or several small ones, on masks of some settings, with its whole grid, in
# one process.
#
# The masks are not ancient(), though a job's digest says which it uses: Snakemake does not compare
# the params of jobs that come after one that runs, and would keep fits on the old masks.


rule fit_method:
    input:
        datasets=datasets_of_fit,
        masks=masks_of_fit,
    output:
        f"{WORK}/fits/{{job}}.jsonl",
    log:
        f"{WORK}/logs/fit.{{job}}.log",
    wildcard_constraints:
        job=one_of("fit"),
    priority: expected_seconds  # the longest first
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=memory_of_fit,
        runtime=minutes_of_fit,
    params:
        uses=digest_of_fit,
    script:
        "../scripts/fit_method.py"
