# What the pages of docs/ are made from; docs/ itself is read only where they are asked for.

from pathlib import Path

from mvclust.bench.run import errors_told


def inputs_of_page(wildcards):
    from docs.pages import inputs_of

    with errors_told():
        return inputs_of(wildcards.page)


def marks_of_due_pages(wildcards):
    from docs.pages import MADE_FROM, is_current

    with errors_told():
        marks = [Path(f"docs/_build/made/{page}") for page in MADE_FROM if not is_current(page)]
        for mark in marks:
            mark.unlink(missing_ok=True)
    return list(map(str, marks))
