"""Tables as a reader gets them."""

import io

import numpy as np
import pandas as pd
import pytest
from bench.report.made_up import FAILED, describe, grid_of, result, scores_of, table_of

from mvclust.bench.report.tables import (
    CSV,
    to_csv,
    to_latex,
    to_markdown,
    wide_blocks,
    write_tables,
)
from mvclust.bench.report.text import scope_text
from mvclust.bench.score.names import cut_text, setting_text


@pytest.fixture
def results():
    return table_of(
        result(method=method, mean=mean, published=published, tuning=tuning, points=[{"alpha": 1}])
        for method, mean, published in (("A_1", 50.0, 48.0), ("B", 60.0, None))
        for tuning in ("oracle", "default")
    )


def lines_of(text):
    """The cells of the lines of a Markdown table."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line[1:-1].split("|")] for line in lines]


def test_markdown_keeps_tunings_apart(results):
    text = to_markdown(describe(), results)
    assert "## ACC, tuning: oracle" in text
    assert "## ACC, tuning: default" in text
    assert "| A_1 | 50.00 ± 1.50 [48.00] |" in text
    assert "| B | 60.00 ± 1.50 |" in text
    assert "over 5 runs" in text
    assert "Data from: made up." in text


def test_missing_numbers_and_failures_are_visible(results):
    results.loc[results["method"] == "B", ["mean", "std"]] = np.nan
    results.loc[results["method"] == "B", "note"] = "5 of 5 fits failed: a\n\nlong | reason"
    text = to_markdown(describe(), results)
    assert "| B | – |" in text
    assert "5 of 5 fits failed: a long | reason" in text
    assert "\n\n" not in to_latex(describe(), results).split(r"\caption", 2)[1].split("}")[0]


def test_latex_has_a_few_notes_only():
    results = table_of(result(method=f"M{i}", note=f"reason {i}") for i in range(6))
    assert to_markdown(describe(), results).count("reason") == 6
    text = to_latex(describe(), results)
    assert text.count("reason") == 4
    assert "2 more notes are in the csv table." in text


def test_csv_has_the_columns_of_the_contract(results):
    text = to_csv(results)
    again = pd.read_csv(io.StringIO(text), keep_default_na=False, na_values=[""])
    assert list(again.columns) == list(CSV)
    np.testing.assert_allclose(again["mean"], results["mean"])
    assert set(again["setting"]) == {"missing_rate=0.3"}
    assert set(again["params"]) == {"alpha=1"}
    assert set(again["n_samples"]) == {100}
    assert "100," in text
    assert "100.0" not in text
    assert to_csv(results.copy()) == text


@pytest.mark.parametrize(
    ("protocol", "rates", "text"),
    [
        ("random", {"missing_rate": 0.0}, "missing_rate=0"),
        ("paired", {"paired_rate": 0.1}, "paired_rate=0.1"),
        ("mapped", {"mapped_rate": 0.7}, "mapped_rate=0.7"),
        ("incomplete", {"incomplete_rate": 0.5}, "incomplete_rate=0.5"),
        ("complete", {}, "complete"),
        ("unmapped", {}, "unmapped"),
    ],
)
def test_settings_as_text(protocol, rates, text):
    place = {"protocol": protocol, "missing_rate": None} | rates
    (row,) = table_of([result(**place)]).to_dict("records")
    assert setting_text(row) == text


def test_lines_of_a_sweep_are_named_by_parameters_and_by_the_method_where_there_are_several():
    shares = [[{"constraints": 0.005}], [{"constraints": 0.01}]]
    rows = grid_of(tuning=["fixed"], method=["CMVNMF"], points=shares, view=[1, 2])
    rows += grid_of(tuning=["fixed"], method=["NMF"], points=[[{}]], view=[1, 2])
    ((*_, columns, lines),) = wide_blocks(scores_of(rows))
    assert columns == ["view=1", "view=2"]
    named = ["CMVNMF, constraints=0.005", "CMVNMF, constraints=0.01", "NMF"]
    assert [name for name, _ in lines] == named
    points = [[{"alpha": 0.1, "beta": 1}], [{"alpha": 10, "beta": 1}]]
    ((*_, lines),) = wide_blocks(scores_of(grid_of(tuning=["fixed"], points=points)))
    assert [name for name, _ in lines] == ["alpha=0.1, beta=1", "alpha=10, beta=1"]
    ((*_, lines),) = wide_blocks(scores_of(grid_of(tuning=["fixed"])))
    assert [name for name, _ in lines] == ["A"]


def test_a_gap_is_a_blank_cell_in_its_own_column():
    rows = [
        result(missing_rate=rate, method=method, mean=mean)
        for method, rate, mean in [("A", 0.1, 10), ("A", 0.3, 30), ("B", 0.3, 40), ("C", 0.1, 50)]
    ]
    results = table_of(rows)
    assert lines_of(to_markdown(describe(), results)) == [
        ["", "missing_rate=0.1", "missing_rate=0.3"],
        ["---", "---:", "---:"],
        ["A", "10.00 ± 1.50", "30.00 ± 1.50"],
        ["B", "", "40.00 ± 1.50"],
        ["C", "50.00 ± 1.50", ""],
    ]
    text = to_latex(describe(), results)
    assert r"B &  & \textbf{40.00} $\pm$ 1.50 \\" in text
    assert r"C & \textbf{50.00} $\pm$ 1.50 &  \\" in text


def test_data_sets_of_one_name_have_columns_of_their_own():
    by_views = scores_of(grid_of(n_views=[2, 3]))
    ((*_, columns, lines),) = wide_blocks(by_views)
    assert columns == ["n_views=2", "n_views=3"]
    assert [len(cells) for _, cells in lines] == [2]
    twice = scores_of(grid_of(method=["A", "B"])).pipe(lambda t: pd.concat([t, t]))
    ((*_, columns, lines),) = wide_blocks(twice.reset_index(drop=True))
    assert columns == ["missing_rate=0.3", "missing_rate=0.3 (2)"]
    assert None not in [cell for _, cells in lines for cell in cells]


@pytest.mark.parametrize("rows", [None, [], [result(**FAILED), result(method="B", **FAILED)]])
def test_tables_without_results_say_so(rows, tmp_path):
    results = pd.DataFrame() if rows is None else table_of(rows)
    write_tables(describe(), results, tmp_path / "tables" / "toy")
    for suffix in ("md", "tex"):
        assert "No results" in (tmp_path / "tables" / f"toy.{suffix}").read_text()
    csv = pd.read_csv(tmp_path / "tables" / "toy.csv")
    assert list(csv.columns) == list(CSV)
    assert len(csv) == len(results)


def test_cuts_are_stated():
    whole = table_of([result()])
    assert cut_text(whole) == ""
    cut = table_of(
        [
            result(n_samples=80, n_samples_declared=2000, repetitions=1, grid_points=1),
            result(n_samples=80, n_samples_declared=2000, repetitions=1, grid_points=1)
            | {"grid_points_declared": 12},
            result(**FAILED) | {"repetitions": 1},
        ]
    )
    assert cut_text(cut.iloc[[0]]) == (
        "Cut run: 80 of 2000 samples, 1 of 5 masks, 1 of 4 grid points."
    )
    assert cut_text(cut) == "Cut run: 80 of 2000 samples, 1 of 5 masks, 1 of 4 to 12 grid points."
    for text in (to_markdown(describe(), cut), to_latex(describe(), cut)):
        assert cut_text(cut) in text
    starts = table_of([result(protocol="complete", missing_rate=None, repetitions=2)])
    assert cut_text(starts) == "Cut run: 2 of 5 starts."


def test_scope_names_data_masks_and_tuning():
    results = table_of(
        [
            *(result(tuning=tuning) for tuning in ("oracle", "default")),
            result(dataset="other", n_samples=169),
            result(dataset="gone", **FAILED),
        ]
    )
    assert scope_text(results) == (
        "toy: n = 100; other: n = 169; gone: not available; 5 masks; "
        "tuning: oracle, default, over 4 grid points."
    )
    assert scope_text(results) in to_markdown(describe(), results)
