# Tables, figures, the manifest and the report page.


rule render_experiment:
    input:
        runs=f"{RESULTS}/runs.parquet",
        published="config/published.csv",
    output:
        multiext(f"{RESULTS}/tables/{{id}}", ".csv", ".md", ".tex"),
        multiext(f"{RESULTS}/figures/{{id}}", ".svg", ".pdf", ".png"),
    log:
        f"{WORK}/logs/render.{{id}}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.report.render"),
        experiment=experiment_of,
    script:
        "../scripts/render_experiment.py"


rule write_report:
    input:
        runs=f"{RESULTS}/runs.parquet",
        published="config/published.csv",
        tables=expand(f"{RESULTS}/tables/{{id}}.csv", id=plan.experiments),
        figures=expand(f"{RESULTS}/figures/{{id}}.svg", id=plan.experiments),
    output:
        manifest=f"{RESULTS}/manifest.json",
        page=f"{RESULTS}/report.html",
    log:
        f"{WORK}/logs/report.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.report.page", "mvclust.benchmark.manifest"),
    script:
        "../scripts/write_report.py"
