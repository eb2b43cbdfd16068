"""Tables that describe the features of others, one feature per row."""

from dataclasses import replace

from mvclust.datasets.foreign.orientation import side_of_corner

SHARE = 0.5  # of the rows of a codebook, which are features of other tables


def without_codebooks(variables, log):
    """Variables of which those are facts whose rows are the features of other tables.

    The other tables name their samples in a column that is called as one of samples, or do not
    name them; so that a table of genes by samples beside one of genes stays a view.

    Parameters
    ----------
    variables : list of Variable
    log : Log

    Returns
    -------
    list of Variable
    """
    tables = [v for v in variables if v.table and v.columns and len(v.shape) == 2]
    data = [v for v in tables if v.rows is None or v.numbered or side_of_corner(v) == 0]
    found = []
    for v in variables:
        others = [w for w in data if _table_of(w) != _table_of(v)]
        named = v.role is None and v.table and v.rows and not v.numbered
        if named and not _is_row_of_texts(v, tables) and _describes(v, others):
            log.give(v, "facts", f"{v.name} tells about the features of other tables "
                                 f"({v.rows[0]}, ...) and is left out")  # fmt: skip
            v = replace(v, role="facts")
        found.append(v)
    return found


def _table_of(v):
    return v.name.partition("/")[0]


def _is_row_of_texts(v, tables):
    """Whether a variable is a row in a table that has samples in columns."""
    own = [w for w in tables if w is not v and w.name == _table_of(v)]
    return any(set(w.columns) & set(v.rows) for w in own)


def _describes(v, others):
    rows = {str(row) for row in v.rows}
    features = {title for w in others for title in w.columns}
    samples = {str(row) for w in others for row in w.rows or ()}
    own = set(v.columns or ())
    return (
        len(rows & features) > SHARE * len(rows)
        and not rows & samples
        and not own & samples
        and side_of_corner(v) != 0
    )
