"""Columns of a view that may be no measurements: classes, facts, numbers of rows, several views."""

import re
from collections import Counter

import numpy as np

from mvclust.own.proposal import Proposal
from mvclust.own.tables import TEXT, Table, has_class_line, kind_of, line, usual_shape
from mvclust.own.words import (
    ASIDE,
    EVENT,
    FEATURE_LIKE,
    FEATURE_WORD,
    LABEL,
    NO_FEATURE,
    OF_FEATURES,
    SAMPLE_LIKE,
    SOFT_LABEL,
    SUMMARY,
    TIME,
    like,
    names_samples,
    shape,
    uniform,
)

BLOCKS = (r"([A-Za-z][A-Za-z0-9]*?)[:_. ]", r".*[:_. ]([A-Za-z]+)$")  # rna_1 or na_blood
MOST_NAMELESS = 3  # doubtful columns of a table without names
MOST_HOT = 15  # classes as columns
FEW_ROWS = 40  # of a table in which single rows are looked at


def doubtful(t: Table, tables: list[Table]) -> dict[int, str]:
    """Return which columns may be no measurement, and why, where rows are samples."""
    data = [j for j in t.data() if t.kinds[j] not in ("empty", "same")]
    if not data or (t.texts is None and (not t.columns or t.piece.samples)):
        return {}
    few = {j: set(t.values[:, j][~np.isnan(t.values[:, j])].tolist())
           for j in data if t.kinds[j] == "few"}  # fmt: skip
    fractions = sum(t.kinds[k] == "num" for k in data) >= 0.6 * len(data)
    why = {j: word for j in data if (word := _doubt(t, j, data, few, fractions))}
    if not t.columns and len(why) > MOST_NAMELESS:  # only an end tells a class without a name
        why = {j: word for j, word in why.items() if j in (data[0], data[-1])}
    names = t.titles(data) if t.columns else []
    top, count = usual_shape(names, shape)
    if "9" in top and len(data) > 4 and count >= 0.8 * len(data):
        shapes = Counter(map(shape, names))
        for j in data:
            if shapes[shape(t.title(j))] == 1:
                why.setdefault(j, "its name is unlike the others")
    if fractions:
        for run in (data, data[::-1]):  # whole numbers in a row at an end, among fractions
            for j in run:
                if t.kinds[j] not in ("whole", "few") and j not in why:
                    break
                why.setdefault(j, "whole numbers at an end")
    for o in tables if t.columns else ():
        if o.side == "rows" and o.columns:
            at = {name: k for k, name in enumerate(o.columns)}
            both = [(j, at[t.title(j)]) for j in data if t.title(j) in at]
            why |= {j: "also in another table" for j, k in both if _repeated(t, j, o, k)}
    return why


def _doubt(t, j, data, few, fractions):
    """Return why one column may be no measurement; None if nothing says so."""
    kind, name, at_end = t.kinds[j], t.title(j), j in (data[0], data[-1])
    if t.columns and names_samples(name) and kind in ("words", "few", "text", "whole"):
        return (
            f"names {t.distinct(j)} in {len(t.values)} rows: they repeat, are rows visits or parts "
            "of a sample?"
        )
    if kind in TEXT:
        return {"words": f"{t.distinct(j)} words", "date": "times"}.get(kind, "texts")
    if kind in ("odd", "index"):
        return {"odd": "numbers and a text", "index": "numbers the rows"}[kind]
    if kind == "few":
        mine = few[j]
        alike = sum(mine == v or (min(v) == min(mine) == 0 and (mine < v or v < mine))
                    for k, v in few.items() if k != j)  # fmt: skip
        measures = sum(t.kinds[k] == "num" for k in data)
        many = len(few) > 0.34 * len(data) and measures < 0.5 * len(data)
        if not many or (at_end and alike < 0.5 * (len(data) - 1)):
            return f"{len(mine)} whole values"
    said = ASIDE.match(name) or EVENT.search(name) or (LABEL.match(name) and kind == "few")
    if t.columns and len(data) > 1 and said:
        return "by its name"
    if kind == "whole":
        n = len(t.values)
        if (
            j == data[0]
            and n > 20
            and _all_differ(t, j)
            and not any(t.kinds[k] == "whole" and _all_differ(t, k) for k in data[1:])
        ):
            return "another whole number in each row"
        if at_end and fractions:
            return "whole numbers at an end"
    return None


