"""t-SNE of the partitions that mPAC finds in single views, and of their consensus."""

import pandas as pd
from sklearn.manifold import TSNE

from mvclust.datasets.record import Dataset
from mvclust.estimators.mpac import MPAC


def partition_coordinates(data: Dataset, seed: int = 0) -> pd.DataFrame:
    """Fit mPAC with default parameters on complete views, with a t-SNE layout of each partition.

    partition is the name of the view, or "consensus".
    """
    views = [X if not hasattr(X, "toarray") else X.toarray() for X in data.Xs]
    model = MPAC(data.n_clusters, random_state=seed).fit(views)
    parts, classes = [], [data.label_names[c] for c in data.y]
    for name, F in zip([*data.view_names, "consensus"], [*model.F_, model.P_], strict=True):
        points = TSNE(init="pca", perplexity=30, random_state=seed).fit_transform(F)
        columns = {"partition": name, "sample": range(len(F)), "class": classes}
        parts.append(pd.DataFrame(columns | {"x": points[:, 0], "y": points[:, 1]}))
    return pd.concat(parts, ignore_index=True)
