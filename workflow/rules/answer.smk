# The answer on samples, of one's own data: labels, how sure they are, what sets clusters apart.


rule answer:
    input:
        inputs_of("answer", "answer"),
    output:
        *[f"{RESULTS}/{name}" for name in ANSWER],
        *[path for name in ANSWER_FIGURES for path in figure_files(name, category="answer")],
        record=f"{RECORDS}/answer/answer.json",
    log:
        f"{LOGS}/answer.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    params:
        plan=f"{PLAN}/answer/answer.json",
    script:
        "../scripts/answer.py"
