# What can be asked for by name.


rule data:
    input:
        all_data,


rule fits:
    input:
        all_fits,
        f"{RESULTS}/runs.parquet",


# Of finished results: the fits that other code made; mvclust redraw then takes them in.
rule old_fits:
    input:
        jobs_of_old_fits,


for paper in call.targets:

    rule:
        name:
            paper
        input:
            partial(files_of_paper, paper),
