"""Parameter tables and lists of methods, from the docstrings: python docs/make_methods.py

What benchmarks/rounding.py measured goes into docs/rounding.md, and to the pages of those methods
whose labels rounding changes.
"""

import inspect
import re
from functools import cache

import pandas as pd
from numpydoc.docscrape import NumpyDocString

from docs.pages import ROOT, estimators, fill, pages_of_methods, said, table, table_of

GROUPS = {
    "incomplete": "Incomplete views",
    "complete": "Complete views",
    "unmapped": "Views whose rows do not correspond, or only in part",
}


def parameters(estimator: type) -> str:
    """The table of the parameters of a class, by its docstring."""
    rows = []
    for name, values, lines in NumpyDocString(inspect.getdoc(estimator))["Parameters"]:
        values, _, default = values.partition(", default=")
        cells = [f"`{name}`", f"`{values}`", f"`{default}`" if default else "", plain(lines)]
        rows.append([cell.replace("|", r"\|") for cell in cells])
    return table(["parameter", "values", "default", "meaning"], rows, align="---")


def plain(lines):
    """The text of a description on one line of a Markdown table."""
    text = re.sub(r"\s*\[\d\]_", " the paper", " ".join(" ".join(lines).split()))
    parts = re.split(r"(`+.*?`+)", text)  # code stays as it is
    parts[::2] = [re.sub(r"([*<\[])", r"\\\1", part) for part in parts[::2]]
    return "".join(parts).replace("``", "`")


def group_of(estimator):
    """The key of `GROUPS` that a class belongs to by its `view_tags`."""
    tags = estimator.view_tags
    return "unmapped" if tags.unmapped else "incomplete" if tags.incomplete else "complete"


def views_of(estimator):
    """Which views a class takes, in words."""
    tags = estimator.view_tags
    kinds = {"between": "unmapped or partly mapped", "within": "partly mapped"}
    words = kinds.get(tags.constraints, group_of(estimator))
    words += ", non-negative" if tags.nonnegative else ""
    return f"{'two ' if tags.n_views else ''}{words} views{', sparse too' if tags.sparse else ''}"


def references_of(estimator):
    """The references of a class, each on one line."""
    lines = NumpyDocString(inspect.getdoc(estimator))["References"]
    return re.split(r"\s*\.\. \[\d\] ", " ".join(line.strip() for line in lines))[1:]


def short(reference: str) -> str:
    """Authors and year of a reference, as in "Hu and Chen 2018"."""
    authors, _, rest = reference.partition('"')
    authors, several, _ = authors.partition(" et al.")
    names = [name.split()[-1] for name in re.split(r",\s|\sand\s", authors) if name.strip()]
    year = re.search(r"\b(19|20)\d\d\b", rest.partition('"')[2])[0]
    several = several or len(names) > 2
    return f"{names[0]} et al. {year}" if several else f"{' and '.join(names)} {year}"


@cache
def bibliography():
    """Title in small letters -> key and entry of paper.bib."""
    text = (ROOT / "paper.bib").read_text(encoding="utf-8")
    entries = re.findall(r"^(@\w+\{(\w+),.*?^  title = \{(.*?)\},?$.*?^\})", text, re.M | re.S)
    return {title_of(title): (key, entry) for entry, key, title in entries}


def entries_of(estimator):
    """Keys and entries of paper.bib of the references of a class."""
    titles = map(title_of, references_of(estimator))
    return [bibliography()[title] for title in titles if title in bibliography()]


def title_of(text):
    """A title, or the title of a reference, without braces and case."""
    quoted = re.search('"(.*?),?"', text)
    return " ".join(re.sub(r"[{}]", "", quoted[1] if quoted else text).lower().split())


def grouped():
    """A list of all methods with their references, by the views that they take."""
    names = {group: [] for group in GROUPS}
    for name, estimator in sorted(estimators().items(), key=lambda pair: pair[0].lower()):
        keys = [f"@{key}" for key, _ in entries_of(estimator)]
        names[group_of(estimator)].append(f"{name} [{'; '.join(keys)}]" if keys else name)
    return "\n".join(f"- {GROUPS[group]}: {', '.join(of)}." for group, of in names.items())


def table_of_pages():
    """The table of all pages in docs/methods."""
    rows = []
    for page, names in pages_of_methods().items():
        classes = [estimators()[name] for name in names]
        summary = " ".join(NumpyDocString(inspect.getdoc(classes[0]))["Summary"]).rstrip(".")
        summary = re.sub(r",? for (in)?complete views", "", summary)  # the column before says it
        papers = [short(reference) for reference in references_of(classes[0])]
        link = f"[{', '.join(names)}](methods/{page}.md)"
        rows.append([link, views_of(classes[0]), summary, "; ".join(papers)])
    return table(["page", "views", "method", "papers"], rows, align="---")


@cache
def rounding():
    """The rows of benchmarks/rounding.csv."""
    rows = pd.read_csv(ROOT / "benchmarks/rounding.csv")
    return rows.assign(kernels=rows["same_by_kernel"].map({True: "same", False: "differ"}))


def said_of_rounding(names):
    """What pages say of methods whose labels rounding changes, in a copy or with another kernel."""
    rows = rounding()
    changed = (rows["other_labels"] > 0) | ~rows["same_by_kernel"]
    rows = rows[rows["method"].isin(names) & changed]
    return [said("methods", "rounding", **row) for row in rows.to_dict("records")]


def blocks():
    """Page -> (name of the block, text) of everything that this script writes."""
    texts = {
        "README.md": ("methods", table_of_pages()),
        "../paper.md": ("methods", grouped()),
        "rounding.md": ("rounding", table_of("methods", "table of rounding", rounding())),
    }
    for page, names in pages_of_methods().items():
        tables = [parameters(estimators()[name]) for name in names]
        if len(names) > 1:
            tables = [f"`{name}`:\n\n{text}" for name, text in zip(names, tables, strict=True)]
        text = "\n\n".join([*tables, *said_of_rounding(names)])
        texts[f"methods/{page}.md"] = "parameters", text
    return texts


if __name__ == "__main__":
    for page, (name, text) in blocks().items():
        fill(page, name, text)
