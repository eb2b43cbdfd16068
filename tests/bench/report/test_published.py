"""Published numbers beside ours."""

import pandas as pd
import pytest
from bench.report.made_up import describe, methods_of, printed_number, result, table_of
from helpers import ROOT

from mvclust.bench.claims.published import FEW, IMPOSSIBLE, NOT_DECIDED, STARTS, compare, counts
from mvclust.bench.report.published import in_words, write_comparison


@pytest.fixture(scope="module")
def published():
    """All numbers that the papers print."""
    return pd.read_csv(ROOT / "config/published.csv").to_dict("records")


def printed(method="A", metric="acc", mean=50.0, **place):
    return printed_number(method=method, metric=metric, mean=mean, **place)


METHODS = methods_of("A", "B", published={"A": ["A"], "B": ["B", "Bee"]})
DESCRIBED = [describe(item="table1", methods=["A", "B"])]


def verdict_of(number=None, **changes):
    """The verdict on one number, and the note."""
    results = {"toy": table_of([result(**changes)])}
    (row,) = compare(DESCRIBED, results, [printed(mean=number)], METHODS).to_dict("records")
    return row["verdict"], row["note"]


@pytest.mark.parametrize(
    ("number", "std", "verdict"),
    [
        (51.0, 1.0, "same"),
        (51.0, 0.3, "negligible difference"),
        (52.0, 3.0, "undecided"),
        (46.0, 1.0, "different"),
        (54.0, 1.0, "different"),
    ],
)
def test_verdicts_of_a_whole_run(number, std, verdict):
    assert verdict_of(number, std=std) == (verdict, "")


def test_a_printed_deviation_widens_the_interval():
    results = {"toy": table_of([result(std=1.0)])}
    numbers = [printed(mean=53.0, std=std) for std in (None, 5.0)]
    verdicts = compare(DESCRIBED, results, numbers, METHODS)["verdict"].tolist()
    assert verdicts == ["different", "undecided"]


def test_on_masks_of_the_authors_only_starts_are_chance_and_one_start_tells_nothing():
    assert verdict_of(50.0, protocol="published") == (STARTS, "")
    starts = {"protocol": "published", "masks_mean": 50.0, "starts_se": 0.5, "starts_df": 5}
    words = [verdict_of(number, **starts)[0] for number in (50.5, 52.5)]
    assert words == ["same", "different"]


def test_one_sentence_says_how_many_numbers_are_the_same():
    results = {"toy": table_of([result(std=1.0)])}
    numbers = [printed(mean=51.0), printed(mean=46.0, dataset="gone")]
    assert in_words(compare(DESCRIBED, results, numbers, METHODS)) == (
        "Of 2 published numbers 1 same, 0 negligible difference, 0 different, 0 undecided, 1 not "
        "compared. paper, table1: of 2, 1 same, 0 negligible difference, 0 different, 0 undecided, "
        "1 not compared."
    )


def test_a_printed_row_that_no_partition_has_keeps_its_verdict_and_gets_a_flag():
    place = {"paper": "paper", "item": "table1", "dataset": "toy", "method": "A"}
    checked = pd.DataFrame([
        place | {"setting": "missing_rate=0.3", "holds": False},
        place | {"setting": "missing_rate=0.5", "holds": True},
    ])  # fmt: skip
    results = {"toy": table_of([result(missing_rate=rate) for rate in (0.3, 0.5)])}
    numbers = [printed(missing_rate=rate, mean=40.0) for rate in (0.3, 0.5)]
    table = compare(DESCRIBED, results, numbers, METHODS, checked=checked)
    assert table["flag"].tolist() == [IMPOSSIBLE, ""]
    assert set(table["verdict"]) == {"different"}


@pytest.mark.parametrize(
    ("changes", "verdict", "note"),
    [
        ({"n_samples": 80}, NOT_DECIDED, "Cut run: 80 of 100 samples."),
        ({"grid_points": 1}, "not decided", "Cut run: 1 of 4 grid points."),
        ({"repetitions": 2, "n_runs": 2}, "not decided", "Cut run: 2 of 5 masks."),
        ({"repetitions": 3, "n_runs": 3}, "undecided", "Cut run: 3 of 5 masks."),
        ({"n_runs": 2, "note": "3 of 5 fits failed"}, "not decided", "3 of 5 fits failed"),
        ({"repetitions": 1, "repetitions_declared": 1, "n_runs": 1}, FEW, ""),
        ({"mean": None, "note": "no data", "n_runs": 0}, "not available", "no data"),
    ],
)
def test_no_verdict_on_cut_data(changes, verdict, note):
    assert verdict_of(50.0, **changes) == (verdict, note)


