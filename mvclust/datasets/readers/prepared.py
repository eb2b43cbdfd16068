"""A data set that is prepared already: the HDF5 file of `mvclust.datasets.write_dataset`."""

from mvclust.datasets.record import read_dataset


def read(files, subset):
    """Read the only file."""
    (path,) = files.values()
    data = read_dataset(path)
    named = data.ids, data.feature_names
    return data.Xs, data.view_names, data.y, data.label_names, data.presence, *named
