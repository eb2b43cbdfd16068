"""Tables of the data sets: what is in the files beside what the papers say."""

from pathlib import Path

import pandas as pd

from mvclust.datasets.catalogue import find_subset
from mvclust.datasets.files import DataNotAvailable, completed
from mvclust.datasets.record import read_dataset
from mvclust.report.tables import markdown_table, to_simple_latex

QUANTITIES = ("n_samples", "n_views", "n_clusters", "dimensions")


def statements(plan, paper, prepared_files):
    """What papers say of data sets, beside what was read from the files.

    Parameters
    ----------
    plan : Plan
    paper : str
        One paper, or "beyond" for all.
    prepared_files : dict, prepared name -> path

    Returns
    -------
    DataFrame
        One row a statement: paper, called, dataset, quantity, published, prepared, agrees
        (empty where the data are not available), source.
    """
    rows = []
    for name, entry in plan.datasets.items():
        for said in entry.get("paper_says", []):
            if paper not in (said["paper"], "beyond"):
                continue
            prepared = plan.prepared_name(name, said.get("subset"))
            facts = _facts(prepared_files[prepared], said.get("views"))
            for quantity in QUANTITIES:
                if quantity not in said:
                    continue
                there = facts.get(quantity)
                rows.append(
                    {
                        "paper": said["paper"],
                        "called": said["called"],
                        "dataset": prepared,
                        "quantity": quantity,
                        "published": _text(said[quantity]),
                        "prepared": "" if there is None else _text(there),
                        "agrees": "" if there is None else _yes(there == said[quantity]),
                        "source": facts["source"],
                    }
                )
    return pd.DataFrame(rows)


def overview(plan, prepared_files):
    """One row a data set: sizes read from the files, and what a user must know.

    Returns
    -------
    DataFrame with dataset, version, n_samples, n_views, n_clusters, dimensions, missing (share
    of the instances), disagreements (with the papers), notes, licence, source
    """
    said = statements(plan, "beyond", prepared_files)
    rows = []
    for name, entry in plan.datasets.items():
        subset, _ = find_subset(name, entry)
        prepared = plan.prepared_name(name)
        facts = _facts(prepared_files[prepared], None)
        own = said[said["dataset"].isin([plan.prepared_name(name, s) for s in entry["subsets"]])]
        differing = own[own["agrees"] == "no"]
        rows.append(
            {
                "dataset": name,
                "version": subset,
                **{q: _text(facts.get(q, "")) for q in QUANTITIES},
                "missing": facts.get("missing", ""),
                "disagreements": "; ".join(
                    f"{r.paper} states {r.quantity} {r.published}, the files hold {r.prepared}"
                    for r in differing.itertuples()
                ),
                "notes": " ".join(entry.get("notes", [])),
                "licence": entry.get("licence", ""),
                "source": facts["source"],
            }
        )
    return pd.DataFrame(rows)


def write_description(plan, name, prepared_files, stem):
    """Write the table of statistics `name` as csv, md and tex.

    Parameters
    ----------
    plan : Plan
    name : str, an experiment that renders statistics
    prepared_files : dict, prepared name -> path
    stem : path without its ending
    """
    experiment = plan.statistics[name]
    if experiment["paper"] == "beyond":
        table = overview(plan, prepared_files)
    else:
        table = statements(plan, experiment["paper"], prepared_files)
    caption = f"{experiment['title']}. {experiment.get('caption', '').strip()}"
    texts = {
        "csv": table.to_csv(index=False, lineterminator="\n"),
        "md": f"# {caption}\n\n{markdown_table(table)}\n",
        "tex": to_simple_latex(table.drop(columns=["notes", "licence"], errors="ignore"), caption),
    }
    for suffix, text in texts.items():
        with completed(f"{stem}.{suffix}") as unfinished:
            unfinished.write_text(text, encoding="utf-8")


def _facts(path, views):
    try:
        data = read_dataset(Path(path), views=views)
    except DataNotAvailable:
        return {"source": "data not available"}
    return {
        "n_samples": data.n_samples,
        "n_views": data.n_views,
        "n_clusters": data.n_clusters,
        "dimensions": [X.shape[1] for X in data.Xs],
        "missing": f"{1 - data.presence.mean():.3f}",
        "source": data.source,
    }


def _text(value):
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _yes(agrees):
    return "yes" if agrees else "no"
