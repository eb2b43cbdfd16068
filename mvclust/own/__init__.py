"""One's own data: propose how files are read, then read them as ``views.yaml`` says.

``formats`` turns files into named tables and arrays, ``propose`` writes the likeliest reading of
them as ``views.yaml`` and asks where another one fits, ``read`` follows that file without guessing.
"""


class NotUnderstood(Exception):
    """Data that cannot be read: what is wrong, where, and what was expected."""
