"""The chosen fit once more: on parts of the data, and to look at its representation."""

from __future__ import annotations

import inspect
import warnings
from functools import partial
from typing import TYPE_CHECKING

from mvclust.bench.config.finding import find_class
from mvclust.bench.fit.adapt_views import adapt_views
from mvclust.bench.fit.fits import FitsOfSetting, split_params
from mvclust.bench.fit.guard import guarded
from mvclust.bench.fit.labels import unpack_labels
from mvclust.bench.plan.seeds import seed_of_setting

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np

    from mvclust.bench.fit.guard import Limits
    from mvclust.bench.plan.settings import Setting
    from mvclust.datasets.record import Dataset
    from mvclust.own.certainty import Perturbation


def fit_parts(
    estimator: str,
    dataset: Dataset,
    masks: dict,
    setting: Setting,
    root: int,
    params: dict,
    parts: list[Perturbation],
    limits: Limits,
) -> list[np.ndarray | None]:
    """Labels of parts of the data, each fitted with a start of its own in a child process."""
    about = estimator, dataset, masks, setting, root, params
    return guarded(partial(_partitions, about, parts), limits)


def _partitions(
    about: tuple, parts: list[Perturbation], *, began: Callable[[str], None], lost: dict[str, str]
) -> list[np.ndarray | None]:
    estimator, dataset, masks, setting, root, params = about
    partitions = []
    for start, part in enumerate(parts, 1):
        if str(start) in lost:
            partitions.append(None)
            continue
        began(str(start))
        own = masks | {"rows": masks["rows"][part.rows], "presence": part.presence[None]}
        fits = FitsOfSetting(find_class(estimator), dataset, own, setting, root)
        labels = fits.fit(params | {"start": start}, 0)["labels"]
        began("")
        partitions.append(None if labels is None else unpack_labels(labels))
    return partitions


def representation(
    estimator: str,
    dataset: Dataset,
    masks: dict,
    setting: Setting,
    root: int,
    params: dict,
    limits: Limits,
) -> np.ndarray | None:
    """`embedding_` of a fit on the first mask, (n_samples, n_components); None without one."""
    about = estimator, dataset, masks, setting, root, params
    return guarded(partial(_embedding, about), limits)


def _embedding(
    about: tuple, *, began: Callable[[str], None], lost: dict[str, str]
) -> np.ndarray | None:
    if lost:
        return None
    began("representation")
    path, dataset, masks, setting, root, params = about
    estimator = find_class(path)
    how, own = split_params(params)
    task = adapt_views(estimator, dataset, masks, setting, 0, root, how)
    if task.order is not None or len(task.calls) > 1:
        return None
    if "random_state" in inspect.signature(estimator).parameters:
        own = own | {"random_state": seed_of_setting(root, setting, 0, "fit")}
    Xs, links = task.calls[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the row of the fit has them
        try:
            model = estimator(dataset.n_clusters, **own).fit(Xs, **links)
            found = getattr(model, "embedding_", None)
        except BaseException:  # whatever a class raises; there is another picture
            return None
    return found if getattr(found, "shape", ())[:1] == (len(masks["rows"]),) else None
