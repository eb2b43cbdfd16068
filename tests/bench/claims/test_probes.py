"""Probes: what they compare, the forms that they try, and the claims that read them."""

import dataclasses
from itertools import combinations, product

import numpy as np
import pandas as pd
import pytest
import yaml
from bench.blobs import make_dataset
from bench.claims.made_up import outcome_on
from helpers import ROOT

from mvclust import CMVNMF
from mvclust.bench.claims.probes.cmvnmf import drawn, linked_anywhere
from mvclust.bench.claims.probes.daimc import by_25, by_26
from mvclust.bench.claims.probes.mpac import aligned
from mvclust.bench.claims.probing import COLUMNS, probe
from mvclust.bench.claims.verdicts import FAILS, HOLDS, NO_DATA
from mvclust.bench.config.models import ClaimTest
from mvclust.bench.report.claims import write_probes
from mvclust.datasets.record import write_dataset, write_unavailable
from mvclust.datasets.synthetic import make_multiview
from mvclust.estimators.cmvnmf import start_from_kmeans
from mvclust.metrics import accuracy

DECLARED = yaml.safe_load((ROOT / "config" / "probes.yaml").read_text(encoding="utf-8"))
TEST = ClaimTest(kind="above", probes=["p"], methods=["new"], against=["old"])


def used_of(entry, data="blobs"):
    """The slice of a probe on one data set, from its entry in the catalogue."""
    keys = {key: entry[key] for key in ("measure", "arms")} | {"scores": entry.get("scores", False)}
    given = {"label": "Blobs", "data": data, "views": None, "features": "feature_minmax"}
    return keys | {"data": [given], "seeds": [3]}


@pytest.fixture
def files(tmp_path):
    Xs, y = make_multiview(45, n_features=(4, 5, 6), noise=(1.0, 2.0, 4.0), random_state=0)
    write_dataset(dataclasses.replace(make_dataset(), Xs=Xs, y=y), tmp_path / "blobs.h5")
    write_unavailable("gone", "no source answered", tmp_path / "gone.h5")
    return {name: str(tmp_path / f"{name}.h5") for name in ("blobs", "gone")}


@pytest.mark.parametrize("name", DECLARED)
def test_every_probe_measures_the_arms_that_it_declares(files, name):
    entry = DECLARED[name]
    table = probe(used_of(entry), files)
    if name == "cmvnmf_places":  # the same numbers again
        pd.testing.assert_frame_equal(probe(used_of(entry), files), table)
    assert list(table.columns) == list(COLUMNS)
    assert list(table["arm"]) == entry["arms"]
    assert np.isfinite(table["value"]).all()
    assert set(table["step"]) == {100 / 45 if entry.get("scores") else 0.0}
    if name == "daimc_digits":  # both forms have nearly all digits
        assert table["value"].between(8, 17).all()


def test_other_arms_are_refused_and_a_data_set_that_is_not_available_has_no_rows(files):
    assert probe(used_of(DECLARED["ueaf_weights"], "gone"), files).empty
    used = used_of(DECLARED["ueaf_weights"]) | {"arms": ["learned", "equal"]}
    with pytest.raises(ValueError, match="weights gives learnt, equal, not learned, equal"):
        probe(used, files)


def test_both_forms_of_the_step_of_b_solve_its_equation():
    rng = np.random.default_rng(0)
    U, D, beta = rng.random((30, 4)), rng.random(30) + 0.1, 0.7
    B = by_25(U, D, beta)
    np.testing.assert_allclose((U @ U.T + 0.5 * beta * np.diag(D)) @ B, U, atol=1e-12)
    np.testing.assert_allclose(by_26(U, D, beta), B, atol=1e-12)


def test_equal_partitions_are_aligned_whatever_the_order_of_their_clusters():
    labels = np.repeat([0, 1, 2], 10)
    F = np.eye(3)[labels] / np.sqrt(10)
    found = aligned([F, F[:, [2, 0, 1]], F[:, [1, 2, 0]]])
    assert len(set(zip(labels, found, strict=True))) == 3


