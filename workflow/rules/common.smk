# What the rules ask the plan for. A wildcard that names a data set is called {of} in masks and {on} in
# fits, since --dag shows a wildcard only where no job before has one of the same name.


def one_of(rule):
    """A wildcard that is one of the names of a rule."""
    return "|".join(map(re.escape, call.names(rule))) or call.no_name


def inputs_of(rule, name):
    """A function of the wildcards: the files that a job reads, whose name they make up."""
    return partial(inputs_of_job, rule, name)


def inputs_of_job(rule, name, wildcards):
    return call.inputs(rule, name.format(**dict(wildcards.items())))


def table_files(name, category):
    """Outputs of a rule: the forms of a table. Its numbers are in the report of Snakemake."""
    labels = {"item": name, "kind": "table"}
    first, *others = [f"{RESULTS}/tables/{name}.{kind}" for kind in TABLE]
    return [report(first, category=category, labels=labels), *others]


def figure_files(name, category):
    """Outputs of a rule: the forms of a figure, of which the first is in the report of Snakemake."""
    labels = {"item": name, "kind": "figure"}
    first, *others = [f"{RESULTS}/figures/{name}.{kind}" for kind in FIGURE]
    return [report(first, category=category, labels=labels), *others]


def paper_of(wildcards):
    return call.paper_of(wildcards.id)


def products_of_run(wildcards):
    return call.products()


# Of fits.


def job_of(wildcards):
    return f"{wildcards.on}/{wildcards.method}.{wildcards.part}"


def expected_seconds(wildcards):
    return round(call.seconds(job_of(wildcards)))


def memory_of_fit(wildcards, attempt):
    return call.memory_mb(job_of(wildcards), attempt)


def minutes_of_fit(wildcards, attempt):
    return call.minutes(job_of(wildcards), attempt)


# Of tables and figures.


def outputs_of_claims():
    tables = [table_files(name, category="beyond") for name in CLAIMS_TABLES]
    return sum([*tables, figure_files("claims", category="beyond")], [])


def outputs_of_multiverse():
    tables = [table_files(name, category="beyond") for name in MULTIVERSE_TABLES]
    figures = [figure_files(name, category="beyond") for name in MULTIVERSE_FIGURES]
    return sum(tables + figures, [])


# Of targets.


def all_data(wildcards):
    return expand(f"{RESOURCES}/datasets/{{prepared}}.h5", prepared=call.names("prepare"))


def all_fits(wildcards):
    return expand(f"{WORK}/fits/{{job}}.jsonl", job=call.names("fit"))


def jobs_of_old_fits(wildcards):
    return expand(f"{WORK}/fits/{{job}}.jsonl", job=call.jobs_of_old_fits())


def files_of_paper(paper, wildcards):
    return call.files_of_paper(paper)
