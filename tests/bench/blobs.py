"""A small prepared data set, its masks and its fits on disk."""

from uuid import uuid4

import numpy as np

from mvclust.bench.fit.fits import FitsOfSetting
from mvclust.bench.fit.jobs import run_job
from mvclust.bench.fit.masks import draw_masks, write_masks
from mvclust.bench.plan.settings import Fit, Setting
from mvclust.bench.score.runs import score_rows
from mvclust.datasets.record import Dataset, write_dataset
from mvclust.testing import make_blobs

VIEWS = ("a", "b", "c")
SETTING = Setting("blobs", VIEWS, "random", 0.3)
POINTS = [{"alpha": alpha, "max_iter": 20} for alpha in (0.1, 10)]


def make_dataset(shift=0.0):
    """Three groups of 15 samples in three views."""
    Xs, y = make_blobs()
    presence, classes = np.ones((len(y), 3), bool), ["0", "1", "2"]
    Xs = [X - shift for X in Xs]
    return Dataset("blobs", Xs, [*VIEWS], y, classes, presence, "made here", "0" * 64)


def fits_of(estimator, setting=SETTING, repetitions=1, data=None):
    """What fits an estimator to the data set under masks of a setting."""
    data = data or make_dataset()
    return FitsOfSetting(estimator, data, draw_masks(data, setting, repetitions, 0), setting, 0)


def prepare(folder, settings=(SETTING,), repetitions=2):
    """Write the data set and the masks of some settings into a folder."""
    folder.mkdir(exist_ok=True)
    write_dataset(make_dataset(), folder / "blobs.h5")
    masks = {s.id: draw_masks(make_dataset(), s, repetitions, 0) for s in settings}
    write_masks(masks, folder / "blobs.npz")
    return folder


DAIMC = "mvclust.estimators.daimc.DAIMC"


def planned(estimator=DAIMC, points=POINTS, code="1", method="DAIMC", setting=SETTING):
    """What a job of two masks uses."""
    fits = [Fit(setting, r, method, point) for r in range(2) for point in points]
    return {
        "methods": {method: {"estimator": estimator, "code": code}}, "seed": 0,
        "limits": {"seconds": None, "memory_mb": None}, "where": {"tries": 2, "forced": False},
        "settings": {setting.id: setting.record},
        "fits": [[fit.key, setting.id, fit.repetition, fit.params, method] for fit in fits],
    }  # fmt: skip


def joined(*uses):
    """One job of the fits of several."""
    methods = {name: of for used in uses for name, of in used["methods"].items()}
    return uses[0] | {"methods": methods, "fits": [fit for used in uses for fit in used["fits"]]}


def run(folder, used, report=lambda *_: None, name=None, began=str, lost=None):
    """Run the fits of a job in a folder that `prepare` filled."""
    masks = {Setting.from_record(record).masks for record in used["settings"].values()}
    files = {"data": {"blobs": folder / "blobs.h5"}}
    files["masks"] = dict.fromkeys(masks, folder / "blobs.npz")
    here = {"inputs": files, "where": used["where"] | {"journals": folder / "journals"}}
    own = {"root": folder, "report": report, "run": name or uuid4().hex}
    return run_job(used | here, threads=1, **own, began=began, lost=lost)


def scored(folder, rows, setting=SETTING):
    """Rows of fits in a folder that `prepare` filled, with their scores."""
    masks = {setting.masks: folder / "blobs.npz"}
    return score_rows(rows, {setting.id: setting}, {"blobs": folder / "blobs.h5"}, masks)
