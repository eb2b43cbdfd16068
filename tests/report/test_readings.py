"""The tables and the figure of readings."""

import json

import numpy as np
import pandas as pd
import pytest
from helpers import ROOT
from matplotlib.image import imread
from multiverse.test_readings import experiment_of, rows_of

from docs.make_reproduction import reproduction
from mvclust.multiverse.consistency import COLUMNS, check_printed
from mvclust.multiverse.readings import NOT_IN_RUN, Texts, counts_of, level_table
from mvclust.multiverse.verdicts import judge
from mvclust.report.consistency import write_consistency
from mvclust.report.readings import ABOUT, draw_numbers, write_readings
from mvclust.report.run_page import EXTRA_FIGURES

READINGS = {
    "features": {
        "question": "how",
        "values": [
            {"value": None, "says": "as in the files", "origin": "none"},
            {"value": "feature_minmax", "says": "each feature to [0, 1]", "origin": "habit"},
        ],
    }
}


def write(folder, available=True):
    experiment, runs = experiment_of(rows_of({"A": 10}))
    other = [row | {"dataset": "elsewhere"} for row in experiment["published"]]
    if not available:
        runs["error"], runs[["acc", "nmi_max"]] = "data not available", np.nan
    used = {
        "experiments": [experiment],
        "readings": READINGS,
        "printed": {"published": experiment["published"] + other, "tables": []},
    }
    write_readings(used, runs, pd.DataFrame(columns=COLUMNS), folder)
    return pd.read_csv(folder / "tables/readings.csv", keep_default_na=False)


def test_every_printed_row_has_a_verdict(tmp_path):
    rows = write(tmp_path)
    assert len(rows) == 4
    found = rows.set_index(["dataset", "method"])
    mine = found.loc[("one", "A printed")]
    assert mine["verdict"] == "under a reading"
    assert mine["reading"] == "each feature to [0, 1]; the best accuracy of each setting"
    assert float(mine["mean_abs"]) < 1e-6
    assert found.loc[("one", "B printed"), "verdict"] == "as stated"
    assert set(found.loc["elsewhere", "verdict"]) == {NOT_IN_RUN}
    counts = counts_of(rows).set_index("verdict")
    assert counts["numbers"].to_dict() == {"as stated": 4, "under a reading": 4, NOT_IN_RUN: 8}
    assert counts.loc["as stated", "share (%)"] == 50.0
    tried = pd.read_csv(tmp_path / "tables/readings_tried.csv")
    assert (tried["method"] == "A printed").sum() == 2 * 4 * 5
    choices = pd.read_csv(tmp_path / "tables/readings_effects.csv").set_index("choice")
    worth = choices.loc["each feature to [0, 1], not as in the files", "difference"]
    assert worth == pytest.approx(10)
    assert choices["difference"].abs().is_monotonic_decreasing


@pytest.mark.parametrize("available", [True, False])
def test_files(available, tmp_path):
    rows = write(tmp_path, available)
    if not available:
        assert set(rows["verdict"]) == {"no data", NOT_IN_RUN}
    for name in ("readings", *(f"readings_{part}" for part in ABOUT)):
        for kind in ("csv", "md", "tex"):
            assert (tmp_path / f"tables/{name}.{kind}").exists()
    svg = (tmp_path / "figures/readings.svg").read_text()
    assert ("each feature to [0, 1], not as in the files" in svg) == available
    svg = (tmp_path / "figures/readings_numbers.svg").read_text()
    assert ("under the nearest reading" in svg) == available


def test_long_labels_are_inside_the_figure(tmp_path, monkeypatch):
    long = "each feature to the interval from zero to one, and each view divided by its sum, twice"
    monkeypatch.setitem(READINGS["features"]["values"][1], "says", long)
    write(tmp_path)
    picture = imread(tmp_path / "figures/readings.png")[..., :3]
    assert (picture[:, :2] == 1).all()
    assert (picture[:, -2:] == 1).all()
    assert (picture[:, 2:-2] < 1).any()


def test_numbers_are_drawn_beside_their_print_by_verdict():
    experiment, runs = experiment_of(rows_of({"A": 10}))
    judged = judge([experiment], runs, set())
    verdicts = judged.verdicts.assign(
        verdict=judged.verdicts["verdict"].where(judged.verdicts["method"] == "A printed", "better")
    )
    stated, read = draw_numbers(judged.numbers, verdicts).axes
    for axes, name in ((stated, "stated"), (read, "read")):
        others, mine = axes.lines[1:]
        for line, method in ((mine, "A printed"), (others, "B printed")):
            rows = judged.numbers[judged.numbers["method"] == method]
            assert len(rows) == 4
            assert line.get_xdata().tolist() == rows["published"].tolist()
            assert line.get_ydata().tolist() == rows[name].tolist()


