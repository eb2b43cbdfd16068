"""What papers state about data sets, compared with the files."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pandas as pd

from mvclust.bench.config.messages import UNAVAILABLE
from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.record import read_dataset

QUANTITIES = ("n_samples", "n_views", "n_clusters", "dimensions")
STATEMENT = ["paper", "called", "dataset", "quantity", "published", "prepared", "agrees", "source"]
OVERVIEW = ["dataset", "version", *QUANTITIES, "missing", "disagreements", "notes", "licence"]
OVERVIEW += ["source"]


def statements(
    entries: dict[str, dict], paper: str, prepared_files: Mapping[str, str | None]
) -> pd.DataFrame:
    """Compare what papers state about data sets with the files, one row per statement.

    Entries have "paper_says", "prepared" (version -> name of the prepared file) and
    "default_subset"; `paper` is one paper, or "beyond" for all. agrees is empty if the data are not
    available.
    """
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
                here = ("", "") if value is None else (_text(value), _yes(value == stated))
                about = statement["paper"], statement["called"], prepared, quantity, _text(stated)
                rows.append([*about, *here, facts["source"]])
    return pd.DataFrame(rows, columns=STATEMENT)


def overview(entries: dict[str, dict], prepared_files: Mapping[str, str | None]) -> pd.DataFrame:
    """Sizes, notes and licence of each data set; entries as in `statements` with "notes",
    "licence".

    missing is the share of missing instances, disagreements are those with the papers.
    """
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


def _yes(agrees: bool) -> str:
    return "yes" if agrees else "no"
