"""Tables: names of rows, labels, columns of texts, features."""

import numpy as np

from mvclust.datasets.foreign.columns import (
    are_few,
    beyond_floats,
    codes_of_classes,
    numbers_of,
    whole,
)
from mvclust.datasets.foreign.headers import (
    are_row_numbers,
    index_column,
    split_header,
    tables_beside,
    with_one_header,
    without_summaries,
)
from mvclust.datasets.foreign.lines import link_ends, long_format, memberships
from mvclust.datasets.foreign.record import NotUnderstood, Variable
from mvclust.datasets.foreign.sources import LISTS
from mvclust.datasets.foreign.texts import (
    decoded,
    is_number,
    split,
    without_decimal_commas,
    without_limits,
    without_percent_signs,
)
from mvclust.datasets.foreign.words import (
    CLASSES,
    FEATURES,
    GENE_FACTS,
    GENE_IDS,
    GENE_PLACES,
    GENES,
    NO_TABLES,
    is_gap,
    names_labels,
    plain,
    without_number,
)
from mvclust.datasets.room import OF_TEXT, room_for

MANY = 4  # columns called as labels with a number: more than people label the same samples


def read_text(source, log):
    """The variables in a file of text.

    Parameters
    ----------
    source : Source
    log : Log

    Returns
    -------
    list of Variable
        None of them if it is no table.
    """
    room_for(OF_TEXT * source.path.stat().st_size, source.shown)
    text = decoded(source.path.read_bytes(), source.shown)
    if plain(source.stem) in NO_TABLES:
        log.leave_out(source.shown, "a text for people, no table")
        return []
    if source.ending == ".clist":
        return [memberships(text, source)]
    if source.ending in LISTS:
        names = np.array([line.strip() for line in text.splitlines() if line.strip()])
        return [Variable(source.stem, names, source.shown, "lists", role="ids")]
    rows = split(text, source.shown)
    if rows is None:
        log.leave_out(source.shown, "a text, no table")
        return []
    rows = without_percent_signs(rows, source.shown, log)
    rows = without_decimal_commas(rows, source.shown, log)
    rows = without_limits(rows, source.shown, log)
    return variables_of_rows(rows, source.stem, source.shown, log)


def variables_of_rows(rows, stem, shown, log):
    """The variables in a table of texts.

    Parameters
    ----------
    rows : list of list of str
    stem : str
        The name of the table.
    shown : str
        The file, for messages.
    log : Log

    Returns
    -------
    list of Variable
    """
    tables = tables_beside(rows)
    if len(tables) > 1:
        log.note(f"{shown}: empty columns between {len(tables)} tables")
        parts = [variables_of_rows(t, f"{stem}_{n}", shown, log) for n, t in enumerate(tables, 1)]
        return [variable for part in parts for variable in part]
    rows = with_one_header(rows, shown, log)
    header, body, certain = split_header(rows, shown, log)
    if not body:
        raise NotUnderstood(f"{shown}: there is no row below the names of the columns.")
    width = len(body[0])
    if header is not None and len(header) == width - 1:  # as R writes it
        header = ["", *header]
    if len(body) == 1 and header is not None and len(header) > 1:
        raise NotUnderstood(f"{shown}: there is one row below the header, expected one per sample.")
    body = without_summaries(body, shown, log)
    values, texts = numbers_of(body)
    long_numbers = {
        c for c in beyond_floats(values) if all(row[c].strip().isdigit() for row in body)
    }
    texts |= long_numbers
    body_rows = _rows_of_texts(body, texts, header)
    if body_rows == [0] and _is_second_header(header, body[0]):
        log.note(f"{shown}: the second line is a header too")
        header = [" ".join(filter(None, pair)) for pair in zip(header, body[0], strict=True)]
        return variables_of_rows([header, *body[1:]], stem, shown, log)
    if body_rows:
        return _with_rows_of_texts(body, body_rows, header, stem, shown, log)
    columns = {c: [row[c].strip() for row in body] for c in texts}
    index, weak = index_column(header, values, columns, certain, long_numbers)
    pairs = index is None and width == 2 and names_labels(stem) and 0 not in texts
    if pairs and len(set(values[:, 0].tolist())) == len(values) and whole(values[:, 0]):
        index, weak = 0, are_row_numbers(values[:, 0])
    ids = None
    if index is not None:
        ids = columns.get(index) or [row[index].strip() for row in body]
    return variables_of_frame(
        stem, shown, header, values, columns, log, index=index, ids=ids, numbered=weak,
        header_open=not certain or (header is None and width == 1),
    )  # fmt: skip


