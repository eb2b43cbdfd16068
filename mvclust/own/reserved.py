"""Names that no run on own data, no experiment and no paper can have."""

# With - for _. Tables and figures of every run: no experiment has these names.
PRODUCTS = frozenset((
    "answer-agreement", "answer-consensus", "answer-features", "answer-heat", "answer-number",
    "answer-presence", "answer-samples", "answer-silhouettes", "answer-survival", "claims",
    "claims-units", "consistency", "cost", "directions", "growth", "multiverse",
    "multiverse-controls", "multiverse-effects", "multiverse-protocols", "multiverse-selection",
    "printed-rows", "probes", "published-vs-reproduced",
))  # fmt: skip
# Rules and targets as well: no paper, and no run on own data.
RESERVED = PRODUCTS | frozenset((
    "all", "answer", "costs", "data", "datasets", "default", "docs", "download", "experiment",
    "extended", "fit", "fits", "manifest", "masks", "modern", "paper", "partitions", "prepare",
    "probe", "published", "report", "runs", "score", "statistics",
))  # fmt: skip
