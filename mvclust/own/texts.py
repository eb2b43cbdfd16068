"""Text files to rectangles of cells, and cells to numbers and categories."""

import csv
import re
import unicodedata
from collections import Counter
from contextlib import suppress

import numpy as np

from mvclust.extras import need

GAPS = {"", "na", "nan", "n/a", "#n/a", "null", "none", "?", "'--", "--", ".", "-", "inf?", "<na>"}
GAPS |= {"missing", "not available", "k.a.", "k. a.", "n.a.", "n.d.", "s/d", "#div/0!", "#value!"}
GAPS |= {"#ref!", "undetermined", "\u2013"}
UNKNOWN = GAPS - {"none", "missing", "-", "."}  # no classes
BEYOND = re.compile(r"[<>] ?(\d[\d.,]*|LOD|LOQ)")  # a limit of measurement
UNIT = re.compile(r"^[$€£] ?(?=[\d.])|(?<=\d) ?[%€]$")
EXACT, LONG = 2.0**53, re.compile(r"[1-9]\d{15}\d*")  # whole numbers of more digits are names
NUMBER = re.compile(r"[-+]?\d*\.?\d+([eE][-+]?\d+)?")
CELL = re.compile(r'"([^"]*)"(?=\s|$)|(\S+)')  # between blanks
COMMENT = ("#", "%", "!")
SEPARATORS = ("\t", ";", ",", "|", None)
LOOKED_AT = 300, 1_000_000  # lines and characters that decide the separator
csv.field_size_limit(2**31 - 1)  # a wide line under a wrong separator is one field
WESTERN = {
    *map(chr, range(128)),
    *"äöüÄÖÜßàâáãçéèêëíîïñóòôõúùûœæåÀÂÁÃÇÉÈÊËÍÎÏÑÓÔÕÚÛ°º²³µ€£§–’‘“”«»·×±",
}
ENCODINGS = ["gb18030", "big5", "shift_jis", "euc_kr", "cp1252", "cp1251", "cp1250", "mac_roman"]


class Unreadable(Exception):
    """A file that is not read and why; `prose` if it is a text for people."""

    def __init__(self, why, prose=False):
        super().__init__(why)
        self.prose = prose


def decoded(data: bytes) -> tuple[str, str | None]:
    """Return a text and, if it was guessed, its encoding; accents are one letter with theirs."""
    text, encoding = _decoded(data)
    return unicodedata.normalize("NFC", text.rstrip("\0")), encoding


def _decoded(data):
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16"), None
    if data[1:400:2].count(0) > 0.4 * len(data[1:400:2]):
        return data.decode("utf-16-le"), None
    try:
        return data.decode("utf-8-sig"), None
    except UnicodeDecodeError:
        from_bytes = need("charset_normalizer", "formats").from_bytes
    best = from_bytes(data[:200_000], cp_isolation=ENCODINGS).best()
    encoding = best.encoding if best else "latin-1"
    if encoding.startswith("cp125") and WESTERN.issuperset(data.decode("cp1252", "replace")):
        encoding = "cp1252"
    return data.decode(encoding, "replace"), encoding


def table_of(text: str) -> np.ndarray:
    """Return the cells of a delimited text, without comments, titles and empty columns."""
    lines = [line for line in text.splitlines() if line.strip(' \t,;"')]
    if not lines:
        raise Unreadable("it is empty")
    pairs = [len(re.findall(r"(?<=[\s;])\d+:[-\d.]", x)) > len(x.split()) / 2 for x in lines[:2]]
    if all(pairs):
        raise Unreadable(
            "it is svmlight: read it by sklearn.datasets.load_svmlight_file, then scipy.io.mmwrite"
        )
    head = [x.strip() for x in lines[:3]]
    if len(lines) > 4 and all(map(str.isdigit, head)) and int(head[2]) == len(lines) - 3:
        raise Unreadable(
            "it is a bag of words (docword): write it by scipy.io.mmwrite, from documents, words "
            "and counts"
        )
    sep = _separator(lines)
    rows, comment = _split(lines, sep), [line.startswith(COMMENT) for line in lines]
    if len(rows) < len(lines):
        raise Unreadable("it has cells of several lines: put each on one line")
    width = _usual([len(r) for r, c in zip(rows, comment, strict=True) if not c])
    if sep is None and width > 1 and '"' not in lines[-1]:
        last = [c for r in rows[-20:] for c in r]
        if sum(map(is_number, last)) < 0.5 * len(last):
            width, rows = 1, [[line.strip()] for line in lines]
    if not width:
        raise Unreadable("it holds comments only", prose=True)
    start = 0  # below titles; a header may stand behind a mark of comments (#OTU ID)
    while start < len(rows) - 1 and (len(rows[start]) < width - 1 or (
        comment[start] and _is_no_header(rows[start], width, comment[start + 1 :]))
    ):  # fmt: skip
        start += 1
    if comment[start] and len(rows[start]) == width:
        rows[start][0], comment[start] = rows[start][0].lstrip("#% "), False
    if _marks_names(rows, comment, start, width):
        comment[start:] = [False] * len(rows[start:])
    rows = [r for r, c in zip(rows[start:], comment[start:], strict=True) if not c]
    if len(rows[0]) == width - 1 and not any(r[-1] for r in rows[1:]):  # each ends with a separator
        rows = [rows[0], *(r[:-1] for r in rows[1:])]
    elif width > 1 and len(rows[0]) == width - 1:
        rows[0] = ["", *rows[0]]  # the short header of R
    return rectangle(rows)


