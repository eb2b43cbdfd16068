# One canonical HDF5 file per data set.


rule prepare_dataset:
    input:
        raw_files_of_dataset,
    output:
        f"{RESOURCES}/datasets/{{dataset}}.h5",
    log:
        f"{WORK}/logs/prepare.{{dataset}}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_of_reader,
    script:
        "../scripts/prepare_dataset.py"
