"""What a method is given: the views of one mask, filled, shifted, chosen or constrained.

`config.models.Preparation` lists the parameters of a method that decide this.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import pandas as pd

from mvclust.bench.fit.given import frozen
from mvclust.bench.fit.masks import rows_of_views
from mvclust.bench.plan.seeds import seed_of, seed_of_setting
from mvclust.estimators.base import tags_of
from mvclust.masking import apply_mask
from mvclust.numerics.features import scale_features
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.products import dense
from mvclust.numerics.scaling import scale_views
from mvclust.unmapping import known_mapping, mapped_constraints, random_intra_constraints

if TYPE_CHECKING:
    from typing import Any

    from mvclust.bench.plan.settings import Setting
    from mvclust.datasets.record import Dataset

OF_LABELS = ("view_labels",)  # leave the views as they are, so that solutions can be shared
CONTROL_FEATURES = 10  # of random numbers
SURE = 4  # standard deviations beyond which the classes of neighbours are no coincidence


class Task(NamedTuple):
    """Calls of `fit`, one, or one per view."""

    calls: list  # pairs (Xs, keywords)
    rows: list  # expected numbers of labels: one, or one per view with its own rows
    sizes: list  # the rows of every view, if views have labels of their own
    taken: list | None = None  # samples of every view, if one fit labels all samples by each view
    order: np.ndarray | None = None  # sample in each row, if samples are reordered


def adapt_views(
    estimator: type,
    dataset: Dataset,
    masks: dict,
    setting: Setting,
    repetition: int,
    root: int,
    how: dict,
) -> Task:
    """Make the input of one fit, with parameters `how` of the pipeline; fits share its calls."""
    task = _adapted(estimator, dataset, masks, setting, repetition, root, how)
    return task._replace(calls=frozen(task.calls))


def _adapted(
    estimator: type,
    dataset: Dataset,
    masks: dict,
    setting: Setting,
    repetition: int,
    root: int,
    how: dict,
) -> Task:
    tags = tags_of(estimator)
    rows, presence = masks["rows"], masks["presence"][repetition]
    if tags.constraints or how.get("each_view") or how.get("view_labels"):
        for name in ("order", "control"):
            if how.get(name):
                raise ValueError(f"'{name}' is for methods that label samples; take it out.")
    Xs = [X[rows] for X in dataset.Xs]
    if how.get("features"):
        Xs = scale_features(Xs, dataset.presence[rows], how["features"])
    if setting.scale:
        Xs = scale_views([dense(X) for X in Xs], presence, setting.scale)
    if how.get("shift"):
        Xs = [shifted(X, present) for X, present in zip(Xs, presence.T, strict=True)]
    if not tags.sparse:
        Xs = [dense(X) for X in Xs]
    if tags.constraints or how.get("each_view"):
        ids = rows_of_views(masks, repetition)
        parts = [X[i] for X, i in zip(Xs, ids, strict=True)]
        sizes = [len(i) for i in ids]
        if not tags.constraints:
            return Task([([X], {}) for X in parts], sizes, sizes)
        known = setting.protocol == "mapped" and how.get("mapping", "known") == "known"
        mapped = setting.rate if known else 0.0
        draw = within_views if tags.constraints == "within" else between_views
        seed = seed_of_setting(root, setting, repetition, "constraints")
        share, constrained = how.get("constraints", 0.0), how.get("constrained", "pairs")
        links = draw(ids, dataset.y[rows], mapped, share, constrained, seed)
        return Task([(parts, links)], sizes, sizes)
    if "views" in how:
        chosen = [setting.views.index(view) for view in how["views"]]
        Xs, presence = [Xs[v] for v in chosen], presence[:, chosen]
        Xs, presence = keep_every_sample(Xs, presence)
    if "control" in how:
        if how["control"] == "labels" and dataset.y is None:
            raise ValueError(f"the data set {dataset.name} has no classes for a control to see.")
        seed = seed_of_setting(root, setting, repetition, "control")
        y = None if dataset.y is None else dataset.y[rows]
        if how["control"] == "noise_views":
            Xs = [control_view("noise", y, presence, seed_of(seed, v)) for v in range(len(Xs))]
        else:
            Xs = [control_view(how["control"], y, presence, seed)]
            presence = np.ones((len(rows), 1), dtype=bool)
    fill = how.get("fill")
    given = fill_missing(Xs, presence, fill) if fill else apply_mask(Xs, presence)
    if how.get("view_labels"):
        if not hasattr(estimator, "label_views"):
            raise ValueError(f"{estimator.__name__} has no labels by view; take view_labels out.")
        ids = rows_of_views(masks, repetition)
        sizes = [len(i) for i in ids]
        return Task([(given, {})], sizes, sizes, ids)
    order = None
    if how.get("order"):
        seed = seed_of(seed_of_setting(root, setting, repetition, "reorder"), how["order"])
        if isinstance(how["order"], str):
            y = None if dataset.y is None else dataset.y[rows]
            order = order_of(how["order"], y, given, seed)
            given = [X[order] for X in given]
        else:
            given, order = reordered(given, seed)
    return Task([(given, {})], [len(rows)], None, order=order)  # pyright: ignore[reportArgumentType]


def shifted(X: Any, present: np.ndarray) -> Any:
    """The view minus its smallest present entry, if that is negative.

    >>> shifted(np.array([[-1.0, 2.0], [-9.0, 0.0]]), np.array([True, False]))[0].tolist()
    [0.0, 3.0]
    """
    low = X[present].min()
    return dense(X) - low if low < 0 else X


def control_view(what: str, y: Any, presence: np.ndarray, seed: int) -> np.ndarray:
    """Input of a control in place of the views; only "labels" reads y.

    >>> control_view("labels", np.array([2, 0, 2]), None, 0).tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    if what == "labels":
        return (y[:, None] == np.unique(y)).astype(float)
    if what == "presence":
        return presence.astype(float)
    return np.random.default_rng(seed).standard_normal((len(presence), CONTROL_FEATURES))