def _is_no_header(row, width, below):
    """Whether a line behind a mark of comments has other cells, or another such line below."""
    above = below[0] and not all(below)
    return len(row) != width or above or all(is_number(c.lstrip("#")) for c in row)


def comments_about(cells: np.ndarray, text: str) -> list[str]:
    """Return the lines of comments that name rows or columns of a table or say key = value."""
    found, first = [], {str(c).lstrip("#% ") for c in cells[:, 0]}
    names = {c for c in (*cells[0], *cells[:, 0]) if re.search("[^ ][a-zA-Z]|[a-zA-Z].", c)}
    for line in (x for x in text.splitlines() if x.startswith((*COMMENT, "^"))):
        head, *rest = re.split(r'[\s,;="]+', line.lstrip("#% "))
        named = len(names & {*rest}) > 1
        if (named or re.match(r"[!^]\w+\s*=", line)) and head not in first:
            found.append((not named, line))
    return [line for _, line in sorted(found, key=lambda pair: pair[0])]


def _marks_names(rows, comment, start, width):
    """Return whether the names of samples begin like comments; refuse a table where few do."""
    below = range(start + 1, len(rows))
    marked = [n for n in below if comment[n] and len(rows[n]) == width > 1
              and sum(map(is_number, rows[n][1:])) > width / 2 - 1]  # fmt: skip
    if 0 < len(marked) <= sum(not comment[n] for n in below):
        raise Unreadable(
            f"the line of {rows[marked[0]][0]} begins like a comment and has {width} cells as the "
            "others: delete it, or the mark"
        )
    return bool(marked)


