# One canonical HDF5 file per data set.


rule prepare_dataset:
    input:
        raw_of_dataset,
    output:
        f"{RESOURCES}/datasets/{{dataset}}.h5",
    log:
        f"{WORK}/logs/prepare.{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of("prepare"),
    priority: 10000
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest_of_prepare,
    script:
        "../scripts/prepare_dataset.py"
