# The pages of docs/ that follow from committed results: `snakemake docs`. They belong to no run.
#
# A page names what it was made from by a digest in its last line, since neither the times of files nor
# the memory of Snakemake survive a checkout; pages that have another digest are asked for. A page keeps
# what is written by hand, and Snakemake would delete it as an output: the output is a mark, gone at the
# end.


def inputs_of_page(wildcards):
    from docs.pages import inputs_of

    return inputs_of(wildcards.page)


def pages_to_make(wildcards):
    from docs.pages import MADE_FROM, is_current

    return [f"docs/_build/made/{page}" for page in MADE_FROM if not is_current(page)]


rule docs:
    input:
        pages_to_make,
        pages=ancient("docs/README.md"),
    localrule: True


rule docs_page:
    input:
        inputs_of_page,
    output:
        temp(touch("docs/_build/made/{page}")),
    localrule: True
    conda:
        "../../envs/environment.yaml"
    shell:
        "python docs/make_{wildcards.page}.py"
