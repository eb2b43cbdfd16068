"""One fit: a model on its views, with the start or solution that models on them share."""

from __future__ import annotations

import contextlib
import copy
import inspect
import os
import random
import time
import traceback
import warnings
from functools import partial
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from mvclust.bench.config.protocols import PREPARATION
from mvclust.bench.fit.adapt_views import OF_LABELS, adapt_views, in_order, put_back
from mvclust.bench.fit.cpu import PeakMemory, cpu_seconds
from mvclust.bench.fit.given import frozen, lent
from mvclust.bench.fit.guard import Limits, guarded
from mvclust.bench.fit.labels import checked_labels, pack_labels
from mvclust.bench.plan.seeds import seed_of, seed_of_setting
from mvclust.bench.plan.settings import canonical
from mvclust.estimators.base import tags_of

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from mvclust.bench.fit.adapt_views import Task
    from mvclust.bench.plan.settings import Setting
    from mvclust.datasets.record import Dataset

READS_ORDER = (
    "The method reads the order of the samples, and these are in the order of their classes: see "
    "docs/order.md, and compare with shuffled samples."
)
MOST_TEXT, MOST_TOLD = 1000, 20  # characters of an error or warning that a row holds; warnings
OURS = __name__.partition(".")[0]
# What a fit that gave nothing leaves in its row.
FAILED = {
    "labels": None,
    "sizes": None,
    "n_iter": None,
    "objective": None,
    "error": None,
    "warnings": [],
    "wall_seconds": 0.0,
    "cpu_seconds": 0.0,
    "start_cpu_seconds": 0.0,
    "spent_cpu_seconds": 0.0,
    "seed": None,
    "peak_mb": 0.0,
}


class Solved(NamedTuple):
    """A model with its solution but without labels, its warnings, and its cost."""

    model: object
    warnings: list
    cpu_seconds: float
    start_cpu_seconds: float


