# Metrics from the stored labels: one row a fit.


rule score_fits:
    input:
        fits=expand(
            f"{WORK}/fits/{{dataset}}.{{method}}.{{number}}.jsonl",
            zip,
            **plan.job_names(),
        ),
        masks=expand(f"{WORK}/masks/{{setting}}.npz", setting=plan.settings),
        datasets=expand(f"{RESOURCES}/datasets/{{dataset}}.h5", dataset=plan.datasets_in_use()),
    output:
        f"{RESULTS}/runs.parquet",
    log:
        f"{WORK}/logs/score.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.benchmark.runs"),
    script:
        "../scripts/score_fits.py"
