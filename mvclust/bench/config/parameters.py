"""The parameters of methods, wherever they are set: their names, and their values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mvclust.bench.config.messages import unknown
from mvclust.bench.config.protocols import PREPARATION

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from mvclust.bench.config.classes import Classes
    from mvclust.bench.config.models import Method

SET_BY_THE_PIPELINE = ("n_clusters", "random_state")


def check_parameters(
    place: list, parameters: dict, method: Method, classes: Classes
) -> Iterator[tuple[list, str]]:
    """Check names and values of parameters of a method, at a place of an entry.

    A grid has a list of values, "per_view" or "per_pair"; by_kind has a `ByKind`.
    """
    estimator, part = method.estimator, place[0]
    try:
        known = classes.parameters(estimator)
    except LookupError:
        return  # reported where the catalogue names the class
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
