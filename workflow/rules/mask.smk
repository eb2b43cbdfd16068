# Which instance is present in which view: all repetitions of one setting.


rule draw_masks:
    input:
        dataset_of_setting,
    output:
        f"{WORK}/masks/{{setting}}.npz",
    log:
        f"{WORK}/logs/mask.{{setting}}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_hash("mvclust.benchmark.masks"),
        repetitions=repetitions_of_setting,
        seed=config["seed"],
        samples_per_class=config["budget"]["samples_per_class"],
    script:
        "../scripts/draw_masks.py"
