"""The chosen fit once more: on parts of the data, and to look at its representation."""

import inspect
import warnings
from functools import partial

from mvclust.bench.fit.adapt_views import adapt_views
from mvclust.bench.fit.fits import FitsOfSetting, split_params
from mvclust.bench.fit.guard import NewProcess, guarded
from mvclust.bench.fit.labels import unpack_labels
from mvclust.bench.plan.seeds import seed_of_setting


def fit_parts(estimator, dataset, masks, setting, root, params, parts, limits):
    """Fit a method on parts of the data, each with a start of its own.

    Parameters
    ----------
    estimator : class
    dataset : Dataset
        With the views of the setting.
    masks : dict
        Those of the setting, see `mvclust.bench.fit.masks.draw_masks`.
    setting : Setting
    root : int
        Root of the seeds.
    params : dict
        As a fit of the plan has them.
    parts : list of mvclust.own.certainty.Perturbation
        Of the samples of the masks.
    limits : mvclust.bench.fit.guard.Limits
        Of each fit; they run in a child process.

    Returns
    -------
    list of ndarray of int
        The labels of the samples of each part; None where the fit failed.
    """
    about = estimator, dataset, masks, setting, root, params
    return guarded(partial(_partitions, about, parts), limits)


def _partitions(about, parts, *, began, lost, done):
    estimator, dataset, masks, setting, root, params = about
    partitions = []
    for start, part in enumerate(parts[done:], done + 1):
        if str(start) in lost:
            partitions.append(None)
            continue
        began(str(start))
        own = masks | {"rows": masks["rows"][part.rows], "presence": part.presence[None]}
        fits = FitsOfSetting(estimator, dataset, own, setting, root)
        labels = fits.fit(params | {"start": start}, 0)["labels"]
        began("")
        partitions.append(None if labels is None else unpack_labels(labels))
        if fits.contained.left and start < len(parts):
            raise NewProcess(partitions)
    return partitions


def representation(estimator, dataset, masks, setting, root, params, limits):
    """The `embedding_` of a fit on the first mask.

    Parameters
    ----------
    estimator, dataset, masks, setting, root, params, limits : as `fit_parts` takes them

    Returns
    -------
    ndarray of shape (n_samples, n_components) or None
        None if the method has none of this shape, or the fit fails.
    """
    about = estimator, dataset, masks, setting, root, params
    return guarded(partial(_embedding, about), limits)


def _embedding(about, *, began, lost, done):
    if lost:
        return None
    began("representation")
    estimator, dataset, masks, setting, root, params = about
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
