"""The table of CPU seconds by size, measured here: it follows from the code of the estimators."""

from mvclust.bench.claims.growth import growth
from mvclust.bench.report.claims import write_growth
from mvclust.bench.report.writing import results_folder


def make_growth(used: dict) -> None:
    """Measure the seconds of methods, and write their table."""
    write_growth(growth(used["asked"]), results_folder(used))
