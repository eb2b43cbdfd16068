"""Tables: header, names of rows, labels, columns of texts, one line per value."""

from collections import Counter
from itertools import groupby

import numpy as np

from mvclust.datasets.foreign.blocks import FEWEST
from mvclust.datasets.foreign.record import NotUnderstood, Variable
from mvclust.datasets.foreign.sources import LISTS
from mvclust.datasets.foreign.texts import (
    decoded,
    is_number,
    split,
    without_decimal_commas,
    without_percent_signs,
)
from mvclust.datasets.foreign.words import (
    FEATURES,
    GAPS,
    GENE_FACTS,
    GENE_IDS,
    GENE_PLACES,
    GENES,
    IDS,
    VALUES,
    VIEWS,
    is_gap,
    names_labels,
    names_one_of,
    parts_of,
    plain,
)
from mvclust.datasets.room import OF_TEXT, room_for

NO_TABLES = {"readme", "license", "licence", "changelog", "copying", "authors", "notes", "citation"}
PLAIN_GAPS = {"", "NA", "?", "null", "NULL", "None", "N/A", "-"}
TRUTH = {"true": 1.0, "false": 0.0}
ROW_NUMBERS = {"", "no", "nr", "number", "row", "num", "unnamed0", "sno", "rownumber", "index"}


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
        return [_memberships(text, source)]
    if source.ending in LISTS:
        names = np.array([line.strip() for line in text.splitlines() if line.strip()])
        return [Variable(source.stem, names, source.shown, "lists", role="ids")]
    rows = split(text, source.shown)
    if rows is None:
        log.leave_out(source.shown, "a text, no table")
        return []
    rows = without_percent_signs(rows, source.shown, log)
    rows = without_decimal_commas(rows, source.shown, log)
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
    rows = _with_one_header(rows, shown, log)
    header, body, certain = _header(rows, shown, log)
    if not body:
        raise NotUnderstood(f"{shown}: there is no row below the names of the columns.")
    width = len(body[0])
    if header is not None and len(header) == width - 1:  # as R writes it
        header = ["", *header]
    if len(body) == 1 and header is not None and len(header) > 1:
        raise NotUnderstood(f"{shown}: there is one row below the header, expected one per sample.")
    values, texts = _numbers(body)
    body_rows = _rows_of_texts(body, texts, header)
    if body_rows == [0] and header is not None and not names_labels(body[0][0]):
        log.note(f"{shown}: the second line is a header too")
        header = [" ".join(filter(None, pair)) for pair in zip(header, body[0], strict=True)]
        return variables_of_rows([header, *body[1:]], stem, shown, log)
    if body_rows:
        return _with_rows_of_texts(body, body_rows, header, stem, shown, log)
    columns = {c: [row[c].strip() for row in body] for c in texts}
    index, weak = _index_column(header, values, columns, certain)
    pairs = index is None and width == 2 and names_labels(stem) and 0 not in texts
    if pairs and len(set(values[:, 0].tolist())) == len(values) and whole(values[:, 0]):
        index, weak = 0, _row_numbers(values[:, 0])
    ids = None
    if index is not None:
        ids = columns.get(index) or [row[index].strip() for row in body]
    return variables_of_frame(
        stem, shown, header, values, columns, log, index=index, ids=ids, numbered=weak,
        header_open=not certain or (header is None and width == 1),
    )  # fmt: skip


