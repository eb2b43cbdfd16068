# What can be asked for by name.


rule data:
    input:
        lambda _: map(call.folders.data, call.names("prepare")),


rule fits:
    input:
        lambda _: map(call.folders.fits, call.names("fit")),
        f"{RESULTS}/runs.parquet",


# Of finished results: the fits that other code made; mvclust redraw then takes them in.
rule old_fits:
    input:
        lambda _: map(call.folders.fits, call.jobs_of_old_fits()),


for paper in call.targets:

    rule:
        name:
            paper
        input:
            lambda _, paper=paper: call.files_of_paper(paper),
