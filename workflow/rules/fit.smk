# One job = one method on some settings of a data set: all masks, the whole grid, one process.


rule fit_method:
    input:
        dataset=f"{RESOURCES}/datasets/{{dataset}}.h5",
        masks=masks_of_job,
    output:
        f"{WORK}/fits/{{dataset}}.{{method}}.{{number}}.jsonl",
    log:
        f"{WORK}/logs/fit.{{dataset}}.{{method}}.{{number}}.log",
    wildcard_constraints:
        dataset=r"[^./]+",
        method=r"[^./]+",
        number=r"\d+",
    conda:
        "../../envs/environment.yaml"
    params:
        code=code_of_method,
        fits=digest_of_job,
    script:
        "../scripts/fit_method.py"
