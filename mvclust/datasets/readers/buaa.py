"""BUAA-VisNir: faces in visible and near-infrared light."""

import numpy as np

from mvclust.datasets.readers.matlab import read_mat


def read(files, subset):
    """Read all 1350 images of 150 persons, or the 90 of the first ten persons."""
    content = read_mat(files["buaaRnSp.mat"])
    n = 90 if subset == "90" else 1350
    # Which of the two is the visible light the file does not say.
    Xs = [np.ascontiguousarray(content[name][:, :n].T) for name in ("dataV1", "dataV2")]
    y = content["classLabel"].ravel()[:n].astype(np.int64) - 1
    label_names = [str(person) for person in range(1, y[-1] + 2)]
    return Xs, ["view1", "view2"], y, label_names, np.ones((n, 2), dtype=bool)
