# Raw files of a data set from the first source that answers, checksums checked.


rule fetch_dataset:
    output:
        f"{RESOURCES}/raw/{{dataset}}.json",
    log:
        f"{WORK}/logs/fetch.{{dataset}}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        mirror=config["mirror"],
        missing_data=config["missing_data"],
    script:
        "../scripts/fetch_dataset.py"
