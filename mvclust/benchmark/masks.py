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
    dict with rows (indices of the samples in use), presence (repetitions, n_rows, n_views) and
    digest (of both)
    """
    views = [dataset.view_names.index(view) for view in setting.views]
    natural = dataset.presence[:, views]
    rows = np.flatnonzero(natural.any(axis=1))
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
            _draw(setting, len(rows), seed_of_setting(seed, setting, repetition, "mask"))
            for repetition in range(repetitions)
        ]
    presence = np.stack(presence) & natural[rows]
    return {"rows": rows, "presence": presence, "digest": _digest(rows, presence)}


def no_masks(setting, repetitions):
    """What `draw_masks` gives for a data set that is not available."""
    presence = np.zeros((repetitions, 0, len(setting.views)), dtype=bool)
    return {"rows": np.arange(0), "presence": presence, "digest": "not available"}


def _draw(setting, n_samples, seed):
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


def _digest(rows, presence):
    parts = rows.astype("<i8").tobytes(), np.packbits(presence).tobytes(), str(presence.shape)
    return hashlib.sha256(b"|".join([*parts[:2], parts[2].encode()])).hexdigest()[:16]
