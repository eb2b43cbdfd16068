"""One key, one value: what two runs of one arithmetic have of a fit is the same in all digits."""

from itertools import combinations

import pandas as pd
import pyarrow.parquet as pq
from helpers import ROOT

from mvclust.bench.arithmetic import Arithmetic
from mvclust.metrics import SCORES

# What a fit follows from beside its key: the key says nothing of these.
FOLLOWS = ["seed", "n_samples", "data_sha256", "code", "versions"]
GIVES = ["error", "n_iter", *(m.name for m in SCORES.values() if m.takes != "partitions")]


def fits_of(path):
    names = [name for name in ("key", *FOLLOWS, *GIVES) if name in pq.read_schema(path).names]
    return pd.read_parquet(path, columns=names).set_index("key")


def arithmetic_of(path):
    """What a run was computed with; None if it did not record it."""
    names = list(Arithmetic._fields)
    recorded = {*names} <= {*pq.read_schema(path).names}
    return tuple(pd.read_parquet(path, columns=names).iloc[0]) if recorded else None


def differing_keys(a, b):
    """Keys of which two tables of runs have different values."""
    keys, names = a.index.intersection(b.index), a.columns.intersection(b.columns)
    a, b = a.loc[keys, names].astype(object), b.loc[keys, names].astype(object)
    differ = (a != b) & ~(a.isna() & b.isna())
    follows = [name for name in FOLLOWS if name in names]
    return set(keys[differ.drop(columns=follows).any(axis=1) & ~differ[follows].any(axis=1)])


def test_the_check_sees_a_last_digit():
    one = pd.DataFrame({"acc": [0.5, None], "error": [None, "why"]}, index=["a", "b"])
    assert not differing_keys(one, one.copy())
    assert differing_keys(one, one.assign(acc=[0.5 + 2**-53, None])) == {"a"}
    assert differing_keys(one, one.assign(error=[None, None])) == {"b"}


def test_no_key_has_two_values():
    paths = sorted((ROOT / "results").glob("*/runs.parquet"))
    runs = {path.parent.name: fits_of(path) for path in paths}
    made = {path.parent.name: arithmetic_of(path) for path in paths}
    assert all(fits.index.is_unique for fits in runs.values())
    pairs = [(a, b) for a, b in combinations(runs, 2) if made[a] == made[b]]
    assert [(a, b) for a, b in pairs if differing_keys(runs[a], runs[b])] == []
