"""How the rows of a results table are split over the panels of a figure."""

import pandas as pd

from mvclust.pipeline.score.names import params_text, texts_of, views_text
from mvclust.report.style import UNIT_SIGN
from mvclust.report.text import rate_title, view_title


def panel_texts(described, results):
    """What panels differ in, as texts.

    Parameters
    ----------
    described : dict
    results : DataFrame

    Returns
    -------
    DataFrame with dataset, views, rate, view, tuning, metric; "" if one does not apply
    """
    unit = UNIT_SIGN.get(described["unit"], "")
    return pd.DataFrame(
        {
            "dataset": results["dataset"],
            "views": views_text(results, "{} views"),
            "rate": texts_of(results, rate_title),
            "view": texts_of(results, view_title),
            "tuning": "tuning: " + results["tuning"],
            "metric": results["metric"] + unit,
        }
    )


def beyond_grid(described, results):
    """The values of all parameters but the first two, which span a surface, as text.

    Parameters
    ----------
    described : dict
    results : DataFrame

    Returns
    -------
    Series
    """
    grid = described["axes"][:2]
    texts = [
        params_text([{name: value for name, value in point.items() if name not in grid}])
        for (point, *_) in results["points"]
    ]
    return pd.Series(texts, index=results.index, dtype=object)


def split(texts, always=()):
    """Group the rows of a table by some texts.

    Parameters
    ----------
    texts : DataFrame
        One row per row of the table.
    always : sequence of str, default=()
        Columns that are part of the titles even if they do not vary.

    Returns
    -------
    list of (title, rows)
        Rows is a boolean Series. In order of first appearance; titles hold the columns that vary.
    """
    titled = [name for name in texts if name in always or texts[name].nunique() > 1]
    return [
        (", ".join(filter(None, place[titled])), (texts == place).all(axis=1))
        for _, place in texts.drop_duplicates().iterrows()
    ]


def in_order(values):
    """Different values: numbers ascending, others in order of appearance.

    Examples
    --------
    >>> in_order([10, 1, 10.0]), in_order(["sample_unit", "view_balanced"])
    ([1, 10], ['sample_unit', 'view_balanced'])
    """
    values = list(dict.fromkeys(values))
    return sorted(values) if all(is_number(value) for value in values) else values


def is_number(value):
    """Whether a parameter's value is a number."""
    return isinstance(value, int | float) and not isinstance(value, bool)
