# Which instance is present in which view: all settings and repetitions of one data set.


rule draw_masks:
    input:
        f"{RESOURCES}/datasets/{{dataset}}.h5",
    output:
        f"{WORK}/masks/{{dataset}}.npz",
    log:
        f"{WORK}/logs/masks.{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of("masks"),
    priority: 10000
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest_of_masks,
    script:
        "../scripts/draw_masks.py"
