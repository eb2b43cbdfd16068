"""All protocols of a printed row are tried, each tuned as the papers tune."""

import numpy as np
from bench.multiverse.made_up import additive, experiment_of

from mvclust.bench.multiverse.protocols import rows_of, shape_of

PLACE = ("p", "t", "one", "A")


def row_of(*args, **kwargs):
    experiment, runs = experiment_of(*args, **kwargs)
    return rows_of([experiment], runs.set_index("key"), set())[PLACE]


def test_the_protocol_that_made_the_row_has_its_numbers():
    row = row_of(additive)
    means = row.numbers().mean(axis=(2, 3))
    true = {"features": "feature_minmax", "labels": "argmax", "NMI": "nmi_arithmetic"}
    near = np.abs(means - row.printed.to_numpy()).max(axis=1) < 0.01
    assert near.tolist() == [options == true for options in row.protocols]


def test_a_half_of_the_masks_is_tuned_by_its_own_scores():
    row = row_of(additive, sd=5.0)
    half = row.numbers(masks=np.arange(3))
    alone = row._replace(scores=row.scores[:, :, :, :3]).numbers()
    assert np.array_equal(half, alone)


def test_a_protocol_with_a_failed_fit_has_no_numbers():
    experiment, runs = experiment_of(additive)
    lost = runs["key"].str.contains('"features": null')
    runs.loc[lost, ["acc", "nmi_max", "nmi_arithmetic"]] = np.nan
    row = rows_of([experiment], runs.set_index("key"), set())[PLACE]
    there = np.isfinite(row.numbers().mean(axis=(1, 2, 3)))
    assert there.tolist() == [o["features"] is not None for o in row.protocols]


def test_views_of_one_fit_are_no_settings_of_their_own():
    row = row_of(additive)
    assert row.shape == (2, 2)
    per_view = row.printed.reset_index().assign(view=[1.0, 1.0, 2.0, 2.0])
    index = per_view.set_index(["missing_rate", "paired_rate", "view", "metric"])[0]
    assert shape_of(index.index) == (1, 4)