def _all_differ(t, j):
    return len(np.unique(t.values[:, j])) == len(t.values)


def _repeated(t, j, o, k):
    """Whether columns of one name in two tables hold the same values."""
    if re.fullmatch(r"[A-Za-z]{0,2}\d*", t.title(j)):
        return False
    both = (t.values[:, j], o.values[:, k])
    a, b = (Counter(np.round(x[~np.isnan(x)], 6).tolist()) for x in both)
    return bool(a) and (a & b).total() > 0.5 * min(a.total(), b.total())


def standing(p: Proposal, t: Table, tables: list[Table], labels, gone: list[int]) -> None:
    """Propose a view whose samples are rows; `gone` are columns of survival."""
    why = {j: w for j, w in doubtful(t, tables).items() if j not in gone}
    data = [j for j in t.data() if t.kinds[j] not in ("empty", "same") and j not in gone]
    hot = _one_hot(t, data)
    blocks, aside = _blocks(t, [j for j in data if j not in why])
    why |= dict.fromkeys(aside, "by its beginning")
    unused = [
        j for j, k in enumerate(t.kinds)
        if t.texts is not None and k in ("empty", "same") and j != t.names
    ]  # fmt: skip
    out = sorted({*why, *gone, *hot, *t.spare, *unused})
    more: dict = {"without": t.titles(out)} if out else {}
    more |= _summary(p, t)
    if t.half:
        more["triangle"] = True
    _ask_twice(p, t)
    if not set(data) - set(out):
        p.leave(t.name, "no column of numbers that measure")
        return _facts_only(p, t, why, labels)
    spec = p.spec(t, samples="rows", **more)
    _propose_views(p, t, spec, blocks)
    _ask_rows(p, t, why)
    _ask_ends(p, t, spec, data, why, hot, labels)
    if why or hot:
        _ask_columns(p, t, why, hot, data, out, labels, bool(blocks))


def _facts_only(p, t, why, labels):
    """A table without a measurement: its words may be labels."""
    for j in why:
        if t.kinds[j] in ("few", "words"):
            labels.add(f"{t.name}/{t.title(j)}", p.column(t, j), t.cells(j),
                       bool(LABEL.match(t.title(j))))  # fmt: skip


def _one_hot(t, data):
    """Return columns of zeros and ones at an end that are one class each."""
    for k in range(min(MOST_HOT, len(data) - 1), 1, -1):
        for run in (data[-k:], data[:k]):
            X = t.values[:, run]
            few = all(t.kinds[j] == "few" for j in run)
            if few and np.isin(X, (0, 1)).all() and (X.sum(axis=1) == 1).all():
                return run
    return []


def _blocks(t, columns):
    """Return columns by how they begin or end, and those that tell about the samples."""
    if not t.columns or "parts" in t.piece.where:
        return {}, []
    for pattern in BLOCKS:
        blocks: dict = {}
        for j in columns:
            found = re.match(pattern, t.title(j))
            blocks.setdefault(found[1] if found else "", []).append(j)
        facts = [b for b in blocks if re.match("meta|image", b, re.I)]
        aside = [j for b in facts for j in blocks.pop(b)]
        if "" not in blocks and len(blocks) > 1 and min(map(len, blocks.values())) > 2:
            return blocks, aside
    return {}, []


def _summary(p, t):
    """Leave out rows at the end that sum up the others."""
    if t.texts is None or t.names is None or len(t.texts) < 4:
        return {}
    rows = [str(c) for c in t.texts[-3:, t.names] if SUMMARY.match(str(c).strip())]
    if not rows:
        return {}
    text = f"the row {rows[0]} sums up the others?"
    p.ask(t.name, text, [t.set("without_rows", rows)], [t.set("without_rows", [])])
    return {"without_rows": rows}


