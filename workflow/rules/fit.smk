# One job = one method on one data set, or several small ones, with the whole grid, in one process. What
# takes longer than a job is cut into parts.


def job_of(wildcards):
    return f"{wildcards.on}/{wildcards.method}.{wildcards.part}"


def inputs_of_fit(wildcards):
    return call.inputs("fit", job_of(wildcards))


def expected_seconds(wildcards):
    return round(call.seconds(job_of(wildcards)))


def memory_of_fit(wildcards, attempt):
    return call.memory_mb(job_of(wildcards), attempt)


def minutes_of_fit(wildcards, attempt):
    return call.minutes(job_of(wildcards), attempt)


rule fit:
    input:
        inputs_of_fit,
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
        plan=f"{PLAN}/fit/{{on}}/{{method}}.{{part}}.json",
    script:
        "../scripts/fit.py"
