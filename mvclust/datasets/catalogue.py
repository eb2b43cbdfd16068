"""The catalogue of data sets: what is known of each, and the nearest right name for a wrong one."""

import difflib
from pathlib import Path

from mvclust.extras import need

# The note on files from which a data set is computed anew, in place of the file that papers used.
REBUILT = "rebuilt features"

# In an installed package the catalogue lies beside this module, in the repository under config/.
_PLACES = (
    Path(__file__).with_name("datasets.yaml"),
    Path(__file__).parents[2] / "config" / "datasets.yaml",
)


def load_catalogue(path=None):
    """Read the catalogue of data sets.

    Parameters
    ----------
    path : path-like, optional
        A catalogue file; by default the one of the package.

    Returns
    -------
    dict
        One entry per data set, keyed by its name.

    Raises
    ------
    FileNotFoundError
        If there is no catalogue at the path, or none came with the package.

    Examples
    --------
    >>> from mvclust.datasets import load_catalogue
    >>> load_catalogue()["handwritten"]["n_samples"]
    2000
    """
    yaml = need("yaml")
    if path is None:
        path = next((place for place in _PLACES if place.exists()), None)
        if path is None:
            raise FileNotFoundError("The catalogue datasets.yaml did not come with the package.")
    with open(path, encoding="utf-8") as file:
        return yaml.load(file, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def list_datasets(catalogue=None):
    """List the names of the known data sets.

    Parameters
    ----------
    catalogue : dict, optional
        As `load_catalogue` returns it; by default the one of the package.

    Returns
    -------
    list of str

    Examples
    --------
    >>> from mvclust.datasets import list_datasets
    >>> "handwritten" in list_datasets()
    True
    """
    return list(load_catalogue() if catalogue is None else catalogue)


def find_entry(catalogue, name):
    """Return the catalogue's entry of a data set, or raise a ValueError with the nearest name."""
    if name not in catalogue:
        raise ValueError(unknown("data set", name, catalogue))
    return catalogue[name]


def find_subset(name, entry, subset=None):
    """Return the name and the facts (n_samples, classes, views) of one version of a data set.

    Without `subset` it is the version that the papers use.
    """
    subset = entry["default_subset"] if subset is None else str(subset)
    if subset not in entry["subsets"]:
        raise ValueError(unknown(f"version of the data set {name}", subset, entry["subsets"]))
    facts = {key: entry[key] for key in ("n_samples", "classes", "views")}
    return subset, facts | (entry["subsets"][subset] or {})


def canonical_file_name(name, entry, subset=None):
    """Name the HDF5 file of a version: ``<name>.h5`` for the papers' one, else with the subset."""
    subset, _ = find_subset(name, entry, subset)
    return f"{file_stem(name, entry['default_subset'], subset)}.h5"


def is_rebuilt(source):
    """Whether a source in words, as results record it, is one of rebuilt features.

    >>> is_rebuilt("mirror folder (rebuilt features)"), is_rebuilt("mirror folder")
    (True, False)
    """
    return REBUILT in source


def file_stem(name, default, subset=None):
    """Name the file of a version without its ending.

    >>> file_stem("3sources", "169"), file_stem("3sources", "169", "416")
    ('3sources', '3sources-416')
    """
    return name if subset in (None, default) else f"{name}-{subset}"


def unknown(kind, name, known):
    """Say that a name is unknown, which one is nearest, and which there are."""
    near = difflib.get_close_matches(str(name), known, n=1, cutoff=0.5)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return f"Unknown {kind} {name!r}.{hint} Known: {', '.join(known)}."
