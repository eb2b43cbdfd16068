"""From the results table of one experiment to its tables and figure."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import matplotlib as mpl

from mvclust.bench.report.curves import draw_convergence, draw_curves
from mvclust.bench.report.findings import finding
from mvclust.bench.report.groups import draw_groups
from mvclust.bench.report.ranks import draw_ranks, rank_tests
from mvclust.bench.report.style import RC, add_note, draw_nothing, save_figure
from mvclust.bench.report.surfaces import draw_surfaces
from mvclust.bench.report.tables import write_tables
from mvclust.bench.report.text import has_results, no_results_text, scope_text
from mvclust.bench.report.writing import results_folder
from mvclust.bench.score.names import cut_text, digits_text
from mvclust.bench.score.overall import blocks_of
from mvclust.bench.score.results import write_results
from mvclust.bench.score.runs import read_runs
from mvclust.bench.score.significance import FEWEST_RUNS
from mvclust.bench.score.tuning import keys_of, results_of

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure


def make_experiment(used: dict) -> None:
    """Make the results, tables and figure of an experiment from its scores."""
    runs = read_runs(used["inputs"]["scores"][0], keys_of(used))
    results = results_of(used, runs)
    finding = render(used, results, runs, results_folder(used))
    write_results(results, used["outputs"][-1], finding)


def render(described: dict, results: pd.DataFrame, runs: pd.DataFrame, folder: Path | str) -> str:
    """Write tables/<id>.{csv,md,tex} and figures/<id>.{svg,pdf,png}; return the finding.

    Only a figure of convergence reads the runs.
    """
    folder, name = Path(folder), described["id"]
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    shown = blocks_of(described, results)
    tests = DRAWINGS[described["render"]].tests
    tests = tests(described, shown) if tests else []
    write_tables(described, results, folder / "tables" / name, shown, tests)
    with mpl.rc_context(RC):
        figure = figure_of(described, results, shown, runs)
        sources = set() if results.empty else set(results["source"]) - {""}
        source = "; ".join(sorted(sources))
        save_figure(figure, folder / "figures" / name, f"mvclust {name}; data: {source}")
    return finding(described, shown, runs)


def figure_of(
    described: dict, results: pd.DataFrame, shown: pd.DataFrame, runs: pd.DataFrame
) -> Figure:
    """Figure of one experiment, with a note on its scope; `shown` are the results by block."""
    figure = draw(described, shown, runs)
    add_note(figure, [scope_text(results), cut_text(results), digits_text(results)])
    return figure


class Drawing(NamedTuple):
    """A display style for the results of an experiment."""

    draw: Callable  # takes the experiment, its results and, if `reads_runs`, its runs
    reads_runs: bool = False
    tests: Callable | None = (
        None  # takes the experiment and its results; the tests follow the tables
    )


# The one list of ways to draw: what an experiment may have for "render" and has results for.
DRAWINGS = {
    "curves": Drawing(draw_curves),
    "groups": Drawing(draw_groups),
    "surfaces": Drawing(draw_surfaces),
    "convergence": Drawing(draw_convergence, reads_runs=True),
    "ranks": Drawing(draw_ranks, tests=rank_tests),
}


def draw(described: dict, results: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """Figure of one experiment; without results it gives the reason and shows published numbers.

    Intervals over few masks are left out.
    """
    if not has_results(results) and results["published"].isna().all():
        return draw_nothing(no_results_text(results))
    few = results["n_runs"] < FEWEST_RUNS
    results = results.assign(**results[["ci_low", "ci_high"]].mask(few))
    drawing = DRAWINGS[described["render"]]
    return drawing.draw(described, results, *([runs] if drawing.reads_runs else []))
