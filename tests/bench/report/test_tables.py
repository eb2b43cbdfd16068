"""Tables as a reader gets them."""

import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import FAILED, describe, grid_of, result, scores_of, table_of

from mvclust.bench.report import tables


@pytest.fixture
def results():
    return table_of(
        result(method=method, mean=mean, published=published, tuning=tuning, points=[{"alpha": 1}])
        for method, mean, published in (("A_1", 50.0, 48.0), ("B", 60.0, None))
        for tuning in ("oracle", "default")
    )


def test_missing_numbers_and_failures_are_visible(results):
    results.loc[results["method"] == "B", ["mean", "std"]] = np.nan
    results.loc[results["method"] == "B", "note"] = "5 of 5 fits failed: a\n\nlong | reason"
    text = tables.to_markdown(describe(), results)
    assert "| B | – |" in text
    assert "5 of 5 fits failed: a long | reason" in text
    assert "\n\n" not in tables.to_latex(describe(), results).split(r"\caption", 2)[1].split("}")[0]


def test_latex_has_a_few_notes_only():
    results = table_of(result(method=f"M{i}", note=f"reason {i}") for i in range(6))
    assert tables.to_markdown(describe(), results).count("reason") == 6
    text = tables.to_latex(describe(), results)
    assert text.count("reason") == 4
    assert "2 more notes are in the csv table." in text


def test_data_sets_of_one_name_have_columns_of_their_own():
    by_views = scores_of(grid_of(n_views=[2, 3]))
    text = tables.to_markdown(describe(), by_views)
    assert "\n|  | n_views=2 | n_views=3 |\n" in text
    assert text.count("\n| A |") == 1
    twice = scores_of(grid_of(method=["A", "B"])).pipe(lambda t: pd.concat([t, t]))
    text = tables.to_markdown(describe(), twice.reset_index(drop=True))
    assert "\n|  | missing_rate=0.3 | missing_rate=0.3 (2) |\n" in text
    assert "|  |" not in text.partition("---:")[2]


@pytest.mark.parametrize("rows", [None, [], [result(**FAILED), result(method="B", **FAILED)]])
def test_tables_without_results_say_so(rows, tmp_path):
    results = pd.DataFrame() if rows is None else table_of(rows)
    tables.write_tables(describe(), results, tmp_path / "tables" / "toy")
    for suffix in ("md", "tex"):
        assert "No results" in (tmp_path / "tables" / f"toy.{suffix}").read_text()
    csv = pd.read_csv(tmp_path / "tables" / "toy.csv")
    assert list(csv.columns) == list(tables.CSV)
    assert len(csv) == len(results)
