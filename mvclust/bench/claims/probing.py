"""The numbers of a probe: what is measured in every data set, for every seed and arm."""

import warnings
from collections.abc import Mapping
from importlib import import_module

import pandas as pd

from mvclust.datasets.files import DataNotAvailable
from mvclust.datasets.record import read_dataset
from mvclust.numerics.features import scale_features
from mvclust.numerics.products import dense

COLUMNS = ("dataset", "step", "seed", "arm", "value")


def probe(used: dict, files: Mapping[str, str]) -> pd.DataFrame:
    """Measure a probe, one row per available data set, seed and arm.

    step is one sample in points for scores of labels, else 0.
    """
    module, _, name = used["measure"].rpartition(".")
    measure, rows = getattr(import_module(module), name), []
    for each in used["data"]:
        try:
            data = read_dataset(files[each["data"]], each["views"])
        except DataNotAvailable:
            continue
        Xs = [dense(X) for X in data.Xs]
        if each["features"]:
            Xs = scale_features(Xs, data.presence, each["features"])
        step = 100 / len(data.y) if used["scores"] else 0.0
        for seed in used["seeds"]:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                values = measure(Xs, data.y, seed)
            if list(values) != used["arms"]:
                raise ValueError(f"{name} gives {', '.join(values)}, not {', '.join(used['arms'])}")
            rows += [(each["label"], step, seed, arm, value) for arm, value in values.items()]
    return pd.DataFrame(rows, columns=COLUMNS)
