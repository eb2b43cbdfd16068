# Metrics from the stored labels, one row per fit: of each experiment, then of all together.


rule score_experiment:
    input:
        fits=fits_of_score,
        masks=masks_of_score,
        datasets=datasets_of_score,
    output:
        f"{WORK}/scores/{{id}}.parquet",
    log:
        f"{WORK}/logs/score.{{id}}.log",
    wildcard_constraints:
        id=one_of("score"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest_of_score,
    script:
        "../scripts/score_experiment.py"


rule collect_runs:
    input:
        expand(f"{WORK}/scores/{{id}}.parquet", id=names("score")),
    output:
        runs=f"{RESULTS}/runs.parquet",
        fitted=f"{RESULTS}/fitted.parquet",
        costs=f"{RESULTS}/costs.csv",
    log:
        f"{WORK}/logs/collect.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest("collect", "runs"),
    script:
        "../scripts/collect_runs.py"