def _with_one_header(rows, shown, log):
    """Two lines of titles as pandas writes them, views above features, as one."""
    if len(rows) < 4 or len(rows[0]) < 2 * FEWEST:
        return rows
    named = not any(cell.strip() for cell in rows[2][1:])  # a third line names the rows
    if not named and (rows[0][0].strip() or rows[1][0].strip()):
        return rows
    above, below = ([cell.strip() for cell in row[1:]] for row in rows[:2])
    runs = [len(list(of)) for _, of in groupby(above)]
    if len(runs) < 2 or min(runs) < 2 or any(map(is_number, above + below)) or not all(below):
        return rows
    log.note(f"{shown}: the first line names views, the second their features")
    titles = [f"{view}:{feature}" for view, feature in zip(above, below, strict=True)]
    return [[rows[2][0], *titles], *rows[3:]] if named else [["", *titles], *rows[2:]]


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
    numbers = {c for c in (0,) if index not in (None, 0) and c not in texts
               and _row_numbers(values[:, c])}  # fmt: skip
    empty = {c for c in range(width) if c not in texts and np.isnan(values[:, c]).all()}
    if header is not None:
        unnamed = [c for c, title in enumerate(header) if plain(title).startswith("unnamed")]
        numbers |= {c for c in unnamed if c not in texts and c != index
                    and _row_numbers(values[:, c])}  # fmt: skip
        _say_empty([header[c] for c in empty if header[c]], shown, log)
    numbers |= empty
    corner = corner if corner is not None else (name(index) if index is not None and header else "")
    common = {"file": shown, "family": "files", "rows": ids, "numbered": numbered, "table": True}
    common |= {"corner": corner}
    about = _facts_of_features(header, corner, width, index)
    if about:
        titles = ", ".join(header[c] for c in sorted(about))
        if len(about) >= width - (index is not None):
            log.note(f"{shown} tells about features ({titles}) and is no view; --role {stem}=view "
                     "makes it one")  # fmt: skip
            chosen = sorted(about - set(texts))
            entries = values[:, chosen] if chosen else np.array(ids or [""])
            names = [header[c] for c in chosen] or None
            return [Variable(stem, entries, columns=names, role="facts", file=shown, rows=ids,
                             family="files", corner=corner, table=bool(chosen))]  # fmt: skip
        log.note(f"{titles} of {shown} tell about the features, and are no samples")
        numbers |= about
    long = _long_format(stem, header, values, texts, index, ids, shown, log)
    if long:
        return long
    beside_x = header is not None and {"x", "y"} <= set(map(plain, header))
    if beside_x:
        title = next(cell for cell in header if plain(cell) == "y")
        log.note(f"the column {title} of {shown} stands beside x and is a coordinate; --role "
                 f"{stem}/{title}=labels takes it as labels")  # fmt: skip
    found, beside, features = [], [], []
    plain_texts = [c for c in texts if c != index]
    only_texts = len(plain_texts) == width - (index is not None)
    for c in range(width):
        if c == index or (c in numbers and width > 1):
            continue
        column = texts.get(c)
        entries = np.array(column) if column is not None else values[:, c]
        coordinate = beside_x and plain(name(c)) == "y"
        if header is not None and names_labels(name(c)) and not coordinate and _few(entries):
            variable = f"{stem}/{name(c)}" if width > 1 + (index is not None) else stem
            variable = variable if names_labels(stem) < 2 else f"{stem}/{name(c)}"
            found.append(Variable(variable, entries, **common))
        elif column is None:
            features.append(c)
        else:
            title = f"{stem}/{name(c)}" if header is not None and len(plain_texts) > 1 else stem
            title = title if only_texts else f"{stem}/{name(c)}"
            last_of_all = header is None and len(plain_texts) == 1 and c in (0, width - 1)
            role = None if only_texts or (last_of_all and _few(entries)) else "facts"
            beside.append(Variable(title, entries, role=role, header_open=header_open, **common))
            if role == "facts":
                _say_text(column, name(c), shown, log)
    if header is None and not found and not beside:
        labels = codes_of_classes(values[:, features])
        if labels is not None:
            c = features.pop(labels)
            found.append(Variable(f"{stem}/{c}", values[:, c], **common))
            log.note(
                f"the column {c} of {shown} holds whole numbers from {int(values[:, c].min())} to "
                f"{int(values[:, c].max())}, the others none: taken as labels; --role {stem}/{c}="
                "ignore if they are none"
            )
    if features:
        names = [name(c) for c in features] if header is not None else None
        role = "facts" if found and names_labels(stem) else None
        here = header_open and len(features) == 1
        found.append(
            Variable(
                stem, values[:, features], columns=names, role=role, header_open=here, **common
            )
        )
    if not found and not beside and ids is not None:
        found.append(Variable(stem, np.array(ids), file=shown, family="files", table=True))
    return found + beside


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


def codes_of_classes(values):
    """The place of a first or last column that counts classes among columns of fractions.

    Parameters
    ----------
    values : ndarray of shape (n_samples, n_features)

    Returns
    -------
    int or None
    """
    n, width = values.shape
    if width < 3:
        return None
    wholes = [c for c in range(width) if whole(values[:, c])]
    if len(wholes) != 1 or wholes[0] not in (0, width - 1):
        return None
    codes = np.unique(values[:, wholes[0]])
    counted = codes[0] in (0, 1) and np.array_equal(codes, np.arange(len(codes)) + codes[0])
    return wholes[0] if counted and 1 < len(codes) <= n / 5 else None


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


def _few(entries):
    """Whether entries are few distinct texts or whole numbers."""
    if entries.dtype.kind in "US":
        return len(set(entries)) < max(len(entries), 2)
    known = entries[np.isfinite(entries)]
    distinct = np.unique(known)
    return bool(len(distinct)) and len(distinct) <= len(entries) / 2 and whole(distinct)


