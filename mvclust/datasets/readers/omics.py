"""Omics data: molecular measurements of the same patients or brains, some in files of R.

Files of R are read as one's own are (`mvclust.own.r_files`).
"""

from typing import NamedTuple

import numpy as np

from mvclust.own.r_files import pieces_of


def read(files, subset):
    """Read the views; there is one version only, so `subset` changes nothing."""
    return READERS[next(iter(files))](files)


class Measured(NamedTuple):
    """A view of some samples."""

    X: np.ndarray
    samples: list


def _breast(files):
    """220 tumours; the 70 of the part called test have no proteins."""
    content = _variables(files)
    train, test = ({key.split("/")[1]: v for key, v in content.items() if key.startswith(part)}
                   for part in ("data.train/", "data.test/"))  # fmt: skip
    samples = train["mrna"].rows + test["mrna"].rows
    views = {
        view: Measured(np.vstack([train[view].values, test[view].values]), samples)
        for view in ("mrna", "mirna")
    } | {"protein": Measured(train["protein"].values, train["protein"].rows)}
    subtypes = np.concatenate([train["subtype"].values, test["subtype"].values]).astype(str)
    names, y = np.unique(subtypes, return_inverse=True)
    return joined(views, samples, y, names.tolist())


def _mini_acc(files):
    """92 patients; no classes, but three clusters of clusters were published."""
    content = _variables(files)
    samples = content["colData"].rows
    experiments = {piece.name: piece for piece in content.values()}
    views = {
        name: Measured(experiments[key].values.T, experiments[key].columns)
        for name, key in {
            "rna": "RNASeq2GeneNorm",
            "copy_number": "gistict",
            "protein": "RPPAArray",
            "mutations": "Mutations",
            "mirna": "miRNASeqGene",
        }.items()
    }
    return joined(views, samples, np.full(len(samples), -1), ["COC1", "COC2", "COC3"])


def _kirc(files):
    """124 tumours; survival but no classes."""
    content = _variables(files)
    views = {
        name: Measured(content[key].values, content[key].rows)
        for name, key in {"expression": "GE", "methylation": "ME", "mirna": "MI"}.items()
    }
    samples = content["GE"].rows
    return joined(views, samples, np.full(len(samples), -1), ["1", "2"])


def _brca(files):
    """348 tumours, features x samples, with published clusters."""
    content = _variables(files)
    samples = _patients(content["Data/Expression"].columns)
    views = {
        name: Measured(content[key].values.T, _patients(content[key].columns))
        for name, key in {
            "expression": "Data/Expression",
            "methylation": "Data/Methylation",
            "mirna": "Data/miRNA",
        }.items()
    }
    y = content["clusts"].values.astype(np.int64) - 1
    return joined(views, samples, y, ["1", "2", "3"])


def _rosmap(files):
    """351 brains; the publisher's parts for training and test, one after the other."""
    parts = {
        kind: [np.loadtxt(files[f"{kind}_{part}.csv"], delimiter=",") for part in ("tr", "te")]
        for kind in ("1", "2", "3", "labels")
    }
    y = np.concatenate(parts["labels"]).astype(np.int64)
    samples = list(range(len(y)))
    views = {
        name: Measured(np.vstack(parts[kind]), samples)
        for name, kind in {"mrna": "1", "methylation": "2", "mirna": "3"}.items()
    }
    return joined(views, samples, y, ["control", "Alzheimer"])


def _variables(files):
    """The tables of the only file, by their keys without the name that they all begin with."""
    (path,) = files.values()
    pieces = {piece.where["key"]: piece for piece in pieces_of(path, path.stem)}
    if len({key.partition("/")[0] for key in pieces}) > 1:
        return pieces
    return {key.partition("/")[2]: piece for key, piece in pieces.items()}


def _patients(columns):
    """The patients of samples named like TCGA.A1.A0SH.01A.11R."""
    return [".".join(column.split(".")[:3]) for column in columns]


def joined(views, samples, y, label_names):
    """Views over the same samples; a sample that a view lacks is a row of NaN."""
    place = {sample: row for row, sample in enumerate(samples)}
    Xs, presence = [], np.zeros((len(samples), len(views)), dtype=bool)
    for v, view in enumerate(views.values()):
        rows = [place[sample] for sample in view.samples]
        Xs.append(np.full((len(samples), view.X.shape[1]), np.nan))
        Xs[-1][rows] = view.X
        presence[rows, v] = True
    return Xs, list(views), y, label_names, presence


# The first file of a data set -> how its files are read.
READERS = {
    "breast.TCGA.rda": _breast,
    "miniACC.RData": _mini_acc,
    "KIRC.rda": _kirc,
    "BRCA_data.rda": _brca,
    "1_tr.csv": _rosmap,
}
