"""WebKB: web pages of four universities by their words and by the links between them."""

import io
import tarfile

import numpy as np

from mvclust.datasets.readers.matlab import read_columns, read_mat

# One order for all; in the files it differs from university to university.
LABELS = ["course", "faculty", "project", "student", "staff"]
VIEWS = ["content", "inbound", "outbound", "cites"]
UNIVERSITIES = ["cornell", "texas", "washington", "wisconsin"]


def read(files, subset):
    """Read one university, or all four one below the other, with or without the class staff.

    A link joins two pages of one university, so that the link views of all four are block
    diagonal. Their columns stay complete when the pages of staff go.
    """
    if subset == "washington-203":
        return _read_203(files["WebKB_3views_203.mat"])
    import scipy.sparse

    place, _, staff = subset.partition("-")
    universities = UNIVERSITIES if place == "all" else [place]
    read = [_read_university(files[f"{name.capitalize()}.tar.gz"], name) for name in universities]
    Xs = [scipy.sparse.vstack([views[0] for views, _ in read], format="csr")]
    Xs += [
        scipy.sparse.block_diag([views[v] for views, _ in read], format="csr")
        for v in range(1, len(VIEWS))
    ]
    y, label_names = np.concatenate([y for _, y in read]), list(LABELS)
    if staff == "without-staff":
        kept = y != LABELS.index("staff")
        Xs, y, label_names = [X[kept] for X in Xs], y[kept], LABELS[:-1]
    return Xs, list(VIEWS), y, label_names, np.ones((len(y), len(Xs)), dtype=bool)


def _read_university(path, name):
    import scipy.io
    import scipy.sparse

    with tarfile.open(path) as archive:

        def content(file):
            return archive.extractfile(f"{name.capitalize()}/{file}").read()

        markets = [content(f"{name}_{view}.mtx") for view in VIEWS]
        names = content("labels.txt").decode().split()
        values = np.array(content(f"{name}_act.txt").split(), dtype=np.int64)
    Xs = [scipy.sparse.csr_array(scipy.io.mmread(io.BytesIO(text))) for text in markets]
    y = np.array([LABELS.index(label) for label in names])[values - 1]
    return [X.astype(np.float64) for X in Xs], y


def _read_203(path):
    """Read the version that goes round as content, anchor text and title.

    It is Washington without the class faculty, and its second and third view are links.
    """
    Xs = [X.tocsr() for X in read_columns(path, "X")]
    names = ["course", "project", "student", "staff"]
    values = read_mat(path, ["y"])["y"].ravel().astype(np.int64)
    y = np.array([names.index(label) for label in ("project", "course", "student", "staff")])
    return Xs, VIEWS[:3], y[values - 1], names, np.ones((len(values), 3), dtype=bool)
