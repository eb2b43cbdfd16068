# Metrics from the stored labels, one row per fit: of each experiment, then of all together.


rule score:
    input:
        inputs_of("score", "{experiment}"),
    output:
        f"{WORK}/scores/{{experiment}}.parquet",
        record=f"{WORK}/scores/{{experiment}}.parquet.record",
    log:
        f"{LOGS}/score.{{experiment}}.log",
    wildcard_constraints:
        experiment=one_of("score"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/score/{{experiment}}.json",
    script:
        "../scripts/score.py"


rule runs:
    input:
        inputs_of("runs", "runs"),
    output:
        f"{RESULTS}/runs.parquet",
        f"{RESULTS}/fitted.parquet",
        f"{RESULTS}/costs.csv",
        record=f"{RECORDS}/runs/runs.json",
    log:
        f"{LOGS}/runs.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/runs/runs.json",
    script:
        "../scripts/runs.py"