def variables_of_frame(
    stem, shown, header, values, texts, log, *, index=None, ids=None, numbered=False,
    header_open=False, corner=None,
):  # fmt: skip
    """The variables in a table whose columns are known.

    Parameters
    ----------
    stem, shown : str
        Names of the table and of its file.
    header : list of str, or None
        Names of the columns.
    values : ndarray of shape (n_rows, n_columns)
        Numbers, NaN where there is none.
    texts : dict
        Column to texts, of those that are not numeric.
    log : Log
    index : int or None
        The column of names, which is no value.
    ids : list of str, or None
        Names of the rows.
    numbered : bool
        Whether they only number them.
    header_open : bool
        Whether the first row may be a header.
    corner : str or None
        What the table calls `ids`; by default the name of the column.

    Returns
    -------
    list of Variable
    """
    width = values.shape[1]
    name = _namer(header)
    left = _columns_without_values(header, values, texts, index, shown, log)
    corner = corner if corner is not None else (name(index) if index is not None and header else "")
    common = {"file": shown, "family": "files", "rows": ids, "numbered": numbered, "table": True}
    common |= {"corner": corner}
    about = _facts_of_features(header, corner, width, index)
    if about and len(about) >= width - (index is not None):
        return [_of_features(stem, shown, header, values, about, texts, common, log)]
    if about:
        titles = ", ".join(header[c] for c in sorted(about))
        log.note(f"{titles} of {shown} tell about the features, and are no samples")
    ends = link_ends(header, values, texts)
    if ends:
        log.note(f"{shown} has one line per link ({', '.join(ends)}) and is left out; a matrix of "
                 "samples x samples is read")  # fmt: skip
        return [Variable(stem, values, columns=header, role="facts", file=shown, table=True)]
    long = long_format(stem, header, values, texts, index, ids, shown, log)
    if long:
        return long
    coordinate = _coordinate(header, stem, shown, log)
    plain_texts = [c for c in texts if c != index]
    only_texts = len(plain_texts) == width - (index is not None)
    found, beside, features = [], [], []
    ratings = _numbered_labels(header, texts)
    if ratings:
        titles = ", ".join(header[c] for c in sorted(ratings))
        log.note(f"{titles} of {shown} are called as labels are, but so many are features")
    for c in range(width):
        if c == index or (c in left | about and width > 1):
            continue
        entries = np.array(texts[c]) if c in texts else values[:, c]
        labels = header is not None and c not in coordinate and names_labels(name(c))
        labels = labels and c not in ratings
        if labels and are_few(entries):
            alone = width <= 1 + (index is not None) and names_labels(stem) < 2
            found.append(Variable(stem if alone else f"{stem}/{name(c)}", entries, **common))
        elif c not in texts:
            features.append(c)
        else:
            named = not only_texts or (header is not None and len(plain_texts) > 1)
            title = f"{stem}/{name(c)}" if named else stem
            last_of_all = header is None and len(plain_texts) == 1 and c in (0, width - 1)
            maybe_labels = last_of_all or (header is not None and plain(name(c)) in CLASSES)
            role = None if only_texts or (maybe_labels and are_few(entries)) else "facts"
            beside.append(Variable(title, entries, role=role, header_open=header_open, **common))
            if role == "facts":
                _say_text(texts[c], name(c), shown, log)
    nothing_named = header is None and not found and not beside
    place = codes_of_classes(values[:, features]) if nothing_named else None
    if place is not None:
        c = features.pop(place)
        found.append(Variable(f"{stem}/{c}", values[:, c], **common))
        _say_codes(stem, c, values[:, c], shown, log)
    if features:
        names = [name(c) for c in features] if header is not None else None
        role = "facts" if found and names_labels(stem) else None
        here = header_open and len(features) == 1
        entries = values[:, features]
        found.append(Variable(stem, entries, columns=names, role=role, header_open=here, **common))
    if not found and not beside and ids is not None:
        found.append(Variable(stem, np.array(ids), file=shown, family="files", table=True))
    return found + beside


def _columns_without_values(header, values, texts, index, shown, log):
    """The columns that number the rows, or hold nothing."""
    candidates = {0} if index not in (None, 0) else set()
    if header is not None:
        candidates |= {c for c, title in enumerate(header) if plain(title).startswith("unnamed")}
    numeric = candidates - set(texts) - {index}
    numbers = {c for c in numeric if are_row_numbers(values[:, c])}
    empty = [c for c in range(values.shape[1]) if c not in texts and np.isnan(values[:, c]).all()]
    if header is not None:
        _say_empty([header[c] for c in empty if header[c]], shown, log)
    return numbers | set(empty)


