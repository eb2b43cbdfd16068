"""Errors and warnings of a fit as texts that are short enough for a row."""

import os
import traceback

MOST_TEXT, MOST_TOLD = 1000, 20  # characters of an error or warning that a row holds; warnings


def told(error: BaseException) -> str:
    """An error in one line, with the place where it was raised.

    >>> told(ValueError("no")), len(told(ValueError(1_000_000 * "no ")))
    ('ValueError: no', 1036)
    """
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        place = f" ({os.path.basename(frame.f_code.co_filename)}:{line})"
    return f"{type(error).__name__}: {text_of(error)}{place}"


def text_of(value: object) -> str:
    """Text of an error or a warning, short enough for a row; that of a class may fail."""
    try:
        text = str(value).encode("utf-8", "replace").decode()
    except BaseException as error:  # as what the class raised itself
        return f"its text failed with {type(error).__name__}"
    if len(text) > MOST_TEXT:
        text = f"{text[:MOST_TEXT]}... ({len(text)} characters)"
    return text


def texts_of(caught: list) -> list[str]:
    """Sorted texts of the warnings of a fit without duplicates; the first ones of very many."""
    texts = sorted({text_of(each.message) for each in caught})
    more = len(texts) - MOST_TOLD
    return texts if more <= 0 else [*texts[:MOST_TOLD], f"... and {more} more warnings"]
