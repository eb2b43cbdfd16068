"""Columns of a view that may be no measurements: classes, facts, numbers of rows, several views."""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations, groupby, permutations, takewhile
from operator import itemgetter

import numpy as np

from mvclust.own import words
from mvclust.own.pieces import key_of
from mvclust.own.read import grouped
from mvclust.own.tables import KINDS, TEXT, Table, has_class_line, is_one_hot, kind_of
from mvclust.own.texts import number
from mvclust.own.views import line

TWICE = r".*[A-Za-z_.](\d)$"  # height1, height2: of two things
BLOCKS = (r"([A-Za-z][A-Za-z0-9]*?)[\[:_. ]", r".*[:_. ]([A-Za-z]+)$", TWICE)  # rna_1, na_blood
FILLED = tuple(k for k in KINDS if k not in ("empty", "same"))
MOST_BLOCKS = 6  # of three columns each
MOST_NAMELESS = 3  # doubtful columns of a table without names
MOST_HOT = 15  # classes as columns
FAR = 1000  # times the numbers of other columns
MOST_MARKS = 4  # texts among numbers that may mark gaps
MOST_KEYS = 8  # columns of words of which two may name what a row is
MOST_FACTS = 2  # columns of numbers beside words
MOST_CLASSES = 5  # columns that are offered as labels
MOST_HEADS = 60  # beginnings that are compared one by one
MOST_STATES = 6  # columns, and values of each, that may be conditions
MOST_BESIDE = 4  # columns beside shares of one whole
FEWEST_SHARES = 5
YEARS, MOST_YEARS = (1800, 2100), 150
MOST_DESIGNED = 200  # columns of a table in which years and groups are looked for
MOST_COMPARED = 15  # columns of which one may be the difference of two others
MOST_CODES = 3  # values of a code beside measurements
MOST_ALIKE, MOST_NAMED = 4, 40  # titles of one pattern, and all that a question names
MOST_SHOWN = 12  # doubtful columns that a question names
FEW_ROWS = 40  # of a table in which single rows are looked at


def doubtful(t: Table, tables: list[Table]) -> dict[int, str]:
    """Return which columns may be no measurement, and why, where rows are samples."""
    data = t.data(*FILLED)
    if not data or (t.texts is None and (not t.columns or t.piece.samples)):
        return {}
    few = {j: t.known(j) for j in t.data("few")}
    share = len(t.data("num")) / len(data)
    flags = [*few] in (data[-len(few) :], data[: len(few)]) and len(few) < len(data) - 1
    flags = flags and all(len(v) == 2 for v in few.values())  # failures, outcomes
    many = share < 0.5 and len(few) > 0.34 * len(data) and not flags
    why = {j: word for j in data if (word := _doubt(t, j, data, few, share >= 0.6, many))}
    if not t.columns and len(why) > MOST_NAMELESS:  # only an end tells a class without a name
        why = {j: word for j, word in why.items() if j in (data[0], data[-1])}
    flat = {t.title(j).lower(): j for j in data}
    if {"x", "y"} <= flat.keys() and "z" not in flat and len(data) > len(why) + 4:
        why |= dict.fromkeys((flat["x"], flat["y"]), "coordinates by its name")
    for j in data if t.columns and len(data) < MOST_DESIGNED else ():
        word = _of_design(t, j, data)
        if word and "whole numbers" in why.get(j, "whole numbers"):
            why[j] = word
    for j, word in _beside_others(t, data, why, share >= 0.6):
        why.setdefault(j, word)
    for also, most in (also_in(t, o) for o in tables):
        why |= {} if most else dict.fromkeys(also, "also in another table")
    return why


