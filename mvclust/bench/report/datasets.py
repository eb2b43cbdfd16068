"""Tables of the data sets: what is in the files beside what the papers say."""

from collections.abc import Sequence

import pandas as pd

from mvclust.bench.report import writing
from mvclust.bench.score.statements import overview, statements

# What quantities are called in a table as printed.
NAMES = {"n_samples": "instances", "n_views": "views", "n_clusters": "clusters"}
NAMES |= {"dimensions": "features of each view"}


def make_description(used: dict) -> None:
    """Make a table of statistics of data sets.

    The statements of one paper are compared with the files; "beyond" gives an overview. Files that
    are not in the run may be missing. With an order of the data sets, as the paper calls them, md
    and tex have a line for each.
    """
    entries, files = used["entries"], used["inputs"]["data"]
    if used["paper"] == "beyond":
        table = overview(entries, files)
    else:
        table = statements(entries, used["paper"], files)
    caption = f"{used['title']}. {used['caption'].strip()}".strip()
    shown = _as_printed(table, used["order"]) if used["order"] else table
    latex = shown.drop(columns=["notes", "licence"], errors="ignore")
    parts, latex = [f"# {caption}", shown], [(latex, caption, used["id"])]
    writing.write_product(
        writing.results_folder(used), used["id"], table, parts, latex, digits=None
    )


def _as_printed(table: pd.DataFrame, order: Sequence[str]) -> pd.DataFrame:
    """One line per data set, in an order: each quantity in the files, and as published."""
    number = table["prepared"].replace("", "–") + " [" + table["published"] + "]"
    lines = table.assign(number=number).pivot_table(
        index=["called", "dataset", "source"], columns="quantity", values="number", aggfunc="first",
        sort=False,
    )  # fmt: skip
    lines = lines[[name for name in NAMES if name in lines]].rename(columns=NAMES).reset_index()
    places = lines["called"].map({name: place for place, name in enumerate(order)})
    return lines.iloc[places.argsort(kind="stable")].rename(columns={"called": "data [published]"})
