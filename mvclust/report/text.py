"""Structured columns as text: for files, axis labels and panel titles. Nothing is read back."""

import pandas as pd

from mvclust.pipeline.plan.settings import RATES

NATURAL = ("complete", "natural")  # protocols without masks: repetitions differ by their starts
MOST_REASONS = 3  # that are listed where there are no results


def rate_of(row):
    """The rate of a row.

    Parameters
    ----------
    row : mapping
        May have columns of `RATES`.

    Returns
    -------
    (name, value), or None if the protocol has no rate
    """
    for name in RATES:
        value = row.get(name)
        if value is not None and not pd.isna(value):
            return name, float(value)
    return None


def rate_text(row):
    """ "missing_rate=0.3", or "" without a rate."""
    rate = rate_of(row)
    return "" if rate is None else f"{rate[0]}={rate[1]:g}"


def rate_title(row):
    """The rate as words: "missing rate 0.3", or "" without a rate."""
    rate = rate_of(row)
    return "" if rate is None else f"{rate[0].replace('_', ' ')} {rate[1]:g}"


def view_text(row):
    """ "view=1", or "" where scores are not those of a single view."""
    view = _view_of(row)
    return "" if view is None else f"view={view}"


def view_title(row):
    """ "view 1", or "" where scores are not those of a single view."""
    view = _view_of(row)
    return "" if view is None else f"view {view}"


def _view_of(row):
    view = row.get("view")
    return None if view is None or pd.isna(view) else int(view)


def setting_text(row):
    """The setting of a row, as the csv tables name it.

    Parameters
    ----------
    row : mapping
        With the columns of a results table, or of a published number.

    Examples
    --------
    >>> setting_text({"protocol": "random", "missing_rate": 0.3, "view": None})
    'missing_rate=0.3'
    >>> setting_text({"protocol": "mapped", "mapped_rate": 1.0, "view": 2})
    'view=2'
    >>> setting_text({"protocol": "natural"})
    'natural'
    """
    return view_text(row) or rate_text(row) or row.get("protocol") or ""


def value_text(value):
    """A parameter's value; whole numbers without a decimal point.

    Examples
    --------
    >>> value_text(10.0), value_text(0.0001), value_text("l2")
    ('10', '0.0001', 'l2')
    """
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def params_text(points):
    """The chosen values of the varied parameters; several points if masks differ in them.

    Parameters
    ----------
    points : list of dict

    Examples
    --------
    >>> params_text([{"alpha": 10.0, "beta": 0.1}, {"alpha": 1, "beta": 0.1}])
    'alpha=10, beta=0.1 | alpha=1, beta=0.1'
    >>> params_text([{}])
    ''
    """
    return " | ".join(
        ", ".join(f"{name}={value_text(value)}" for name, value in point.items())
        for point in points
    )


def texts_of(results, function):
    """A function of every row of a table, as a Series with the table's index.

    Parameters
    ----------
    results : DataFrame
    function : callable
        Takes a row as a dict, and returns its text.

    Returns
    -------
    Series
    """
    return pd.Series(
        [function(row) for row in results.to_dict("records")], index=results.index, dtype=object
    )


def cut_text(results):
    """How a run was cut, or "" if it was not.

    Parameters
    ----------
    results : DataFrame
        A results table, or some of its rows.

    Returns
    -------
    str
        For instance "Cut run: 80 of 2000 samples, 1 of 5 masks, 1 of 12 grid points." Where data
        sets or methods differ, the numbers are ranges.
    """
    if results.empty:
        return ""
    quantities = {
        "n_samples": "samples",
        "repetitions": _repetitions_name(results),
        "grid_points": "grid points",
    }
    parts = []
    for column, name in quantities.items():
        there = pd.to_numeric(results[column]).astype(float)
        declared = pd.to_numeric(results[f"{column}_declared"]).astype(float)
        cut = there < declared
        if cut.any():
            parts.append(f"{_range_text(there[cut])} of {_range_text(declared[cut])} {name}")
    return f"Cut run: {', '.join(parts)}." if parts else ""


def scope_text(results):
    """Data, number of samples, masks, tuning and grid of a table, in one line."""
    if results.empty:
        return ""
    sizes = {}
    for dataset, n in results.groupby("dataset", sort=False)["n_samples"].max().items():
        sizes.setdefault("not available" if pd.isna(n) else f"n = {n:.0f}", []).append(dataset)
    data = "; ".join(f"{', '.join(names)}: {size}" for size, names in sizes.items())
    repetitions = pd.to_numeric(results["repetitions"]).astype(float)
    name = _repetitions_name(results)
    masks = f"{_range_text(repetitions)} {name if repetitions.max() != 1 else name[:-1]}"
    tunings = list(dict.fromkeys(results["tuning"]))
    number = _range_text(pd.to_numeric(results["grid_points"]).astype(float))
    grid = f"{number} grid point{'s' if number != '1' else ''}"
    if tunings != ["fixed"]:
        tuning = f"{', '.join(tunings)}, over {grid}"
    elif any(any(points) for points in results["points"]):
        tuning = f"none, every point is shown, {grid}"
    else:
        tuning = "none, parameters are fixed"
    return f"{data}; {masks}; tuning: {tuning}."


def no_results_text(results):
    """Why a table has no number."""
    notes = [] if results.empty else [note for note in dict.fromkeys(results["note"]) if note]
    more = [f"and {len(notes) - MOST_REASONS} more"] if len(notes) > MOST_REASONS else []
    reasons = "; ".join([*notes[:MOST_REASONS], *more])
    return f"No results: {reasons}." if reasons else "No results."


def has_results(results):
    """Whether a table has any number."""
    return not results.empty and bool(results["mean"].notna().any())


def _repetitions_name(results):
    return "starts" if set(results["protocol"]) <= set(NATURAL) else "masks"


def _range_text(values):
    values = values.dropna()
    if values.empty:
        return "0"
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else f"{low} to {high}"
