"""What the methods cost: CPU seconds and memory against the size of the data, and accuracy."""

import matplotlib as mpl
import numpy as np
from matplotlib.ticker import FixedLocator, NullLocator, ScalarFormatter

from mvclust.datasets.files import completed
from mvclust.report.style import PAGE, RC, look_of, new_figure, save_figure
from mvclust.report.tables import markdown_table, to_simple_latex

MOST_TICKS = 5  # sizes of data that an axis names


def cost_table(runs, algorithms):
    """Median cost of a fit by method and data.

    Parameters
    ----------
    runs : DataFrame, the table of runs
    algorithms : dict, the catalogue of methods

    Returns
    -------
    DataFrame
        method, dataset, views, n_samples, n_fits, cpu_seconds, peak_mb (medians; memory is the
        process's, interpreter and data included), acc (in percent: mean over the masks of the best
        parameters, on the setting that most methods share, where it is this data).
    """
    swept = runs["params"].str.contains('"max_iter"')  # runs that an experiment cuts short
    fitted = runs[runs["error"].isna() & ~swept]
    shared = fitted.groupby("setting")["method"].nunique().idxmax()
    here = fitted[fitted["setting"] == shared]
    best = here.groupby(["method", "params"])["acc"].mean().groupby("method").max()
    where = here[["dataset", "views", "n_samples"]].iloc[0]
    table = (
        fitted.groupby(["method", "dataset", "views", "n_samples"], sort=False)
        .agg(
            n_fits=("key", "size"),
            cpu_seconds=("cpu_seconds", "median"),
            peak_mb=("peak_mb", "median"),
        )
        .reset_index()
    )
    is_shared = (table[list(where.index)] == where).all(axis=1)
    table["acc"] = table["method"].map(best).where(is_shared)
    order = {name: place for place, name in enumerate(algorithms)}
    table = table.sort_values(
        ["method", "n_samples", "dataset", "views"],
        key=lambda column: column.map(order) if column.name == "method" else column,
        ignore_index=True,
    )
    labels = {name: entry.get("label", name) for name, entry in algorithms.items()}
    return table.assign(method=table["method"].map(labels), acc=100 * table["acc"])


def write_cost(runs, algorithms, folder):
    """Write cost as tables and a figure under a results folder."""
    table = cost_table(runs, algorithms)
    caption = "Cost of a fit: median CPU seconds on one thread and peak memory of the process"
    rounded = table.assign(
        cpu_seconds=table["cpu_seconds"].round(3),
        peak_mb=table["peak_mb"].round(),
        acc=table["acc"].round(1),
    )
    texts = {
        "csv": table.to_csv(index=False, float_format="%.4f", lineterminator="\n"),
        "md": f"# {caption}\n\n{markdown_table(rounded)}\n",
        "tex": to_simple_latex(
            largest_only(rounded), f"{caption}; the largest data of each method"
        ),
    }
    for suffix, text in texts.items():
        with completed(folder / "tables" / f"cost.{suffix}") as unfinished:
            unfinished.write_text(text, encoding="utf-8")
    with mpl.rc_context(RC):
        save_figure(draw_cost(table, algorithms), folder / "figures" / "cost", "mvclust cost")


def largest_only(table):
    """The rows of each method on its largest data."""
    return table.loc[table.groupby("method", sort=False)["n_samples"].idxmax()]


def draw_cost(table, algorithms):
    """CPU seconds and memory against n; accuracy against time on the data most methods have."""
    looks = look_of(algorithms)
    figure = new_figure(PAGE, 4.2)
    left, middle, right = figure.subplots(1, 3)
    handles = {}
    for method, part in table.groupby("method", sort=False):
        by_size = part.groupby("n_samples")[["cpu_seconds", "peak_mb"]].median()
        handles[method] = left.plot(by_size["cpu_seconds"], **looks[method])[0]
        middle.plot(by_size["peak_mb"], **looks[method])
    left.set_ylabel("CPU seconds of a fit")
    middle.set_ylabel("peak memory of the process (MB)")
    left.set_yscale("log")
    for axes in (left, middle):
        axes.set_xlabel("samples")
        axes.set_xscale("log")
        axes.xaxis.set_major_locator(FixedLocator(_some_sizes(table["n_samples"])))
        axes.xaxis.set_major_formatter(ScalarFormatter())
        axes.xaxis.set_minor_locator(NullLocator())
    common = table.dropna(subset="acc")
    for row in common.itertuples():
        look = looks[row.method] | {"linestyle": ""}
        right.plot([row.cpu_seconds], [row.acc], **look)
    front = pareto_front(common["cpu_seconds"].to_numpy(), common["acc"].to_numpy())
    best = common.iloc[front]
    right.plot(best["cpu_seconds"], best["acc"], color="black", lw=0.7, zorder=0)
    right.set_xscale("log")
    right.set_xlabel("CPU seconds of a fit")
    right.set_ylabel("ACC of the best parameters (%)")
    data = common.iloc[0]
    right.set_title(f"{data['dataset']}, {data['n_samples']} samples", fontsize=7)
    figure.legend(handles.values(), handles.keys(), loc="outside lower center", ncols=5)
    return figure


def _some_sizes(sizes):
    """Smallest, largest and some sizes between, evenly on a logarithmic axis."""
    sizes = np.unique(sizes)
    wanted = np.geomspace(sizes[0], sizes[-1], MOST_TICKS)
    return np.unique(sizes[np.abs(np.log(sizes[:, None] / wanted)).argmin(axis=0)])


def pareto_front(cost, gain):
    """Indices of the points that none beats in both, cheapest first.

    Examples
    --------
    >>> import numpy as np
    >>> pareto_front(np.array([1.0, 2.0, 3.0]), np.array([5.0, 4.0, 6.0])).tolist()
    [0, 2]
    """
    order = np.lexsort((-gain, cost))
    best = np.maximum.accumulate(gain[order])
    keep = np.r_[True, best[1:] > best[:-1]] if len(order) else np.zeros(0, dtype=bool)
    return order[keep]
