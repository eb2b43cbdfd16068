# What the rules ask the plan for; wildcards name a data set, a job, an experiment or a page.


def digest(rule, name):
    return plan["digests"][rule].get(name, "not planned")


def digest_of_fetch(wildcards):
    return digest("fetch", wildcards.dataset)


def digest_of_prepare(wildcards):
    return digest("prepare", wildcards.dataset)


def digest_of_masks(wildcards):
    return digest("masks", wildcards.dataset)


def digest_of_fit(wildcards):
    return digest("fit", wildcards.job)


def digest_of_score(wildcards):
    return digest("score", wildcards.id)


def digest_of_render(wildcards):
    return digest("render", wildcards.id)


def digest_of_statistics(wildcards):
    return digest("statistics", wildcards.id)


def digest_of_partitions(wildcards):
    return digest("partitions", wildcards.id)


def digest_of_page(wildcards):
    return digest("page", wildcards.page)


def attempt_of_fetch(wildcards):
    path = f"{RESOURCES}/raw/{wildcards.dataset}.json"
    entry = plan["uses"]["fetch"][wildcards.dataset]["entry"]
    return next_attempt(path, entry, plan["mirror"], plan["config"]["missing_data"])


def names(stage):
    """What a stage is planned for."""
    return list(plan["uses"][stage])


def one_of(stage):
    """A wildcard that is one of the names of a stage."""
    return "|".join(re.escape(name) for name in names(stage)) or "none"


def raw_of_dataset(wildcards):
    return f"{RESOURCES}/raw/{plan['uses']['prepare'][wildcards.dataset]['name']}.json"


def datasets_of(use):
    return sorted({setting["dataset"] for setting in use["settings"].values()})


def datasets_of_fit(wildcards):
    used = datasets_of(plan["uses"]["fit"][wildcards.job])
    return expand(f"{RESOURCES}/datasets/{{dataset}}.h5", dataset=used)


def masks_of_fit(wildcards):
    used = datasets_of(plan["uses"]["fit"][wildcards.job])
    return expand(f"{WORK}/masks/{{dataset}}.npz", dataset=used)


def expected_seconds(wildcards):
    return round(plan["jobs"][wildcards.job]["seconds"])


def memory_of_fit(wildcards, attempt):
    return memory_mb(plan["jobs"][wildcards.job], attempt, PACKING)


def minutes_of_fit(wildcards, attempt):
    return minutes(plan["jobs"][wildcards.job], attempt, PACKING)


def datasets_of_score(wildcards):
    used = datasets_of(plan["uses"]["score"][wildcards.id])
    return expand(f"{RESOURCES}/datasets/{{dataset}}.h5", dataset=used)


def masks_of_score(wildcards):
    used = datasets_of(plan["uses"]["score"][wildcards.id])
    return expand(f"{WORK}/masks/{{dataset}}.npz", dataset=used)


def fits_of_score(wildcards):
    return expand(
        f"{WORK}/fits/{{job}}.jsonl", job=list(plan["uses"]["score"][wildcards.id]["fits"])
    )


def prepared_of_partitions(wildcards):
    return f"{RESOURCES}/datasets/{plan['uses']['partitions'][wildcards.id]['dataset']}.h5"


def prepared_of_statistics(wildcards):
    entries = plan["uses"]["statistics"][wildcards.id]["entries"].values()
    used = sorted({name for entry in entries for name in entry["prepared"].values()})
    return expand(f"{RESOURCES}/datasets/{{dataset}}.h5", dataset=used)


def paper_of(wildcards):
    return plan["papers"][wildcards.id]


# What a page shows, and what all of a run is.


def on_page(wildcards, part):
    return [use["id"] for use in plan["uses"]["page"][wildcards.page][part]]


def scores_of_page(wildcards):
    return expand(f"{WORK}/scores/{{id}}.parquet", id=on_page(wildcards, "experiments"))


def results_of_page(wildcards):
    return expand(f"{WORK}/results/{{id}}.json", id=on_page(wildcards, "experiments"))


def products_of_page(wildcards):
    drawn = on_page(wildcards, "experiments") + on_page(wildcards, "partitions")
    return files_of(drawn + on_page(wildcards, "statistics"), drawn)


def one_of_papers():
    """A wildcard that is one of the papers."""
    return "|".join(page for page in names("page") if page != "report") or "none"


