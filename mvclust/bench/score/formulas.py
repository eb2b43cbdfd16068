"""Texts of a csv that a program for tables would take for formulas."""

from typing import Any

import pandas as pd


def without_formulas(table: pd.DataFrame) -> pd.DataFrame:
    """Protect texts of a table that spreadsheets would read as formulas.

    Names and notes may come from anyone, and spreadsheets read text after = + - or @ as a formula,
    which may send data away; such texts get a leading apostrophe.

    >>> import pandas as pd
    >>> without_formulas(pd.DataFrame({"note": ["=1+1", "-", "-0.5", "a-b"]}))["note"].tolist()
    ["'=1+1", '-', '-0.5', 'a-b']
    """
    texts = table.select_dtypes(exclude=["number", "bool"]).columns
    harmless = table.assign(**{name: table[name].map(_no_formula) for name in texts})
    return harmless.rename(columns=_no_formula)


def _no_formula(value: Any) -> Any:
    if not isinstance(value, str) or len(value) < 2 or value[0] not in "=+-@\t\r":
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