def _separator(lines):
    """Return the separator that gives most lines the same number of cells, above one if any."""
    most = max(3, min(LOOKED_AT[0], LOOKED_AT[1] // len(lines[0])))
    looked = [line for line in lines[:most] if not line.startswith(COMMENT)] or lines[:most]

    def regular(sep):
        widths = [len(r) for r in _split(looked, sep)]
        width = _usual(widths)
        count = widths.count(width)
        even = width > 1 and count >= 0.9 * len(looked) - 3
        return even, even or (width > 1 and count > 0.8 * len(looked)), sep is not None, count

    return max(SEPARATORS, key=regular)


def _split(lines, sep):
    if sep is None:
        return [[a or b for a, b in CELL.findall(line)] if '"' in line else line.split()
                for line in lines]  # fmt: skip
    return [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sep)]


def _usual(widths):
    return Counter(widths).most_common(1)[0][0] if widths else 0


def rectangle(rows: list) -> np.ndarray:
    """Return rows of cells as an array without empty columns; refuse rows of other lengths."""
    width = _usual([len(r) for r in rows])
    while len(rows) > 2 and width > 3 and sum(map(bool, rows[0])) < width / 2 and all(rows[1]):
        rows = rows[1:]  # a title
    again = width > 1 and rows[0] in rows[1:] and not any(map(is_number, rows[0]))
    if again and sum(map(is_number, rows[1])) > width / 2:
        raise Unreadable(f"row {rows.index(rows[0], 1) + 1} repeats the header: delete it")
    odd = [n for n, r in enumerate(rows, 1) if len(r) != width]
    if odd:
        words = sum(not re.search(r"\d", c) for r in rows for c in r)
        raise Unreadable(
            f"line {odd[0]} has {len(rows[odd[0] - 1])} cells, expected {width} as in most lines",
            prose=words > 0.8 * sum(map(len, rows)),
        )
    if width == 1 and np.mean([len(r[0].split()) > 2 for r in rows]) > 0.5:
        raise Unreadable("a text for people", prose=True)
    cells = np.array(rows, dtype=object).reshape(len(rows), width)
    return cells[:, [j for j in range(width) if any(c.strip() for c in cells[:, j])]]


def number(cell) -> float | None:
    """Return a cell as a number: NaN for a gap, None for a text."""
    if isinstance(cell, (int, float, np.number, np.bool_)):
        return float(cell)
    text = "" if cell is None else str(cell).strip().strip('"')
    try:
        return None if "_" in text else float(text)
    except ValueError:
        pass
    if text.lower() in GAPS or BEYOND.fullmatch(text):
        return np.nan
    if not any(map(str.isdigit, text)):
        return None
    text = re.sub(r"(?<=\d)[\u00a0\u202f](?=\d{3})", "", text).replace("\u2212", "-")
    if text[0] == "(" and text[-1] == ")":  # of book-keeping
        text = f"-{UNIT.sub('', text[1:-1])}"
    text = UNIT.sub("", text)
    if re.fullmatch(r"-?\d{1,3}(\.\d{3})+,\d+", text):  # 1.234,5
        text = text.replace(".", "")
    elif re.fullmatch(r"-?\d{1,3}(,\d{3})+\.\d+", text):  # 1,234.5
        text = text.replace(",", "")
    if re.fullmatch(r"[-+]?\d*,\d+([eE][-+]?\d+)?", text):
        text = text.replace(",", ".")
    return float(text) if NUMBER.fullmatch(text) else None


def same(cell, wanted) -> bool:
    """Whether two cells are the same text or number."""
    return cell == wanted or number(cell) == number(wanted) is not None


def is_number(cell) -> bool:
    """Whether a cell holds a number, and no gap."""
    value = number(cell)
    return value is not None and value == value


def numbers(cells: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return cells as numbers, NaN for gaps and texts, and which cells are texts."""
    if cells.dtype != object:
        return cells.astype(float), np.zeros(cells.shape, bool)
    out, odd = np.empty(cells.shape), np.zeros(cells.shape, bool)
    for j, column in enumerate(cells.T):
        with suppress(ValueError, TypeError):
            out[:, j] = column.astype(float)
            if "_" not in "".join(column) and not (abs(out[:, j]) > EXACT).any():
                continue  # Python takes 1_0 for a number
        found = [None if LONG.fullmatch(str(c)) else number(c) for c in column]
        odd[:, j] = [f is None for f in found]
        out[:, j] = [np.nan if f is None else f for f in found]
    return out, odd


def in_categories(
    cells: np.ndarray, titles: list, kind: str
) -> tuple[np.ndarray, list, np.ndarray]:
    """Return cells as numbers, the names of the features, and the column that each comes from.

    A column of words gives a column of zeros and ones per word; `mixed` leaves numbers as they are.
    """
    blocks, names, origins = [], [], []
    for j, title in enumerate(titles):
        block, odd = numbers(cells[:, [j]])
        own = [title]
        if kind != "mixed" or odd.any():
            texts = np.array([as_text(c) for c in cells[:, j]], dtype=object)
            unknown = [text.lower() in UNKNOWN for text in texts]
            levels = sorted({*texts} - {*texts[unknown]})
            block = (texts[:, None] == np.array(levels, dtype=object)).astype(float)
            block[unknown] = np.nan
            own = [f"{title}={level}" for level in levels]
        blocks.append(block)
        names += own
        origins += [j] * len(own)
    return np.hstack(blocks), names, np.array(origins, dtype=int)


def gower(X: np.ndarray, origins: np.ndarray) -> np.ndarray:
    """Scale features so that each column of the table counts alike, after Gower (1971).

    Numbers go from 0 to 1, zeros and ones of categories are divided by the root of 2: between two
    samples a number adds its squared difference in ranges, a category 0 if it is the same, else 1.
    """
    low = np.nanmin(X, axis=0)
    span = np.nanmax(X, axis=0) - low
    several = np.isin(origins, np.flatnonzero(np.bincount(origins, minlength=1) > 1))
    scale = np.where(several, np.sqrt(2), np.where(span > 0, span, 1))
    return (X - np.where(several, 0, low)) / scale


def as_text(cell) -> str:
    """Return a cell as text, empty where it is not known."""
    if isinstance(cell, (float, np.floating)):
        if cell != cell:
            return ""
        return str(int(cell)) if float(cell).is_integer() else repr(float(cell))
    if isinstance(cell, np.generic):
        return str(cell.item())
    return "" if cell is None else str(cell).strip().strip('"')