def _ask_twice(p, t):
    if t.names is not None and len(set(t.row_names)) < len(t.row_names):
        twice = Counter(t.row_names).most_common(1)[0][0]
        p.ask(
            t.name,
            f"{twice} occurs twice: are these no names of samples?",
            [t.set("by_order", False)],
            [t.set("by_order", True)],
            [t.set("repeated", "mean")],
        )


def _propose_views(p, t, spec, blocks):
    """Propose one view, or one per block of columns that begin alike."""
    if not blocks:
        p.views[t.name] = spec
        return
    clash = set(blocks) & {*p.views, t.name}
    each = {
        f"{t.name}_{b}" if clash else b: {**spec, "columns": t.titles(js)}
        for b, js in blocks.items()
    }
    sizes = ", ".join(f"{b} ({len(js)})" for b, js in blocks.items())
    names = [line(f"views.{v}", s) for v, s in each.items()]
    about_side = any(t.name in q["about"][0].split(", ") and ".samples: columns" in
                     str(q["answers"]) for q in p.questions)  # fmt: skip
    if about_side:
        p.views[t.name] = spec
        p.ask(t.name, f"{sizes} columns: one view?", [], [t.drop(), *names])
        return
    p.views |= each
    if not all(":" in t.title(j) for js in blocks.values() for j in js):
        drops = [f"views.{v}: null" for v in each]
        whole = line(f"views.{t.name}", spec)
        p.ask(t.name, f"{sizes} columns: a view each?", [], [*drops, whole])


def _ask_rows(p, t, why):
    """Ask whether rows are repeated measurements, and about two lines of header."""
    keys = [j for j in why if t.kinds[j] in ("words", "few", "text", "date")][:2]
    if len(keys) == 2 and t.names is None:
        pairs = set(zip(t.cells(keys[0]), t.cells(keys[1]), strict=True))
        if len(pairs) == len(t.values) and all(t.distinct(j) < len(t.values) / 2 for j in keys):
            text = (
                f"one row for each {t.title(keys[0])} and {t.title(keys[1])}: repeated "
                "measurements of one sample? (Each row is a sample as proposed.)"
            )
            p.ask(t.name, text, [], [t.drop()])
    if t.header == 2 and str(t.piece.values[1, 0]).strip():
        below = " ".join(map(str, t.piece.values[1][:3]))
        text = f"two lines of header ({below} ... is the second): names are in the first?"
        p.ask(t.name, text, [t.set("header", 2)], [t.set("header", 1)])


def _ask_ends(p, t, spec, data, why, hot, labels):
    """Ask about few values at an end of columns of few values: only a name tells a class."""
    named = t.columns and (uniform(t.columns) or like(t.columns, FEATURE_LIKE))
    if t.texts is None or named or labels.called:
        return
    ends = [j for j in dict.fromkeys((data[0], data[-1]))
            if t.kinds[j] == "few" and j not in why and j not in hot]  # fmt: skip
    if not ends:
        return
    answers = [
        [line("labels", p.column(t, j)),
         t.set("without", [*spec.get("without", []), t.title(j)])]
        for j in ends[::-1]
    ]  # fmt: skip
    text = f"are {' and '.join(t.titles(ends))} at the ends features as the others, and no classes?"
    p.ask(t.name, text, [], [t.drop()], *answers)


def _ask_columns(p, t, why, hot, data, out, labels, in_blocks):
    """Ask about all doubtful columns of a view at once, with those that could be labels."""
    called = [j for j in why if t.columns and LABEL.match(t.title(j))
              and t.kinds[j] in ("few", "words")]  # fmt: skip
    for j in called:
        labels.add(t.title(j), p.column(t, j), t.cells(j), True)
    lines = _label_lines(p, t, why, hot, data, out, labels)
    rest = [j for j in why if j not in called and j not in hot]
    if not rest and not hot:
        return
    numeric = [j for j in rest if t.kinds[j] in ("few", "whole", "num", "index")]
    keep = t.set("without", t.titles(j for j in out if j not in numeric))
    shown = [f"{t.title(j)} ({why[j]})" for j in rest[:12]]
    shown += ["..."] if len(rest) > 12 else []
    if hot:
        shown.insert(0, f"{', '.join(t.titles(hot))} (one column per class)")
    now = p.labels and p.labels.get("column", "one column per class")
    p.ask(
        t.name,
        f"{', '.join(shown)} left out of the view" + (f", labels: {now}" if now else "") + "?",
        *lines,
        *([[keep], [keep, "labels: null"]] if numeric and not in_blocks else []),
    )


