"""One fit: a model on its views, with the start or solution that models on them share."""

import contextlib
import copy
import inspect
import time
import warnings
from typing import NamedTuple

import numpy as np

from mvclust.bench.config.protocols import PREPARATION
from mvclust.bench.fit.adapt_views import OF_LABELS, adapt_views, put_back
from mvclust.bench.fit.contain import Contained, texts_of, told
from mvclust.bench.fit.cpu import cpu_seconds
from mvclust.bench.fit.given import digest_of_given, frozen, lent
from mvclust.bench.fit.labels import checked_labels, pack_labels
from mvclust.bench.plan.seeds import seed_of, seed_of_setting
from mvclust.bench.plan.settings import canonical
from mvclust.estimators.base import tags_of

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
}


class Adapted:
    """Views as a method gets them, their digest, and the starts that were drawn on them."""

    def __init__(self, task):
        self.task, self.digest, self.starts = task, None, {}


class Solved(NamedTuple):
    """A model that has its solution but no labels, what it warned of, and what it took."""

    model: object
    warnings: list
    cpu_seconds: float
    start_cpu_seconds: float


class FitsOfSetting:
    """The fits of one estimator on the masks of a setting.

    Fits on one mask, one after the other, share views and starts; those that differ only in how
    labels follow from a solution share that as well, where their class can read it again. Where
    nothing is missing by a mask, as in complete data, all repetitions have the same views, if no
    constraints are drawn for each: they share what does not depend on the seed.

    Parameters
    ----------
    estimator : class
    dataset : Dataset
        With the views of the setting.
    masks : dict
        The setting's masks, see `mvclust.bench.fit.masks.draw_masks`.
    setting : Setting
    root : int
        Root of the seeds.
    """

    def __init__(self, estimator, dataset, masks, setting, root):
        self.estimator, self.dataset, self.masks = estimator, dataset, masks
        self.setting, self.root = setting, root
        same = bool((masks["presence"] == masks["presence"][:1]).all())
        self.same_views = same and not setting.per_view and not tags_of(estimator).constraints
        self.seedless = getattr(estimator, "deterministic", False)
        self.signature = inspect.signature(estimator).parameters
        self.contained = Contained(estimator)
        self.mask, self.adapted = None, {}
        self.repetition, self.solved = None, {}

    def given(self, params, repetition):
        """All that the estimator is given.

        Parameters
        ----------
        params : dict
        repetition : int

        Returns
        -------
        list or None
            Its own parameters but those that have the value of the class, the seed (None if nothing
            in the class depends on it), and a digest of the views and constraints; None if these
            cannot be made, for which `fit` gives the reason.
        """
        how, own = split_params(params)
        try:
            adapted = self._views_of(how, repetition)
        except (Exception, SystemExit):
            return None
        if adapted.digest is None:
            calls, rows, sizes, taken, order = adapted.task
            given = [calls, rows, sizes] if taken is None else [calls, rows, sizes, taken]
            given += [] if order is None else [{"order": order}]
            adapted.digest = digest_of_given(given)
        own = {name: value for name, value in own.items() if not self._is_default(name, value)}
        seed = None if self.seedless else self._seed(how, repetition)
        return [own, seed, adapted.digest]

    def shared(self, row, params, repetition):
        """A row of a fit that was given the same as another, whose row it is, or as itself.

        Parameters
        ----------
        row : dict
        params : dict
        repetition : int

        Returns
        -------
        dict
            With the seed of this fit; nothing was spent on it where that is not the seed of the
            other.
        """
        seed = self._seed(split_params(params)[0], repetition)
        return row if row["seed"] == seed else row | {"seed": seed, "spent_cpu_seconds": 0.0}

    def fit(self, params, repetition):
        """Fit one model and return what came of it; an error becomes part of the row.

        Parameters
        ----------
        params : dict
            The parameters of the class, and what the pipeline does to the views for it.
        repetition : int
            Number of the mask, or of the start.

        Returns
        -------
        dict
            labels (packed), sizes (rows per view, where views have labels of their own), n_iter,
            objective, warnings, error, wall_seconds, cpu_seconds (with ended processes that it
            started, and with the start, shared or not), start_cpu_seconds, and
            spent_cpu_seconds (with the start only where it was drawn here).
        """
        how, own = split_params(params)
        seed = self._seed(how, repetition)
        wall, cpu = time.perf_counter(), cpu_seconds()
        start_cpu = shared_cpu = 0.0
        changed = []
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                adapted = self._views_of(how, repetition)
                task = adapted.task
                cpu = cpu_seconds()  # views that the fits share belong to none of them
                contained = self.contained.open(seed)
                changed = contained.told
                with contained:
                    model = self._make(own, seed)
                    if _is_plain(task) and getattr(model, "label_parameters", ()):
                        solved, shared_cpu = self._solve(model, how, repetition, adapted)
                        start_cpu = solved.start_cpu_seconds
                        caught += solved.warnings
                        reading = {name: getattr(model, name) for name in model.label_parameters}
                        model = copy.copy(solved.model).set_params(**reading).relabel()
                        labels = [model.labels_]
                    else:
                        start_cpu, shared_cpu = self._give_start(model, adapted)
                        labels = [_labels_of(model, Xs, links) for Xs, links in lent(task.calls)]
                    labels = labels[0] if len(labels) == 1 else labels
                    if task.taken is not None:
                        by_view = zip(model.label_views(), task.taken, strict=True)
                        labels = [of[rows] for of, rows in by_view]
                    outcome = FAILED | {
                        "n_iter": _whole_number(getattr(model, "n_iter_", None)),
                        "objective": _numbers(getattr(model, "objective_", None)),
                    }
                if task.order is not None:
                    labels = put_back(labels, task.order)
                outcome["labels"] = pack_labels(checked_labels(labels, task.rows))
                outcome["sizes"] = task.sizes
            except BaseException as error:  # whatever a class raises is a row; the run goes on
                outcome = FAILED | {"error": told(error)}
        spent = cpu_seconds() - cpu
        return outcome | {
            "seed": seed,
            "warnings": [*texts_of(caught), *changed],
            "wall_seconds": time.perf_counter() - wall,
            "cpu_seconds": spent + shared_cpu,
            "start_cpu_seconds": start_cpu,
            "spent_cpu_seconds": spent,
        }

    def _is_default(self, name, value):
        """Whether a class has this value where it is given none."""
        if name not in self.signature:
            return False
        default = self.signature[name].default
        return type(value) is type(default) and value == default

    def _make(self, own, seed):
        """The model, with the seed if its class takes one."""
        if "random_state" in self.signature:
            own = own | {"random_state": seed}
        return self.estimator(self.dataset.n_clusters, **lent(own))

    def _seed(self, how, repetition):
        """The seed of a fit: that of its mask, or of a further start on it."""
        seed = seed_of_setting(self.root, self.setting, repetition, "fit")
        return seed_of(seed, "start", how["start"]) if how.get("start") else seed

    def _views_of(self, how, repetition):
        """The views as a method gets them, kept as long as the mask is the same."""
        mask = 0 if self.same_views else repetition
        if mask != self.mask:
            self.mask, self.adapted = mask, {}
        key = canonical({name: value for name, value in how.items() if name != "start"})
        if key not in self.adapted:
            task = adapt_views(
                self.estimator, self.dataset, self.masks, self.setting, mask, self.root, how
            )
            self.adapted[key] = Adapted(task)
        return self.adapted[key]

    def _solve(self, model, how, repetition, adapted):
        """The solution of a model, found here or for one that only reads labels otherwise.

        It is kept as long as the repetition is the same.

        Returns
        -------
        solved : Solved
        shared_cpu : float
            What finding it took where that was before, with its start; else what its start took
            where that was drawn before, or 0.
        """
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
            start_cpu, shared_cpu = self._give_start(model, adapted)
            model.solve(lent(adapted.task.calls[0][0]))
        spent = cpu_seconds() - before
        self.solved[key] = Solved(model, caught, spent + shared_cpu, start_cpu)
        return self.solved[key], shared_cpu

    def _give_start(self, model, adapted):
        """Let a model take over a start that was drawn for another on the same views.

        Returns
        -------
        start_cpu : float
            What drawing the start took, here or before.
        shared_cpu : float
            The same where it was drawn before, else 0.
        """
        task, starts = adapted.task, adapted.starts
        start_key = getattr(model, "start_key", None)
        key = start_key() if start_key is not None and _is_plain(task) else None
        if key is None:
            return 0.0, 0.0
        shared = key in starts
        if not shared:
            before = cpu_seconds()
            start = model.draw_start(lent(task.calls[0][0]))
            starts[key] = frozen(start), cpu_seconds() - before
        start, seconds = starts[key]
        model.set_params(init=lent(start))
        return seconds, seconds if shared else 0.0


def _is_plain(task):
    """Whether one call takes all views, so that fits on them may share what it finds."""
    return task.sizes is None or task.taken is not None


def split_params(params):
    """What the pipeline does to the views, and the parameters of the class.

    Parameters
    ----------
    params : dict

    Returns
    -------
    how, own : dict
    """
    how = {name: value for name, value in params.items() if name in PREPARATION}
    return how, {name: value for name, value in params.items() if name not in PREPARATION}


def _labels_of(model, Xs, links):
    """The labels that a model gives, fitted once: of other packages not every one keeps them."""
    if hasattr(model, "fit_predict"):
        return model.fit_predict(Xs, **links)
    return model.fit(Xs, **links).labels_


def _whole_number(value):
    """A number as a row holds it, of 64 bits; None for anything else."""
    with contextlib.suppress(Exception):  # of a class of others it can be anything
        return int(np.int64(int(value)))


def _numbers(values):
    with contextlib.suppress(Exception):
        return [float(value) for value in values]