class FitsOfSetting:
    """The fits of one estimator on the masks of a setting; `root` is the root of the seeds.

    Consecutive fits on one mask share views and starts, and solutions that are only labelled
    differently; repetitions with the same views share what does not depend on the seed.
    """

    def __init__(
        self, estimator: type, dataset: Dataset, masks: dict, setting: Setting, root: int
    ) -> None:
        self.estimator, self.dataset, self.masks = estimator, dataset, masks
        self.setting, self.root = setting, root
        same = bool((masks["presence"] == masks["presence"][:1]).all())
        self.same_views = same and not setting.per_view and not tags_of(estimator).constraints
        self.seedless = getattr(estimator, "deterministic", False)
        parameters = inspect.signature(estimator).parameters
        self.defaults = {name: parameter.default for name, parameter in parameters.items()}
        self.ours = estimator.__module__.partition(".")[0] == OURS
        self.mask, self.tasks = None, {}
        self.repetition, self.solved = None, {}

    def given(self, params: dict, repetition: int) -> list | None:
        """Parameters without defaults, seed if it counts, digest of the views; None without."""
        how, own = split_params(params)
        try:
            task = self._task(how, repetition)
        except (Exception, SystemExit):
            return None
        own = {name: value for name, value in own.items() if not self._is_default(name, value)}
        return [own, None if self.seedless else self._seed(params, repetition), task.digest]

    def shared(self, row: dict, params: dict, repetition: int) -> dict:
        """Reuse the row of a fit with identical inputs; with another seed it costs nothing."""
        seed = self._seed(params, repetition)
        return row if row["seed"] == seed else row | {"seed": seed, "spent_cpu_seconds": 0.0}

    def fit(self, params: dict, repetition: int) -> dict:
        """Fit one model and return its row; an error becomes part of the row.

        A class that is not ours fits in a child process, so that what it changes ends with it. Only
        cpu_seconds includes a start that was drawn for another fit.
        """
        if self.ours:
            return self._row_of(params, repetition)
        return guarded(partial(self._row_apart, params, repetition), Limits())

    def embedding(self, params: dict) -> np.ndarray | None:
        """`embedding_` of a fit on the first mask, (n_samples, n_components); None without one."""
        how, own = split_params(params)
        task = self._task(how, 0)
        if task.order is not None or len(task.calls) > 1:
            return None
        Xs, links = lent(task.calls[0])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the row of the fit has them
            try:
                model = self._make(own, self._seed(params, 0)).fit(Xs, **links)
                embedding = getattr(model, "embedding_", None)
            except BaseException:  # whatever a class raises; there is another picture
                return None
        of_samples = getattr(embedding, "shape", ())[:1] == (len(self.masks["rows"]),)
        return embedding if of_samples else None

    def _row_apart(
        self, params: dict, repetition: int, *, began: Callable[[str], None], lost: dict[str, str]
    ) -> dict:
        """Row of a fit in a child process, or of one that took its process down."""
        began("fit")
        if lost:
            seed = self._seed(params, repetition)
            return FAILED | {"seed": seed, "error": lost["fit"]}
        return self._row_of(params, repetition)

    def _row_of(self, params: dict, repetition: int) -> dict:
        how, own = split_params(params)
        seed = self._seed(params, repetition)
        start_cpu = shared_cpu = 0.0
        outcome, said = FAILED, []
        with PeakMemory() as memory, warnings.catch_warnings(record=True) as caught:
            wall, cpu = time.perf_counter(), cpu_seconds()
            warnings.simplefilter("always")
            try:
                task = self._task(how, repetition)
                cpu = cpu_seconds()  # views that the fits share belong to none of them
                random.seed(seed)  # classes of others draw from what a process shares
                np.random.seed(seed)  # noqa: NPY002
                model = self._make(own, seed)
                if task.is_plain and getattr(model, "label_parameters", ()):
                    solved, shared_cpu = self._solve(model, how, repetition, task)
                    start_cpu = solved.start_cpu_seconds
                    caught += solved.warnings
                    reading = {name: getattr(model, name) for name in model.label_parameters}
                    model = copy.copy(solved.model).set_params(**reading).relabel()
                    labels = [model.labels_]
                else:
                    start_cpu, shared_cpu = _give_start(model, task)
                    labels = [_labels_of(model, Xs, links) for Xs, links in lent(task.calls)]
                labels = labels[0] if len(labels) == 1 else labels
                if task.taken is not None:
                    by_view = zip(model.label_views(), task.taken, strict=True)
                    labels = [of[rows] for of, rows in by_view]
                n_iter = _whole_number(getattr(model, "n_iter_", None))
                objective = _numbers(getattr(model, "objective_", None))
                if task.order is not None and hasattr(model, "label_rows"):
                    labels = model.label_rows(put_back(model.embedding_, task.order))
                elif task.order is not None:
                    labels = put_back(labels, task.order)
                y = None if self.dataset.y is None else self.dataset.y[self.masks["rows"]]
                if getattr(model, "reads_order", False) and in_order(y, task.order):
                    said = [READS_ORDER]
                labels = pack_labels(checked_labels(labels, task.rows))
                outcome = {"labels": labels, "sizes": task.sizes, "n_iter": n_iter}
                outcome = FAILED | outcome | {"objective": objective}
            except BaseException as error:  # whatever a class raises is a row; the run goes on
                outcome = FAILED | {"error": told(error)}
            spent, wall = cpu_seconds() - cpu, time.perf_counter() - wall
        return outcome | {
            "seed": seed,
            "warnings": [*texts_of(caught), *said],
            "wall_seconds": wall,
            "cpu_seconds": spent + shared_cpu,
            "start_cpu_seconds": start_cpu,
            "spent_cpu_seconds": spent,
            "peak_mb": memory.peak_mb,
        }

    def _is_default(self, name: str, value: Any) -> bool:
        """Whether a value is the default of the class."""
        default = self.defaults.get(name, inspect.Parameter.empty)
        return type(value) is type(default) and value == default

    def _make(self, own: dict, seed: int) -> Any:
        """Construct the model, with the seed if its class takes one."""
        if "random_state" in self.defaults:
            own = own | {"random_state": seed}
        return self.estimator(self.dataset.n_clusters, **lent(own))

    def _seed(self, params: dict, repetition: int) -> int:
        """Seed of a fit: that of its mask, or of a further start on it."""
        seed = seed_of_setting(self.root, self.setting, repetition, "fit")
        return seed_of(seed, "start", params["start"]) if params.get("start") else seed

    def _task(self, how: dict, repetition: int) -> Task:
        """Views in the form of a method, kept while the mask is the same."""
        mask = 0 if self.same_views else repetition
        if mask != self.mask:
            self.mask, self.tasks = mask, {}
        key = canonical({name: value for name, value in how.items() if name != "start"})
        if key not in self.tasks:
            of_setting = self.estimator, self.dataset, self.masks, self.setting
            self.tasks[key] = adapt_views(*of_setting, mask, self.root, how)
        return self.tasks[key]

    def _solve(self, model: Any, how: dict, repetition: int, task: Task) -> tuple[Solved, float]:
        """Solution of a model, kept for others that read labels differently; shared CPU time."""
        if repetition != self.repetition:
            self.repetition, self.solved = repetition, {}
        params = how | model.get_params()
        of_labels = (*OF_LABELS, *model.label_parameters)
        key = canonical({name: params[name] for name in params if name not in of_labels})
        if key in self.solved:
            solved = self.solved[key]
            return solved, solved.cpu_seconds
        before = cpu_seconds()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            start_cpu, shared_cpu = _give_start(model, task)
            model.solve(lent(task.calls[0][0]))
        spent = cpu_seconds() - before
        self.solved[key] = Solved(model, caught, spent + shared_cpu, start_cpu)
        return self.solved[key], shared_cpu