def _of_features(stem, shown, header, values, about, texts, common, log):
    """A table that tells about features alone."""
    told = ", ".join(header[c] for c in sorted(about))
    log.note(f"{shown} tells about features ({told}) and is no view; --role {stem}=view makes it "
             "one")  # fmt: skip
    chosen = sorted(about - set(texts))
    entries = values[:, chosen] if chosen else np.array(common["rows"] or [""])
    names = [header[c] for c in chosen] or None
    table = common | {"numbered": False, "table": bool(chosen)}
    return Variable(stem, entries, columns=names, role="facts", **table)


def _numbered_labels(header, texts):
    """Columns of numbers called y1, y2, ... or the like, if they are more than labels are."""
    stems = {}
    for c, title in enumerate(header or ()):
        stem = plain(without_number(title))
        if c not in texts and stem != plain(title) and names_labels(title):
            stems.setdefault(stem, set()).add(c)
    return {c for columns in stems.values() if len(columns) >= MANY for c in columns}


def _coordinate(header, stem, shown, log):
    """The columns y, where they stand beside x."""
    titles = [] if header is None else [plain(cell) for cell in header]
    if not {"x", "y"} <= set(titles):
        return []
    title = header[titles.index("y")]
    log.note(f"the column {title} of {shown} stands beside x and is a coordinate; --role "
             f"{stem}/{title}=labels takes it as labels")  # fmt: skip
    return [c for c, title in enumerate(titles) if title == "y"]


def _say_codes(stem, c, codes, shown, log):
    log.note(
        f"the column {c} of {shown} holds whole numbers from {int(codes.min())} to "
        f"{int(codes.max())}, the others none: taken as labels; --role {stem}/{c}=ignore if they "
        "are none"
    )


def _facts_of_features(header, corner, width, index):
    """The columns that say where a gene is and the like, in a table with genes in rows."""
    if header is None or plain(corner) not in GENES:
        return set()
    titles = {c: plain(header[c]) for c in range(width) if c != index}
    found = {c for c, title in titles.items() if title in GENE_FACTS}
    sure = len(GENE_PLACES & set(titles.values())) > 1 or GENE_IDS & set(titles.values())
    return found if sure or len(found) == len(titles) else set()


def _say_empty(titles, shown, log):
    if titles:
        log.note(f"{shown}: no value in the columns {', '.join(titles[:8])}, which are left out")


def _say_text(column, name, shown, log):
    if len(set(column)) == len(column) and not any(map(is_number, column)):
        log.note(f"the column {name} of {shown} holds names and is left out")
        return
    strange = [cell for cell in column if not is_number(cell) and not is_gap(cell)]
    if len(strange) == len(column):
        few = f"{len(set(column))} different texts"
        log.note(f"the column {name} of {shown} holds {few} and is left out")
    else:
        log.note(
            f"the column {name} of {shown} is not numeric in {len(strange)} of {len(column)} rows "
            f"(the first is '{strange[0][:40]}') and is left out"
        )


def _namer(header):
    def name(c):
        return header[c] if header is not None else str(c)

    return name


def _is_second_header(header, row):
    """Whether a row of texts below the titles belongs to them, and is not about samples."""
    if header is None or names_labels(row[0]):
        return False
    repeated = len(set(row[1:])) <= len(row[1:]) / 2
    return not (repeated and plain(header[0]) in FEATURES)


def _rows_of_texts(body, texts, header):
    """Rows of texts above or among numbers, where samples are columns."""
    if len(texts) < 3 or len(texts) < 0.5 * len(body[0]) or len(body) < 3:
        return []
    first = len(body[0]) - len(texts)
    rows = [
        r
        for r, row in enumerate(body)
        if sum(not is_number(c) and not is_gap(c) for c in row[max(first, 1) :])
        > 0.9 * len(row[max(first, 1) :])
    ]
    return rows if 0 < len(rows) <= 3 and len(rows) < len(body) / 2 else []


def _with_rows_of_texts(body, text_rows, header, stem, shown, log):
    """The table without rows of texts, and these as variables."""
    rest = [row for r, row in enumerate(body) if r not in text_rows]
    rows = [header, *rest] if header is not None else rest
    found = variables_of_rows(rows, stem, shown, log)
    names = header[1:] if header is not None else None
    for r in text_rows:
        name, entries = body[r][0].strip(), np.array([cell.strip() for cell in body[r][1:]])
        found.append(Variable(f"{stem}/{name}", entries, shown, "files", rows=names, table=True))
    return found
