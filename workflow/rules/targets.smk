# What can be asked for by name.


rule data:
    input:
        expand(f"{RESOURCES}/datasets/{{dataset}}.h5", dataset=plan.datasets_in_use()),


rule fits:
    input:
        f"{RESULTS}/runs.parquet",
