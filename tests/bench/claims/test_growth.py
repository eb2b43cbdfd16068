"""Times by size, and the claims about cost that follow from them."""

import numpy as np
import pandas as pd
import pytest
from bench.claims.made_up import outcome_on

from mvclust.bench.claims.growth import COLUMNS, GROWN, MODELS, SIZES, growth, problem
from mvclust.bench.claims.verdicts import FAILS, HOLDS, NO_DATA, PARTLY, joined
from mvclust.bench.config.models import MEASURED, ClaimTest
from mvclust.bench.report.claims import write_growth


def outcome(grows, stated, times):
    test = ClaimTest(kind="exponent", methods=["DAIMC"], grows=grows, stated=stated)
    return outcome_on(test, {"growth": times})


def times_of(**exponents):
    rows = [
        ("DAIMC", grows, size, 1e-3 * size**power)
        for grows, power in exponents.items()
        for size in GROWN[grows]
    ]
    return pd.DataFrame(rows, columns=COLUMNS)


def test_a_bound_on_time_holds_where_time_grows_at_most_as_stated():
    times = times_of(samples=2, features=1)
    found = {stated: outcome("samples", stated, times) for stated in (1, 2, 3)}
    assert {k: v.verdict for k, v in found.items()} == {1: FAILS, 2: HOLDS, 3: HOLDS}
    assert joined([found[1], outcome("features", 3, times)]).verdict == PARTLY
    assert found[2].effect == pytest.approx(2)
    assert outcome("samples", 2, None).verdict == NO_DATA
    seconds = times["cpu_seconds"] * np.resize([1.0, 1.2], len(times))
    found = outcome("samples", 2, times.assign(cpu_seconds=seconds))
    assert (found.low + found.high) / 2 == pytest.approx(found.effect)
    assert found.low < 2 < found.high


def test_times_are_written_with_their_sizes(tmp_path):
    times = times_of(clusters=1, features=1)
    write_growth(times, tmp_path)
    pd.testing.assert_frame_equal(pd.read_csv(tmp_path / "tables" / "growth.csv"), times)
    text = (tmp_path / "tables" / "growth.md").read_text()
    assert "| DAIMC | features | 100: 0.100, 200: 0.200," in text


@pytest.mark.parametrize("method", ["DAIMC", "UEAF", "CMVNMF"])
def test_every_size_is_that_of_the_views(method):
    Xs, arguments = problem(method, samples=60, features=7, clusters=3, views=3)
    assert [X.shape for X in Xs] == [(60, 7)] * 3
    pairs = {(0, 1), (0, 2), (1, 2)} if method == "CMVNMF" else set()
    assert set(arguments.get("must_links", ())) == pairs


def test_times_are_measured_for_each_size():
    table = growth([("CMVNMF", "clusters"), ("DAIMC", "views")], {"clusters": [2, 4], "views": [2]})
    sizes = [("CMVNMF", "clusters", 2), ("CMVNMF", "clusters", 4), ("DAIMC", "views", 2)]
    assert [*table[["method", "grows", "size"]].itertuples(index=False, name=None)] == sizes
    assert np.all(table["cpu_seconds"] > 0)
    assert (set(MEASURED), set(GROWN)) == (set(MODELS), set(SIZES))  # known to the configuration
