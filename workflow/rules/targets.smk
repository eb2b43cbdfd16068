# What can be asked for by name.


rule data:
    input:
        expand(f"{RESOURCES}/datasets/{{dataset}}.h5", dataset=names("prepare")),


rule fits:
    input:
        fits_of_run(),
        f"{RESULTS}/runs.parquet",


rule daimc:
    input:
        files_of_paper("daimc"),


rule ueaf:
    input:
        files_of_paper("ueaf"),


rule mpac:
    input:
        files_of_paper("mpac"),


rule cmvnmf:
    input:
        files_of_paper("cmvnmf"),


rule multinmf:
    input:
        files_of_paper("multinmf"),


rule pvc:
    input:
        files_of_paper("pvc"),


rule beyond:
    input:
        files_of_paper("beyond"),