def _beside_others(t, data, why, fractions) -> Iterator[tuple[int, str]]:
    """Yield what columns may be in view of the others; `why` grows meanwhile."""
    strange, numbered = words.unlike(t.titles(data))
    strange = [j for j in data if numbered and len(data) > 4 and t.title(j) in strange]
    able, far = t.of(data, "num", "whole", "few"), []
    if len(able) > 2:
        low, high = (f(t.values[:, able], axis=0) for f in (np.nanmin, np.nanmax))
        first, second = np.argsort(-high, kind="stable")[:2]
        above = t.kinds[able[first]] == "whole" and low[first] > FAR * max(high[second], 1)
        far = [able[first]] * int(above)
    yield from {
        **dict.fromkeys(_beside_shares(t, data), "beside columns that sum up to 1"),
        **dict.fromkeys(strange, "its name is unlike the others"),
        **dict.fromkeys(far, "large whole numbers among small ones"),
    }.items()
    heads = {j: re.split("[._]", title)[0] for j, title in zip(data, t.titles(data), strict=True)
             if re.search(r"\w[._]\w", title)}  # fmt: skip
    sizes, coded = Counter(heads.values()), {heads.get(j) for j in t.of(why, "few")} - {""}
    for j in t.of(heads, "few", "const"):
        if heads[j] in coded and 1 < sizes[heads[j]] < MOST_BESIDE:
            yield j, "begins as others with few values"
    titles = set(t.titles(data))
    for j in data:
        name = words.SPREAD.sub("", t.title(j))
        if name != t.title(j) and name in titles:
            yield j, f"how certain {name} is, by its name"
    for run in (data, data[::-1]) if fractions else ():
        for j in takewhile(lambda j: t.kinds[j] in ("whole", "few") or j in why, run):
            yield j, "whole numbers at an end"
    yield from _sums(t, [j for j in data if " less " not in why.get(j, "")]).items()


def totals(X: np.ndarray) -> list[int]:
    """Return the rows that are the sum of all others in nearly all columns."""
    known = X[:, np.isfinite(X).all(axis=0) & (X != 0).any(axis=0)]
    if len(X) < 4 or known.shape[1] < 2:
        return []
    equal = np.isclose(2 * known, known.sum(axis=0), rtol=1e-3, atol=0)
    return np.flatnonzero(equal.mean(axis=1) > 0.9).tolist()


def _sums(t, js) -> dict[int, str]:
    """Return the columns that are the sum of all others, or of several that stand together."""
    able = t.of(js, "num", "whole", "few", "const")
    able = [j for j in able if np.isfinite(t.values[:, j]).all()]
    found = {able[k]: "the sum of the others" for k in totals(t.values[:, able].T)}
    X, d = t.values[:, able], len(able)
    if found or len(X) < 6 or not 3 < d < MOST_DESIGNED:
        return found
    sums = np.cumsum(np.c_[np.zeros(len(X)), X], axis=1)
    first, end = np.triu_indices(d + 1, 2)
    some = sums[:FEW_ROWS, end] - sums[:FEW_ROWS, first]
    for k, x in enumerate(X.T):
        equal = np.isclose(some, x[:FEW_ROWS, None], rtol=1e-6).all(axis=0)
        counts = t.kinds[able[k]] in ("num", "whole")
        for a, b in zip(first[equal], end[equal], strict=True) if counts else ():
            if not a <= k < b and np.allclose(sums[:, b] - sums[:, a], x, rtol=1e-6):
                found[able[k]] = f"the sum of {t.title(able[a])} to {t.title(able[b - 1])}"
    return found


def also_in(t: Table, o: Table) -> tuple[list[int], bool]:
    """Return the columns that another table has with name and values, and if it is a version."""
    at, repeated = {name: k for k, name in enumerate(o.columns or [])}, []
    named = [j for j in t.data(*FILLED) if t.title(j) in at] if o.side == "rows" else []
    for j in (j for j in named if not words.BARE.fullmatch(t.title(j))):
        both = t.values[:, j], o.values[:, at[t.title(j)]]
        a, b = (Counter(np.round(x[~np.isnan(x)], 6).tolist()) for x in both)
        mostly = bool(a) and (a & b).total() > 0.5 * min(a.total(), b.total())
        if a == b if t.kinds[j] == "few" else mostly:  # few values are alike in any two columns
            repeated.append(j)
    return repeated, len(repeated) >= max(3, 0.8 * min(len(t.measured()), len(o.measured())))


