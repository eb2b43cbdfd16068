"""Made-up experiments and results, as the plan and the tuning give them to the report."""

from itertools import product

import numpy as np
import pandas as pd

from mvclust.bench.report.page import write_page
from mvclust.bench.score.results import typed

SVG = "<svg xmlns='http://www.w3.org/2000/svg' width='10' height='10'></svg>"
MANIFEST = {
    "created": "today", "mvclust": "0", "commit": None, "python": "3.11", "libraries": {},
    "machine": {"cpu": "c", "cores": 2, "memory_gb": 4, "system": "Linux"}, "data": [],
    "fits": {"number": 0, "failed": 0, "cpu_seconds": 0, "reasons": []}, "threads_per_fit": [],
    "cost": None, "config": {"seed": 0, "budget": {"repetitions": 1, "pairs": None}},
}  # fmt: skip


def methods_of(*labels, published=None):
    """Entries of methods; the key of a method is "key-" and its label."""
    published = published or {}
    return [
        {"key": f"key-{label}", "label": label, "published": published.get(label, []),
         "reference": False, "place": place}
        for place, label in enumerate(labels)
    ]  # fmt: skip


def describe(render="curves", methods=("A", "B"), **changes):
    """An experiment."""
    return {
        "id": "toy", "title": "Scores & 100 %", "caption": "Made up.", "paper": "paper", "item": "",
        "render": render, "x": "rate", "blocks": "settings", "protocol": "random",
        "unit": "percent", "sweep": False, "metrics": {"ACC": "acc", "NMI": "nmi_max"},
        "methods": methods_of(*methods), "own": [], "controls": [], "axes": [], "published": [],
        "samples_per_class": None, "repetitions": 5, "repetitions_declared": 5, "cases": [],
    } | changes  # fmt: skip


def result(**changes):
    """One row of a results table."""
    method = changes.get("method", "A")
    return {
        "dataset": "toy", "method": method, "method_key": f"key-{method}", "variant": "",
        "protocol": "random", "missing_rate": 0.3, "paired_rate": None, "incomplete_rate": None,
        "mapped_rate": None, "view": None, "n_views": 2, "tuning": "oracle", "metric": "ACC",
        "mean": 50.0, "std": 1.5, "n_runs": 5, "masks_mean": np.nan, "starts_se": np.nan,
        "starts_df": np.nan, "ci_low": 48.0, "ci_high": 52.0, "published": None,
        "published_std": None, "difference": None, "points": [{}], "n_samples": 100,
        "n_samples_declared": 100, "repetitions": 5, "repetitions_declared": 5, "grid_points": 4,
        "grid_points_declared": 4, "note": "", "source": "made up",
    } | changes  # fmt: skip


FAILED = {
    "mean": None, "std": None, "ci_low": None, "ci_high": None, "n_runs": 0, "n_samples": None,
    "note": "data not available", "source": "",
}  # fmt: skip


def table_of(rows):
    """A results table with the types that the tuning gives it."""
    return typed(pd.DataFrame(rows, columns=list(result())))


def grid_of(**axes):
    """Every combination of some columns, as changes of `result`."""
    return [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]


def scores_of(combinations):
    """A results table with random scores."""
    means = np.random.default_rng(0).uniform(30, 90, len(combinations))
    return table_of(
        result(**{"mean": mean, "ci_low": mean - 3, "ci_high": mean + 3} | changes)
        for mean, changes in zip(means, combinations, strict=True)
    )


def printed_number(**place):
    """An accuracy that table 1 of the made-up paper prints."""
    return {
        "paper": "paper", "item": "table1", "dataset": "toy", "missing_rate": 0.3,
        "paired_rate": None, "view": None, "method": "A", "metric": "acc", "mean": 51.0,
        "std": None,
    } | place  # fmt: skip


def page_of(folder, experiments=(), results=None, **changes):
    """Write the page of a run; the defaults are a run without anything but its figures."""
    figure = folder / "figure.svg"
    figure.write_text(SVG)
    used = {
        "title": "mvclust: toy", "experiments": list(experiments), "partitions": [],
        "looks": methods_of("A", "B"), "controls": [], "multiverse": [],
    }  # fmt: skip
    used |= {name: changes.pop(name) for name in used if name in changes}
    given = {
        "results": results or {}, "findings": {}, "statistics": {}, "comparison": None,
        "figures": {e["id"]: figure for e in experiments}, "extra_figures": {},
        "manifest": MANIFEST, "runs": None,
    }  # fmt: skip
    write_page(folder / "report.html", used, **given | changes)
    return folder / "report.html"