def test_rebuilt_features_have_a_verdict_of_their_own():
    """Whatever the number, and whether the run was cut: it counts among no others."""
    for changes in ({}, {"mean": 90.0}, {"n_samples": 80}):
        verdict, _ = verdict_of(50.0, source="mirror folder (rebuilt features)", **changes)
        assert verdict == "rebuilt features"
    results = {"toy": table_of([result(source="publisher's archive (rebuilt features)")])}
    table = counts(compare(DESCRIBED, results, [printed()], METHODS), ["paper"])
    assert table.loc[0, ["rebuilt features", "numbers"]].tolist() == [1, 1]
    assert table.loc[0, ["above print", "below print"]].tolist() == [0, 0]


def test_numbers_are_found_by_typed_keys():
    rows = [
        result(method="A", mean=10.0),
        result(method="A", mean=11.0, tuning="default"),
        result(method="B", mean=20.0),
        result(method="A", mean=30.0, missing_rate=0.1 + 0.2, metric="F-score"),
        result(method="A", mean=40.0, missing_rate=None, mapped_rate=1.0, view=2),
        result(method="A", mean=50.0, missing_rate=None, protocol="complete"),
        result(method="A", mean=60.0, missing_rate=None, paired_rate=0.3),
    ]
    numbers = [
        printed("A", mean=10.0),
        printed("Bee", mean=20.0),
        printed("A", metric="f_score", mean=30.0),
        printed("A", missing_rate=None, view=2, mean=40.0),
        printed("A", missing_rate=None, mean=50.0),
        printed("A", missing_rate=None, paired_rate=0.3, mean=60.0),
        printed("A", missing_rate=0.5, mean=70.0),
        printed("Z", mean=80.0),
        printed("A", dataset="elsewhere", mean=90.0),
    ]
    comparison = compare(DESCRIBED, {"toy": table_of(rows)}, numbers, METHODS)
    assert comparison["reproduced"].iloc[:6].tolist() == comparison["published"].iloc[:6].tolist()
    assert comparison["reproduced"].iloc[6:].isna().all()
    assert set(comparison["note"].iloc[6:]) == {"not in this run"}
    assert set(comparison["verdict"].iloc[6:]) == {"not available"}
    assert comparison["setting"].tolist()[:6] == [
        "missing_rate=0.3", "missing_rate=0.3", "missing_rate=0.3", "view=2", "random",
        "paired_rate=0.3",
    ]  # fmt: skip


def test_points_of_a_sweep_are_not_chosen_from():
    rows = [result(tuning="fixed", points=[{"alpha": alpha}]) for alpha in (1, 2)]
    (row,) = compare(DESCRIBED, {"toy": table_of(rows)}, [printed()], METHODS).to_dict("records")
    assert (row["verdict"], row["note"]) == ("not available", "several results, none chosen")


def test_fractions_become_percent():
    results = {"toy": table_of([result(mean=0.52, ci_low=0.5, ci_high=0.54)])}
    described = [describe(item="table1", unit="fraction")]
    (row,) = compare(described, results, [printed(mean=0.5)], METHODS).to_dict("records")
    assert row["published"] == 50
    assert row["reproduced"] == pytest.approx(52)
    assert row["difference"] == pytest.approx(2)
    assert row["ci_high"] == pytest.approx(54)


def test_above_print_is_counted_by_role_among_what_was_compared():
    rows = [
        result(method="A", mean=55.0, std=0.5),
        result(method="A", metric="NMI", mean=40.0, std=0.5),
        result(method="B", mean=90.0, std=0.5),
        result(method="B", metric="NMI", mean=90.0, n_samples=10),
    ]
    numbers = [printed(m, metric=metric) for m in ("A", "B") for metric in ("acc", "nmi")]
    roles = {"proposed": {"paper": ["A"]}, "reconstructed": ["B"]}
    table = compare(DESCRIBED, {"toy": table_of(rows)}, [*numbers, printed("Z")], METHODS, roles)
    found = counts(table, ["paper", "role"]).set_index("role")
    columns = ["different", "not decided", "not available", "numbers", "above print", "below print"]
    assert found.loc["proposed", columns].tolist() == [2, 0, 0, 2, 1, 1]
    assert found.loc["reconstructed", columns].tolist() == [1, 1, 0, 2, 1, 0]
    assert found.loc["baseline", columns].tolist() == [0, 0, 1, 1, 0, 0]
    assert found.loc["all", columns].tolist() == [3, 1, 1, 5, 2, 1]


@pytest.mark.parametrize("chosen", ["all", "none"])
def test_files(chosen, published, tmp_path):
    numbers = published if chosen == "all" else []
    write_comparison(compare([], {}, numbers, []), tmp_path)
    written = pd.read_csv(tmp_path / "tables/published_vs_reproduced.csv")
    assert len(written) == len(numbers)
    assert "setting" in written
    assert (tmp_path / "figures/published_vs_reproduced.pdf").stat().st_size > 1000
