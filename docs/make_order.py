"""Make the tables and the figure of docs/order.md: python docs/make_order.py

What the order of the samples adds to accuracies, from results/order; what is in print, from
config/order_printed.csv.
"""

import matplotlib as mpl
import pandas as pd

from docs.pages import (
    DOCS,
    ROOT,
    fill,
    listed,
    number,
    provenance,
    said,
    table,
    with_interval,
    write,
)
from mvclust.bench.report.style import COLOURS, PAGE, RC, new_figure
from mvclust.bench.score.significance import bootstrap_interval

RUN = ROOT / "results/order"
N_SETS = 10  # data sets of the whole run
CELLS = ["method", "dataset", "setting"]
TUNINGS = {"oracle": "by labels", "default": "default", "label-free": "without labels"}


def read(name: str) -> pd.DataFrame:
    """The accuracies of an experiment, with the order of the samples and the other parameters."""
    rows = pd.read_csv(RUN / f"tables/{name}.csv", dtype={"note": str, "params": str})
    rows = rows[(rows["metric"] == "ACC") & rows["mean"].notna()]
    params = rows["params"].fillna("")
    orders = params.str.extract(r"order=(\w+)")[0].replace("0", "file")
    others = params.str.replace(r"(, )?order=\w+(, )?", "", regex=True)
    return rows.assign(order=orders, point=others, shuffle=orders.str.startswith("shuffle"))


def by_order(*names: str) -> pd.DataFrame:
    """Method and data set -> accuracy in each order, means over shares and over shuffles."""
    rows = pd.concat([read(name) for name in names])
    rows["order"] = rows["order"].where(~rows["shuffle"].astype(bool), "shuffled")
    cells = rows.groupby([*CELLS, "order"])["mean"].mean()
    return cells.groupby(["method", "dataset", "order"]).mean().unstack().round(9)


def difference(values: pd.Series) -> str:
    """A mean over data sets with its interval."""
    values = values.dropna().to_numpy()
    if not len(values):
        return ""
    return with_interval(values.mean(), *bootstrap_interval(values))


def effects_table(*names: str) -> str:
    """One line per method: what orders add to shuffled samples."""
    wide, lines = by_order(*names), []
    gains = wide.sub(wide["shuffled"], axis=0)
    order = gains["sorted"].groupby("method").mean().sort_values(ascending=False, kind="stable")
    for name in order.index:
        own, of = gains.loc[name], wide.loc[name]
        others = [difference(own[o]) if o in own else "" for o in ("interleaved", "by_norm")]
        cells = [number(of["sorted"].mean()), number(of["shuffled"].mean())]
        lines.append([name, *cells, difference(own["sorted"]), *others])
    head = ["method", "sorted", "shuffled", "sorted − shuffled", "interleaved − shuffled"]
    return table([*head, "by length − shuffled"], lines)


def over_shares() -> pd.DataFrame:
    """Method, order and share -> mean accuracy over the data sets."""
    rows = read("order_incomplete")
    rows["order"] = rows["order"].where(~rows["shuffle"].astype(bool), "shuffled")
    rows["share"] = rows["setting"].str.extract(r"=([\d.]+)")[0].astype(float)
    cells = rows.groupby(["method", "order", "dataset", "share"])["mean"].mean()
    return cells.groupby(["method", "order", "share"]).mean()


def shares_table(means: pd.Series) -> str:
    """Accuracy at each share, sorted and shuffled."""
    wide = means.unstack().loc[lambda part: part.index.isin(["sorted", "shuffled"], level=1)]
    lines = [[name, order, *map(number, row)] for (name, order), row in wide.iterrows()]
    return table(["method", "order", *(f"{share:g}" for share in wide)], lines)


def tuned_table() -> str:
    """Gain of sorted over shuffled samples, by how the parameters were chosen."""
    sides = [
        read(f"order_tuned_{side}").set_index(["method", "tuning", "dataset"])["mean"]
        for side in ("sorted", "shuffled")
    ]
    gains = (sides[0] - sides[1]).groupby(["method", "tuning"])
    moved, lines = transferred(), []
    for name in dict.fromkeys(sides[0].index.get_level_values(0)):
        cells = [difference(gains.get_group((name, tuning))) for tuning in TUNINGS]
        lines.append([name, *cells, difference(moved.get(name, pd.Series(dtype=float)))])
    return table(["method", *TUNINGS.values(), "chosen in sorted order, for both"], lines)


def transferred() -> dict:
    """Method -> gain on each data set at the parameters that are best in sorted order."""
    rows = read("order_transfer").pivot_table(
        index=["method", "dataset", "point"], columns="order", values="mean"
    )
    best = rows.loc[rows["sorted"].groupby(["method", "dataset"]).idxmax()]
    gains = best["sorted"] - best["shuffle_1"]
    return dict(iter(gains.groupby("method")))


