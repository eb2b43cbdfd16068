"""Settings, parameters and methods of a results table as text. Nothing is read back."""

from collections.abc import Callable, Mapping
from typing import Any

import pandas as pd

from mvclust.bench.plan.settings import RATES

FIXED = "fixed"  # the tuning of a sweep, where nothing is chosen
NATURAL = ("complete", "natural")  # protocols without masks: repetitions differ by their starts
WHERE = ("protocol", *RATES, "view")  # columns that say where in an experiment a result belongs


def rate_of(row: Mapping) -> tuple[str, float] | None:
    """Name and value of the rate of a row (columns of `RATES`); None if its protocol has none."""
    for name in RATES:
        value = row.get(name)
        if value is not None and not pd.isna(value):
            return name, float(value)
    return None


def rate_text(row: Mapping) -> str:
    """Rate as text ("missing_rate=0.3"); empty without a rate."""
    rate = rate_of(row)
    return "" if rate is None else f"{rate[0]}={rate[1]:g}"


def view_text(row: Mapping) -> str:
    """View as text ("view=1"); empty if scores are not of a single view."""
    view = row.get("view")
    return "" if view is None or pd.isna(view) else f"view={int(view)}"


def setting_text(row: Mapping) -> str:
    """Setting of a row of results, or of a published number, as the csv tables name it.

    >>> setting_text({"missing_rate": 0.3}), setting_text({"mapped_rate": 1.0, "view": 2})
    ('missing_rate=0.3', 'view=2')
    >>> setting_text({"protocol": "natural"})
    'natural'
    """
    return view_text(row) or rate_text(row) or row.get("protocol") or ""


def is_number(value: Any) -> bool:
    """Whether a parameter's value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def value_text(value: Any) -> str:
    """Text of a parameter's value.

    >>> value_text(10.0), value_text(0.0001), value_text(["pix", "fou"])
    ('10', '0.0001', 'pix+fou')
    """
    if isinstance(value, list):
        return "+".join(map(str, value))
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value)


def params_text(points: list[dict]) -> str:
    """Chosen values of the varied parameters; several points if masks differ in them.

    >>> params_text([{"alpha": 10.0, "beta": 0.1}, {"alpha": 1, "beta": 0.1}])
    'alpha=10, beta=0.1 | alpha=1, beta=0.1'
    """
    texts = [[f"{name}={value_text(value)}" for name, value in each.items()] for each in points]
    return " | ".join(map(", ".join, texts))


def texts_of(results: pd.DataFrame, function: Callable[[dict], str]) -> pd.Series:
    """Apply a function to the place (the available columns of `WHERE`) of every row of a table."""
    names = [name for name in WHERE if name in results]
    places = list(zip(*(results[name].tolist() for name in names), strict=True))
    texts = {place: function(dict(zip(names, place, strict=True))) for place in set(places)}
    return pd.Series([texts[place] for place in places], index=results.index, dtype=object)


def cut_text(results: pd.DataFrame) -> str:
    """How a run was reduced ("Cut run: 80 of 2000 samples, 1 of 5 masks."), or "" if it was not."""
    if results.empty:
        return ""
    names = "samples", repetitions_name(results), "grid points"
    parts = []
    for column, name in zip(("n_samples", "repetitions", "grid_points"), names, strict=True):
        used = pd.to_numeric(results[column]).astype(float)
        declared = pd.to_numeric(results[f"{column}_declared"]).astype(float)
        cut = used < declared
        if cut.any():
            parts.append(f"{range_text(used[cut])} of {range_text(declared[cut])} {name}")
    return f"Cut run: {', '.join(parts)}." if parts else ""


def digits_text(results: pd.DataFrame) -> str:
    """Arithmetic of the results, or "" if it is the repository's."""
    return " ".join(sorted(set(results.get("digits", [])) - {""}))


def repetitions_name(results: pd.DataFrame) -> str:
    """What repetitions differ in: masks, starts, or both where the authors' masks are refitted."""
    if set(results["protocol"]) <= set(NATURAL):
        return "starts"
    again = "starts_se" in results and results["starts_se"].notna().any()
    return "masks and starts" if again else "masks"


def range_text(values: pd.Series) -> str:
    """Least and largest of whole numbers as text, "0" without any."""
    values = values.dropna()
    if values.empty:
        return "0"
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else f"{low} to {high}"


def row_names(results: pd.DataFrame) -> tuple[list[tuple], dict[tuple, str]]:
    """Line of a wide table or figure for every result (method and point), and names of the lines.

    A name is the method's; in a sweep also the parameters, or only these if there is one method.
    """
    alone = results["method_key"].nunique() == 1
    keys, names = [], {}
    for row in results[["method_key", "method", "tuning", "points"]].itertuples(index=False):
        params = params_text(row.points) if row.tuning == FIXED else ""
        key = row.method_key, params
        keys.append(key)
        names[key] = ", ".join(filter(None, ["" if alone and params else row.method, params]))
    return keys, names


def column_names(results: pd.DataFrame) -> list[str]:
    """Columns of a wide table: what varies of data set, views, rate and view, or the setting."""
    places = {"dataset": results["dataset"], "views": views_text(results)}
    places |= {"rate": texts_of(results, rate_text), "view": texts_of(results, view_text)}
    places = pd.DataFrame(places)
    varying = [name for name in places if places[name].nunique() > 1]
    if not varying:
        return texts_of(results, setting_text).tolist()
    return [", ".join(filter(None, place)) for place in places[varying].values.tolist()]


def views_text(results: pd.DataFrame, pattern: str = "n_views={}") -> pd.Series:
    """Number of views as text if data sets of one name differ in it, else ""."""
    several = results.groupby("dataset")["n_views"].transform("nunique") > 1
    texts = [pattern.format(n) for n in results["n_views"]]
    return pd.Series(texts, index=results.index, dtype=object).where(several, "")