def whole(values):
    """Whether all values are whole numbers."""
    return bool((np.asarray(values) == np.round(values)).all())


def _header(rows, shown, log):
    """The names of the columns, the rows below, and whether that is certain."""
    first, body = [cell.strip().strip('"') for cell in rows[0]], rows[1:]
    if not body:
        return None, rows, True
    if len(first) == len(body[0]) - 1:
        return first, body, True
    sample = body[:: max(1, len(body) // 50)]
    numeric = [
        all(
            is_number(row[c]) or is_gap(row[c]) or row[c].strip().lower() in TRUTH for row in sample
        )
        and not all(is_gap(row[c]) for row in sample)
        for c in range(len(first))
    ]
    above = [
        bool(cell) and not is_number(cell) and cell.lower() not in GAPS | set(TRUTH)
        for cell in first
    ]
    n_texts = sum(a and n for a, n in zip(above, numeric, strict=True))
    if n_texts and n_texts >= sum(is_number(cell) for cell in first):  # else a stray text
        return first, body, True
    known = [plain(cell) in IDS | FEATURES or names_labels(cell) == 2 for cell in first if cell]
    if any(known):
        return first, body, True
    if not first[0] and len(first) > 1 and all(map(is_number, first[1:])):
        below = [row[0].strip() for row in body]
        if any(below == [str(n + start) for n in range(len(below))] for start in (0, 1)):
            return first, body, True
    numbers = first[1:] if not first[0] or above[0] else first
    if len(numbers) > 1 and all(map(is_number, numbers)) and _counts(numbers, sample, len(first)):
        log.note(f"{shown}: the first line numbers the columns and is no sample")
        return first, body, True
    if not any(numeric):  # texts under texts: a header, or the first row?
        again = any(row[c].strip() == first[c] for row in body for c in range(len(first)))
        return None, rows, again
    return None, rows, True


def _counts(numbers, sample, width):
    """Whether a row of numbers counts columns or is a scale, as no other row is."""
    values = np.array([float(number) for number in numbers])
    if not whole(values) and not (len(values) >= 5 and (np.diff(values) > 0).all()):
        return False
    below = [row[width - len(numbers) :] for row in sample]
    others = [np.array([float(c) if is_number(c) else np.nan for c in row]) for row in below]
    if any(len(row) > 2 and (np.diff(row) > 0).all() for row in others):
        return False
    steps = np.diff(values)
    if values[0] in (0, 1) and (steps == 1).all():
        fractions = any(not whole(row[np.isfinite(row)]) for row in others)
        return len(values) > 2 or fractions
    return len(values) >= 5 and (steps > 0).all() and np.allclose(steps, steps[0], rtol=0.05)


def _numbers(rows):
    """The cells as numbers, and the columns that hold other texts."""
    values = np.full((len(rows), len(rows[0])), np.nan)
    texts, lead = set(), 0  # lead: so many first columns are texts
    for r, row in enumerate(rows):
        cells = row[lead:] if lead else row
        try:
            values[r, lead:] = _all_numbers(cells)
        except ValueError:
            for c, cell in enumerate(cells, lead):
                if is_number(cell):
                    values[r, c] = float(cell.lower().replace("d", "e"))
                elif cell.strip().casefold() in TRUTH:
                    values[r, c] = TRUTH[cell.strip().casefold()]
                elif not is_gap(cell):
                    texts.add(c)
            while lead in texts:
                lead += 1
    return values, texts


def _all_numbers(cells):
    """Cells as numbers; a ValueError if one is none."""
    if "_" in "".join(cells):  # which Python takes in numbers
        raise ValueError
    try:
        return np.array(cells, dtype=float)
    except ValueError:
        return np.array(["nan" if cell in PLAIN_GAPS else cell for cell in cells], dtype=float)


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


def _index_column(header, values, texts, certain):
    """The column that names the rows, and whether it only numbers them."""
    n, width = values.shape
    if n == 1:
        return None, False
    if header is not None:
        for c in range(width):
            named = plain(header[c]) in IDS | FEATURES if c == 0 else plain(header[c]) in IDS
            named |= parts_of(header[c])[-1:] in (["id"], ["ids"], ["barcode"])
            if named and (c == 0 or _distinct(c, values, texts)):
                continuous = c not in texts and not whole(values[:, c][np.isfinite(values[:, c])])
                if not continuous and not (width == 1 and names_labels(header[c])):
                    return c, plain(header[c]) == "index" and _row_numbers(values[:, c])
        if plain(header[0]) in ROW_NUMBERS and width > 1 and (0 in texts or whole(values[:, 0])):
            return 0, 0 not in texts and _row_numbers(values[:, 0])
    for c in texts:
        if width > 1 and len(set(texts[c])) == n and sum(map(is_number, texts[c])) < n / 2:
            return c, False
    if (
        width > 1
        and 0 in texts
        and certain
        and len(set(texts[0])) >= 0.9 * n
        and len(texts) < width
    ):
        return 0, False
    if width > 2 and n > 4 and 0 not in texts and _row_numbers(values[:, 0]):
        return 0, True
    return None, False


def _distinct(c, values, texts):
    entries = texts[c] if c in texts else values[:, c].tolist()
    return len(set(entries)) == len(entries)


def _row_numbers(column):
    return any(np.array_equal(column, np.arange(start, len(column) + start)) for start in (0, 1))


def _long_format(stem, header, values, texts, index, ids, shown, log):
    """Tables with one line per value: sample, feature, value, and perhaps view."""
    n, width = values.shape
    if width not in (3, 4) or n < 6 or (ids is not None and len(set(ids)) == n):
        return None
    places = _long_by_names(header, texts, width) if header is not None else None
    places = places or _long_by_texts(values, texts)
    if places is None:
        return None
    sample, feature, value, view = places
    of = {
        c: np.array(texts[c] if c in texts else [f"{x:g}" for x in values[:, c]])
        for c in (sample, feature, view)
        if c is not None
    }
    groups = [None] if view is None else np.unique(of[view])
    found = []
    for group in groups:
        rows = np.arange(n) if group is None else np.flatnonzero(of[view] == group)
        name = stem if group is None else str(group)
        entries = of[sample][rows], of[feature][rows], values[rows, value]
        found.append(_wide(name, *entries, shown))
    log.note(
        f"{shown} has one line per value: {', '.join(v.shown() for v in found)}; pairs that "
        "are not listed are gaps"
    )
    return found


def _long_by_names(header, texts, width):
    """The columns of sample, feature, value and view by their names."""
    names = [plain(cell) for cell in header]
    value = [c for c in range(width) if c not in texts and names[c] in VALUES]
    sample = [c for c in range(width) if names_one_of(header[c], IDS) and names[c] not in VALUES]
    feature = [c for c in range(width) if names_one_of(header[c], FEATURES)]
    view = [c for c in range(width) if names[c] in VIEWS] if width == 4 else []
    if len(value) != 1 or len(sample) != 1 or len(feature) != 1 or len(view) != width - 3:
        return None
    return sample[0], feature[0], value[0], view[0] if view else None


def _long_by_texts(values, texts):
    """Two columns of texts that repeat, but not together, and one of numbers."""
    n, width = values.shape
    if width != 3 or len(texts) != 2:
        return None
    first, second = sorted(texts)
    (value,) = {0, 1, 2} - set(texts)
    pairs = set(zip(texts[first], texts[second], strict=True))
    repeated = all(1 < len(set(texts[c])) <= n / 2 for c in texts)
    return (first, second, value, None) if len(pairs) == n and repeated else None


def _wide(name, samples, features, values, shown):
    ids, rows = np.unique(samples, return_inverse=True)
    columns, places = np.unique(features, return_inverse=True)
    pairs = Counter(zip(rows.tolist(), places.tolist(), strict=True))
    ((pair, count),) = pairs.most_common(1)
    if count > 1:
        raise NotUnderstood(
            f"{shown}: {ids[pair[0]]} and {columns[pair[1]]} are there {count} times, expected one "
            "value per sample and feature."
        )
    wide = np.full((len(ids), len(columns)), np.nan)
    wide[rows, places] = values
    return Variable(
        name, wide, shown, "files", rows=ids.tolist(), columns=columns.tolist(), corner="sample",
        table=True,
    )  # fmt: skip


def _memberships(text, source):
    """Lines as ``class: id,id,...``."""
    pairs = [
        (sample.strip(), line.partition(":")[0].strip())
        for line in text.splitlines()
        if ":" in line
        for sample in line.partition(":")[2].split(",")
        if sample.strip()
    ]
    ids = [sample for sample, _ in pairs]
    role = "labels" if len(set(ids)) == len(ids) else "facts"
    return Variable(
        source.stem, np.array([group for _, group in pairs]), source.shown, "lists", rows=ids,
        role=role,
    )  # fmt: skip
