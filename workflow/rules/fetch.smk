# Raw files of a data set from the first source that has them, checksums checked.


rule fetch_dataset:
    output:
        f"{RESOURCES}/raw/{{dataset}}.json",
    log:
        f"{WORK}/logs/fetch.{{dataset}}.log",
    wildcard_constraints:
        dataset=one_of("fetch"),
    priority: 10000
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        uses=digest_of_fetch,
        attempt=attempt_of_fetch,
    script:
        "../scripts/fetch_dataset.py"