def _doubt(t, j, data, few, fractions, many):
    """Return why one column may be no measurement; None if nothing says so."""
    kind, n, at_end = t.kinds[j], len(t.values), j in (data[0], data[-1])
    name = re.sub(r" [(\[].*", "", t.title(j))  # without a unit
    name = re.sub(r"([a-z])(I[Dd])$", r"\1_\2", name)  # hospitalID
    named = words.names_samples(name) or (kind == "text" and name.lower().endswith("name"))
    counts = {*Counter(t.cells(j)).values()} if kind in ("words", "text") else ()
    again = len(counts) == 1 and max(counts) > 1 and t.distinct(j) > 2 * MOST_HOT  # as samples may
    if again or (named and kind in ("words", "few", "text", "whole", "const")):
        repeat = "they repeat, are rows visits or parts of a sample?"
        names = t.distinct(j)
        return "names the rows" if names == n else f"names {names} in {n} rows: {repeat}"
    if kind == "words":
        lab = next((c for c in t.cells(j) if words.NO_SAMPLE.match(c)), None)
        return f"{t.distinct(j)} words" + f", as {lab}: no samples?" * bool(lab)
    if kind in (*TEXT, "odd", "index"):
        plain = {"date": "times", "odd": "numbers and a text", "index": "numbers the rows"}
        return plain.get(kind, "texts")
    if kind == "few":
        mine, others = few[j], [v for k, v in few.items() if k != j] if at_end else []
        alike = sum(mine == v or (min(v) == min(mine) == 0 and (mine < v or v < mine))
                    for v in others)  # fmt: skip
        shapes = Counter(map(words.shape, t.titles(data if at_end else ())))  # item1, item2, ...
        is_item = shapes[words.shape(name)] > 0.5 * len(data) and not words.BARE.fullmatch(name)
        alone = at_end and alike < 0.5 * (len(data) - 1) and not is_item
        coded = len(mine) <= MOST_CODES and min(mine) > 0 and 2 * len(few) <= len(data)
        if not many or alone or (coded and t.columns):
            return f"{len(mine)} whole values"
    called = t.is_class(j) and (kind == "few" or at_end)
    called = called or (kind == "few" and words.SOFT_LABEL.match(name))
    timed = len(name) > 1 and words.TIME.search(name)
    aside = words.ASIDE.match(re.sub("^[a-z]_", "", name))  # without the letter of a wave
    aside = aside and not (kind == "num" and words.WHOLE.fullmatch(name))  # the word order
    coded = words.CODE.match(name) and kind == "whole" and 2 * len(t.known(j)) < n
    if called or timed or aside or coded or words.EVENT.search(name) or words.PLACE.match(name):
        return "by its name"
    if kind != "whole":
        return None
    if n > 20 and j == data[0] and [k for k in t.data("whole") if len(t.known(k)) == n] == [j]:
        return "another whole number in each row"
    return "whole numbers at an end" if at_end and fractions else None


def _of_design(t, j, data):
    """Return what numbers of a column say that are no measurements: years, runs, differences."""
    if not t.of([j], "num", "whole", "few"):
        return None
    x = t.values[:, j]
    known = x[np.isfinite(x)]
    years = len(known) and ((known > YEARS[0]) & (known < YEARS[1])).all()
    if years and np.ptp(known) < MOST_YEARS:
        return "years, by its values"
    starts = 1 + np.count_nonzero(known[1:] != known[:-1])
    counts = t.kinds[j] == "few" and 2 * len(t.data("num")) < len(data)
    whole = len(known) == len(x) and not counts
    if whole and 2 < starts <= len(x) / 2 and len({*known.tolist()}) == starts:
        if starts <= 2 * MOST_HOT:
            return "equal values stand together"
        return f"{starts} groups of rows that stand together: visits or parts of a sample?"
    able = [k for k in t.of(data, "num", "whole") if k < j]
    if t.kinds[j] == "few" or not 1 < len(able) <= MOST_COMPARED or len(x) < 6:
        return None
    with np.errstate(invalid="ignore"):  # infinite
        for a, b in permutations(able, 2):
            parts = (t.values[:n, [j, a, b]].T for n in (FEW_ROWS, len(x)))
            if all(np.allclose(x, y - z, rtol=1e-6) for x, y, z in parts):  # few rows first
                return f"{t.title(a)} less {t.title(b)}"
    return None


def _beside_shares(t, data):
    """Return columns at an end that stand beside shares of one whole: how well these fit."""
    for k in range(1, min(MOST_BESIDE, len(data) - FEWEST_SHARES) + 1):
        for shares, rest in ((data[:-k], data[-k:]), (data[k:], data[:k])):
            X = t.values[:, shares]
            wholes = (np.allclose(X.sum(axis=1), whole, rtol=0.01) for whole in (1, 100))
            if (X >= 0).all() and any(wholes):
                return rest
    return []


