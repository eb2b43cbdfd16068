"""3sources: news stories that three sources report, as counts of terms."""

import numpy as np

VIEWS = ["bbc", "guardian", "reuters"]


def read(files, subset):
    """Read the publisher's files: all 416 stories, or the 169 that all three sources report."""
    import scipy.sparse

    labels, label_names = _read_classes(files["3sources.disjoint.clist"])
    stories = sorted(labels)
    row_of = {story: row for row, story in enumerate(stories)}
    Xs, presence = [], np.zeros((len(stories), len(VIEWS)), dtype=bool)
    for v, view in enumerate(VIEWS):
        counts = _read_market(files[f"3sources_{view}.mtx"])
        lines = files[f"3sources_{view}.docs"].read_text(encoding="utf-8").split()
        reported = [row_of[int(line)] for line in lines]
        presence[reported, v] = True
        # The file has terms x reported stories; the rows of the other stories stay empty.
        rows = np.array(reported)[counts.col]
        shape = len(stories), counts.shape[0]
        Xs.append(scipy.sparse.coo_array((counts.data, (rows, counts.row)), shape=shape).tocsr())
    y = np.array([labels[story] for story in stories])
    if subset == "169":
        everywhere = presence.all(axis=1)
        Xs = [X[everywhere] for X in Xs]
        y, presence = y[everywhere], presence[everywhere]
    return Xs, list(VIEWS), y, label_names, presence


def _read_market(path):
    import scipy.io
    import scipy.sparse

    return scipy.sparse.coo_array(scipy.io.mmread(path))


def _read_classes(path):
    """Read the one class of each story; a line of the file is "name: story,story,..."."""
    labels, names = {}, []
    for line in path.read_text(encoding="utf-8").splitlines():
        name, stories = line.split(":")
        labels |= {int(story): len(names) for story in stories.split(",")}
        names.append(name)
    return labels, names