def reordered(Xs: list, seed: int) -> tuple[list, np.ndarray]:
    """Views with their samples, and the features of each, in a random order, and that order."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(Xs[0].shape[0])
    return [X[order][:, rng.permutation(X.shape[1])] for X in Xs], order


def order_of(name: str, y: Any, Xs: list, seed: int) -> np.ndarray:
    """Sample in each row in an order of `config.models.Preparation`; at random for other names.

    >>> y = np.array([1, 0, 1, 0])
    >>> y[order_of("sorted", y, [], 0)].tolist(), y[order_of("interleaved", y, [], 0)].tolist()
    ([0, 0, 1, 1], [0, 1, 0, 1])
    """
    if name in ("sorted", "interleaved") and y is None:
        raise ValueError(f"order '{name}' is for data with classes.")
    rng = np.random.default_rng(seed)
    at_random = rng.permutation(len(y) if y is not None else Xs[0].shape[0])
    if name == "reversed":
        return np.arange(len(at_random))[::-1]
    if name == "by_norm":
        lengths = np.linalg.norm(dense(Xs[0]), axis=1)
        missing = np.isnan(lengths)
        lengths[missing] = rng.choice(lengths[~missing], missing.sum())
        return at_random[np.argsort(lengths[at_random], kind="stable")]
    if name not in ("sorted", "interleaved"):
        return at_random
    by_class = at_random[np.argsort(y[at_random], kind="stable")]
    if name == "sorted":
        return by_class
    turn = pd.Series(y[by_class]).groupby(y[by_class]).cumcount()
    return by_class[np.lexsort((y[by_class], turn))]


def in_order(y: Any, order: np.ndarray | None) -> bool:
    """Whether neighbouring rows have one class much more often, or seldomer, than at random.

    >>> y = np.repeat([0, 1, 2], 20)
    >>> in_order(y, None), in_order(y, np.random.default_rng(0).permutation(60))
    (True, False)
    """
    if y is None or len(y) < 2:
        return False
    y = y if order is None else y[order]
    same = float((y[1:] == y[:-1]).mean())
    expected = float(((np.unique(y, return_counts=True)[1] / len(y)) ** 2).sum())
    return abs(same - expected) > SURE * (expected * (1 - expected) / (len(y) - 1)) ** 0.5


def put_back(labels: Any, order: np.ndarray) -> np.ndarray:
    """Labels of reordered samples in the order of the samples.

    >>> put_back(np.array([7, 8, 9]), np.array([2, 0, 1])).tolist()
    [8, 9, 7]
    """
    back = np.empty_like(labels)
    back[order] = labels
    return back


def keep_every_sample(Xs: list, presence: np.ndarray) -> tuple[list, np.ndarray]:
    """Give samples that are in none of the views the mean of the first."""
    nowhere = ~presence.any(axis=1)
    if not nowhere.any():
        return Xs, presence
    first, presence = dense(Xs[0]).copy(), presence.copy()
    first[nowhere] = first[presence[:, 0]].mean(axis=0)
    presence[nowhere, 0] = True
    return [first, *Xs[1:]], presence


def between_views(
    ids: list[np.ndarray], y: np.ndarray, mapped: float, share: float, constrained: str, seed: int
) -> dict:
    """Constraints between the views; a known correspondence is a must-link."""
    must_links, cannot_links = mapped_constraints(
        ids, [y[i] for i in ids], mapped, share, seed, constrained
    )
    return {"must_links": must_links, "cannot_links": cannot_links}


def within_views(
    ids: list[np.ndarray], y: np.ndarray, mapped: float, share: float, constrained: str, seed: int
) -> dict:
    """Constraints within the views, and the known correspondence."""
    ys = [y[i] for i in ids]
    must_links, cannot_links = random_intra_constraints(ys, share, seed, constrained)
    mapping = known_mapping(ids, mapped, seed)
    return {"must_links": must_links, "cannot_links": cannot_links, "mapping": mapping}
