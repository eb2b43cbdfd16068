"""The protocols of missing and unmapped views, and what is done to views."""

BEYOND = "beyond"  # the key of the paper of experiments that belong to none

# Protocols under which every view has rows, labels and scores of its own.
PER_VIEW = ("unmapped", "mapped")

# Protocols in which who lacks a view depends on the data, by a strength, each with the protocol
# whose masks are handed out so: these are its masks at strength 0, and its seeds.
BASE_OF = {
    "class": "random",
    "block": "random",
    "value": "random",
    "other": "other",
    "exclusive": "exclusive",
}
BY_CLASS = ("class", "exclusive")  # those that read the classes

# What the rate of a protocol counts; the other protocols have none.
RATE_OF = {
    "random": "missing_rate",
    "published": "missing_rate",
    "incomplete": "incomplete_rate",
    "paired": "paired_rate",
    "mapped": "mapped_rate",
    "class": "missing_rate",
    "block": "missing_rate",
    "value": "missing_rate",
    "other": "missing_rate",
    "exclusive": "incomplete_rate",
}
RATES = ("missing_rate", "incomplete_rate", "paired_rate", "mapped_rate")

# What the pipeline does to the views for a method: declared beside the method's own parameters, so
# that the parameters of a fit say all that was done (`mvclust.bench.config.models.Preparation`).
PREPARATION = ("fill", "features", "shift", "views", "each_view", "view_labels")
PREPARATION += ("constraints", "constrained", "mapping", "start", "order", "control")
UNSAID = {"mapping": "known", "start": 0}  # what holds where an experiment says nothing


def rate_key(protocol: str) -> str | None:
    """Key of an experiment that lists the rates of a protocol, or None without one."""
    return f"{RATE_OF[protocol]}s" if protocol in RATE_OF else None