def test_links_lie_on_true_pairs_of_the_places_asked_for():
    ys = [np.repeat([0, 1], 10), np.repeat([1, 0], 8)]
    M, C = drawn(ys, [(0, 1), (0, 0)], 60, np.random.default_rng(1))
    assert set(M) == set(C) == {(0, 1), (1, 0), (0, 0)}
    for a, b in M:
        same = np.equal.outer(ys[a], ys[b])
        assert M[a, b].nnz
        assert same[M[a, b].nonzero()].all()
        assert not same[C[a, b].nonzero()].any()
    assert M[0, 0].diagonal().sum() == 0
    np.testing.assert_array_equal(M[0, 0].toarray(), M[0, 0].toarray().T)
    np.testing.assert_array_equal(M[0, 1].toarray(), M[1, 0].toarray().T)


def unlinked(n_views):
    """Views of three noisy clusters, none negative, each with the sum 1."""
    n_features = (5, 6, 7)[:n_views]
    Xs, y = make_multiview(60, n_features=n_features, noise=2.0, random_state=0)
    return [(X - X.min()) / (X - X.min()).sum() for X in Xs], y


def test_links_between_views_only_give_the_indicators_of_the_estimator():
    Xs, y = unlinked(3)
    places = list(combinations(range(3), 2))
    M, C = drawn([y] * 3, places, 200, np.random.default_rng(0))
    start = start_from_kmeans(Xs, [], [], 3, 1, False, 0)
    model = CMVNMF(3, variant="paper", scale=None, init=start, max_iter=500, tol=1e-3)
    must, cannot = ({place: links[place] for place in places} for links in (M, C))
    model.fit(Xs, must_links=must, cannot_links=cannot)
    for V, expected in zip(linked_anywhere(Xs, M, C, 3, 0), model.V_, strict=True):
        np.testing.assert_allclose(V, expected, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_links_within_one_view_pull_its_rows_together(seed):
    Xs, y = unlinked(1)
    M, C = drawn([y], [(0, 0)], 2500, np.random.default_rng(seed))
    V, apart = (linked_anywhere(Xs, *links, 3, seed)[0] for links in ((M, C), ({}, {})))
    assert accuracy(y, V.argmax(axis=1)) > accuracy(y, apart.argmax(axis=1)) + 0.1


def table_of(gap, n=20, noise=1.0):
    rng, means = np.random.default_rng(0), {"new": gap, "old": 0.0}
    rows = [
        ("Toy", 0.0, seed, arm, means[arm] + noise * rng.normal())
        for seed, arm in product(range(n), means)
    ]
    return pd.DataFrame(rows, columns=COLUMNS).assign(probe="p")


@pytest.mark.parametrize("noise", [0.0, 1.0])
@pytest.mark.parametrize(("gap", "verdict"), [(5.0, HOLDS), (-5.0, FAILS)])
def test_a_claim_compares_the_arms_of_its_probe_seed_by_seed(gap, verdict, noise):
    table = table_of(gap, noise=noise)
    found = outcome_on(TEST, {"probes": table})
    old, new = table["value"][1::2].mean(), table["value"][::2].mean()
    assert (found.verdict, found.effect) == (verdict, pytest.approx(new - old))


@pytest.mark.parametrize(("noise", "verdict"), [(0.1, HOLDS), (5.0, FAILS)])
def test_seeds_of_a_probe_say_whether_one_run_suffices(noise, verdict):
    test = ClaimTest(kind="one_run", probes=["p"], methods=["new"])
    assert outcome_on(test, {"probes": table_of(5.0, noise=noise)}).verdict == verdict


def test_without_numbers_of_its_probe_a_claim_has_no_verdict():
    for measured in {}, {"probes": table_of(1.0).iloc[:0]}:
        assert outcome_on(TEST, measured).verdict == NO_DATA


def test_numbers_of_probes_are_written_with_what_they_are(tmp_path):
    described = {probe: {"title": "New and old", "unit": "metres"} for probe in "pq"}
    empty = pd.DataFrame(columns=COLUMNS)  # as it is read from a file
    whole = table_of(1.0).drop(columns="probe")
    write_probes(described, {"p": whole, "q": empty}, tmp_path)
    written = pd.read_csv(tmp_path / "tables" / "probes.csv")
    np.testing.assert_allclose(written["value"], whole["value"], atol=1e-6)
    text = (tmp_path / "tables" / "probes.md").read_text()
    assert "`p`: New and old; metres." in text
    assert f"| p | Toy | new | {whole['value'][::2].mean():.2f} |" in text
    write_probes({"q": described["q"]}, {"q": empty}, tmp_path)
    assert pd.read_csv(tmp_path / "tables" / "probes.csv").empty
