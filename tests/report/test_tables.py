"""Tables as a reader gets them."""

import numpy as np
import pandas as pd
import pytest

from mvclust.report.tables import to_csv, to_latex, to_markdown

EXPERIMENT = {"title": "Scores & 100 %", "caption": "Made up.", "unit": "percent"}


@pytest.fixture
def results():
    rows = []
    for method, mean, published in (("A_1", 50.0, 48.0), ("B", 60.0, np.nan)):
        for tuning in ("oracle", "default"):
            rows.append(
                {
                    "dataset": "toy", "setting": "random_rate=0.3", "method": method,
                    "variant": "", "tuning": tuning, "metric": "ACC", "mean": mean, "std": 1.5,
                    "n_runs": 5, "ci_low": 48.0, "ci_high": 52.0, "published": published,
                    "published_std": np.nan, "difference": mean - published, "x": 0.3,
                    "params": "alpha=1", "note": "", "source": "made up",
                }
            )  # fmt: skip
    return pd.DataFrame(rows)


def test_markdown_keeps_tunings_apart(results):
    text = to_markdown(results, EXPERIMENT)
    assert "## ACC, tuning: oracle" in text
    assert "## ACC, tuning: default" in text
    assert "| A_1 | 50.00 ± 1.50 [48.00] |" in text
    assert "| B | 60.00 ± 1.50 |" in text
    assert "over 5 runs" in text
    assert "Data from: made up." in text


def test_latex_is_escaped_and_marks_the_best(results):
    text = to_latex(results, EXPERIMENT)
    assert r"A\_1 & 50.00 $\pm$ 1.50 [48.00] \\" in text
    assert r"B & \textbf{60.00} $\pm$ 1.50 \\" in text
    assert r"Scores \& 100 \%" in text
    assert text.count(r"\begin{tabular}") == text.count(r"\end{tabular}") == 2


def test_missing_numbers_and_failures_are_visible(results):
    results.loc[results["method"] == "B", ["mean", "std"]] = np.nan
    results.loc[results["method"] == "B", "note"] = "5 of 5 fits failed: no"
    assert "| B | – |" in to_markdown(results, EXPERIMENT)
    assert "5 of 5 fits failed: no" in to_markdown(results, EXPERIMENT)


def test_csv_round_trip(results, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(to_csv(results))
    again = pd.read_csv(path, keep_default_na=False, na_values=[""])
    np.testing.assert_allclose(again["mean"], results["mean"])
    assert to_csv(results) == to_csv(results.copy())
