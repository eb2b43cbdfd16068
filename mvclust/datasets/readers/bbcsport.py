"""BBCSport: sports news cut into segments, as counts or weights of terms."""

import numpy as np

from mvclust.datasets.readers.matlab import read_columns, read_mat

# The files do not name the classes.
LABELS = ["1", "2", "3", "4", "5"]


def read(files, subset):
    """Read one of the four versions: 116x4, 544x2, 544x2-weighted or 737x2."""
    import scipy.sparse

    if subset == "116x4":
        path = files["bbcsport4vbigRnSp.mat"]
        Xs = [X.T for X in read_columns(path, "X")]
        labels = read_mat(path, ["truth"])["truth"]
    elif subset == "544x2":
        content = read_mat(files["BBCSport.mat"])
        Xs, labels = [scipy.sparse.csr_array(X.T) for X in content["X"]], content["Y"]
    elif subset == "544x2-weighted":
        content = read_mat(files["bbcsport_2view.mat"])
        Xs, labels = [scipy.sparse.csr_array(X) for X in content["data"]], content["truth"]
    else:
        path = files["bbcsportIncomplete.mat"]
        Xs = [X.T for X in read_columns(path, "data")]
        labels = read_mat(path, ["truelabel"])["truelabel"][0]
    y = labels.ravel().astype(np.int64) - 1
    presence = np.ones((len(y), len(Xs)), dtype=bool)
    if subset == "737x2":
        # In the file a missing document is full of NaN; in a sparse view it is empty.
        for v, index in enumerate(read_mat(path, ["index"])["index"]):
            presence[:, v] = np.isin(np.arange(len(y)), index.astype(np.int64) - 1)
            Xs[v].data[np.isnan(Xs[v].data)] = 0
            Xs[v].eliminate_zeros()
    view_names = [f"segment{v + 1}" for v in range(len(Xs))]
    return Xs, view_names, y, list(LABELS), presence
