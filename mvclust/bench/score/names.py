"""Settings, parameters and methods of a results table as text. Nothing is read back."""

import pandas as pd

from mvclust.bench.plan.settings import RATES

FIXED = "fixed"  # the tuning of a sweep, where nothing is chosen
NATURAL = ("complete", "natural")  # protocols without masks: repetitions differ by their starts
WHERE = ("protocol", *RATES, "view")  # columns that say where in an experiment a result belongs


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


def view_text(row):
    """ "view=1", or "" if scores are not those of a single view."""
    view = view_of(row)
    return "" if view is None else f"view={view}"


def view_of(row):
    """The number of the view of a row, or None if scores are not those of a single view."""
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
    """A parameter's value; whole numbers without a decimal point, the parts of a list joined.

    Examples
    --------
    >>> value_text(10.0), value_text(0.0001), value_text(["pix", "fou"])
    ('10', '0.0001', 'pix+fou')
    """
    if isinstance(value, list):
        return "+".join(map(str, value))
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
    """Apply a function to the place of every row of a table.

    Parameters
    ----------
    results : DataFrame
    function : callable
        Takes the columns `WHERE` that there are, as a dict, and returns a text.

    Returns
    -------
    Series
        With the table's index.
    """
    names = [name for name in WHERE if name in results]
    places = list(zip(*(results[name].tolist() for name in names), strict=True))
    texts = {place: function(dict(zip(names, place, strict=True))) for place in set(places)}
    return pd.Series([texts[place] for place in places], index=results.index, dtype=object)


def cut_text(results):
    """How a run was cut, or "" if it was not.

    Parameters
    ----------
    results : DataFrame
        A results table, or some of its rows.

    Returns
    -------
    str
        For instance "Cut run: 80 of 2000 samples, 1 of 5 masks, 1 of 12 grid points." If data
        sets or methods differ, the numbers are ranges.
    """
    if results.empty:
        return ""
    quantities = {
        "n_samples": "samples",
        "repetitions": repetitions_name(results),
        "grid_points": "grid points",
    }
    parts = []
    for column, name in quantities.items():
        used = pd.to_numeric(results[column]).astype(float)
        declared = pd.to_numeric(results[f"{column}_declared"]).astype(float)
        cut = used < declared
        if cut.any():
            parts.append(f"{range_text(used[cut])} of {range_text(declared[cut])} {name}")
    return f"Cut run: {', '.join(parts)}." if parts else ""


def digits_text(results):
    """With what arithmetic results were computed, or "" if it is the repository's."""
    return " ".join(sorted(set(results.get("digits", [])) - {""}))


def repetitions_name(results):
    """What repetitions differ in: their masks, or only their starts."""
    return "starts" if set(results["protocol"]) <= set(NATURAL) else "masks"


def range_text(values):
    """Whole numbers as their least and largest value, "0" without any."""
    values = values.dropna()
    if values.empty:
        return "0"
    low, high = int(values.min()), int(values.max())
    return f"{low}" if low == high else f"{low} to {high}"


def row_names(results):
    """The line of a wide table, or of a figure, that every result belongs to.

    Parameters
    ----------
    results : DataFrame

    Returns
    -------
    keys : list of tuple
        Method and, in a sweep, the point.
    names : dict
        Key -> name: the method's; in a sweep also the parameters, or only these if there is one
        method.
    """
    alone = results["method_key"].nunique() == 1
    keys, names = [], {}
    for row in results[["method_key", "method", "tuning", "points"]].itertuples(index=False):
        params = params_text(row.points) if row.tuning == FIXED else ""
        key = row.method_key, params
        keys.append(key)
        names[key] = ", ".join(filter(None, ["" if alone and params else row.method, params]))
    return keys, names


def column_names(results):
    """The column of a wide table that every result belongs to.

    Parameters
    ----------
    results : DataFrame

    Returns
    -------
    list of str
        Of data set, number of views, rate and view those that vary; the setting if none does.
    """
    places = pd.DataFrame(
        {
            "dataset": results["dataset"],
            "views": views_text(results),
            "rate": texts_of(results, rate_text),
            "view": texts_of(results, view_text),
        }
    )
    varying = [name for name in places if places[name].nunique() > 1]
    if not varying:
        return texts_of(results, setting_text).tolist()
    return [", ".join(filter(None, place)) for place in places[varying].values.tolist()]


def views_text(results, pattern="n_views={}"):
    """The number of views as text if data sets of one name differ in it, else "".

    Parameters
    ----------
    results : DataFrame
    pattern : str, default="n_views={}"

    Returns
    -------
    Series
    """
    several = results.groupby("dataset")["n_views"].transform("nunique") > 1
    texts = [pattern.format(n) for n in results["n_views"]]
    return pd.Series(texts, index=results.index, dtype=object).where(several, "")
