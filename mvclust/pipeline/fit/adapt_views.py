"""What a method is given: the views of one mask, filled, shifted, chosen or constrained.

Among the parameters of a method in the catalogue may be:

views        "a+b": only these views; samples in neither have the mean in the first
features     how every view is scaled over the samples that it has before a mask is applied, see
             `mvclust.numerics.features.scale_features`
shift        true: a view with negative values loses its minimum, for non-negative methods
fill         "mean" or "knn": missing instances are filled, for methods that need complete views
each_view    true: every view is clustered alone
view_labels  true: every view is labelled by its own factor, for methods with `label_views`
constraints  share of the pairs that become must-links and cannot-links by the true labels
constrained  "pairs" (or left out): these are drawn from all pairs; "samples": they are all pairs
             among that share of the samples
mapping      "known" (or left out): the correspondence that the setting knows is used; "ignored":
             methods with constraints do without it
"""

from typing import NamedTuple

from mvclust.estimators.base import tags_of
from mvclust.masking import apply_mask
from mvclust.numerics.features import scale_features
from mvclust.numerics.impute import fill_missing
from mvclust.numerics.products import dense
from mvclust.numerics.scaling import scale_views
from mvclust.pipeline.fit.masks import rows_of_views
from mvclust.pipeline.plan.seeds import seed_of_setting
from mvclust.unmapping import known_mapping, mapped_constraints, random_intra_constraints


class Task(NamedTuple):
    """What `fit` is called with, once, or once per view.

    Attributes
    ----------
    calls : list of (Xs, keywords)
    rows : list of int
        How many labels are expected: one number, or one per view where views have their own.
    sizes : list of int or None
        The same number of rows of every view, if views have labels of their own.
    taken : list of ndarray of int or None
        The samples of every view, where one fit labels all samples by each view.
    """

    calls: list
    rows: list
    sizes: list
    taken: list | None = None


def adapt_views(estimator, dataset, masks, setting, repetition, root, how):
    """Make what one fit sees.

    Parameters
    ----------
    estimator : class
    dataset : Dataset
        With the views of the setting.
    masks : dict
        As `mvclust.pipeline.fit.masks.draw_masks` makes it.
    setting : Setting
    repetition : int
    root : int
        Root of the seeds.
    how : dict
        The parameters above.

    Returns
    -------
    Task
    """
    tags = tags_of(estimator)
    rows, presence = masks["rows"], masks["presence"][repetition]
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
        chosen = [setting.views.index(view) for view in how["views"].split("+")]
        Xs, presence = [Xs[v] for v in chosen], presence[:, chosen]
        Xs, presence = keep_every_sample(Xs, presence)
    fill = how.get("fill")
    given = fill_missing(Xs, presence, fill) if fill else apply_mask(Xs, presence)
    if how.get("view_labels"):
        if not hasattr(estimator, "label_views"):
            raise ValueError(f"{estimator.__name__} has no labels by view; take view_labels out.")
        ids = rows_of_views(masks, repetition)
        sizes = [len(i) for i in ids]
        return Task([(given, {})], sizes, sizes, ids)
    return Task([(given, {})], [len(rows)], None)


def shifted(X, present):
    """The view minus its smallest present entry, if that is negative.

    Examples
    --------
    >>> import numpy as np
    >>> shifted(np.array([[-1.0, 2.0], [-9.0, 0.0]]), np.array([True, False]))[0].tolist()
    [0.0, 3.0]
    """
    low = X[present].min()
    return dense(X) - low if low < 0 else X


def keep_every_sample(Xs, presence):
    """Give samples that are in none of the views the mean of the first."""
    nowhere = ~presence.any(axis=1)
    if not nowhere.any():
        return Xs, presence
    first, presence = dense(Xs[0]).copy(), presence.copy()
    first[nowhere] = first[presence[:, 0]].mean(axis=0)
    presence[nowhere, 0] = True
    return [first, *Xs[1:]], presence


def between_views(ids, y, mapped, share, constrained, seed):
    """Constraints between the views; a known correspondence is a must-link."""
    must_links, cannot_links = mapped_constraints(
        ids, [y[i] for i in ids], mapped, share, seed, constrained
    )
    return {"must_links": must_links, "cannot_links": cannot_links}


def within_views(ids, y, mapped, share, constrained, seed):
    """Constraints within the views, and the known correspondence."""
    ys = [y[i] for i in ids]
    must_links, cannot_links = random_intra_constraints(ys, share, seed, constrained)
    mapping = known_mapping(ids, mapped, seed)
    return {"must_links": must_links, "cannot_links": cannot_links, "mapping": mapping}
