# Tables, figures, the manifest and the report page.


rule render_experiment:
    input:
        f"{WORK}/scores/{{id}}.parquet",
    output:
        table_files("{id}", category=paper_of),
        figure_files("{id}", category=paper_of),
        results=f"{WORK}/results/{{id}}.json",
    log:
        f"{WORK}/logs/render.{{id}}.log",
    wildcard_constraints:
        id=one_of("render"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest_of_render,
    script:
        "../scripts/render_experiment.py"


rule describe_datasets:
    input:
        prepared_of_statistics,
    output:
        table_files("{id}", category=paper_of),
    log:
        f"{WORK}/logs/describe.{{id}}.log",
    wildcard_constraints:
        id=one_of("statistics"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest_of_statistics,
    script:
        "../scripts/describe_datasets.py"


rule draw_partitions:
    input:
        prepared_of_partitions,
    output:
        table_files("{id}", category=paper_of),
        figure_files("{id}", category=paper_of),
    log:
        f"{WORK}/logs/partitions.{{id}}.log",
    wildcard_constraints:
        id=one_of("partitions"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest_of_partitions,
    script:
        "../scripts/draw_partitions.py"


rule compare_published:
    input:
        expand(f"{WORK}/results/{{id}}.json", id=names("render")),
    output:
        table_files("published_vs_reproduced", category="beyond"),
        figure_files("published_vs_reproduced", category="beyond"),
    log:
        f"{WORK}/logs/compare.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest("compare", "published"),
    script:
        "../scripts/compare_published.py"


rule check_printed:
    output:
        table_files("consistency", category="beyond"),
    log:
        f"{WORK}/logs/printed.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest("printed", "consistency"),
    script:
        "../scripts/check_printed.py"


rule compare_readings:
    input:
        scores_of_readings(),
    output:
        outputs_of_readings(),
    log:
        f"{WORK}/logs/readings.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest("readings", "readings"),
    script:
        "../scripts/compare_readings.py"


rule tabulate_cost:
    input:
        f"{RESULTS}/runs.parquet",
    output:
        table_files("cost", category="beyond"),
        figure_files("cost", category="beyond"),
    log:
        f"{WORK}/logs/cost.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest("cost", "cost"),
    script:
        "../scripts/tabulate_cost.py"


# The page of the whole run has a manifest beside it, that of one paper shows its experiments alone.
rule write_report:
    input:
        scores=expand(f"{WORK}/scores/{{id}}.parquet", id=names("score")),
        results=expand(f"{WORK}/results/{{id}}.json", id=names("render")),
        products=products_but_report(),
    output:
        page=report(
            f"{RESULTS}/report.html",
            category="report",
            labels={"item": "report", "kind": "page"},
        ),
        manifest=f"{RESULTS}/manifest.json",
    log:
        f"{WORK}/logs/report.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest("page", "report"),
    script:
        "../scripts/write_report.py"


rule write_paper:
    input:
        scores=scores_of_page,
        results=results_of_page,
        products=products_of_page,
    output:
        page=f"{RESULTS}/{{page}}.html",
    log:
        f"{WORK}/logs/{{page}}.log",
    wildcard_constraints:
        page=one_of_papers(),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest_of_page,
    script:
        "../scripts/write_report.py"
