"""The chosen fit once more: on parts of the data, and to look at its representation."""

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np

from mvclust.bench.config.finding import find_class
from mvclust.bench.fit.fits import FitsOfSetting
from mvclust.bench.fit.guard import Limits, guarded
from mvclust.bench.fit.labels import unpack_labels
from mvclust.bench.plan.settings import Setting
from mvclust.datasets.record import Dataset
from mvclust.own.certainty import Perturbation


class ChosenFit(NamedTuple):
    """The fit that was chosen on the first mask of a setting, to repeat in child processes."""

    estimator: str
    dataset: Dataset
    masks: dict
    setting: Setting
    root: int
    params: dict
    limits: Limits

    def partitions(self, parts: list[Perturbation]) -> list[np.ndarray | None]:
        """Labels of parts of the data, each fitted with a start of its own."""
        return guarded(partial(self._partitions, parts), self.limits)

    def embedding(self) -> np.ndarray | None:
        """`embedding_` of the fit, (n_samples, n_components); None without one."""
        return guarded(self._embedding, self.limits)

    def _partitions(
        self, parts: list[Perturbation], *, began: Callable[[str], None], lost: dict[str, str]
    ) -> list[np.ndarray | None]:
        partitions = []
        for start, part in enumerate(parts, 1):
            labels = None
            if str(start) not in lost:
                began(str(start))
                rows, presence = self.masks["rows"][part.rows], part.presence[None]
                fits = self._fits(self.masks | {"rows": rows, "presence": presence})
                labels = fits.fit(self.params | {"start": start}, 0)["labels"]
                began("")
            partitions.append(None if labels is None else unpack_labels(labels))
        return partitions

    def _embedding(
        self, *, began: Callable[[str], None], lost: dict[str, str]
    ) -> np.ndarray | None:
        began("representation")
        return None if lost else self._fits(self.masks).embedding(self.params)

    def _fits(self, masks: dict) -> FitsOfSetting:
        estimator = find_class(self.estimator)
        return FitsOfSetting(estimator, self.dataset, masks, self.setting, self.root)
