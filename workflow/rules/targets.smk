# What can be asked for by name.


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