def _label_lines(p, t, why, hot, data, out, labels):
    """Choose the labels among the doubtful columns; return the answers that choose otherwise."""
    if hot:
        p.labels = p.spec(t, one_hot=t.titles(hot))
        return [[line("labels", p.labels)], []]
    able = [
        j for j in why
        if t.kinds[j] in ("few", "words") and "also" not in why[j] and "repeat" not in why[j]
    ]  # fmt: skip
    if labels.called or not able:
        return [[]]
    soft = [j for j in able if t.columns and SOFT_LABEL.match(t.title(j))]
    ends = [j for j in (data[-1], data[0]) if j in able]
    order = list(dict.fromkeys([*soft, *ends, *able]))
    chosen = bool(soft or ends or len(order) == 1)
    p.labels = p.column(t, order[0]) if chosen else None
    lines = []
    for j in order:
        kept = [k for k in out if k == j or t.kinds[k] not in ("few", "whole", "num")]
        label = line("labels", p.column(t, j))
        lines.append([label])
        if len(kept) < len(out):
            lines.append([label, t.set("without", t.titles(kept))])
    return [*lines, ["labels: null"]] if chosen else [["labels: null"], *lines]


def lying(p: Proposal, t: Table, tables: list[Table], labels) -> None:
    """Propose a view whose samples are columns; columns of texts tell about the features."""
    untitled = [j for j, k in enumerate(t.kinds) if k == "empty" and t.columns
                and t.title(j).startswith("column ")]  # fmt: skip
    texts = [j for j, k in enumerate(t.kinds) if j != t.names and k in TEXT] + untitled
    data = [j for j in t.data() if j not in texts]
    texts += [j for j in data if t.columns and FEATURE_WORD.match(t.title(j))]
    data = [j for j in data if j not in texts]
    others = {str(x) for o in tables for x in o.side_names(o.side) or ()}  # pyright: ignore[reportArgumentType]
    named = {str(x) for o in tables if o.side == "rows" for x in o.side_names("rows") or ()}
    odd = [j for j in _no_samples(t, data) if t.title(j) not in named]
    spare = sorted({*texts, *odd, *t.spare})
    more: dict = {"samples": "columns"}
    if spare:
        more["without"] = t.titles(spare)
    spec = p.spec(t, **more)
    rows = [str(r) for r in t.row_names or ()]
    if _rows_of_facts(p, t, spec, rows, data, labels):
        p.leave(t.name, "tells about the samples")
        return
    names = t.titles(j for j in data if j not in odd) if t.columns else []
    alone = not t.match and not set(names) & others
    ways = repeated_samples(names) if alone else {}
    if ways:
        _ask_ways(p, t, spec, names, ways)
        return
    p.views[t.name] = spec
    if any(t.kinds[j] != "index" or j not in t.spare for j in odd):
        kept = [j for j in spare if j not in odd]
        text = f"the columns {', '.join(t.titles(odd[:6]))} are no samples?"
        p.ask(t.name, text, [], [t.set("without", t.titles(kept))])
    _ask_class_rows(p, t, spec, rows, data)


def _no_samples(t, data):
    """Return columns between samples that seem to tell about the features."""
    if not t.columns or t.piece.samples:
        return []
    shapes = Counter(shape(t.title(j)) for j in data)
    usual = [s for s, c in shapes.items() if c > 1]
    numbered = sum(shapes[s] for s in usual if "9" in s) >= 0.7 * len(data)
    fractions = sum(t.kinds[j] == "num" for j in data) > 0.5 * len(data)
    return [
        j for j in data
        if not SAMPLE_LIKE.match(t.title(j)) and (
            OF_FEATURES.search(t.title(j)) or (t.kinds[j] in ("index", "odd") and fractions)
            or (numbered and shape(t.title(j)) not in usual))
    ]  # fmt: skip