def standing(p, t: Table, tables: list[Table], labels, gone: list[int]) -> None:
    """Propose a view whose samples are rows; `gone` are columns of survival."""
    why = {j: text for j, text in doubtful(t, tables).items() if j not in gone}
    data = [j for j in t.data(*FILLED) if j not in gone]
    sizes = range(min(MOST_HOT, len(data) - 1), 1, -1)
    ends = (run for k in sizes for run in (data[-k:], data[:k]) if t.of(run, "few") == run)
    hot = next((run for run in ends if is_one_hot(t.values[:, run])), [])  # one column per class
    blocks, aside = _blocks(t, [j for j in data if j not in why])
    why |= dict.fromkeys(aside, "by its beginning")
    unused = t.of(range(len(t.kinds)) if t.texts is not None else (), "empty", "same")
    out = sorted({*why, *gone, *hot, *t.spare, *(j for j in unused if j != t.names)})
    spec = t.spec(samples="rows", without=t.titles(out) or None)
    _ask_names(p, t, spec, data)
    if not set(data) - set(out):
        text = "no column of numbers that measure"
        kept = [j for j in data if t.kinds[j] not in TEXT]
        spec["without"] = t.titles(j for j in out if j not in kept)
        as_view = [line(f"views.{t.name}", spec)] if kept else []
        p.leave(t.name, text, f"{text}: go on without it?" * bool(tables), *as_view)
        return labels.add_columns(t, why)  # its words may be labels
    _propose_views(p, t, spec, blocks)
    rest = [j for j in data if j not in out]
    if text := _no_view(t, data, rest, any(o.data("num") for o in tables)):
        p.ask(t, text, t.drop())
    _ask_rows(p, t, why)
    named = words.uniform(t.columns) or words.like(t.columns, words.FEATURE_LIKE)
    if t.texts is not None and not named and not labels.called:  # only a name tells a class
        ends = t.of(dict.fromkeys((data[0], data[-1])), "few")
        ends = [j for j in ends if j not in why and j not in hot]
        _ask_ends(p, t, spec, t.titles(ends), [t.beside(column=t.title(j)) for j in ends])
    codes = sum(t.title(j) in t.piece.codes for j in rest)
    if 2 * codes > len(rest) and not blocks:
        text = f"{codes} columns of numbers are factors or texts in R: as numbers all the same?"
        p.ask(t, text, [t.set("kind", "categorical"), t.set("transform", "gower")])
    if why or hot:
        _ask_columns(p, t, why, hot, data, out, labels, bool(blocks))


def _ask_names(p, t, spec, data):
    """Ask about names that occur twice, and rows that are no samples; complete the view's lines."""
    names, n = t.row_names or [str(i + 1) for i in range(len(t.values))], len(t.values)
    sums = [names[i] for i in totals(t.values[:, t.data("num", "whole", "few")])]
    rows = [c for c in names if words.SUMMARY.match(c) or words.NO_SAMPLE.match(c)]
    able = t.names is not None and n > 3 and len(rows) < n / 2
    rows = [*dict.fromkeys([*rows * (able and max(map(len, names)) > 2), *sums])]  # no countries
    if rows:
        text = f"are the rows {words.listed(rows)} no samples?"
        text += f" {words.listed(sums)}: the sum of all others." * bool(sums)
        p.choose(t, text, t.set("without_rows", rows), t.set("without_rows", []))
        spec["without_rows"] = rows
    if t.half:
        spec["triangle"] = True
    again = [j for j in t.of(t.spare, "names") if data and data[0] < j < data[-1]]
    if any({*t.cells(j)} & {*(t.row_names or ())} for j in again):
        text = f"{t.title(again[0])} names the rows again: two tables side by side, as one view?"
        p.ask(t, text, t.drop())
    twice, times = next(iter(Counter(t.row_names or ()).most_common(1)), ("", 0))
    if t.names is not None and times > 1:
        ways = ("by_order", False), ("by_order", True), ("repeated", "mean")
        text = f"{twice} occurs twice: are these no names of samples?"
        p.choose(t, text, *(t.set(*way) for way in ways), t.drop())


