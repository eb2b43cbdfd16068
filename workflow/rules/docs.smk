# The pages of docs/ that follow from committed results: `make pages`. They belong to no run.
#
# Neither the times of files nor the memory of Snakemake survive a checkout: a page names what it was
# made from by a digest in its last line, and is made again where this is another. The page itself is
# no output, since Snakemake deletes outputs first, and parts of a page are written by hand; the output
# is an empty mark, removed here when its page is due.


include: "docs_inputs.smk"


rule docs:
    input:
        marks_of_due_pages,
        ancient("docs/README.md"),
    localrule: True


rule docs_page:
    input:
        inputs_of_page,
    output:
        touch("docs/_build/made/{page}"),
    log:
        "docs/_build/made/{page}.log",
    localrule: True
    conda:
        "../../envs/environment.yaml"
    shell:
        "python -m docs.pages {wildcards.page} > {log} 2>&1"
