# What can be asked for by name.


def all_data(wildcards):
    return expand(f"{RESOURCES}/datasets/{{prepared}}.h5", prepared=call.names("prepare"))


def all_fits(wildcards):
    return expand(f"{WORK}/fits/{{job}}.jsonl", job=call.names("fit"))


def files_of_paper(paper, wildcards):
    return call.files_of_paper(paper)


rule data:
    input:
        all_data,


rule fits:
    input:
        all_fits,
        f"{RESULTS}/runs.parquet",


for paper in call.papers():

    rule:
        name:
            paper
        input:
            partial(files_of_paper, paper),
