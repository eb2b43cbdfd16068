# What the rules ask the plan for. A wildcard that names a data set is called {of} in masks and {on} in
# fits, since --dag shows a wildcard only where no job before has one of the same name.


def one_of(rule):
    """A wildcard that is one of the names of a rule."""
    return "|".join(map(re.escape, call.names(rule))) or call.no_name


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
