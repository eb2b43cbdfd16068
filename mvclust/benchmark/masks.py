"""The masks of one setting, all repetitions, as a file."""

import hashlib

import numpy as np

from mvclust.benchmark.plan import seed_of, seed_of_setting
from mvclust.datasets.files import completed
from mvclust.datasets.published_masks import published_masks
from mvclust.masking import paired_mask, random_mask


def draw_masks(dataset, setting, repetitions, seed, samples_per_class=None, raw_folder=None):
    """Draw, or read, the masks of a setting.

    Parameters
    ----------
    dataset : Dataset
        Its classes serve only to choose as many samples of each when samples_per_class is given;
        its own missing instances stay missing.
    setting : Setting
    repetitions : int
    seed : int
        Root of the seeds.
    samples_per_class : int or None
    raw_folder : path or None
        Where the raw files lie, for the protocol "published".

    Returns
    -------
    dict with rows (indices of the samples in use), presence (repetitions, n_rows, n_views), order
    (for unmapped views only, (repetitions, n_views, n_rows): how the rows of each are permuted)
    and digest (of all)
    """
    views = [dataset.view_names.index(view) for view in setting.views]
    natural = dataset.presence[:, views]
    rows = np.flatnonzero(natural.any(axis=1))
    if setting.samples:
        rng = np.random.default_rng(seed_of(seed, setting.dataset, "samples", setting.samples))
        rows = np.sort(rng.permutation(rows)[: setting.samples])
    if samples_per_class is not None:
        rows = _choose_rows(dataset.y, rows, samples_per_class, seed_of(seed, setting.dataset))
    if setting.protocol == "published":
        given = published_masks(dataset.name, setting.rate, raw_folder)
        if len(given) < repetitions:
            raise ValueError(
                f"{dataset.name} has {len(given)} published masks, {repetitions} are asked for."
            )
        presence = [mask[:, views][rows] for mask in given[:repetitions]]
        presence = [mask | ~mask.any(axis=1, keepdims=True) for mask in presence]
    else:
        presence = [
            _draw(setting, natural[rows], seed_of_setting(seed, setting, repetition, "mask"))
            for repetition in range(repetitions)
        ]
    masks = {"rows": rows, "presence": np.stack(presence) & natural[rows]}
    if setting.protocol == "unmapped":
        seeds = [seed_of_setting(seed, setting, r, "order") for r in range(repetitions)]
        masks["order"] = np.stack([_orders(len(rows), len(views), s) for s in seeds])
    return masks | {"digest": _digest(masks)}


def rows_of_views(masks, repetition):
    """The rows that every view has under one mask, in the order in which a method sees them.

    Returns
    -------
    list of ndarray of int, indices into masks["rows"]
    """
    presence = masks["presence"][repetition]
    if "order" not in masks:
        return [np.flatnonzero(present) for present in presence.T]
    orders = masks["order"][repetition]
    return [order[present[order]] for order, present in zip(orders, presence.T, strict=True)]


def no_masks(setting, repetitions):
    """What `draw_masks` gives for a data set that is not available."""
    presence = np.zeros((repetitions, 0, len(setting.views)), dtype=bool)
    return {"rows": np.arange(0), "presence": presence, "digest": "not available"}


def _draw(setting, natural, seed):
    n_samples = len(natural)
    if setting.protocol == "unmapped":
        return _taken(natural, seed)
    if setting.protocol == "paired":
        return paired_mask(n_samples, setting.rate, seed)
    if setting.protocol == "random":
        return random_mask(n_samples, len(setting.views), setting.rate, seed)
    return np.ones((n_samples, len(setting.views)), dtype=bool)


def write_masks(masks, path):
    """Write masks as npz, whole or not at all."""
    with completed(path) as unfinished, open(unfinished, "wb") as file:
        np.savez_compressed(file, **masks)


def _choose_rows(y, rows, samples_per_class, seed):
    rng = np.random.default_rng(seed)
    chosen = [rng.permutation(rows[y[rows] == c])[:samples_per_class] for c in np.unique(y[rows])]
    return np.sort(np.concatenate(chosen))


def _taken(natural, seed):
    """95 % of the present rows of every view, as in the experiments of CMVNMF."""
    rng, taken = np.random.default_rng(seed), np.zeros_like(natural)
    for v, present in enumerate(natural.T):
        present = np.flatnonzero(present)
        taken[rng.permutation(present)[: round(0.95 * len(present))], v] = True
    return taken


def _orders(n_rows, n_views, seed):
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(n_rows) for _ in range(n_views)])


def _digest(masks):
    rows, presence = masks["rows"], masks["presence"]
    parts = [rows.astype("<i8").tobytes(), np.packbits(presence).tobytes()]
    parts.append(str(presence.shape).encode())
    if "order" in masks:
        parts.append(masks["order"].astype("<i8").tobytes())
    return hashlib.sha256(b"|".join(parts)).hexdigest()[:16]
