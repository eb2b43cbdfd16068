"""Work on the rows of a large matrix in blocks that stay in the cache."""


def row_blocks(n_rows, width, n_entries):
    """Slices of rows, one after the other, with about a number of entries each.

    Parameters
    ----------
    n_rows : int
    width : int
        Entries in a row.
    n_entries : int
        Most entries in a block, unless a row has more.

    Yields
    ------
    slice

    Examples
    --------
    >>> list(row_blocks(5, 10, 25))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    height = max(1, n_entries // width)
    for first in range(0, n_rows, height):
        yield slice(first, min(first + height, n_rows))
