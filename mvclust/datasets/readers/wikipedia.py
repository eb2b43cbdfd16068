"""Wikipedia: articles, each an image and a text."""

import numpy as np

from mvclust.datasets.readers.matlab import read_mat


def read(files, subset):
    """Read the 693 articles of the test part, or all 2866, those for training first."""
    content = read_mat(files["raw_features.mat"])
    parts = ["te"] if subset == "693" else ["tr", "te"]
    Xs = [np.concatenate([content[f"{view}_{part}"] for part in parts]) for view in "IT"]
    lists = {"tr": "trainset_txt_img_cat.list", "te": "testset_txt_img_cat.list"}
    y = np.concatenate([_read_labels(files[lists[part]]) for part in parts])
    label_names = files["categories.list"].read_text(encoding="utf-8").split()
    return Xs, ["image", "text"], y, label_names, np.ones((len(y), 2), dtype=bool)


def _read_labels(path):
    """Read the last of the tab-separated columns text, image, category."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return np.array([int(line.split("\t")[2]) for line in lines]) - 1
