# Tables and figures.


rule experiment:
    input:
        inputs_of("experiment", "{id}"),
    output:
        table_files("{id}", category=paper_of),
        figure_files("{id}", category=paper_of),
        f"{WORK}/results/{{id}}.json",
        record=f"{RECORDS}/experiment/{{id}}.json",
    log:
        f"{LOGS}/experiment.{{id}}.log",
    wildcard_constraints:
        id=one_of("experiment"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/experiment/{{id}}.json",
    script:
        "../scripts/experiment.py"


# All methods and tunings, where the form of a paper leaves out some.
rule extended:
    input:
        inputs_of("extended", "{id}"),
    output:
        table_files("{id}_extended", category=paper_of),
        figure_files("{id}_extended", category=paper_of),
        record=f"{RECORDS}/extended/{{id}}.json",
    log:
        f"{LOGS}/extended.{{id}}.log",
    wildcard_constraints:
        id=one_of("extended"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/extended/{{id}}.json",
    script:
        "../scripts/extended.py"


rule statistics:
    input:
        inputs_of("statistics", "{id}"),
    output:
        table_files("{id}", category=paper_of),
        record=f"{RECORDS}/statistics/{{id}}.json",
    log:
        f"{LOGS}/statistics.{{id}}.log",
    wildcard_constraints:
        id=one_of("statistics"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/statistics/{{id}}.json",
    script:
        "../scripts/statistics.py"


rule partitions:
    input:
        inputs_of("partitions", "{id}"),
    output:
        table_files("{id}", category=paper_of),
        figure_files("{id}", category=paper_of),
        record=f"{RECORDS}/partitions/{{id}}.json",
    log:
        f"{LOGS}/partitions.{{id}}.log",
    wildcard_constraints:
        id=one_of("partitions"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/partitions/{{id}}.json",
    script:
        "../scripts/partitions.py"


rule published:
    input:
        inputs_of("published", "published_vs_reproduced"),
    output:
        table_files("published_vs_reproduced", category="beyond"),
        figure_files("published_vs_reproduced", category="beyond"),
        record=f"{RECORDS}/published/published_vs_reproduced.json",
    log:
        f"{LOGS}/published.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/published/published_vs_reproduced.json",
    script:
        "../scripts/published.py"


rule consistency:
    input:
        inputs_of("consistency", "consistency"),
    output:
        table_files("consistency", category="beyond"),
        record=f"{RECORDS}/consistency/consistency.json",
    log:
        f"{LOGS}/consistency.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/consistency/consistency.json",
    script:
        "../scripts/consistency.py"


rule multiverse:
    input:
        inputs_of("multiverse", "multiverse"),
    output:
        outputs_of_multiverse(),
        record=f"{RECORDS}/multiverse/multiverse.json",
    log:
        f"{LOGS}/multiverse.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/multiverse/multiverse.json",
    script:
        "../scripts/multiverse.py"


rule probe:
    input:
        inputs_of("probe", "{probe}"),
    output:
        f"{WORK}/probes/{{probe}}.csv",
        record=f"{WORK}/probes/{{probe}}.csv.record",
    log:
        f"{LOGS}/probe.{{probe}}.log",
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/probe/{{probe}}.json",
    script:
        "../scripts/probe.py"


rule probes:
    input:
        inputs_of("probes", "probes"),
    output:
        table_files("probes", category="beyond"),
        record=f"{RECORDS}/probes/probes.json",
    log:
        f"{LOGS}/probes.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/probes/probes.json",
    script:
        "../scripts/probes.py"


rule growth:
    input:
        inputs_of("growth", "growth"),
    output:
        table_files("growth", category="beyond"),
        record=f"{RECORDS}/growth/growth.json",
    log:
        f"{LOGS}/growth.log",
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/growth/growth.json",
    script:
        "../scripts/growth.py"


rule claims:
    input:
        inputs_of("claims", "claims"),
    output:
        outputs_of_claims(),
        record=f"{RECORDS}/claims/claims.json",
    log:
        f"{LOGS}/claims.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/claims/claims.json",
    script:
        "../scripts/claims.py"


rule costs:
    input:
        inputs_of("costs", "cost"),
    output:
        table_files("cost", category="beyond"),
        figure_files("cost", category="beyond"),
        record=f"{RECORDS}/costs/cost.json",
    log:
        f"{LOGS}/costs.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/costs/cost.json",
    script:
        "../scripts/costs.py"
