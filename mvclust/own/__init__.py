"""One's own data: propose how files are read, then read them as ``views.yaml`` says.

``formats`` turns files into named tables and arrays, ``propose`` writes the likeliest reading of
them as ``views.yaml`` and asks where another one fits, ``read`` follows that file without guessing.
"""

# Names that every run uses, with - for _: of tables and figures, as which no experiment is called,
# and of rules and targets, as which no paper is called; no run on own data is called as either.
PRODUCTS = frozenset((
    "answer-agreement", "answer-consensus", "answer-features", "answer-heat", "answer-number",
    "answer-presence", "answer-samples", "answer-silhouettes", "answer-survival", "claims",
    "claims-units", "consistency", "cost", "directions", "growth", "multiverse",
    "multiverse-controls", "multiverse-effects", "multiverse-protocols", "multiverse-selection",
    "printed-rows", "probes", "published-vs-reproduced",
))  # fmt: skip
RESERVED = PRODUCTS | frozenset((
    "all", "answer", "costs", "data", "datasets", "default", "docs", "download", "experiment",
    "extended", "fit", "fits", "manifest", "masks", "modern", "paper", "partitions", "prepare",
    "probe", "published", "report", "runs", "score", "statistics",
))  # fmt: skip


class NotUnderstood(Exception):
    """Data that cannot be read: what is wrong, where, and what was expected."""