def _rows_of_facts(p, t, spec, rows, data, labels) -> bool:
    """Leave out rows that are no features; say whether no other row is left."""
    if t.names is not None and len(rows) < FEW_ROWS:
        told = [r for r in rows if any(x.search(r) for x in (LABEL, SOFT_LABEL, EVENT, TIME))
                or ASIDE.match(r)]  # fmt: skip
    else:
        told = []
    for r in told:
        column = {**p.spec(t, samples="columns", column=r)}
        values = [str(c) for c in t.texts[rows.index(r), data]]
        if 1 < len(set(values)) <= len(values) / 2:
            labels.add(f"{t.name}/{r}", column, values, bool(LABEL.match(r)))
    if told and len(told) == len(rows):
        return True
    top, count = usual_shape(rows, shape)
    strange = [
        r for r in rows
        if r not in told and (SUMMARY.match(r) or NO_FEATURE.match(r)
                              or (count >= 0.8 * len(rows) and shape(r) != top
                                  and sum(shape(o) == shape(r) for o in rows) == 1))
    ] if rows else []  # fmt: skip
    if told:
        spec["without_rows"] = told
        text = f"the rows {', '.join(told[:6])} tell about the samples, and are no features?"
        p.ask(t.name, text, [], [t.set("without_rows", [])])
    if strange:
        spec["without_rows"] = [*told, *strange]
        text = f"the rows {', '.join(strange[:4])} are no features?"
        p.ask(t.name, text, [], [t.set("without_rows", told)])
    return False


def _ask_ways(p, t, spec, names, ways):
    """Ask about samples that a table holds several times, such as Intensity and LFQ."""
    views = {}
    for word, pattern in ways.items():
        name = re.sub(r"\W+", "_", f"{t.name}_{word}").strip("_")
        columns = [n for n in names if re.search(pattern, n)]
        views[name] = {**spec, "rename": {pattern: ""}, "columns": columns}
    p.views |= views
    words = ", ".join(w.strip() for w in ways)
    text = f"the samples occur {len(ways)} times ({words}): a view each?"
    p.ask(t.name, text, [], *([f"views.{v}: null" for v in views if v != only] for only in views))


def _ask_class_rows(p, t, spec, rows, data):
    """Ask about a line of classes below the header or at an end."""
    X = t.values[:, data]
    out = spec.get("without_rows", [])
    ends = [i for i in dict.fromkeys((0, len(X) - 1)) if not rows or rows[i] not in out]
    if has_class_line(t):
        below = [str(c) for c in t.piece.values[1]]
        p.labels = {**t.piece.where, "samples": "columns",
                    "ids": str(t.piece.values[0, 0]), "column": below[0]}  # fmt: skip
        text = f"the line {' '.join(below[:4])} below the header: labels of the samples?"
        p.ask(t.name, text, [line("labels", p.labels)], ["labels: null"])
        return
    found = [i for i in ends if kind_of(X[i], []) == "few"]
    if found and np.mean([kind_of(r, []) == "few" for r in X[:50]]) < 0.3:
        titles = [rows[i] if rows else str(i + 1) for i in found]
        text = (
            f"the row {' and '.join(titles)} at an end holds few distinct whole values: a feature, "
            "and no classes of the samples?"
        )
        p.ask(t.name, text, [], [t.set("without_rows", [*out, *titles])])


def repeated_samples(names: list) -> dict[str, str]:
    """Return the beginnings or ends under which a table repeats the same samples."""
    for turn in (1, -1):
        found: dict = {}
        for name in names:
            for end in [m.end() for m in re.finditer(r"[ ._:]", name[::turn])]:
                found.setdefault(name[::turn][:end], set()).add(name[::turn][end:])
        sets = Counter(frozenset(rest) for rest in found.values() if len(rest) > 2)
        best = [rest for rest, c in sets.items() if c > 1 and len(rest) * c > 0.5 * len(names)]
        if best:
            chosen = max(best, key=len)
            heads = [head[::turn] for head, rest in found.items() if rest == chosen]
            return {h: "^" + re.escape(h) if turn == 1 else re.escape(h) + "$" for h in heads}
    return {}
