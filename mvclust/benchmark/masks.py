"""The masks of one setting, all repetitions, as a file."""

import hashlib

import numpy as np

from mvclust.benchmark.plan import seed_of
from mvclust.datasets.files import completed
from mvclust.masking import paired_mask, random_mask


def draw_masks(y, setting, repetitions, seed, samples_per_class=None):
    """Draw the masks of a setting.

    Parameters
    ----------
    y : ndarray of int, (n_samples,)
        The classes; they serve only to choose as many samples of each when
        samples_per_class is given.
    setting : Setting
    repetitions : int
    seed : int
        Root of the seeds.
    samples_per_class : int or None

    Returns
    -------
    dict with rows (indices of the samples in use), presence (repetitions, n_rows, n_views) and
    digest (of both)
    """
    rows = _choose_rows(y, samples_per_class, seed_of(seed, setting.dataset, "samples"))
    presence = []
    for repetition in range(repetitions):
        mask_seed = seed_of(
            seed, setting.dataset, setting.protocol, setting.rate, repetition, "mask"
        )
        if setting.protocol == "paired":
            presence.append(paired_mask(len(rows), setting.rate, mask_seed))
        else:
            presence.append(random_mask(len(rows), len(setting.views), setting.rate, mask_seed))
    presence = np.stack(presence)
    return {"rows": rows, "presence": presence, "digest": _digest(rows, presence)}


def write_masks(masks, path):
    """Write masks as npz, whole or not at all."""
    with completed(path) as unfinished, open(unfinished, "wb") as file:
        np.savez_compressed(file, **masks)


def _choose_rows(y, samples_per_class, seed):
    if samples_per_class is None:
        return np.arange(len(y))
    rng = np.random.default_rng(seed)
    chosen = [rng.permutation(np.flatnonzero(y == c))[:samples_per_class] for c in np.unique(y)]
    return np.sort(np.concatenate(chosen))


def _digest(rows, presence):
    parts = rows.astype("<i8").tobytes(), np.packbits(presence).tobytes(), str(presence.shape)
    return hashlib.sha256(b"|".join([*parts[:2], parts[2].encode()])).hexdigest()[:16]