def _no_view(t, data, rest, beside_numbers) -> str:
    """Return why the columns of a view, the rest of the data, may be no measurements."""
    titles = [title.lower() for title in t.titles(rest)]
    few = len(t.of(rest, "few", "const")) == len(rest) <= MOST_STATES and beside_numbers
    states = [t.distinct(j) for j in rest] if few else [0]
    if min(states) == 1 or (not t.columns and 2 < max(states) <= MOST_STATES):
        return f"holds {len(rest)} columns of few values: a view, and no conditions or facts?"
    called_place = len(rest) == 2 and t.name != "long" and words.PLACE.match(t.name)
    if {*titles} <= {"x", "y"} or all(map(words.PLACE.match, titles)) or called_place:
        return "holds places of the samples: a view?"
    if len(rest) == 1:
        return f"{t.title(rest[0])}, one number per sample: a view, and no outcome, time or fact?"
    facts = len(rest) <= MOST_FACTS or 3 == len(rest) == len(t.of(rest, "whole", "const", "index"))
    beside = t.data("words") or len(data) > 2 * len(rest)
    text = f"{', '.join(t.titles(rest))} beside others: a view, and no facts?"
    return text if facts and beside else ""


def _blocks(t, columns):
    """Return columns by how they begin or end, and those that tell about the samples."""
    if "parts" in t.piece.where:
        return {}, []
    for pattern in BLOCKS:
        matches = ((re.match(pattern, t.title(j)), j) for j in columns)
        blocks = grouped((m[1] if m else "", j) for m, j in matches)
        facts = [b for b in blocks if re.match("meta|image", b, re.I)]
        aside = [j for b in facts for j in blocks.pop(b)]
        most = 2 if len(blocks) <= MOST_BLOCKS else 4
        stems = [{t.title(j)[:-1] for j in js} for js in blocks.values()]
        if pattern == TWICE and (len(blocks) != 2 or stems[0] != stems[1]):
            continue
        if "" not in blocks and len(blocks) > 1 and min(map(len, blocks.values())) > most:
            return blocks, aside
    return {}, []


def _propose_views(p, t, spec, blocks):
    """Propose one view, or one per block of columns that begin alike."""
    clash = set(blocks) & {*p.views, t.name} or any(b.isdigit() for b in blocks)
    each = {f"{t.name}_{b}" if clash else b: {**spec, "columns": t.titles(js)}
            for b, js in blocks.items()}  # fmt: skip
    sizes = ", ".join(f"{b} ({len(js)})" for b, js in blocks.items())
    sides = [q["answers"] for q in p.questions if t.name in q["about"][0].split(", ")]
    whole = not blocks or any(".samples: columns" in str(answers) for answers in sides)
    p.views |= {t.name: spec} if whole else each
    if blocks and whole:
        lines = [line(f"views.{v}", s) for v, s in each.items()]
        p.ask(t, f"{sizes} columns: one view?", [t.drop(), *lines])
    elif not all(":" in t.title(j) for js in blocks.values() for j in js):
        lines = [*(f"views.{v}: null" for v in each), line(f"views.{t.name}", spec)]
        p.ask(t, f"{sizes} columns: a view each?", lines)


def _ask_rows(p, t, why):
    """Ask whether rows are repeated measurements, and about two lines of header."""
    n = len(t.values)
    able = [j for j in t.data("words", "few", "whole", "text", "date") if 1 < t.distinct(j) < n / 2]
    numbered = all(str(name).isdigit() for name in t.side_names("rows") or ())
    able = sorted(able, key=lambda j: j not in why)[: 2 * MOST_KEYS * numbered]
    keys = [j for j in able if j in why and t.kinds[j] != "whole"][:MOST_KEYS]
    sure, sizes = [*combinations(keys, 2)], {j: t.distinct(j) for j in able}
    others = (k for size in (2, 3) for k in combinations(able, size))
    full = (k for k in others if n <= np.prod([sizes[j] for j in k]) < 1.5 * n)
    grids = (*sure, *(full if n > FEW_ROWS else ()))
    each = (k for k in grids if len(set(zip(*map(t.cells, k), strict=True))) == n)
    if grid := next(each, None):
        text = f"one row for each {' and '.join(t.titles(grid))}: repeated measurements of one "
        text += "sample? (Each row is a sample as proposed.)"
        first = sorted(grid, key=lambda j: not words.names_samples(t.title(j)))
        a, b, *more = t.titles(first)
        values = t.titles(j for j in t.data("num", "whole") if j not in why and not more)
        long = ([t.set("long", {"sample": a, "feature": b, "value": v}), "labels: null"]
                for v in values[:4])  # fmt: skip
        means = ([t.set("ids", title), t.set("repeated", "mean")] for title in t.titles(first))
        p.ask(t, text, t.drop(), *long, *means)
    if t.header == 2 and str(t.piece.values[1, 0]).strip():
        below = words.listed(t.piece.values[1], 3)
        text = f"two lines of header ({below} is the second): names are in the first?"
        p.choose(t, text, t.set("header", 2), t.set("header", 1))


