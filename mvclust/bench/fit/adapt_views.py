"""What a method is given: the views of one mask, filled, shifted, chosen or constrained.

`config.models.Preparation` lists the parameters of a method that decide this.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from mvclust.bench.fit.given import digest_of_given, frozen
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


@dataclass
class Task:
    """Calls of `fit`, one, or one per view, and the starts that fits on these views share."""

    calls: list  # pairs (Xs, keywords)
    rows: list  # expected numbers of labels: one, or one per view with its own rows
    sizes: list | None = None  # the rows of every view, if views have labels of their own
    taken: list | None = None  # samples of every view, if one fit labels all samples by each view
    order: np.ndarray | None = None  # sample in each row, if samples are reordered
    starts: dict = field(default_factory=dict)  # starts with their CPU seconds, by their keys

    def __post_init__(self) -> None:
        self.calls = frozen(self.calls)  # fits share them

    @cached_property
    def digest(self) -> str:
        """Digest of all that an estimator is given."""
        return digest_of_given([self.calls, self.rows, self.sizes, self.taken, self.order])

    @property
    def is_plain(self) -> bool:
        """Whether one call takes all views, so that fits on them may share results."""
        return self.sizes is None or self.taken is not None


def adapt_views(
    estimator: type,
    dataset: Dataset,
    masks: dict,
    setting: Setting,
    repetition: int,
    root: int,
    how: dict,
) -> Task:
    """Make the input of one fit, with parameters `how` of the pipeline."""
    tags = tags_of(estimator)
    rows, presence = masks["rows"], masks["presence"][repetition]
    y = None if dataset.y is None else dataset.y[rows]
    seed = partial(seed_of_setting, root, setting, repetition)
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
    ids = rows_of_views(masks, repetition)
    sizes = [len(i) for i in ids]
    if tags.constraints or how.get("each_view"):
        parts = [X[i] for X, i in zip(Xs, ids, strict=True)]
        if not tags.constraints:
            return Task([([X], {}) for X in parts], sizes, sizes)
        known = setting.protocol == "mapped" and how.get("mapping", "known") == "known"
        mapped = setting.rate if known else 0.0
        links = constraints(tags.constraints, ids, y, mapped, how, seed("constraints"))
        return Task([(parts, links)], sizes, sizes)
    if "views" in how:
        chosen = [setting.views.index(view) for view in how["views"]]
        Xs, presence = keep_every_sample([Xs[v] for v in chosen], presence[:, chosen])
    if "control" in how:
        if how["control"] == "labels" and y is None:
            raise ValueError(f"the data set {dataset.name} has no classes for a control to see.")
        Xs, presence = control_views(how["control"], y, presence, seed("control"))
    fill = how.get("fill")
    given = fill_missing(Xs, presence, fill) if fill else apply_mask(Xs, presence)
    if how.get("view_labels"):
        if not hasattr(estimator, "label_views"):
            raise ValueError(f"{estimator.__name__} has no labels by view; take view_labels out.")
        return Task([(given, {})], sizes, sizes, ids)
    order = None
    if how.get("order"):
        rng = np.random.default_rng(seed_of(seed("reorder"), how["order"]))
        order = order_of(how["order"], y, given, rng)
        given = [X[order] for X in given]
        if not isinstance(how["order"], str):
            given = [X[:, rng.permutation(X.shape[1])] for X in given]
    return Task([(given, {})], [len(rows)], order=order)


def shifted(X: Any, present: np.ndarray) -> Any:
    """The view minus its smallest present entry, if that is negative.

    >>> shifted(np.array([[-1.0, 2.0], [-9.0, 0.0]]), np.array([True, False]))[0].tolist()
    [0.0, 3.0]
    """
    low = X[present].min()
    return dense(X) - low if low < 0 else X


def control_views(what: str, y: Any, presence: np.ndarray, seed: int) -> tuple[list, np.ndarray]:
    """Views of a control in place of those of the data, and their mask; only "labels" reads y.

    >>> control_views("labels", np.array([2, 0, 2]), np.ones((3, 2)), 0)[0][0].tolist()
    [[0.0, 1.0], [1.0, 0.0], [0.0, 1.0]]
    """
    shape = len(presence), CONTROL_FEATURES
    if what == "noise_views":
        seeds = [seed_of(seed, v) for v in range(presence.shape[1])]
        return [np.random.default_rng(s).standard_normal(shape) for s in seeds], presence
    if what == "labels":
        X = (y[:, None] == np.unique(y)).astype(float)
    elif what == "presence":
        X = presence.astype(float)
    else:
        X = np.random.default_rng(seed).standard_normal(shape)
    return [X], np.ones((len(presence), 1), dtype=bool)


def order_of(name: str | int, y: Any, Xs: list, rng: np.random.Generator) -> np.ndarray:
    """Sample in each row in an order of `config.models.Preparation`; at random for other names.

    >>> y, rng = np.array([1, 0, 1, 0]), np.random.default_rng(0)
    >>> [y[order_of(name, y, [y], rng)].tolist() for name in ("sorted", "interleaved")]
    [[0, 0, 1, 1], [0, 1, 0, 1]]
    """
    at_random = rng.permutation(Xs[0].shape[0])
    if name == "reversed":
        return np.arange(len(at_random))[::-1]
    if name == "by_norm":
        lengths = np.linalg.norm(dense(Xs[0]), axis=1)
        missing = np.isnan(lengths)
        lengths[missing] = rng.choice(lengths[~missing], missing.sum())
        return at_random[np.argsort(lengths[at_random], kind="stable")]
    if name not in ("sorted", "interleaved"):
        return at_random
    if y is None:
        raise ValueError(f"order '{name}' is for data with classes.")
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


def constraints(
    where: str, ids: list[np.ndarray], y: Any, mapped: float, how: dict, seed: int
) -> dict:
    """Constraints between the views, or within them; a correspondence is known for `mapped`.

    Between views a known correspondence is a must-link; within views it is given beside them.
    """
    ys = [y[i] for i in ids]
    drawn = how.get("constraints", 0.0), seed, how.get("constrained", "pairs")
    if where == "within":
        must_links, cannot_links = random_intra_constraints(ys, *drawn)
        mapping = {"mapping": known_mapping(ids, mapped, seed)}
    else:
        must_links, cannot_links = mapped_constraints(ids, ys, mapped, *drawn)
        mapping = {}
    return {"must_links": must_links, "cannot_links": cannot_links} | mapping
