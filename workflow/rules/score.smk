# Metrics from the stored labels: one row a fit. First of each experiment, then all together.
rule score_experiment:
    input:
        fits=fits_of_experiment,
        masks=masks_of_experiment,
        datasets=datasets_of_experiment,
    output:
        f"{WORK}/scores/{{id}}.parquet",
    log:
        f"{WORK}/logs/score.{{id}}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.benchmark.runs"),
        fits=digest_of_experiment,
    script:
        "../scripts/score_experiment.py"


rule collect_runs:
    input:
        expand(f"{WORK}/scores/{{id}}.parquet", id=plan.experiments),
    output:
        runs=f"{RESULTS}/runs.parquet",
        costs=f"{RESULTS}/costs.csv",
    log:
        f"{WORK}/logs/collect.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.benchmark.runs"),
    script:
        "../scripts/collect_runs.py"
