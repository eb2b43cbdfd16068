"""Tables of the data sets: what is in the files beside what the papers say of them."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.bench.report import writing
from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.record import read_dataset

QUANTITIES = ("n_samples", "n_views", "n_clusters", "dimensions")
STATEMENT = ["paper", "called", "dataset", "quantity", "published", "prepared", "agrees", "source"]
OVERVIEW = ["dataset", "version", *QUANTITIES, "missing", "disagreements", "notes", "licence"]
OVERVIEW += ["source"]
# What quantities are called in a table as printed.
NAMES = {"n_samples": "instances", "n_views": "views", "n_clusters": "clusters"}
NAMES |= {"dimensions": "features of each view"}


def make_description(used: dict) -> None:
    """Make a table of data sets: the statements of a paper, or "beyond" an overview."""
    entries, files, name = used["entries"], used["inputs"]["data"], used["id"]
    if used["paper"] == "beyond":
        table = overview(entries, files)
    else:
        table = statements(entries, used["paper"], files)
    caption = f"{used['title']}. {used['caption'].strip()}".strip()
    shown = _as_printed(table, used["order"]) if used["order"] else table
    latex = [(shown.drop(columns=["notes", "licence"], errors="ignore"), caption, name)]
    folder, parts = writing.results_folder(used), [f"# {caption}", shown]
    writing.write_product(folder, name, table, parts, latex, digits=None)


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


def statements(
    entries: dict[str, dict], paper: str, prepared_files: Mapping[str, str | None]
) -> pd.DataFrame:
    """Compare what a paper, or "beyond" all, states about data sets with the files, row by row."""
    rows = []
    for entry in entries.values():
        for statement in entry.get("paper_says", []):
            if paper not in (statement["paper"], "beyond"):
                continue
            prepared = _prepared_name(entry, statement.get("subset"))
            facts = _facts(prepared_files.get(prepared), statement.get("views"))
            for quantity in QUANTITIES:
                if quantity not in statement:
                    continue
                stated, value = statement[quantity], facts.get(quantity)
                agrees = "yes" if value == stated else "no"
                here = ("", "") if value is None else (_text(value), agrees)
                about = statement["paper"], statement["called"], prepared, quantity, _text(stated)
                rows.append([*about, *here, facts["source"]])
    return pd.DataFrame(rows, columns=STATEMENT)


def overview(entries: dict[str, dict], prepared_files: Mapping[str, str | None]) -> pd.DataFrame:
    """Sizes, share of missing instances, disagreements with papers, notes and licence of each."""
    stated = statements(entries, "beyond", prepared_files)
    rows = []
    for name, entry in entries.items():
        facts = _facts(prepared_files.get(_prepared_name(entry)), None)
        of_dataset = stated[stated["dataset"].isin(entry["prepared"].values())]
        differing = of_dataset[of_dataset["agrees"] == "no"]
        disagreements = "; ".join(
            f"{r.paper} states {r.quantity} {r.published}, the files hold {r.prepared}"
            for r in differing.itertuples()
        )
        sizes = [_text(facts.get(q, "")) for q in QUANTITIES]
        notes = " ".join(entry.get("notes", [])), entry.get("licence", ""), facts["source"]
        about = name, entry["default_subset"], *sizes, facts.get("missing", "")
        rows.append([*about, disagreements, *notes])
    return pd.DataFrame(rows, columns=OVERVIEW)


def _prepared_name(entry: dict, subset: Any = None) -> Any:
    """Name of the prepared file of a version; by default the version that the papers use."""
    names = {str(version): name for version, name in entry["prepared"].items()}
    if subset is None:
        return names.get("", names.get(entry["default_subset"]))
    return names[str(subset)]


def _facts(path: Path | str | None, views: list | None) -> dict:
    if path is None:
        return {"source": "not in this run"}
    try:
        data = read_dataset(Path(path), views=views)
    except DataNotAvailable:
        return {"source": UNAVAILABLE}
    return {
        "n_samples": data.n_samples,
        "n_views": data.n_views,
        "n_clusters": data.n_clusters,
        "dimensions": [X.shape[1] for X in data.Xs],
        "missing": f"{1 - data.presence.mean():.3f}",
        "source": data.source,
    }


def _text(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
