"""Work on the rows of a large matrix in blocks that stay in the cache."""


def row_blocks(n_rows, width, n_entries):
    """Slices of rows, one after the other, with about a number of entries each.

    A row has `width` entries; a block has at most `n_entries`, unless a row has more.

    >>> list(row_blocks(5, 10, 25))
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    height = max(1, n_entries // width)
    for first in range(0, n_rows, height):
        yield slice(first, min(first + height, n_rows))
