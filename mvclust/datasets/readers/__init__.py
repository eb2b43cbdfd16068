"""One reader a data set: from the checked raw files to views and labels."""

from mvclust.datasets.readers import (
    bbcsport,
    buaa,
    caltech101,
    cora,
    flowers17,
    handwritten,
    reuters,
    three_sources,
    webkb,
    wikipedia,
)

_READERS = {
    "handwritten": handwritten.read,
    "3sources": three_sources.read,
    "bbcsport": bbcsport.read,
    "buaa": buaa.read,
    "wikipedia": wikipedia.read,
    "reuters": reuters.read,
    "webkb": webkb.read,
    "cora": cora.read,
    "caltech101-7": caltech101.read,
    "caltech101-20": caltech101.read,
    "flowers17": flowers17.read,
}


def read_raw(name, files, subset):
    """Read one version of a data set from its raw files.

    Parameters
    ----------
    name, subset : str
        Names of the data set and of its version.
    files : dict of str to Path
        The checked raw files by their names.

    Returns
    -------
    Xs, view_names, y, label_names, presence
        As in `mvclust.datasets.Dataset`.
    """
    return _READERS[name](files, subset)
