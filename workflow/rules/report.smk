# Tables, figures, the manifest and the report page.


rule render_experiment:
    input:
        runs=f"{WORK}/scores/{{id}}.parquet",
        published="config/published.csv",
    output:
        multiext(f"{RESULTS}/tables/{{id}}", ".csv", ".md", ".tex"),
        report(f"{RESULTS}/figures/{{id}}.svg", category=paper_of, labels={"figure": "{id}"}),
        multiext(f"{RESULTS}/figures/{{id}}", ".pdf", ".png"),
    log:
        f"{WORK}/logs/render.{{id}}.log",
    wildcard_constraints:
        id="|".join(plan.experiments),
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.report.render"),
        experiment=experiment_of,
    script:
        "../scripts/render_experiment.py"


rule describe_datasets:
    input:
        prepared_of_description,
    output:
        multiext(f"{RESULTS}/tables/{{id}}", ".csv", ".md", ".tex"),
    log:
        f"{WORK}/logs/describe.{{id}}.log",
    wildcard_constraints:
        id="|".join(plan.statistics) or "none",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.report.datasets"),
    script:
        "../scripts/describe_datasets.py"


rule draw_partitions:
    input:
        prepared_of_partitions,
    output:
        multiext(f"{RESULTS}/tables/{{id}}", ".csv", ".md", ".tex"),
        report(f"{RESULTS}/figures/{{id}}.svg", category=paper_of, labels={"figure": "{id}"}),
        multiext(f"{RESULTS}/figures/{{id}}", ".pdf", ".png"),
    log:
        f"{WORK}/logs/partitions.{{id}}.log",
    wildcard_constraints:
        id="|".join(plan.partitions) or "none",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.report.partitions", "mvclust.estimators.mpac"),
    script:
        "../scripts/draw_partitions.py"


rule compare_published:
    input:
        published="config/published.csv",
        tables=expand(f"{RESULTS}/tables/{{id}}.csv", id=plan.experiments),
    output:
        multiext(f"{RESULTS}/tables/published_vs_reproduced", ".csv", ".md", ".tex"),
        report(
            f"{RESULTS}/figures/published_vs_reproduced.svg",
            category="beyond",
            labels={"figure": "published_vs_reproduced"},
        ),
        multiext(f"{RESULTS}/figures/published_vs_reproduced", ".pdf", ".png"),
    log:
        f"{WORK}/logs/compare.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.report.published"),
    script:
        "../scripts/compare_published.py"


rule tabulate_cost:
    input:
        f"{RESULTS}/runs.parquet",
    output:
        multiext(f"{RESULTS}/tables/cost", ".csv", ".md", ".tex"),
        report(
            f"{RESULTS}/figures/cost.svg",
            category="beyond",
            labels={"figure": "cost"},
        ),
        multiext(f"{RESULTS}/figures/cost", ".pdf", ".png"),
    log:
        f"{WORK}/logs/cost.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.report.cost"),
    script:
        "../scripts/tabulate_cost.py"


rule write_report:
    input:
        runs=f"{RESULTS}/runs.parquet",
        published="config/published.csv",
        tables=expand(f"{RESULTS}/tables/{{id}}.csv", id=plan.experiments),
        figures=expand(f"{RESULTS}/figures/{{id}}.svg", id=plan.experiments),
        partitions=expand(f"{RESULTS}/figures/{{id}}.svg", id=plan.partitions),
        comparison=f"{RESULTS}/tables/published_vs_reproduced.csv",
        scatter=f"{RESULTS}/figures/published_vs_reproduced.svg",
        cost=f"{RESULTS}/figures/cost.svg",
        statistics=expand(f"{RESULTS}/tables/{{id}}.csv", id=plan.statistics),
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
