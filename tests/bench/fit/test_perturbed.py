"""Fits of the answer fail as those of the table of runs do: they take nothing else with them."""

import os

import numpy as np
import pytest
from bench.blobs import SETTING, make_dataset
from bench.fit.test_fits import OneStep

from mvclust import ConcatKMeans
from mvclust.bench.fit.guard import Limits
from mvclust.bench.fit.masks import draw_masks
from mvclust.bench.fit.perturbed import ChosenFit
from mvclust.own.certainty import Perturbation

DATA = make_dataset()
MASKS = draw_masks(DATA, SETTING, 1, 0)
LESS = 30  # samples with which the classes below end, or fail


class Ends(ConcatKMeans):
    def fit(self, Xs, y=None):
        if len(Xs[0]) == LESS:
            os._exit(3)
        return super().fit(Xs)


class Fails(ConcatKMeans):
    def fit(self, Xs, y=None):
        if len(Xs[0]) == LESS:
            raise SystemExit("no")
        return super().fit(Xs)


def chosen(estimator):
    path = f"{estimator.__module__}.{estimator.__name__}"
    return ChosenFit(path, DATA, MASKS, SETTING, 0, {}, Limits())


@pytest.mark.parametrize("estimator", [Ends, Fails])
def test_a_perturbed_fit_that_ends_its_process_is_left_out(estimator):
    presence = MASKS["presence"][0]
    parts = [Perturbation(np.arange(size), presence[:size]) for size in (40, LESS, 35)]
    partitions = chosen(estimator).partitions(parts)
    assert [None if labels is None else len(labels) for labels in partitions] == [40, None, 35]


@pytest.mark.parametrize("estimator", [Ends, Fails, OneStep])
def test_a_representation_that_cannot_be_had_is_none(estimator, monkeypatch):
    monkeypatch.setitem(globals(), "LESS", len(MASKS["rows"]))
    assert chosen(estimator).embedding() is None
