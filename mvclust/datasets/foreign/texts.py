"""Text as rows of cells: encoding, comments, delimiters and decimal marks."""

import csv
import io
import re
from collections import Counter

from mvclust.datasets.foreign.record import NotUnderstood
from mvclust.datasets.foreign.words import is_gap

NUMBER = re.compile(
    r"\s*[-+]?(\d+\.?\d*|\.\d+)([eEdD][-+]?\d+)?\s*$|\s*[-+]?(inf|infinity)\s*$", re.I
)
DECIMAL_COMMA = re.compile(r"\s*[-+]?(\d{1,3}(\.\d{3})+|\d+)?,\d+([eE][-+]?\d+)?\s*$")
LIMIT = re.compile(r"\s*[<>]\s*=?\s*(\d+[.,]?\d*([eE][-+]?\d+)?|l?lo[dq]|uloq)\s*$", re.I)
THOUSANDS = re.compile(r"\s*[-+]?[1-9]\d{0,2}(,\d{3})+(\.\d+)?\s*$")


def decoded(content, shown):
    """Bytes as text: UTF-8 or 16 by their mark, else UTF-8, else Latin-1; one sign for minus.

    Parameters
    ----------
    content : bytes
    shown : str
        The file, for messages.

    Returns
    -------
    str
    """
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return content.decode("utf-16")
    if b"\0" in content[:4096]:
        raise NotUnderstood(f"{shown} is no text, as its name says: it holds bytes of zero.")
    try:
        return content.decode("utf-8-sig").replace("\u2212", "-")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def split(text, shown):
    """The rows of a text, each a list of cells.

    Parameters
    ----------
    text : str
    shown : str
        The file, for messages.

    Returns
    -------
    list of list of str, or None
        None if this is no table.

    Raises
    ------
    NotUnderstood
        If lines of numbers have different numbers of columns.
    """
    lines = _without_comments(text)
    if not lines:
        raise NotUnderstood(f"{shown}: the file is empty.")
    tried = {mark: _regular(lines[:100], mark) for mark in ("\t", ";", "|", ",", " ")}
    mark, _ = max(tried.items(), key=_regularity)  # the first of equal ones
    if mark == " ":  # blanks within cells
        others = [m for m in ("\t", ";", ",") if tried[m][2] > 1]
        mark = next((m for m in others if _splits_titles(lines[:100], m)), " ")
    regular, _, width = tried[mark]
    if width == 1 or not regular:
        words = [word for line in lines for word in re.split(r"[\s,;|]+", line.strip())]
        numeric = sum(is_number(word) or is_gap(word) for word in words)
        if numeric <= 0.5 * len(words):  # texts, one in a line
            rows = [[line.strip().strip('"')] for line in lines]
            return rows if max(map(len, lines)) < 200 else None
    rows = _cells(lines, mark)
    rows = [row[:-1] for row in rows] if all(len(r) > 1 and r[-1] == "" for r in rows) else rows
    short = len(rows) > 2 and len(rows[0]) == len(rows[1]) - 1 == len(rows[2]) - 1
    width = len(rows[0]) + short
    for number, row in enumerate(rows, 1):
        if len(row) != width - (short and number == 1):
            raise NotUnderstood(
                f"{shown}:{number}: {len(row)} columns, expected {width} as in the lines before."
            )
    return rows


def _splits_titles(lines, mark):
    """Whether a mark splits all lines alike, and the first into titles that a blank does not."""
    if " " in lines[0].strip() or len(lines) < 3:
        return False
    widths = {len(row) for row in _cells(lines, mark)}
    titles = _cells(lines[:1], mark)[0]
    return widths == {len(titles)} != {1} and not any(map(is_number, titles))


def _regularity(tried):
    _, (regular, share, _) = tried
    return regular, round(share, 2)


def _without_comments(text):
    """The lines that hold something; a comment above the table may be its header."""
    lines, comment = [], None
    for line in text.splitlines():
        bare = line.strip()
        if not bare.strip(",;\t ") or (not lines and re.fullmatch(r"sep=.", bare)):
            continue
        if bare[0] in "#%!" or bare.startswith("//"):
            comment = bare.lstrip("#%!/ ") if not lines else comment
            continue
        lines.append(line)
    if comment and lines:
        for mark in ("\t", ";", ",", " "):
            here, first = _cells([comment], mark)[0], _cells(lines[:1], mark)[0]
            if len(here) == len(first) > 1 and not any(map(is_number, here)):
                return [comment, *lines]
    return lines