def _ask_ends(p, t, spec, titles, columns):
    """Ask about few whole values at an end among others: features, or classes."""
    if not titles:
        return
    what, key = ("column", "without") if t.side == "rows" else ("row", "without_rows")
    answers = ([line("labels", column), t.set(key, [*spec.get(key, []), title])]
               for title, column in zip(titles[::-1], columns[::-1], strict=True))  # fmt: skip
    what = f"the {what}{'s' * (len(titles) > 1)} {' and '.join(titles)} at an end"
    p.ask(t, f"{what}: features as the others, and no classes?", t.drop(), *answers)


def _ask_columns(p, t, why, hot, data, out, labels, in_blocks):
    """Ask about all doubtful columns of a view at once, with those that could be labels."""
    called = [j for j in t.of(why, "few", "words") if t.is_class(j)]
    labels.add_columns(t, called)

    def keep(js):
        """Return the line that takes some columns into the view, or beside several as one more."""
        if in_blocks:
            return line(f"views.{t.name}_rest", t.spec(samples="rows", columns=t.titles(js)))
        return t.set("without", t.titles(j for j in out if j not in js))

    lines = _label_lines(p, t, why, hot, data, out, labels, keep)
    rest = [j for j in why if j not in called and j not in hot]
    if not rest and not hot:
        return
    numeric = t.of((j for j in rest if why[j] != "names the rows"), "few", "whole", "num", "index")
    shown = [f"{', '.join(t.titles(hot))} (one column per class)"] if hot else []
    shown += [f"{t.title(j)} ({why[j]})" for j in rest]
    now = p.labels and p.labels.get("column", "one column per class")
    text = f"{words.listed(shown, MOST_SHOWN)} left out of the view"
    text += f", labels: {now}?" if now else "?"
    stay, features = [j for j in data if j not in out and t.columns], []
    keys = ((j - k, words.shape(t.title(j))) for k, j in enumerate(stay))  # that stand together
    for _, each in groupby(zip(keys, t.titles(stay), strict=True), key=itemgetter(0)):
        run = [title for _, title in each]
        features += run if len(run) < MOST_ALIKE else [f"{run[0]} ... {run[-1]}"]
    p.features[t.name] = ", ".join(features) if len(features) <= MOST_NAMED else ""
    groups = ([j for j in numeric if re.search(reason, why[j])]  # an answer each that keeps them
              for reason in ("value|whole", "name", "another"))  # fmt: skip
    none = ["labels: null"] if p.labels else []
    kept = [[keep(js), *none] for js in groups if 0 < len(js) < len(numeric)]
    kept += [[keep(numeric)], [keep(numeric), *none]][: len(none) + 1] if numeric else []
    odd = t.of(rest, "odd")
    marks = sorted({c.strip() for j in odd for c in t.cells(j) if number(c) is None})
    if 0 < len(marks) <= MOST_MARKS:
        kept.append([t.set("missing", marks), keep(odd)])
    again = [t.title(j) for j in rest if "repeat" in why[j]] if t.names is None else []
    kept += [[t.set("ids", title), t.set("repeated", "mean")] for title in again]
    if len(lines) + len(kept) > 1:
        p.choose(t, text, *lines, *kept)
    else:
        p.notes.append(f"{t.name}: {text.removesuffix('?')}")


def _label_lines(p, t, why, hot, data, out, labels, keep):
    """Choose the labels among the doubtful columns; return the answers that choose otherwise."""
    if hot:
        p.labels = t.spec(one_hot=t.titles(hot))
        return [[line("labels", p.labels)], []]
    able = [j for j in t.of(why, "few", "words") if not re.search("also|repeat", why[j])]
    if labels.called or not able:
        return [[]]
    soft = [j for j in able if words.SOFT_LABEL.match(t.title(j))]
    counts = t.columns and len(t.data("num")) < 0.5 * len(data)
    told = [j for j in able if not counts or t.kinds[j] == "words" or "name" in why[j]]
    ends = [j for j in (data[-1], data[0]) if j in told]
    order = list(dict.fromkeys([*soft, *ends, *able]))
    chosen, none = bool(soft or ends or len(able) == len(told) == 1), ["labels: null"]
    p.labels = t.beside(column=t.title(order[0])) if chosen else None
    if chosen:
        p.ask_unknown(t.cells(order[0]))
    lines = []
    for j in order[:MOST_CLASSES]:
        numbers = [k for k in t.of(out, "few", "whole", "num") if k != j]
        label = line("labels", t.beside(column=t.title(j)))
        lines += [[label], [label, keep(numbers)]][: 1 + bool(numbers)]
    return [*lines, none] if chosen else [none, *lines]


