# One job = one method on one data set, or several small ones, with the whole grid, in one process. What
# takes longer than a job is cut into parts.


rule fit:
    input:
        unpack(inputs_of("fit", "{on}/{method}.{part}")),
    output:
        f"{WORK}/fits/{{on}}/{{method}}.{{part}}.jsonl",
        record=f"{WORK}/fits/{{on}}/{{method}}.{{part}}.jsonl.record",
    log:
        f"{LOGS}/fit.{{on}}.{{method}}.{{part}}.log",
    wildcard_constraints:
        on="[^/]+",
        method="[^/.]+",
        part="[0-9]+",
    priority: expected_seconds  # the longest first
    conda:
        "../../envs/environment.yaml"
    resources:
        mem_mb=memory_of_fit,
        runtime=minutes_of_fit,
    params:
        plan=call.folders.plan_file("fit", "{on}/{method}.{part}"),
        digest=digest_of("fit", "{on}/{method}.{part}"),
    script:
        "../scripts/fit.py"
