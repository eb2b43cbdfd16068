"""The parameters of methods, and which methods of the catalogue can run: ``methods: all``."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mvclust.bench.config.messages import unknown
from mvclust.bench.config.protocols import PER_VIEW, PREPARATION, UNSAID

if TYPE_CHECKING:
    from mvclust.bench.config.classes import Classes
    from mvclust.bench.config.experiments import Fitted
    from mvclust.bench.config.load import Configuration
    from mvclust.bench.config.models import Data, Method

SET_BY_THE_PIPELINE = ("n_clusters", "random_state")


def check_parameters(
    place: list, parameters: dict, method: Method, classes: Classes
) -> Iterator[tuple[list, str]]:
    """Check names and values of parameters of a method, at a place of an entry."""
    estimator, part = method.estimator, place[0]
    if classes.problem(estimator):
        return  # the check of the method reports it
    known = classes.parameters(estimator)
    if known is not None and part != "by_kind":
        known = [*known, *PREPARATION]
    for key, value in parameters.items():
        values: Any = {(): value}
        if key in SET_BY_THE_PIPELINE:
            yield [*place, key], "is set by the pipeline; take it out"
        elif known is not None and key not in known:
            yield [*place, key], unknown("parameter", key, known)
        elif value == "per_pair" and part in ("grid", "grids"):
            if key != "views":
                yield [*place, key], "per_pair is only for 'views'"
        elif value == "per_view" and part in ("grid", "grids"):
            if not classes.takes_whole_numbers(estimator, key):
                reason = "per_view is only for a parameter that takes the index of a view"
                yield [*place, key], reason
        else:
            if part in ("grid", "grids", "kinds"):
                values = {(index,): each for index, each in enumerate(value)}
            elif part == "by_kind":
                values = {(kind,): each for kind, each in value.model_dump(by_alias=True).items()}
            for below, each in values.items():
                if reason := classes.why_not(estimator, key, each):
                    yield [*place, key, *below], reason


def of_data(data: Data) -> dict:
    """Parameters that the data of an experiment give every method."""
    return {"features": data.features} if "features" in data.model_fields_set else {}


def stated_value(
    axis: str, name: str, experiment: Fitted, data: Data, configuration: Configuration
) -> Any:
    """Value that an experiment states for a parameter, without its grid; else the default."""
    method = configuration.methods[name]
    given = of_data(data) | method.fixed | method.default | experiment.fixed.get(name, {})
    if axis in given:
        return given[axis]
    if axis in UNSAID:
        return UNSAID[axis]
    return configuration.classes.default(method.estimator, axis)


def applicable(experiment: Fitted, configuration: Configuration) -> list[str]:
    """Keys of the methods that can run on all data of an experiment, under its protocol.

    What a class does not state in ``view_tags`` does not exclude it.
    """
    numbers = {len(data.views_in(configuration.datasets)) for data in experiment.data} - {0}
    return [
        name
        for name, method in configuration.methods.items()
        if method.in_all and _applies(name, experiment, numbers, configuration)
    ]


def labels_each_view(name: str, experiment: Fitted, configuration: Configuration) -> bool:
    """Whether a method (by key) of an experiment labels every view separately."""
    tags = configuration.classes.tags(configuration.methods[name].estimator)
    each_view = _given(name, experiment, configuration).get("each_view")
    return tags.get("constraints") is not None or bool(each_view)


def _applies(
    name: str, experiment: Fitted, numbers: set[int], configuration: Configuration
) -> bool:
    tags = configuration.classes.tags(configuration.methods[name].estimator)
    given, per_view = _given(name, experiment, configuration), experiment.protocol in PER_VIEW
    if labels_each_view(name, experiment, configuration):
        return per_view
    if per_view and set(experiment.mapped_rates or ()) != {1}:
        return False
    wanted = tags.get("n_views")
    if wanted and any(n < wanted or (n > wanted and "views" not in given) for n in numbers):
        return False
    fills = tags.get("incomplete", True) or "fill" in given
    return fills or per_view or experiment.protocol == "complete"


def _given(name: str, experiment: Fitted, configuration: Configuration) -> dict:
    """All parameters that a method is given, with their values, grids or values by kind."""
    method = configuration.methods[name]
    of_method = method.by_kind | method.default | method.grid | method.fixed
    return of_method | experiment.grids.get(name, {}) | experiment.fixed.get(name, {})