def lying(p, t: Table, tables: list[Table], labels) -> None:
    """Propose a view whose samples are columns; columns of texts tell about the features."""
    texts = [j for j, k in enumerate(t.kinds) if (k in TEXT and j != t.names)
             or (k == "empty" and t.title(j).startswith("column "))
             or (words.FEATURE_WORD.match(t.title(j)) and j in t.data())]  # fmt: skip
    data = [j for j in t.data() if j not in texts]
    others = {str(x) for o in tables for x in o.side_names(o.side) or ()}  # pyright: ignore[reportArgumentType]
    named = {str(x) for o in tables if o.side == "rows" for x in o.side_names("rows") or ()}
    odd = [j for j in _no_samples(t, data, others) if t.title(j) not in named]
    spare = sorted({*texts, *odd, *t.spare})
    spec = t.spec(samples="columns", without=t.titles(spare) or None)
    rows = [str(r) for r in t.row_names or ()]
    if _rows_of_facts(p, t, spec, rows, data, labels):
        return p.leave(t.name, "tells about the samples")
    names = t.titles(j for j in data if j not in odd)
    if odd:
        kept = [j for j in spare if j not in odd]
        text = f"the columns {words.listed(t.titles(odd))} are no samples?"
        p.ask(t, text, t.set("without", t.titles(kept)))
    ways = repeated_samples(names) if not t.match and not set(names) & others else {}
    if ways:
        return _ask_ways(p, t, spec, names, ways)
    p.views[t.name] = spec
    X, out = t.values[:, data], spec.get("without_rows", [])
    ends = [i for i in dict.fromkeys((0, len(X) - 1)) if not rows or rows[i] not in out]
    ends = [i for i in ends if kind_of(X[i], []) == "few"]
    if has_class_line(t):
        below = [str(c) for c in t.piece.values[1]]
        p.labels = {**t.piece.where, "samples": "columns",
                    "ids": str(t.piece.values[0, 0]), "column": below[0]}  # fmt: skip
        text = f"the line {words.listed(below, 4)} below the header: labels of the samples?"
        p.choose(t, text, line("labels", p.labels), "labels: null")
    elif ends and np.mean([kind_of(r, []) == "few" for r in X[:50]]) < 0.3:
        titles = [rows[i] if rows else str(i + 1) for i in ends]
        _ask_ends(p, t, spec, titles, [t.spec(samples="columns", column=r) for r in titles])


def _no_samples(t, data, others):
    """Return columns between samples that seem to tell about the features."""
    if not t.columns or t.piece.samples:
        return []
    titles = dict(zip(data, t.titles(data), strict=True))
    shapes = {j: words.shape(title) for j, title in titles.items()}
    counts = Counter(shapes.values())
    numbered = sum(c for s, c in counts.items() if c > 1 and "9" in s) >= 0.5 * len(data)
    fractions = len(t.of(data, "num")) > 0.5 * len(data)
    stems = {re.sub(r"\.\d+$", "", title) for title in titles.values() if title[-1:].isdigit()}
    of_lab = {j for j in data if words.NO_SAMPLE.match(titles[j])}
    aside = of_lab if len(of_lab) < len(data) / 2 else set()
    known = {j for j in data if titles[j] in others}
    if len(known) > 0.6 * len(data):
        aside |= {j for j in data if shapes[j] not in {shapes[k] for k in known}}
    able = [j for j in data if t.kinds[j] != "empty"]
    levels = dict(zip(able, np.nanmedian(t.values[:, able], axis=0), strict=True))
    usual = [x for j, x in levels.items() if j in known]
    if len(usual) > len(data) / 2:  # masses and times are far from all samples of other tables
        span = 2 * np.ptp(usual) or np.inf
        aside |= {j for j, x in levels.items() if abs(x - np.median(usual)) > span}
    return [j for j, title in titles.items() if not words.SAMPLE_LIKE.match(title)
            and title not in stems and (j in aside or words.OF_FEATURES.search(title)
                                        or (t.of([j], "index", "odd") and fractions)
                                        or (numbered and counts[shapes[j]] == 1))]  # fmt: skip