def _cells(lines, mark):
    if mark == " ":
        if any('"' in line for line in lines[:100]):
            lines = [re.sub(r"\s+", " ", line.strip()) for line in lines]
            return list(csv.reader(lines, delimiter=" "))
        return [line.split() for line in lines]
    return list(csv.reader(io.StringIO("\n".join(lines)), delimiter=mark))


def _regular(lines, mark):
    """Whether lines have equal numbers of cells, the share of numbers, and the width."""
    if mark != " " and not any(mark in line for line in lines):
        return False, 0.0, 1
    try:
        rows = _cells(lines, mark)
    except csv.Error:  # a line without this mark is too long for one cell
        return False, 0.0, 1
    width, count = Counter(len(row) for row in rows).most_common(1)[0]
    if width == 1:
        return False, 0.0, 1
    body = rows[1:] or rows
    cells = [cell for row in body[:20] for cell in row[:200]]
    commas = mark != ","
    numeric = sum(
        is_number(c) or is_gap(c) or (commas and bool(DECIMAL_COMMA.match(c))) for c in cells
    )
    return count >= min(len(rows) - 1, 0.95 * len(rows)), numeric / max(len(cells), 1), width


def is_number(text):
    """Whether a text is a number as tables have them.

    Examples
    --------
    >>> [is_number(text) for text in ("1.5", "-2e3", "1_000", "P1", "")]
    [True, True, False, False, False]
    """
    return bool(NUMBER.match(text))


def without_percent_signs(rows, shown, log):
    """Numbers without the percent sign behind them.

    Parameters
    ----------
    rows : list of list of str
    shown : str
        The file, for messages.
    log : Log

    Returns
    -------
    list of list of str
    """
    if not any(map(_is_percent, (cell for row in rows[:200] for cell in row))):
        return rows
    log.note(f"{shown}: percent signs are left out, the numbers stay")
    return [[c.strip()[:-1] if _is_percent(c) else c for c in row] for row in rows]


def _is_percent(cell):
    cell = cell.strip()
    return cell.endswith("%") and (is_number(cell[:-1]) or bool(DECIMAL_COMMA.match(cell[:-1])))


def without_limits(rows, shown, log):
    """Values below or above a limit of measurement, such as ``<0.05`` or ``<LOD``, as gaps.

    Parameters
    ----------
    rows : list of list of str
    shown : str
        The file, for messages.
    log : Log

    Returns
    -------
    list of list of str
    """
    marked = [row for row in rows if re.search("[<>]", "".join(row))]  # few rows, if any
    beyond = [cell.strip() for row in marked for cell in row if LIMIT.match(cell)]
    if not beyond:
        return rows
    log.note(
        f"{shown}: values beyond a limit of measurement, such as {beyond[0]}, are gaps "
        f"({len(beyond)} of them)"
    )
    return [["" if LIMIT.match(c) else c for c in row] for row in rows]


def without_decimal_commas(rows, shown, log):
    """Decimal commas as points, where all numbers with a comma are of that kind.

    Parameters
    ----------
    rows : list of list of str
    shown : str
        The file, for messages.
    log : Log

    Returns
    -------
    list of list of str

    Raises
    ------
    NotUnderstood
        If a comma may also group digits.
    """
    cells = [cell for row in rows[:200] for cell in row if "," in cell]
    numbers = [cell for cell in cells if DECIMAL_COMMA.match(cell) or THOUSANDS.match(cell)]
    if not numbers:
        return rows
    points = any("." in c and is_number(c) for row in rows[:200] for c in row)
    groups = all(THOUSANDS.match(cell) for cell in numbers)
    if groups and (points or any("." in cell or cell.count(",") > 1 for cell in numbers)):
        log.note(f"{shown}: commas group digits by three, as in {numbers[0].strip()}")
        return [[c.replace(",", "") if THOUSANDS.match(c) else c for c in row] for row in rows]
    if groups:
        raise NotUnderstood(
            f"{shown}: in {numbers[0].strip()} the comma may be a decimal mark or group the digits;"
            " write numbers with a point."
        )
    if points and not any(re.search(r"\.\d{3},", cell) for cell in numbers):
        raise NotUnderstood(
            f"{shown}: some numbers have a decimal comma ({numbers[0].strip()}), others a point."
        )
    log.note(f"{shown}: commas are decimal marks, as in {numbers[0].strip()}")
    return [
        [c.replace(".", "").replace(",", ".") if DECIMAL_COMMA.match(c) else c for c in row]
        for row in rows
    ]
