"""From the results table of one experiment to its tables and figure."""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import matplotlib as mpl
import pandas as pd
from matplotlib.figure import Figure

from mvclust.bench.report import curves, forms, groups, ranks, style, surfaces
from mvclust.bench.report.findings import finding
from mvclust.bench.report.printed import write_printed
from mvclust.bench.report.tables import write_tables
from mvclust.bench.report.text import has_results, no_results_text, scope_text
from mvclust.bench.report.writing import results_folder
from mvclust.bench.score.names import cut_text, digits_text
from mvclust.bench.score.overall import blocks_of
from mvclust.bench.score.results import read_results, write_results
from mvclust.bench.score.runs import merge_runs, read_runs
from mvclust.bench.score.significance import FEWEST_RUNS
from mvclust.bench.score.tuning import keys_of, results_of


def make_experiment(used: dict) -> None:
    """Make the results, tables and figure of an experiment from its scores."""
    parts = zip(used["inputs"]["scores"], in_form(used), strict=True)
    runs = merge_runs([read_runs(path, keys_of(part)) for path, part in parts])
    results = results_of(used, runs)
    finding = render(used, results, runs, results_folder(used))
    write_results(results, used["outputs"][-1], finding)


def make_extended(used: dict) -> None:
    """Make the tables and figure of all methods and tunings of an experiment."""
    runs = read_runs(used["inputs"]["scores"][0], keys_of(used))
    results, _ = read_results(used["inputs"]["results"][0])
    render_extended(used, results, runs, results_folder(used))


def in_form(described: dict) -> list[dict]:
    """An experiment, and those that the paper prints in the same table or figure."""
    return [described, *(described.get("form") or {"beside": []})["beside"]]


def render(described: dict, results: pd.DataFrame, runs: pd.DataFrame, folder: Path | str) -> str:
    """Write tables and figure of an experiment in the paper's form, if any; return the finding."""
    if not described.get("form"):
        return render_extended(described, results, runs, folder)
    others = [(each, results_of(each, runs)) for each in in_form(described)[1:]]
    parts = [(each, forms.as_printed(each, rows)) for each, rows in [(described, results), *others]]
    together = pd.concat([rows for _, rows in parts if len(rows)] or [results])
    is_table, is_ours = (described["form"]["draw"] == kind for kind in ("table", "dots"))
    write = write_printed if is_table and len(together) else write_tables
    stem = Path(folder, "tables", described["id"])
    write(described, results if is_ours else together, stem)
    with mpl.rc_context(style.RC):
        if is_table:
            figure = draw(described, together, runs)
        elif has_results(together):
            figure = forms.draw_form([(each, without_few(rows)) for each, rows in parts], runs)
        else:
            figure = style.draw_nothing(no_results_text(together))
        _save(figure, together, folder, described["id"])
    return finding(described, blocks_of(described, results), runs)


def render_extended(
    described: dict, results: pd.DataFrame, runs: pd.DataFrame, folder: Path | str
) -> str:
    """Write tables and figure of all methods and tunings; beside a form, as <id>_extended."""
    named = described
    if described.get("form"):
        title = f"{described['title']}, all methods and tunings"
        named = described | {"id": f"{described['id']}_extended", "title": title}
    shown = blocks_of(described, results)
    tests = DRAWINGS[described["render"]].tests
    tests = tests(described, shown) if tests else []
    write_tables(named, results, Path(folder, "tables", named["id"]), shown, tests)
    with mpl.rc_context(style.RC):
        _save(draw(named, shown, runs), results, folder, named["id"])
    return finding(described, shown, runs)


def _save(figure: Figure, results: pd.DataFrame, folder: Path | str, name: str) -> None:
    """Write a figure, with a note on its scope."""
    style.add_note(figure, [scope_text(results), cut_text(results), digits_text(results)])
    source = "; ".join(sorted(set(results["source"]) - {""})) if len(results) else ""
    style.save_figure(figure, Path(folder, "figures", name), f"mvclust {name}; data: {source}")


class Drawing(NamedTuple):
    """A display style for the results of an experiment."""

    draw: Callable  # takes the experiment, its results and, if it reads them, its runs
    reads_runs: bool = False
    tests: Callable | None = None  # takes the same; they follow the tables


# The one list of ways to draw: what an experiment may have for "render" and has results for.
DRAWINGS = {
    "curves": Drawing(curves.draw_curves),
    "groups": Drawing(groups.draw_groups),
    "surfaces": Drawing(surfaces.draw_surfaces),
    "convergence": Drawing(curves.draw_convergence, reads_runs=True),
    "ranks": Drawing(ranks.draw_ranks, tests=ranks.rank_tests),
}


def draw(described: dict, results: pd.DataFrame, runs: pd.DataFrame) -> Figure:
    """Figure of one experiment without intervals over few masks; without results, the reason."""
    if not has_results(results) and results["published"].isna().all():
        return style.draw_nothing(no_results_text(results))
    results = without_few(results)
    drawing = DRAWINGS[described["render"]]
    return drawing.draw(described, results, *([runs] if drawing.reads_runs else []))


def without_few(results: pd.DataFrame) -> pd.DataFrame:
    """Results without the intervals over few masks."""
    few = results["n_runs"] < FEWEST_RUNS
    return results.assign(**results[["ci_low", "ci_high"]].mask(few))
