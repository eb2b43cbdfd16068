"""From the table of runs to the tables and the figure of one experiment."""

from pathlib import Path

import matplotlib as mpl

from mvclust.benchmark.statistics import FEWEST_RUNS
from mvclust.benchmark.tuning import results_of
from mvclust.report.curves import draw_convergence, draw_curves
from mvclust.report.groups import draw_groups
from mvclust.report.ranks import draw_ranks, rank_table
from mvclust.report.style import RC, draw_nothing, save_figure
from mvclust.report.surfaces import draw_surfaces
from mvclust.report.tables import write_tables


def render_experiment(plan, name, runs, published, folder):
    """Write results/tables/<name>.{csv,md,tex} and results/figures/<name>.{svg,pdf,png}.

    Parameters
    ----------
    plan : Plan
    name : str, the experiment
    runs : DataFrame, the table of runs
    published : DataFrame, the papers' numbers
    folder : path, the results folder
    """
    folder, experiment = Path(folder), plan.experiments[name]
    runs = runs[runs["key"].isin({fit.key for fit in plan.fits_of(name)})]
    results = results_of(plan, name, runs, published)
    ranks = rank_table(experiment, results) if experiment["render"] == "ranks" else None
    write_tables(results, experiment, folder / "tables" / name, ranks)
    few = results["n_runs"] < FEWEST_RUNS
    results = results.assign(**results[["ci_low", "ci_high"]].mask(few))
    with mpl.rc_context(RC):
        if results["mean"].isna().all():
            figure = draw_nothing(results["note"].iloc[0])
        elif experiment["render"] == "surfaces":
            figure = draw_surfaces(experiment, results)
        elif experiment["render"] == "ranks":
            figure = draw_ranks(experiment, results) or draw_nothing("too few data sets for ranks")
        elif experiment["render"] == "groups":
            figure = draw_groups(experiment, results, plan.algorithms)
        elif experiment["render"] == "convergence":
            cases = plan.cases_of(name)
            runs_of = {label: runs[runs["setting"] == setting.id] for label, setting in cases}
            figure = draw_convergence(experiment, results, runs_of)
        else:
            figure = draw_curves(experiment, results, plan.algorithms)
        source = "; ".join(sorted(set(results["source"]) - {""}))
        save_figure(figure, folder / "figures" / name, f"mvclust {name}; data: {source}")
