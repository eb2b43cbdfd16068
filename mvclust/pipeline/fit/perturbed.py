"""The chosen fit once more: on parts of the data, and to look at its representation."""

import warnings

from mvclust.pipeline.fit.adapt_views import adapt_views
from mvclust.pipeline.fit.fits import FitsOfSetting, split_params
from mvclust.pipeline.fit.labels import unpack_labels
from mvclust.pipeline.plan.seeds import seed_of_setting


def fit_parts(estimator, dataset, masks, setting, root, params, parts):
    """Fit a method on parts of the data, each with a start of its own.

    Parameters
    ----------
    estimator : class
    dataset : Dataset
        With the views of the setting.
    masks : dict
        Those of the setting, see `mvclust.pipeline.fit.masks.draw_masks`.
    setting : Setting
    root : int
        Root of the seeds.
    params : dict
        As a fit of the plan has them.
    parts : list of mvclust.answer.certainty.Perturbation
        Of the samples of the masks.

    Returns
    -------
    list of ndarray of int
        The labels of the samples of each part; None where the fit failed.
    """
    partitions = []
    for start, part in enumerate(parts, 1):
        own = masks | {"rows": masks["rows"][part.rows], "presence": part.presence[None]}
        fits = FitsOfSetting(estimator, dataset, own, setting, root)
        row = fits.fit(params | {"start": start}, 0)
        partitions.append(None if row["labels"] is None else unpack_labels(row["labels"]))
    return partitions


def representation(estimator, dataset, masks, setting, root, params):
    """The `embedding_` of a fit on the first mask.

    Parameters
    ----------
    estimator, dataset, masks, setting, root, params : as `fit_parts` takes them

    Returns
    -------
    ndarray of shape (n_samples, n_components) or None
        None if the method has none of this shape.
    """
    how, own = split_params(params)
    task = adapt_views(estimator, dataset, masks, setting, 0, root, how)
    if task.order is not None or len(task.calls) > 1:
        return None
    model = estimator(dataset.n_clusters, **own)
    if "random_state" in model.get_params():
        model.set_params(random_state=seed_of_setting(root, setting, 0, "fit"))
    Xs, links = task.calls[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the row of the fit has them
        found = getattr(model.fit(Xs, **links), "embedding_", None)
    return found if getattr(found, "shape", ())[:1] == (len(masks["rows"]),) else None
