# What the rules ask the plan for. A wildcard that names a data set is called {of} in masks and {on} in
# fits, since --dag shows a wildcard only where no job before has one of the same name.
#
# The inputs of a job are computed here, not written in its rule: the plan knows them, and compares what
# the job follows from with the record of its last run. Where they differ it has the output made again.


def one_of(rule):
    """A wildcard that is one of the names of a rule."""
    return "|".join(map(re.escape, call.names(rule))) or call.no_name


def ask(answer, rule, name, wildcards):
    return answer(rule, name.format(**dict(wildcards.items())))


def inputs_of(rule, name):
    """The files that a job reads, by what they are (data, masks, scores, ...)."""
    return partial(ask, call.inputs, rule, name)


def digest_of(rule, name):
    """What a job follows from beside its files, as a digest, so that Snakemake sees changes too."""
    return partial(ask, call.digest, rule, name)


def paper_of(wildcards):
    return call.papers[wildcards.id]


def outputs_of(product, name):
    """The outputs of a rule; of its tables, figures and page the first form is reported."""
    outputs = []
    for kind, (first, *others) in product.forms(name, call.folders):
        if kind in product.reported:
            labels = {"item": Path(first).stem, "kind": kind}
            first = report(first, category=product.category or paper_of, labels=labels)
        outputs += [first, *others]
    return outputs


# Of fits.


def job_of(wildcards):
    return f"{wildcards.on}/{wildcards.method}.{wildcards.part}"


def expected_seconds(wildcards):
    return round(call.expected(job_of(wildcards))["seconds"])


def memory_of_fit(wildcards, attempt):
    return call.packing.memory_mb(call.expected(job_of(wildcards)), attempt)


def minutes_of_fit(wildcards, attempt):
    return call.packing.minutes(call.expected(job_of(wildcards)), attempt)
