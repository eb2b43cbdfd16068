"""Results in words: titles of panels, the scope of a table, why it is empty."""

import pandas as pd

from mvclust.bench.score import names
from mvclust.datasets.catalogue import REBUILT, is_rebuilt

MOST_REASONS = 3  # that are listed if there are no results

LETTERS = {"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η"}
LETTERS |= {"kappa": "κ", "lambda": "λ", "lam": "λ", "mu": "μ", "rho": "ρ", "sigma": "σ"}
LETTERS |= {"tau": "τ", "theta": "θ", "omega": "ω"}
LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def symbol(parameter: str) -> str:
    """A parameter as the papers write it; one without a letter keeps its name.

    >>> symbol("alpha"), symbol("lambda1"), symbol("lam"), symbol("n_anchors")
    ('α', 'λ₁', 'λ', 'n_anchors')
    """
    stem = parameter.rstrip("0123456789")
    if stem not in LETTERS:
        return parameter
    return LETTERS[stem] + parameter[len(stem) :].translate(LOWERED)


def symbols_text(points: list[dict]) -> str:
    """Varied parameters of points by their symbols, otherwise as `params_text`.

    >>> symbols_text([{"alpha": 10.0, "lambda1": 0.1}])
    'α=10, λ₁=0.1'
    """
    named = [{symbol(name): value for name, value in point.items()} for point in points]
    return names.params_text(named)


def not_drawn_text(described: dict, what: list[str]) -> str:
    """What does not fit into a figure, and the table that has it; empty if everything fits."""
    table = f"tables/{described['id']}.csv"
    return f"Not drawn for lack of room: {', '.join(what)}; {table} has all." if what else ""


def in_words(text: str) -> str:
    """Text of a rate or view ("view=1") as words."""
    return text.replace("_", " ").replace("=", " ")


def place_texts(results: pd.DataFrame) -> pd.DataFrame:
    """Data set, number of views, rate and view of every result in words; "" if without."""
    places = {"dataset": results["dataset"], "views": names.views_text(results, "{} views")}
    of_row = names.rate_text, names.view_text
    rates, views = (names.texts_of(results, of).map(in_words) for of in of_row)
    return pd.DataFrame(places | {"rate": rates, "view": views})


def scope_text(results: pd.DataFrame) -> str:
    """Data, number of samples, masks, tuning and grid of a table, in one line."""
    if results.empty:
        return ""
    sizes = {}
    for dataset, part in results.groupby("dataset", sort=False):
        n = part["n_samples"].max()
        size = "not available" if pd.isna(n) else f"n = {n:.0f}"
        rebuilt = part["source"].map(is_rebuilt).any()
        sizes.setdefault(f"{size}, {REBUILT}" if rebuilt else size, []).append(dataset)
    data = "; ".join(f"{', '.join(of)}: {size}" for size, of in sizes.items())
    repetitions = pd.to_numeric(results["repetitions"]).astype(float)
    name = names.repetitions_name(results)
    masks = f"{names.range_text(repetitions)} {name if repetitions.max() != 1 else name[:-1]}"
    tunings = list(dict.fromkeys(results["tuning"]))
    number = names.range_text(pd.to_numeric(results["grid_points"]).astype(float))
    grid = f"{number} grid point{'s' if number != '1' else ''}"
    if tunings != [names.FIXED]:
        tuning = f"{', '.join(tunings)}, over {grid}"
    elif any(any(points) for points in results["points"]):
        tuning = f"none, every point is shown, {grid}"
    else:
        tuning = "none, parameters are fixed"
    return f"{data}; {masks}; tuning: {tuning}."


def no_results_text(results: pd.DataFrame) -> str:
    """Why a table has no number."""
    notes = [] if results.empty else [note for note in dict.fromkeys(results["note"]) if note]
    more = [f"and {len(notes) - MOST_REASONS} more"] if len(notes) > MOST_REASONS else []
    reasons = "; ".join([*notes[:MOST_REASONS], *more])
    return f"No results: {reasons}." if reasons else "No results."


def has_results(results: pd.DataFrame) -> bool:
    """Whether a table has any number."""
    return not results.empty and bool(results["mean"].notna().any())