READINGS_TABLES = [
    "readings",
    *(f"readings_{n}" for n in ("numbers", "tried", "control", "levels", "effects")),
]
READINGS_FIGURES = ["readings", "readings_numbers"]


def scores_of_readings():
    used = plan["uses"]["readings"].get("readings", {"experiments": []})
    return expand(f"{WORK}/scores/{{id}}.parquet", id=[e["id"] for e in used["experiments"]])


def files_of(ids, drawn):
    """Tables of experiments, and figures of those that are drawn."""
    tables = expand(f"{RESULTS}/tables/{{id}}.{{kind}}", id=ids, kind=["csv", "md", "tex"])
    figures = expand(f"{RESULTS}/figures/{{id}}.{{kind}}", id=drawn, kind=["svg", "pdf", "png"])
    return tables + figures


def table_files(name, category):
    """Outputs of a rule: the forms of a table. Its numbers are in the report of Snakemake."""
    labels = {"item": name, "kind": "table"}
    shown = report(f"{RESULTS}/tables/{name}.csv", category=category, labels=labels)
    return [shown, *multiext(f"{RESULTS}/tables/{name}", ".md", ".tex")]


def figure_files(name, category):
    """Outputs of a rule: the forms of a figure, of which the first is in the report of Snakemake."""
    labels = {"item": name, "kind": "figure"}
    shown = report(f"{RESULTS}/figures/{name}.svg", category=category, labels=labels)
    return [shown, *multiext(f"{RESULTS}/figures/{name}", ".pdf", ".png")]


def outputs_of_readings():
    """All that a run asks for: an output that is not asked for would hide that the rule is due."""
    tables = [table_files(name, category="beyond") for name in READINGS_TABLES]
    figures = [figure_files(name, category="beyond") for name in READINGS_FIGURES]
    return sum(tables + figures, [])


def masks_of_run():
    return expand(f"{WORK}/masks/{{dataset}}.npz", dataset=names("masks"))


def fits_of_run():
    return expand(f"{WORK}/fits/{{job}}.jsonl", job=names("fit"))


def scores_of_run():
    scores = expand(f"{WORK}/scores/{{id}}.parquet", id=names("score"))
    return scores + expand(f"{WORK}/results/{{id}}.json", id=names("render"))


def products_but_report():
    drawn = names("render") + names("partitions")
    products = files_of(drawn + names("statistics"), drawn)
    if names("score"):
        beyond = ["cost"] + (["published_vs_reproduced"] if names("compare") else [])
        products += files_of(beyond + names("printed"), beyond)
        products += [
            f"{RESULTS}/{name}" for name in ("runs.parquet", "fitted.parquet", "costs.csv")
        ]
    if names("readings"):
        products += files_of(READINGS_TABLES, READINGS_FIGURES)
    return products


def products_of_run():
    return [*products_but_report(), f"{RESULTS}/report.html", f"{RESULTS}/manifest.json"]


def files_of_paper(paper):
    """A function that gives tables, figures and the page of the chosen experiments of a paper."""

    def files(wildcards):
        made = names("render") + names("statistics") + names("partitions")
        ids = [name for name in made if plan["papers"][name] == paper]
        if not ids:
            raise WorkflowError(
                f"the configuration chooses no experiment of {paper}; "
                "--configfile config/runs/paper.yaml chooses all."
            )
        drawn = [name for name in ids if name not in names("statistics")]
        return [*files_of(ids, drawn), f"{RESULTS}/{paper}.html"]

    return files


def left_jobs(workflow):
    """The names that a cluster gave to unfinished jobs of an earlier run."""
    jobs = list(workflow.dag.needrun_jobs())
    return sorted({name for job in jobs for name in workflow.persistence.external_jobids(job)})


def name_of(job):
    """The name of a job as it calls itself."""
    return ".".join([job.rule.name, *map(str, job.wildcards)])


def jobs_to_do(dag):
    """Names of the jobs that Snakemake is about to run."""
    return [name_of(job) for job in dag.needrun_jobs() if job.is_script]


def outputs_of_jobs(dag):
    """Name of each job that was asked for, done before or now -> the files that it makes."""
    return {name_of(job): list(map(str, job.output)) for job in dag.jobs if job.is_script}