def _rows_of_facts(p, t, spec, rows, data, labels) -> bool:
    """Leave out rows that are no features; say whether no other row is left."""
    named = rows if t.names is not None else []
    few = named if len(rows) < FEW_ROWS else [r for r in named if words.ASIDE.match(r)]
    patterns = words.LABEL, words.SOFT_LABEL, words.EVENT, words.TIME, words.ASIDE
    genes = len(rows) > 5 * FEW_ROWS and words.like(rows, words.GENE_LIKE)
    few = [r for r in few if not (genes and words.GENE_LIKE.match(r))]  # CAPS, TIMELESS
    told = [r for r in few if any(x.search(r) for x in patterns) or words.names_samples(r)]
    for r in told:
        values = [str(c) for c in t.texts[rows.index(r), data]]
        if 1 < len(set(values)) <= len(values) / 2:
            column = t.spec(samples="columns", column=r)
            labels.add(f"{t.name}/{r}", column, values, words.LABEL.match(r))
    if told and len(told) == len(rows):
        return True
    alone, _ = words.unlike(rows)
    strange = [r for r in rows if r not in told and not (genes and words.GENE_LIKE.match(r))
               and (words.SUMMARY.match(r) or words.NO_FEATURE.match(r) or r in alone)]  # fmt: skip
    if told or strange:
        parts = [(told, " tell about the samples, and"), (strange, "")]
        text = "; ".join(f"{words.listed(p)}{how} are no features" for p, how in parts if p)
        kept = [told, strange] if told and strange else []
        p.ask(t, f"the rows {text}?", *(t.set("without_rows", k) for k in ([], *kept)))
        spec["without_rows"] = [*told, *strange]
    return False


def _ask_ways(p, t, spec, names, ways):
    """Ask about samples that a table holds several times (Intensity, LFQ), or groups of them."""
    whole = line(f"views.{t.name}", spec)
    views = {
        key_of(f"{t.name}_{word}"): {**spec, "rename": {pattern: ""},
                                     "columns": [n for n in names if re.search(pattern, n)]}
        for word, pattern in ways.items()
    }  # fmt: skip
    gone = {v: f"views.{v}: null" for v in views}
    shown = ", ".join(way.strip() for way in ways)
    used = {c for v in views.values() for c in v["columns"]}
    rest = [n for n in names if n not in used]
    rest = f", and {words.listed(rest, 4)} in none" * bool(rest)
    if all(re.sub("|".join(ways.values()), "", n).isdigit() for n in used):  # groups rather
        p.views[t.name] = spec
        lines = [t.drop(), *(line(f"views.{v}", s) for v, s in views.items())]
        p.ask(t, f"{shown}: groups of samples, and no views of the same{rest}?", lines)
        return
    p.views |= views
    only = [[line for o, line in gone.items() if o != v] for v in views]
    text = f"the samples occur {len(ways)} times ({shown}): a view each{rest}?"
    p.ask(t, text, *only, [*gone.values(), whole])


def repeated_samples(names: list) -> dict[str, str]:
    """Return the beginnings or ends under which a table repeats the same samples."""
    for turn in (1, -1):
        found: dict = {}
        for name in (name[::turn] for name in names):
            for end in (m.end() for m in re.finditer(r"[ ._:]", name)):
                found.setdefault(name[:end], set()).add(name[end:])
        found = {head: rest for head, rest in found.items() if len(rest) > 2}
        # An end (or beginning), and a longer one that ends so.
        for short, long in permutations(found, 2) if len(found) < MOST_HEADS else ():
            more = long.removeprefix(short)
            if more != long and {r for r in found[short] if not r.startswith(more)} == found[long]:
                a, b, between = (re.escape(x[::turn]) for x in (short, long, more))
                if turn == 1:
                    return {short: f"^{a}(?!{between})", long: f"^{b}"}
                return {short[::-1]: f"(?<!{between}){a}$", long[::-1]: f"{b}$"}
        sets = Counter(map(frozenset, found.values()))
        best = [rest for rest, c in sets.items() if c > 1 and len(rest) * c > 0.5 * len(names)]
        if best:
            chosen = max(best, key=len)
            heads = [head[::turn] for head, rest in found.items() if rest == chosen]
            return {h: "^" + re.escape(h) if turn == 1 else re.escape(h) + "$" for h in heads}
    return {}
