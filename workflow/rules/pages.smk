# The page of the whole run, with a manifest beside it, and that of one paper.


rule report:
    input:
        inputs_of("report", "report"),
    output:
        report(
            f"{RESULTS}/report.html",
            category="report",
            labels={"item": "report", "kind": "page"},
        ),
        f"{RESULTS}/manifest.json",
        record=f"{RECORDS}/report/report.json",
    log:
        f"{LOGS}/report.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/report/report.json",
    script:
        "../scripts/report.py"


rule paper:
    input:
        inputs_of("paper", "{page}"),
    output:
        f"{RESULTS}/{{page}}.html",
        record=f"{RECORDS}/paper/{{page}}.json",
    log:
        f"{LOGS}/paper.{{page}}.log",
    wildcard_constraints:
        page=one_of("paper"),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/paper/{{page}}.json",
    script:
        "../scripts/paper.py"
