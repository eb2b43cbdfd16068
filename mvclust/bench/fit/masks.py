"""The masks of a data set, of all its settings and repetitions, in one file."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import numpy as np

from mvclust.bench.config.protocols import BASE_OF, BY_CLASS
from mvclust.bench.plan.seeds import seed_of, seed_of_setting
from mvclust.datasets.files import DamagedFile, completed, damage_named
from mvclust.masking import incomplete_mask, paired_mask, random_mask
from mvclust.mechanisms import (
    batches_of,
    class_scores,
    driven_mask,
    driven_scores,
    exclusive_mask,
    placed_mask,
    realised,
    value_scores,
)

if TYPE_CHECKING:
    from pathlib import Path
    from typing import Any

    from mvclust.bench.plan.settings import Setting
    from mvclust.datasets.record import Dataset


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
        rows = _choose_rows(dataset.y, rows, samples_per_class, seed_of(seed, setting.dataset))
    if setting.protocol == "published":
        presence = _published(dataset.name, published, repetitions)[:, :, views][:, rows]
        presence = _nobody_lost(presence & natural[rows], natural[rows])
    else:
        seeds = [seed_of_setting(seed, setting, r, "mask") for r in range(repetitions)]
        presence = np.stack([_draw(setting, natural[rows], s) for s in seeds])
    masks = {"rows": rows, "n_declared": np.int64(n_declared), "presence": presence}
    if setting.strength:
        Xs = [dataset.Xs[view][rows] for view in views]
        masks |= _placed(setting, presence, Xs, dataset.y[rows], natural[rows], seeds)
    if setting.protocol == "unmapped":
        seeds = [seed_of_setting(seed, setting, r, "order") for r in range(repetitions)]
        masks["order"] = np.stack([_orders(len(rows), len(views), s) for s in seeds])
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
    if setting.protocol == "incomplete":
        return incomplete_mask(n_samples, n_views, setting.rate, seed, available=natural)
    if setting.protocol == "other":
        return driven_mask(n_samples, n_views, setting.rate, seed, available=natural)
    if setting.protocol == "exclusive":
        return exclusive_mask(n_samples, n_views, setting.rate, seed, available=natural)
    if BASE_OF.get(setting.protocol, setting.protocol) == "random":
        return random_mask(n_samples, n_views, setting.rate, seed, available=natural)
    return natural.copy()


def _placed(
    setting: Setting,
    bases: np.ndarray,
    Xs: list,
    y: np.ndarray,
    natural: np.ndarray,
    seeds: list[int],
) -> dict[str, np.ndarray]:
    """Masks after a mechanism has assigned the rows of their bases, and what it reached."""
    protocol, known = setting.protocol, None if (y < 0).any() else y
    labels = batches_of(Xs, available=natural) if protocol == "block" else known
    masks = {"presence": [], "realised": [], "lost": []}
    for base, seed in zip(bases, seeds, strict=True):
        if protocol in (*BY_CLASS, "block"):
            scores = class_scores(labels, len(Xs), seed, natural, what=protocol)
        elif protocol == "value":
            scores = value_scores(Xs, available=natural)
        else:
            scores = driven_scores(Xs, seed, available=natural)
        presence = placed_mask(base, scores, setting.strength, seed, natural)
        masks["presence"].append(presence)
        masks["realised"].append(realised(scores, presence, natural))
        masks["lost"].append(_classes_lost(presence, natural, y))
    return {name: np.stack(values) for name, values in masks.items()}


def _classes_lost(presence: np.ndarray, natural: np.ndarray, y: np.ndarray) -> int:
    """Number of pairs of a class and a view without instances."""
    return sum(
        int((natural[y == c].any(axis=0) & ~presence[y == c].any(axis=0)).sum())
        for c in np.unique(y)
    )


def _published(name: str, given: Any, repetitions: int) -> np.ndarray:
    """Masks of the authors for all samples and views, from the first again if they are few."""
    if not given:
        raise ValueError(f"{name} has no published masks.")
    return np.stack([given[i % len(given)] for i in range(repetitions)])


def _nobody_lost(presence: np.ndarray, natural: np.ndarray) -> np.ndarray:
    """Samples that a mask leaves in no chosen view keep all that they have."""
    return presence | (natural & ~presence.any(axis=2, keepdims=True))


def _choose_rows(y: np.ndarray, rows: np.ndarray, samples_per_class: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    chosen = [rng.permutation(rows[y[rows] == c])[:samples_per_class] for c in np.unique(y[rows])]
    return np.sort(np.concatenate(chosen))


def _taken(natural: np.ndarray, seed: int) -> np.ndarray:
    """95 % of the present rows of every view, as in the experiments of CMVNMF."""
    rng, taken = np.random.default_rng(seed), np.zeros_like(natural)
    for v, present in enumerate(natural.T):
        present = np.flatnonzero(present)
        taken[rng.permutation(present)[: round(0.95 * len(present))], v] = True
    return taken


def _orders(n_rows: int, n_views: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.stack([rng.permutation(n_rows) for _ in range(n_views)])


def _digest(masks: dict) -> str:
    rows, presence = masks["rows"], masks["presence"]
    parts = [rows.astype("<i8").tobytes(), np.packbits(presence).tobytes()]
    parts.append(str(presence.shape).encode())
    if "order" in masks:
        parts.append(masks["order"].astype("<i8").tobytes())
    return hashlib.sha256(b"|".join(parts)).hexdigest()[:16]
