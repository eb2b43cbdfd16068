"""Published numbers beside ours: a table, the shares that hold, a scatter."""

from pathlib import Path

import matplotlib as mpl

from mvclust.pipeline.score.published import NEAR, PRINTED, UNDECIDED, shares
from mvclust.pipeline.score.significance import FEWEST_RUNS
from mvclust.report.style import (
    COLOURS,
    COLUMN,
    MARKERS,
    PAGE,
    RC,
    add_note,
    draw_agreement,
    draw_nothing,
    new_figure,
    save_figure,
)
from mvclust.report.tables import csv_text, markdown_table, to_simple_latex, write_texts


def write_comparison(comparison, folder):
    """Write published_vs_reproduced as tables and a figure under a results folder.

    Parameters
    ----------
    comparison : DataFrame
        As `compare` makes it.
    folder : path
    """
    folder, name = Path(folder), "published_vs_reproduced"
    by_paper, by_method = shares(comparison, "paper"), shares(comparison, "method")
    printed = comparison[list(PRINTED)]
    parts = [
        "# Published beside reproduced",
        "Percent points; ours with oracle tuning, as the papers'. Intervals are 95 % over masks; "
        f"only those of {FEWEST_RUNS} runs or more decide. Where the run cut the samples or the "
        "grid, has too few masks, or has rebuilt features in place of the papers' file, nothing is "
        "decided.",
        f"## By paper\n\n{markdown_table(by_paper)}",
        f"## By method\n\n{markdown_table(by_method)}",
    ]
    parts.append(f"## All numbers\n\n{markdown_table(printed.round(2))}")
    texts = {
        "csv": csv_text(printed),
        "md": "\n\n".join(parts) + "\n",
        "tex": to_simple_latex(by_paper, "Published beside reproduced, by paper")
        + "\n"
        + to_simple_latex(by_method, "Published beside reproduced, by method"),
    }
    write_texts(folder / "tables" / name, texts)
    (folder / "figures").mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(RC):
        save_figure(draw_comparison(comparison), folder / "figures" / name, f"mvclust {name}")


def draw_comparison(comparison):
    """Reproduced against published, one panel per paper; the band is 2 points wide on each side.

    Parameters
    ----------
    comparison : DataFrame

    Returns
    -------
    Figure
        Numbers without a verdict are pale.
    """
    numbers = comparison.groupby("paper", sort=False)["reproduced"].count()
    papers, without = list(numbers.index[numbers > 0]), list(numbers.index[numbers == 0])
    if not papers:
        return draw_nothing("No published number was reproduced in this run.")
    figure = new_figure(max(COLUMN, min(PAGE, 1.75 * len(papers))), 2.3)
    panels = figure.subplots(1, len(papers), sharex=True, sharey=True, squeeze=False)[0]
    for i, (axes, paper) in enumerate(zip(panels, papers, strict=True)):
        part = comparison[comparison["paper"] == paper]
        reproduced = part.dropna(subset="reproduced")
        decided = ~reproduced["verdict"].isin(UNDECIDED)
        draw_agreement(axes, NEAR)
        look = {"color": COLOURS[i % len(COLOURS)], "ms": 2.5, "mew": 0, "ls": ""}
        for chosen, alpha in ((reproduced[~decided], 0.25), (reproduced[decided], 0.7)):
            marker = MARKERS[i % len(MARKERS)]
            axes.plot(chosen["published"], chosen["reproduced"], marker, alpha=alpha, **look)
        axes.set_title(f"{paper}: {len(reproduced)} of {len(part)},\n{decided.sum()} decided")
        axes.set_xlabel("published (%)")
    panels[0].set_ylabel("reproduced (%)")
    pale = comparison.dropna(subset="reproduced")["verdict"].isin(UNDECIDED).any()
    reasons = "the run was cut, has too few masks, or has rebuilt features"
    notes = [f"Pale: not decided, since {reasons}."] if pale else []
    if without:
        notes.append(f"Nothing reproduced in this run: {', '.join(without)}.")
    add_note(figure, notes)
    return figure