def noise_table() -> str:
    """Random numbers: the gain of sorted over shuffled labels, and the largest at a parameter."""
    rows = read("order_noise").pivot_table(
        index=["method", "dataset", "point"], columns="order", values="mean"
    )
    gains, lines = rows["sorted"] - rows["shuffle_1"], []
    for name, part in gains.groupby("method"):
        _, data, point = part.idxmax()
        cells = [number(rows.loc[name, order].mean()) for order in ("sorted", "shuffle_1")]
        lines.append([name, *cells, f"{part.max():+.1f} ({data}, {point})"])
    return table(["method", "sorted", "shuffled", "largest difference"], lines)


def printed_table() -> str:
    """The printed leads, and what remains of them without the order."""
    printed = pd.read_csv(ROOT / "config/order_printed.csv", keep_default_na=False)
    ours = by_order("order_printed")
    rivals = ours.drop(index="ASCR", level=0)["shuffled"].groupby("dataset")
    lines = []
    for row in printed.itertuples():
        cells, lead = ["", "", ""], float(row.printed) - float(row.printed_rival)
        remains = (
            float(row.printed_shuffled) - float(row.printed_rival) if row.printed_shuffled else ""
        )
        if (row.ours, row.our_data) in ours.index:
            own = ours.loc[(row.ours, row.our_data)]
            rival = rivals.get_group(row.our_data)
            best = f"{rival.idxmax()[0]} {rival.max():.1f}"
            cells = [number(own["sorted"]), number(own["shuffled"]), best]
            remains = lead - (own["sorted"] - own["shuffled"])
        rival = f"{row.rival} {float(row.printed_rival):.1f}"
        shuffled = number(float(row.printed_shuffled)) if row.printed_shuffled else ""
        data = f"{row.data}, {row.shares}"
        start = [row.source, row.method, data, number(float(row.printed)), shuffled, rival]
        lines.append([*start, *cells, f"{lead:+z.1f}", f"{remains:+z.1f}" if remains != "" else ""])
    head = [
        "source",
        "method",
        "data, shares",
        "printed",
        "printed, shuffled",
        "best rival printed",
    ]
    head += ["here, sorted", "here, shuffled", "best here without a transform", "printed lead"]
    return table([*head, "what remains"], lines, align="---")


def draw(means: pd.Series) -> None:
    """Accuracy over the share of incomplete samples, sorted and shuffled: a panel per method."""
    names = list(dict.fromkeys(means.index.get_level_values(0)))
    with mpl.rc_context(RC):
        figure = new_figure(PAGE, 2.0 * -(-len(names) // 3) + 0.4)
        panels = figure.subplots(-(-len(names) // 3), 3, sharex=True, sharey=True, squeeze=False)
        for axes, name in zip(panels.flat, names, strict=False):
            for order, colour in zip(("sorted", "interleaved", "shuffled"), COLOURS, strict=False):
                if order in means[name].index.get_level_values(0):
                    part = means[name][order]
                    axes.plot(part.index, part, "o-", ms=3, color=colour, label=order)
            axes.set_title(name)
        for axes in panels.flat[len(names) :]:
            axes.set_visible(False)
        panels[-1, 0].set_xlabel("share of incomplete samples")
        panels[0, 0].set_ylabel("ACC (%)")
        figure.legend(
            *panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=3
        )
        figure.savefig(DOCS / "figures" / "order.png")


def scope(means: pd.DataFrame) -> str:
    """What the tables come from; a warning if that is a part of the run."""
    sets = list(dict.fromkeys(read("order_incomplete")["dataset"]))
    shares = [f"{share:g}" for share in sorted(set(means.index.get_level_values("share")))]
    text = f"{len(sets)} data sets, shares {', '.join(shares)}. {provenance(RUN)}"
    if len(sets) < N_SETS:
        printed = ", ".join(dict.fromkeys(read("order_printed")["dataset"]))
        part = f"({', '.join(sets)}; of the printed leads, {printed})"
        text = f"**A part of the run alone** {part}: no conclusion rests on it. {text}"
    return text


def opening() -> str:
    """The opening of README: what a shuffle costs the methods that read the order."""
    wide = by_order("order_incomplete")
    gains = (wide["sorted"] - wide["shuffled"]).groupby("method")
    lost = {name: part.mean() for name, part in gains if bootstrap_interval(part)[0] > 1}
    lost = dict(sorted(lost.items(), key=lambda item: -item[1]))
    return said(
        "order",
        "first page",
        methods=listed(lost),
        points=listed(f"{points:.0f}" for points in lost.values()),
        n_datasets=wide.index.levels[1].size,
    )


def main():
    means = over_shares()
    blocks = {
        "scope": scope(means),
        "complete": effects_table("order_complete"),
        "incomplete": effects_table("order_incomplete"),
        "null": effects_table("order_null"),
        "shares": shares_table(means),
        "tuned": tuned_table(),
        "noise": noise_table(),
        "printed": printed_table(),
    }
    write("order", blocks)
    fill("../README.md", "order", opening())
    draw(means)


if __name__ == "__main__":
    main()