def _give_start(model: Any, task: Task) -> tuple[float, float]:
    """Give a model its start, maybe of another fit; CPU seconds of it, and those shared."""
    key = model.start_key() if task.is_plain and hasattr(model, "start_key") else None
    if key is None:
        return 0.0, 0.0
    shared = key in task.starts
    if not shared:
        before = cpu_seconds()
        start = model.draw_start(lent(task.calls[0][0]))
        task.starts[key] = frozen(start), cpu_seconds() - before
    start, seconds = task.starts[key]
    model.set_params(init=lent(start))
    return seconds, seconds if shared else 0.0


def split_params(params: dict) -> tuple[dict, dict]:
    """Split parameters into those of the pipeline and those of the class."""
    how = {name: value for name, value in params.items() if name in PREPARATION}
    return how, {name: value for name, value in params.items() if name not in PREPARATION}


def _labels_of(model: Any, Xs: list, links: dict) -> Any:
    """Labels of a model, fitted once: not every class of other packages keeps them."""
    if hasattr(model, "fit_predict"):
        return model.fit_predict(Xs, **links)
    return model.fit(Xs, **links).labels_


def _whole_number(value: Any) -> int | None:
    """A 64-bit number for a row; None for anything else."""
    with contextlib.suppress(Exception):  # of a class of others it can be anything
        return int(np.int64(int(value)))


def _numbers(values: Any) -> list[float] | None:
    with contextlib.suppress(Exception):
        return [float(value) for value in values]


def told(error: BaseException) -> str:
    """An error in one line, with the place where it was raised.

    >>> told(ValueError("no")), len(told(ValueError(1_000_000 * "no ")))
    ('ValueError: no', 1036)
    """
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        place = f" ({os.path.basename(frame.f_code.co_filename)}:{line})"
    return f"{type(error).__name__}: {text_of(error)}{place}"


def text_of(value: object) -> str:
    """Text of an error or a warning, short enough for a row; that of a class may fail."""
    try:
        text = str(value).encode("utf-8", "replace").decode()
    except BaseException as error:  # as what the class raised itself
        return f"its text failed with {type(error).__name__}"
    if len(text) > MOST_TEXT:
        text = f"{text[:MOST_TEXT]}... ({len(text)} characters)"
    return text


def texts_of(caught: list) -> list[str]:
    """Sorted texts of the warnings of a fit without duplicates; the first ones of very many."""
    texts = sorted({text_of(each.message) for each in caught})
    more = len(texts) - MOST_TOLD
    return texts if more <= 0 else [*texts[:MOST_TOLD], f"... and {more} more warnings"]
