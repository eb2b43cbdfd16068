"""The masks of a data set, of all its settings and repetitions, in one file."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from mvclust import mechanisms
from mvclust.bench.config.protocols import BASE_OF, BY_CLASS
from mvclust.bench.plan.seeds import seed_of, seed_of_setting
from mvclust.datasets.files import DamagedFile, completed, damage_named
from mvclust.masking import incomplete_mask, paired_mask, random_mask

if TYPE_CHECKING:
    from pathlib import Path

    from mvclust.bench.plan.settings import Setting
    from mvclust.datasets.record import Dataset

# Functions that draw a mask of n_samples and n_views, by the protocol or its base.
MASKS = {
    "random": random_mask,
    "incomplete": incomplete_mask,
    "other": mechanisms.driven_mask,
    "exclusive": mechanisms.exclusive_mask,
}


def draw_masks(
    dataset: Dataset,
    setting: Setting,
    repetitions: int,
    seed: int,
    samples_per_class: int | None = None,
    published: list[np.ndarray] | None = None,
) -> dict:
    """Draw the masks of a setting, or take the `published` ones, (n_samples, n_all_views) each.

    Returns rows (indices of the samples in use), n_declared (samples before the cut), presence
    (repetitions, n_rows, n_views) and digest; for unmapped views order (repetitions, n_views,
    n_rows); with a strength realised (repetitions, n_views) and lost (repetitions,), the number of
    pairs of a class and a view without instances.
    """
    views = [dataset.view_names.index(view) for view in setting.views]
    natural = dataset.presence[:, views]
    rows = np.flatnonzero(natural.any(axis=1))
    if setting.samples:
        rng = np.random.default_rng(seed_of(seed, setting.dataset, "samples", setting.samples))
        rows = np.sort(rng.permutation(rows)[: setting.samples])
    n_declared = len(rows)
    if samples_per_class is not None:
        y, rng = dataset.y[rows], np.random.default_rng(seed_of(seed, setting.dataset))
        of_classes = [rng.permutation(rows[y == c])[:samples_per_class] for c in np.unique(y)]
        rows = np.sort(np.concatenate(of_classes))
    if setting.protocol == "published":
        if not published:
            raise ValueError(f"{dataset.name} has no published masks.")
        few = [published[r % len(published)] for r in range(repetitions)]
        presence = np.stack(few)[:, :, views][:, rows] & natural[rows]
        # A sample that a mask leaves in no chosen view keeps all that it has.
        presence |= natural[rows] & ~presence.any(axis=2, keepdims=True)
    else:
        seeds = [seed_of_setting(seed, setting, r, "mask") for r in range(repetitions)]
        presence = np.stack([_draw(setting, natural[rows], s) for s in seeds])
    masks = {"rows": rows, "n_declared": np.int64(n_declared), "presence": presence}
    if setting.strength:
        Xs = [dataset.Xs[view][rows] for view in views]
        masks |= _placed(setting, presence, Xs, dataset.y[rows], natural[rows], seeds)
    if setting.protocol == "unmapped":
        seeds = [seed_of_setting(seed, setting, r, "order") for r in range(repetitions)]
        rngs = [np.random.default_rng(s) for s in seeds]
        masks["order"] = np.stack([[r.permutation(len(rows)) for _ in views] for r in rngs])
    return masks | {"digest": _digest(masks)}


def rows_of_views(masks: dict, repetition: int) -> list[np.ndarray]:
    """Rows (indices into masks["rows"]) of every view under a mask, in the method's order."""
    presence = masks["presence"][repetition]
    if "order" not in masks:
        return [np.flatnonzero(present) for present in presence.T]
    orders = masks["order"][repetition]
    return [order[present[order]] for order, present in zip(orders, presence.T, strict=True)]


def no_masks(setting: Setting, repetitions: int) -> dict:
    """Result of `draw_masks` for a data set that is not available."""
    return {
        "rows": np.arange(0),
        "n_declared": np.int64(0),
        "presence": np.zeros((repetitions, 0, len(setting.views)), dtype=bool),
        "digest": "not available",
    }


def write_masks(masks: dict[str, dict], path: Path | str) -> None:
    """Write the masks of several settings, by id, as npz, completely or not at all."""
    arrays = {f"{i}/{name}": value for i, of in masks.items() for name, value in of.items()}
    with completed(path) as unfinished, open(unfinished, "wb") as file:
        np.savez_compressed(file, **arrays)


def read_masks(path: Path | str, setting_id: str) -> dict:
    """Read the masks of one setting; DamagedFile if the file is truncated or lacks it."""
    start = f"{setting_id}/"
    with damage_named(path), np.load(path) as file:
        masks = {n.removeprefix(start): file[n] for n in file.files if n.startswith(start)}
        if not {"rows", "n_declared", "presence", "digest"} <= masks.keys():
            raise DamagedFile(path, f"it lacks the setting {setting_id}")
        masks["digest"] = str(masks["digest"])
    return masks


def _draw(setting: Setting, natural: np.ndarray, seed: int) -> np.ndarray:
    n_samples, n_views = natural.shape
    if setting.protocol == "unmapped":
        return _taken(natural, seed)
    if setting.protocol == "paired":
        return paired_mask(n_samples, setting.rate, seed, available=natural)
    mask = MASKS.get(BASE_OF.get(setting.protocol, setting.protocol))
    if mask is None:
        return natural.copy()
    return mask(n_samples, n_views, setting.rate, seed, available=natural)


def _placed(
    setting: Setting, bases: np.ndarray, Xs: list, y: np.ndarray, natural: np.ndarray, seeds: list
) -> dict[str, np.ndarray]:
    """Masks after a mechanism has assigned the rows of their bases, and what it reached."""
    protocol, known = setting.protocol, None if (y < 0).any() else y
    labels = mechanisms.batches_of(Xs, available=natural) if protocol == "block" else known
    placed, reached, lost = [], [], []
    for base, seed in zip(bases, seeds, strict=True):
        if protocol in (*BY_CLASS, "block"):
            scores = mechanisms.class_scores(labels, len(Xs), seed, natural, what=protocol)
        elif protocol == "value":
            scores = mechanisms.value_scores(Xs, available=natural)
        else:
            scores = mechanisms.driven_scores(Xs, seed, available=natural)
        presence = mechanisms.placed_mask(base, scores, setting.strength, seed, natural)
        in_views = [(natural[y == c].any(0), presence[y == c].any(0)) for c in np.unique(y)]
        placed.append(presence)
        reached.append(mechanisms.realised(scores, presence, natural))
        lost.append(sum(int((before & ~after).sum()) for before, after in in_views))
    return {"presence": np.stack(placed), "realised": np.stack(reached), "lost": np.stack(lost)}


def _taken(natural: np.ndarray, seed: int) -> np.ndarray:
    """95 % of the present rows of every view, as in the experiments of CMVNMF."""
    rng, taken = np.random.default_rng(seed), np.zeros_like(natural)
    for v, present in enumerate(natural.T):
        present = np.flatnonzero(present)
        taken[rng.permutation(present)[: round(0.95 * len(present))], v] = True
    return taken


def _digest(masks: dict) -> str:
    rows, presence = masks["rows"], masks["presence"]
    parts = [rows.astype("<i8").tobytes(), np.packbits(presence).tobytes()]
    parts.append(str(presence.shape).encode())
    if "order" in masks:
        parts.append(masks["order"].astype("<i8").tobytes())
    return hashlib.sha256(b"|".join(parts)).hexdigest()[:16]
