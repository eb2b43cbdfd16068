"""The blocks and the figure of docs/order.md: python docs/make_order.py"""

import pandas as pd

from docs import pages
from docs.pages import lines_of, mean_of, mean_with_interval, said, table, table_of
from mvclust.bench.report.style import COLOURS

RUN = pages.ROOT / "results/order"
N_SETS = 10  # data sets of the whole run


def read(name: str) -> pd.DataFrame:
    """The accuracies of an experiment, with the order of the samples and the other parameters."""
    rows = pages.read_table(RUN / f"tables/{name}.csv", metric="ACC").dropna(subset="mean")
    params = rows["params"].fillna("")
    orders = params.str.extract(r"order=(\w+)")[0].replace("0", "file")
    others = params.str.replace(r"(, )?order=\w+(, )?", "", regex=True)
    kind = orders.mask(orders.str.startswith("shuffle").astype(bool), "shuffled")
    return rows.assign(order=orders, point=others, kind=kind)


def by_order(name: str) -> pd.DataFrame:
    """Method and data set -> accuracy in each order, means over shares and over shuffles."""
    cells = read(name).groupby(["method", "dataset", "setting", "kind"])["mean"].mean()
    return cells.groupby(["method", "dataset", "kind"]).mean().unstack().round(9)


def effects_table(name: str) -> str:
    """One line per method: what orders add to shuffled samples."""
    wide = by_order(name)
    gains = wide.sub(wide["shuffled"], axis=0).groupby("method")
    order = gains["sorted"].mean().sort_values(ascending=False, kind="stable").index
    means = wide.groupby("method")[["sorted", "shuffled"]].mean()
    added = gains.agg(mean_with_interval).reindex(columns=["sorted", "interleaved", "by_norm"])
    rows = means.join(added.add_prefix("with "))
    return table_of("order", "effects", rows.loc[order].reset_index())


def over_shares() -> pd.DataFrame:
    """Method, order and share -> mean accuracy over the data sets."""
    rows = read("order_incomplete")
    rows = rows.assign(share=pages.numbers_in(rows["setting"], ""), order=rows["kind"])
    cells = rows.groupby(["method", "order", "dataset", "share"])["mean"].mean()
    return cells.groupby(["method", "order", "share"]).mean()


def tuned_table() -> str:
    """Gain of sorted over shuffled samples, by how the parameters were chosen.

    The last column is the gain at the parameters that are best in sorted order.
    """
    keys = ["method", "tuning", "dataset"]
    ordered, shuffled = (
        read(f"order_tuned_{side}").set_index(keys)["mean"] for side in ("sorted", "shuffled")
    )
    gains = (ordered - shuffled).groupby(keys[:2]).agg(mean_with_interval).unstack()
    rows = by_point("order_transfer")
    best = rows.loc[rows["sorted"].groupby(["method", "dataset"]).idxmax()]
    moved = (best["sorted"] - best["shuffle_1"]).groupby("method").agg(mean_with_interval)
    gains = gains.assign(moved=moved).loc[ordered.index.unique("method")]
    return table_of("order", "tuned", gains.reset_index())


def by_point(name: str) -> pd.DataFrame:
    """Method, data set and other parameters -> accuracy in each order."""
    index = ["method", "dataset", "point"]
    return read(name).pivot_table(index=index, columns="order", values="mean")


def noise_table() -> str:
    """Random numbers: the gain of sorted over shuffled labels, and the largest at a parameter."""
    rows = by_point("order_noise")
    gains = (rows["sorted"] - rows["shuffle_1"]).groupby("method")
    means = rows[["sorted", "shuffle_1"]].groupby("method").mean()
    rows = means.assign(most=gains.max(), place=gains.idxmax())
    return table_of("order", "noise", rows.reset_index())


def printed_table() -> str:
    """The printed leads, and what remains of them without the order."""
    printed = pd.read_csv(pages.ROOT / "config/order_printed.csv")
    ours = by_order("order_printed")
    rivals = ours.drop(index="ASCR", level=0)["shuffled"].groupby("dataset")
    best = rivals.idxmax().str[0] + rivals.max().map(" {:.1f}".format)
    rows = printed.join(ours, on=["ours", "our_data"]).join(best.rename("best"), on="our_data")
    rows["lead"] = rows["printed"] - rows["printed_rival"]
    remains = rows["lead"] - (rows["sorted"] - rows["shuffled"])
    rows["remains"] = remains.fillna(rows["printed_shuffled"] - rows["printed_rival"])
    return table_of("order", "printed", rows)


def draw() -> None:
    """Accuracy over the share of incomplete samples, sorted and shuffled: a panel per method."""
    means = over_shares()
    names = list(dict.fromkeys(means.index.get_level_values(0)))
    n_lines = -(-len(names) // 3)
    with pages.figure("order", 2.0 * n_lines + 0.4) as figure:
        panels = figure.subplots(n_lines, 3, sharex=True, sharey=True, squeeze=False)
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
        entries = panels[0, 0].get_legend_handles_labels()
        figure.legend(*entries, loc="outside lower center", ncols=3)


def scope(means: pd.DataFrame) -> str:
    """What the tables come from; a warning if that is a part of the run."""
    sets = list(dict.fromkeys(read("order_incomplete")["dataset"]))
    shares = [f"{share:g}" for share in sorted(set(means.index.get_level_values("share")))]
    values = {"n": len(sets), "shares": ", ".join(shares), "made": pages.provenance(RUN)}
    text = said("order", "scope", **values)
    if len(sets) < N_SETS:
        printed = ", ".join(dict.fromkeys(read("order_printed")["dataset"]))
        text = f"{said('order', 'a part', sets=', '.join(sets), printed=printed)} {text}"
    return text


def opening() -> str:
    """The opening of README: what a shuffle costs the methods that read the order."""
    wide = by_order("order_incomplete")
    gains = (wide["sorted"] - wide["shuffled"]).groupby("method")
    effects = {name: mean_of(part) for name, part in gains}
    lost = {name: mean for name, (mean, low, _) in effects.items() if low > 1}
    lost = dict(sorted(lost.items(), key=lambda item: -item[1]))
    points = pages.listed(f"{points:.0f}" for points in lost.values())
    values = {"methods": pages.listed(lost), "points": points}
    return said("order", "first page", **values, n_datasets=wide.index.levels[1].size)


def blocks() -> dict[str, str]:
    """The blocks of the page by name."""
    means = over_shares()
    wide = means.unstack().loc[lambda part: part.index.isin(["sorted", "shuffled"], level=1)]
    return {
        "README": opening(),
        "scope": scope(means),
        "complete": effects_table("order_complete"),
        "incomplete": effects_table("order_incomplete"),
        "null": effects_table("order_null"),
        "shares": table(["method", "order", *(f"{x:g}" for x in wide)], lines_of(wide)),
        "tuned": tuned_table(),
        "noise": noise_table(),
        "printed": printed_table(),
    }


if __name__ == "__main__":
    pages.write("order")
