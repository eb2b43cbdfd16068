"""Texts of a csv that a program for tables would take for formulas."""


def without_formulas(table):
    """A table in which no text is taken for a formula.

    Names and remarks may be anybody's, and programs for tables take what begins with = + - or @ for
    a formula, which may send data away: such texts begin with an apostrophe.

    Parameters
    ----------
    table : DataFrame

    Returns
    -------
    DataFrame

    Examples
    --------
    >>> import pandas as pd
    >>> without_formulas(pd.DataFrame({"note": ["=1+1", "-", "-0.5", "a-b"]}))["note"].tolist()
    ["'=1+1", '-', '-0.5', 'a-b']
    """
    texts = table.select_dtypes(exclude=["number", "bool"]).columns
    harmless = table.assign(**{name: table[name].map(_no_formula) for name in texts})
    return harmless.rename(columns=_no_formula)


def _no_formula(value):
    if not isinstance(value, str) or len(value) < 2 or value[0] not in "=+-@\t\r":
        return value
    try:
        float(value)
    except ValueError:
        return f"'{value}"
    return value
