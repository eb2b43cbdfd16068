"""Facts against clusters: the tests are the textbook's, and a batch is named first."""

import numpy as np
import pytest
from scipy import stats

from mvclust.own.associations import associations, batch_warning, chi_squared, sentence

RNG = np.random.default_rng(0)
LABELS = np.repeat([1, 2, 3], 40)


def texts(values):
    return [str(value) for value in values]


def test_counts_are_tested_by_chi_squared_with_cramers_v():
    stage = RNG.choice(["I", "II"], 120, p=[0.4, 0.6])
    (found,), _ = associations({"stage": texts(stage)}, LABELS, 0)
    table = stats.contingency.crosstab(LABELS, stage).count
    expected = stats.chi2_contingency(table, correction=False)
    assert chi_squared(table.astype(float)) == pytest.approx(expected.statistic)
    assert (found.test, found.p) == ("chi-squared", pytest.approx(expected.pvalue))
    assert found.effect == pytest.approx(stats.contingency.association(table, "cramer"))
    assert set(found.clusters) == {1, 2, 3}


def test_numbers_and_dates_are_tested_by_ranks_with_eta_squared():
    age = RNG.normal(60, 10, 120) + 5 * LABELS
    (found,), _ = associations({"age": texts(age)}, LABELS, 0)
    expected = stats.kruskal(*(age[c == LABELS] for c in (1, 2, 3)))
    assert (found.test, found.p) == ("Kruskal-Wallis", pytest.approx(expected.pvalue))
    assert found.effect == pytest.approx((expected.statistic - 2) / 117)
    assert found.clusters[1] == f"median {np.median(age[:40]):.4g}"
    days = np.arange("2020-01-01", "2020-04-30", dtype="datetime64[D]")  # by their order
    (found,), _ = associations({"day": days.astype(str).tolist()}, np.sort(LABELS), 0)
    assert (found.test, found.clusters[1]) == ("Kruskal-Wallis", "median 2020-01-20")


@pytest.mark.parametrize("number", [True, False])
def test_small_groups_are_permuted_at_their_level(number, monkeypatch):
    """Under no effect p is at most 0.05 in about one of twenty cases; groups of 3, 4 and 9."""
    monkeypatch.setattr("mvclust.own.associations.N_PERMUTATIONS", 999)
    labels, low = np.repeat([1, 2, 3], [3, 4, 9]), 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        values = rng.normal(size=16) if number else rng.choice(["a", "b"], 16)
        (found,), _ = associations({"x": texts(values)}, labels, seed)
        assert found.test.endswith("permuted")
        low += found.p <= 0.05
    assert low <= 8


def test_p_is_corrected_by_holm_over_the_facts_and_gaps_are_left_out():
    facts = {"group": texts(LABELS), "coin": texts(RNG.integers(0, 2, 120))}
    facts["coin"][:7] = [""] * 7
    found, _ = associations(facts, LABELS, 0)
    assert [each.fact for each in found] == ["group", "coin"]
    assert found[0].p_holm == 2 * found[0].p
    assert found[1].n_samples == 113
    assert sentence(found).startswith("What goes with the clusters: group (Cramér's V 1.00")
    said = "No fact goes with the clusters (1 fact tested, p corrected by Holm)."
    assert sentence(found[1:]) == said
    assert sentence([]) is None
    # Facts that cannot be tested have their reason.
    facts = {"name": [f"p{i}" for i in range(120)], "same": ["x"] * 120, "none": [""] * 120}
    why = ["nearly every sample has a value of its own", "one value only", "one value only"]
    assert associations(facts, LABELS, 0) == ([], dict(zip(facts, why, strict=True)))


@pytest.mark.parametrize(
    ("name", "batch", "follows", "said"),
    [("plate", None, True, True), ("Scanner id", None, True, True), ("BatchID", None, True, True),
     ("day", None, True, False), ("day", "day", True, True), ("plate", None, False, False),
     ("tumor_site", None, True, False), ("lab_crp", None, True, False)],
)  # fmt: skip
def test_clusters_that_follow_a_batch_are_named(name, batch, follows, said):
    """Six clusters are three groups on two plates."""
    labels = np.repeat(np.arange(1, 7), 10)
    values = labels % 2 if follows else RNG.integers(0, 2, 60)
    found, _ = associations({name: texts(values)}, labels, 0)
    warning = batch_warning(found, (batch,))
    assert (warning is not None) == said
    assert not said or warning.startswith(f"The clusters follow {name} (Cramér's V 1.00")


def test_a_batch_is_corrected_for_no_other_facts(monkeypatch):
    """60 facts of no meaning let no p of permutations reach the level."""
    monkeypatch.setattr("mvclust.own.associations.N_PERMUTATIONS", 999)
    labels = np.repeat([1, 2, 3], 3)
    facts = {f"fact {j}": texts(RNG.integers(0, 2, 9)) for j in range(60)}
    found, _ = associations({"plate": texts(labels)} | facts, labels, 0)
    plate = next(a for a in found if a.fact == "plate")
    assert plate.p_holm > 0.05 > plate.p
    assert batch_warning(found).startswith("The clusters follow plate (Cramér's V 1.00")