def test_the_page_of_a_run_shows_every_figure(tmp_path):
    write(tmp_path)
    drawn = {path.stem for path in (tmp_path / "figures").glob("*.svg")}
    assert drawn == {"readings", "readings_numbers"}
    assert drawn <= set(EXTRA_FIGURES.values())


def test_what_the_catalogue_does_not_explain_is_named():
    assert Texts(READINGS).value("features", "log") == "features=log"


def test_more_rows_count_where_more_luck_is_allowed():
    stated = {"verdict": "as stated", "numbers": 4, "expected_luck": np.nan}
    near = {"mean_abs": 1.0, "largest_abs": 2.0}
    read = {"verdict": "under a reading", "numbers": 3, "expected_luck": 0.07} | near
    lucky = {"verdict": "perhaps by luck", "numbers": 2, "expected_luck": 0.9} | near
    none = {"verdict": "better", "numbers": 1, "expected_luck": 1.0, "mean_abs": 9.0}
    gone = {"verdict": "no data", "numbers": 50}
    rows = pd.DataFrame([stated, read, lucky, none, gone])
    levels = level_table(rows).set_index("expected luck")
    assert levels["numbers"].to_dict() == {
        "5 %": 4, "10 %": 7, "20 %": 7, "30 %": 7, "50 %": 7, "any": 9,
    }  # fmt: skip
    assert levels["rows"].tolist() == [1, 2, 2, 2, 2, 3]
    assert levels["share (%)"].tolist() == ["40.0", *["70.0"] * 4, "90.0"]


@pytest.mark.skipif(
    not (ROOT / "results/readings").exists(), reason="results/readings is not committed yet"
)
def test_the_committed_page_follows_from_the_committed_results():
    made = reproduction(ROOT / "results/readings", ROOT / "results/paper")
    assert (ROOT / "docs/reproduction.md").read_text().startswith(made)


def test_the_page_on_reproduction(tmp_path, monkeypatch):
    folder = tmp_path / "readings"
    write(folder)
    place = {"paper": "p", "item": "t", "dataset": "one", "missing_rate": None, "view": None}
    place |= {"paired_rate": 0.1, "method": "A printed", "std": None, "unit": "percent"}
    scores = {"acc": 60.0, "purity": 50.0}
    printed = [place | {"metric": metric, "mean": mean} for metric, mean in scores.items()]
    write_consistency(check_printed(printed, []), folder)
    manifest = {
        "fits": {"number": 72, "failed": 0}, "cost": {"cpu_seconds": 120.0},
        "machine": {"cpu": "a processor"}, "commit": "0123456789abcdef",
    }  # fmt: skip
    (folder / "manifest.json").write_text(json.dumps(manifest))
    stated = tmp_path / "stated/tables"
    stated.mkdir(parents=True)
    row = {"dataset": "one", "setting": "rate=0.1", "method": "A", "metric": "ACC"}
    means = {"oracle": 0.62, "label-free": 0.6, "default": 0.5}
    pd.DataFrame(
        [row | {"tuning": tuning, "mean": m, "published": 0.7} for tuning, m in means.items()]
    ).to_csv(stated / "p_table1.csv")
    page = reproduction(folder, stated.parent)
    assert "The six papers print 16 numbers, 8 of them on data that are available here." in page
    assert "Of these, 8 (100.0 %) are in rows that are reproduced" in page
    assert "| t | one | A printed | under a reading | each feature to [0, 1]; " in page
    assert "accuracy is at most purity | 60.00 | 0.00 to 50.50" in page
    assert "72 fits, 0 without a result; 2 CPU minutes on a processor" in " ".join(page.split())
    assert "| p_table1 | one | 1 | 70.0 | 62.0 | 60.0 | 50.0 |" in page
    assert "criterion is 2.0 points below" in " ".join(page.split())
    assert "data is 12.0 points below it" in " ".join(page.split())
    assert "in 100 % of cases" in " ".join(page.split())
    assert "| 10 % | 2 | 8 | 100.0 |" in page
    assert "for 5000 random rows" in " ".join(page.split())
    assert "nan" not in page
