# So that `snakemake --cores 8` works here; the workflow is in workflow/Snakefile.


include: "workflow/Snakefile"


# An included file cannot set the default target.
rule default:
    input:
        rules.all.input,
