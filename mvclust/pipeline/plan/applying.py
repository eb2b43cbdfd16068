"""Which methods of the catalogue can run on the data of an experiment: ``methods: all``."""

from mvclust.datasets.catalogue import find_subset
from mvclust.pipeline.plan.allowed import view_tags
from mvclust.pipeline.plan.settings import PER_VIEW


def applicable(experiment, methods, datasets):
    """Keys of the methods that can run on all data of an experiment, under its protocol.

    What a class does not state in ``view_tags`` is no reason to leave it out: a fit that fails is a
    row with its reason.

    Parameters
    ----------
    experiment : dict
        With the keys data and protocol.
    methods, datasets : dict
        The catalogues.

    Returns
    -------
    list of str
        In the order of the catalogue, without entries that say ``in_all: false``.
    """
    numbers = [_number_of_views(data, datasets) for data in experiment["data"]]
    return [
        name
        for name, entry in methods.items()
        if entry.get("in_all", True) and _applies(name, entry, experiment, set(numbers) - {None})
    ]


def _applies(name, entry, experiment, numbers):
    try:
        tags = view_tags(entry["estimator"])
    except LookupError:  # `check_methods` reports it
        tags = {}
    parts = [entry.get(part, {}) for part in ("fixed", "by_kind", "default", "grid")]
    parts += [experiment.get(part, {}).get(name, {}) for part in ("fixed", "grids", "readings")]
    given = {key for part in parts for key in part}
    protocol = experiment["protocol"]
    per_view = protocol in PER_VIEW
    if tags.get("constraints") is not None or "each_view" in given:
        return per_view
    if per_view and set(experiment.get("mapped_rates", ())) != {1}:
        return False
    wanted = tags.get("n_views")
    if wanted and any(n < wanted or (n > wanted and "views" not in given) for n in numbers):
        return False
    fills = tags.get("incomplete", True) or "fill" in given
    return fills or per_view or protocol == "complete"


def _number_of_views(data, datasets):
    """None if the catalogue does not say; `check_experiment` reports why."""
    if "views" in data:
        return len(data["views"])
    entry = datasets.get(data["dataset"], {"subsets": ()})
    if data.get("subset", entry.get("default_subset")) not in entry["subsets"]:
        return None
    return len(find_subset(data["dataset"], entry, data.get("subset"))[1]["views"])
