"""The statistics of the data sets: what is in the files beside what the papers say."""

from mvclust.datasets.catalogue import find_subset, load_catalogue


def published_statistics(paper=None, catalogue=None):
    """Tabulate the sizes that the papers state, beside those of the data.

    Parameters
    ----------
    paper : str, optional
        "daimc", "ueaf", "mpac" or "cmvnmf": only what this paper says; by default all.
    catalogue : dict, optional
        As `load_catalogue` returns it; by default the one of the package.

    Returns
    -------
    list of dict
        One row for each data set that a paper describes: ``dataset``, ``subset`` and ``views``
        that it uses, ``paper``, the number of its ``table`` (None if it is in the text) and its
        name for the data set (``called``), then ``n_samples``, ``n_views``, ``n_clusters``,
        ``dimensions``, each followed by the published value (``n_samples_published``, …; None if
        not stated), and ``agrees`` (None where the files could not be opened to check).

    Examples
    --------
    >>> from mvclust.datasets.statistics import published_statistics
    >>> [row["called"] for row in published_statistics("mpac")]
    ['Handwritten', 'BBCSport', 'Caltech7', 'Caltech20']
    """
    rows = []
    for name, entry in (load_catalogue() if catalogue is None else catalogue).items():
        for said in entry.get("paper_says", []):
            if paper not in (None, said["paper"]):
                continue
            subset, facts = find_subset(name, entry, said.get("subset"))
            dimensions = {view["name"]: view["dimension"] for view in facts["views"]}
            views = said.get("views", list(dimensions))
            found = {
                "n_samples": facts["n_samples"],
                "n_views": len(views),
                "n_clusters": len(facts["classes"]),
                "dimensions": [dimensions[view] for view in views],
            }
            row = {"dataset": name, "subset": subset, "views": views, "paper": said["paper"]}
            row |= {"table": said.get("table"), "called": said["called"]}
            for key, value in found.items():
                row |= {key: value, f"{key}_published": said.get(key)}
            agrees = all(said.get(key, value) == value for key, value in found.items())
            row["agrees"] = None if entry.get("unverified") else agrees
            rows.append(row)
    return rows


def all_statistics(catalogue=None):
    """Tabulate all versions of all data sets, with what a user must know of them.

    Parameters
    ----------
    catalogue : dict, optional
        As `load_catalogue` returns it; by default the one of the package.

    Returns
    -------
    list of dict
        One row for each version: ``dataset``, ``subset``, ``default`` (whether the papers use
        it), ``title``, ``n_samples``, ``n_views``, ``n_clusters``, ``views`` (name: dimension),
        ``classes`` (name: number of samples), ``verified`` (whether all this was read from the
        files) and ``notes`` (a list of sentences).

    Examples
    --------
    >>> from mvclust.datasets.statistics import all_statistics
    >>> [row["n_samples"] for row in all_statistics() if row["dataset"] == "buaa"]
    [90, 1350]
    """
    rows = []
    for name, entry in (load_catalogue() if catalogue is None else catalogue).items():
        for subset in entry["subsets"]:
            _, facts = find_subset(name, entry, subset)
            rows.append(
                {
                    "dataset": name,
                    "subset": subset,
                    "default": subset == entry["default_subset"],
                    "title": entry["title"],
                    "n_samples": facts["n_samples"],
                    "n_views": len(facts["views"]),
                    "n_clusters": len(facts["classes"]),
                    "views": {view["name"]: view["dimension"] for view in facts["views"]},
                    "classes": facts["classes"],
                    "verified": not entry.get("unverified", False),
                    "notes": entry.get("notes", []),
                }
            )
    return rows
