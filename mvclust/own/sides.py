"""Which side of each table holds the samples, and how names of samples match."""

import re

import numpy as np

from mvclust.own import columns, words
from mvclust.own.pieces import SIDES
from mvclust.own.read import grouped, joined, matched, vector
from mvclust.own.tables import TEXT, Table, has_class_line, spread
from mvclust.own.views import View, line

MOST_ANSWERS = 4
OTHER = {"rows": "columns", "columns": "rows"}
MOST_SQUARES = 8  # kernels of one set of samples, one per view


def evidence(t: Table, side: str) -> float:
    """Return 1 where a side certainly holds the samples, -1 where not, else 0; 0.5 if unsure."""
    if t.piece.samples and _is_turned(t):
        return 0
    if t.piece.samples or (sure := has_class_line(t)) == 1:
        return 1 if (t.piece.samples or "columns") == side else -1
    if sure:
        return sure if side == "columns" else 0
    names, sure = t.side_names(side), 1.0
    yes, no = words.like(names, words.SAMPLE_LIKE), words.like(names, words.FEATURE_LIKE)
    if side == "columns":
        nameless = t.names is None and t.piece.rows is None and t.header and not _words_name_rows(t)
        no = no or bool(names and (all(":" in n for n in names)
                                   or (nameless and not words.uniform(t.columns))))  # fmt: skip
    else:
        no = no and not words.like(names, words.OF_LETTER_F)  # F001: patients, too
        looks = yes or no
        no = no or sum(bool(words.RANK.match(c)) for c in t.columns or ()) > 2
        if t.names is not None:
            title, across = t.title(t.names), t.side_names("columns")
            uniform, barcodes = words.uniform(across), words.like(across, words.SAMPLE_LIKE)
            yes = yes or (words.names_samples(title) and not barcodes)
            no = no or any(words.FEATURE_WORD.match(t.title(j)) for j in (t.names, *t.spare))
            beside = any(words.FEATURE_WORD.match(t.title(j)) for j in t.data(*TEXT))
            no = no or (beside and bool(re.search(r"(^|[ _.-])ids?$", title, re.I)))
            if no and any(words.SOFT_LABEL.match(t.title(j)) for j in t.data("words")):
                return 0  # features, or samples of classes
            # What the header looks like may contradict the word above the first column.
            mere = uniform and title.lower().strip("# ") in ("id", "ids", "name")
            weak = mere if yes else not (uniform or barcodes or t.linked)
            sure = 0.5 if (yes or no) and not looks and weak else 1.0
        yes = yes or (sure == 1 and _has_classes(t))
    return 0 if bool(yes) == bool(no) else sure if yes else -sure


def _is_turned(t):
    """Whether names contradict the side that a format says."""
    here, there = t.side_names(t.piece.samples), t.side_names(OTHER[t.piece.samples])
    features = words.like(here, words.GENE_LIKE) or words.like(here, words.FEATURE_LIKE)
    return features and words.like(there, words.SAMPLE_LIKE)


def _has_classes(t):
    """Whether a column holds classes, so that its rows are samples."""
    classes = [j for j, k in enumerate(t.kinds) if k in ("few", "words")]
    if any(words.LABEL_PART.search(t.name) or t.is_class(j) for j in classes):
        return True
    if t.texts is None or t.names is not None or _words_name_rows(t):
        return False
    some = 0 < len(t.data("words", "few", "date")) < 0.7 * len(t.data())
    texts = t.data("words") and not words.uniform(t.side_names("columns"))
    return bool(texts) or (some and not words.uniform(t.columns))


def _words_name_rows(t):
    """Whether a few columns of words beside many numbers together name each row: features, too."""
    js = t.data("words")
    return 1 < len(js) < len(t.kinds) / 10 and len({*joined(t.texts, js)}) == len(t.values)


def linked(a: list | None, n: int, b: list | None, m: int) -> bool:
    """Whether two sides hold the same: by their names if both have some, else by number."""
    if a is None or b is None:
        return n == m
    return words.relation(a, b) is not None or words.relation(b, a) is not None


class Group:
    """Sides of tables that hold the same things as one of them, and what says these are samples."""

    def __init__(self, seed, nodes, labels, vectors):
        t, side, names, self.size = seed
        self.members = [n for n in nodes if n is seed or (
            (n[0] is not t or names is None) and linked(names, self.size, *n[2:]))]  # fmt: skip
        self.tables = list(dict.fromkeys(m[0] for m in self.members))
        self.score = sum(evidence(u, s) - evidence(u, OTHER[s]) for u, s, *_ in self.members)
        facts = [u for u, s, *_ in self.members if s == "rows" and is_facts(u)]
        # A table that tells about them raises a question, and decides nothing.
        told = len(self.tables) > len(facts) and any(evidence(u, "rows") >= 0 for u in facts)
        self.most = self.score + told
        self.fit = sum(len(vector(v)) == self.size for v in labels)
        self.cover = len(self.tables) + self.fit
        texts = [vector(v) for v in vectors if v.values.dtype == object]
        texts = sum(len(v) == self.size and len(set(v)) < self.size / 2 for v in texts)
        tall = self.size > 3 * t.size("columns") and words.uniform(t.side_names("columns"))
        habit = texts + 0.5 if texts else side == "rows" and not tall
        self.order = self.score < 0, -self.fit, -self.cover - self.score, -self.score, -habit


def find_samples(p, tables: list[Table], vectors: list) -> tuple[list[Table], int]:
    """Give each table the side of its samples; ask unless facts exclude every other choice."""
    tables = _without_files_of_samples(p, tables, vectors)
    data = [t for t in tables if t.values.ndim == 2]
    nodes = [(t, s, t.side_names(s), t.size(s)) for t in data for s in SIDES if t.size(s) > 1]
    labels = [v for v in vectors if is_labels(v)]
    groups = [Group(node, nodes, labels, vectors) for node in nodes]
    groups.sort(key=lambda g: g.order)
    groups.sort(key=lambda g: not p.sides.items() <= {(t.name, s) for t, s, *_ in g.members})
    if not groups:
        return [], 0
    first = groups[0]
    for t, side, *_ in first.members:
        cell = [m for m in first.members if t.piece.of and m[0].piece.of == t.piece.of
                and m[0] is not t]  # fmt: skip
        both = sum(m[0] is t for m in first.members) > 1
        better = t.side is None or evidence(t, side) > evidence(t, OTHER[side])
        t.side = cell[0][1] if both and cell else side if better else t.side
        t.side = p.sides.get(t.name, t.side)
    if not p.sides:
        _ask_sides(p, groups)
    covered = [t for t in data if t.side]
    for t in (t for t in tables if t not in covered):
        _apart(p, t, covered, first.size)
    _check_names(p, covered, vectors, first.size)
    return covered, first.size


def _without_files_of_samples(p, tables, vectors):
    """Leave out files of one sample each: alike in rows, of one column, in folders, or squares."""
    single = [t for t in tables if t.values.ndim == 2 and t.row_names is not None
              and t.data("num", "whole") and (words.like(t.row_names, words.FEATURE_LIKE)
                                              or t.size("columns") == 1)]  # fmt: skip
    columns_alike = all(t.size("columns") == 1 for t in single) or alike(single, "columns")
    if len(single) < 4 or not (columns_alike and alike(single, "rows")):
        places = ((t, *t.piece.where.get("file", "").rpartition("/")) for t in tables)
        found = grouped(((name, *t.columns), (folder, t)) for t, folder, _, name in places
                        if folder and t.columns)  # fmt: skip
        single = [t for each in map(dict, found.values()) if len(each) > 3 for t in each.values()]
    if not single:  # many square matrices of one size and one pattern of names
        square = [t for t in tables if t.size("rows") == t.size("columns")]
        others = [*map(vector, vectors), *(t.values for t in tables if t not in square)]
        sizes = {*map(len, others)}
        found = grouped(((len(t.values), words.shape(t.name)), t) for t in square
                        if t.values.ndim == 2 and not t.piece.of)  # fmt: skip
        # Kernels have as many rows as something else.
        several = (ts for (n, _), ts in found.items() if len(ts) >= MOST_SQUARES and n not in sizes)
        single = max(several, key=len, default=[])
    if not single:
        return tables
    for t in single:
        p.leave(t.name, "a file per sample")
    text = f"a file or folder per sample ({single[0].name}, ...)?"
    p.ask(f"{len(single)} files", f"{text} Write one table of them; they are left out.")
    return [t for t in tables if t not in single]


def _ask_sides(p, groups):
    """Ask which side holds the samples where another choice fits."""
    first = groups[0]
    mine = [t for t in first.tables if not is_facts(t)]
    if not mine or all(map(is_symmetric, mine)):
        return
    if all(t.piece.samples and not _is_turned(t) for t in first.tables):
        return
    now = {t: t.side for t in mine}
    chosen = {(t, t.side) for t in first.tables}
    rivals = any(
        g.cover >= first.cover and g.fit >= first.fit and g.most >= first.score - 1
        and not chosen & {(t, s) for t, s, *_ in g.members} for g in groups
    )  # fmt: skip
    sure, convention = first.fit > 0 or first.score >= 1, False
    if not sure and len(first.tables) > 1:
        sure, convention = _by_convention(first)
    if sure and not rivals and not _contradicted(first, mine):
        text = f"the rows of {', '.join(t.name for t in mine)} are the samples: their first columns"
        text += " are equal, their headers differ (samples: columns turns a view)"
        p.notes += [text] if convention else []
        return
    answers = [[t.set("samples", side) for t, side in now.items()]]
    turned = {t: OTHER[side] for t, side in now.items()}
    for choice in [*({t: s for t, s, *_ in g.members if t in now} for g in groups[1:]), turned]:
        lines = [t.set("samples", choice[t]) if t in choice else t.drop() for t in now]
        if choice and choice != now and lines not in answers and len(answers) < MOST_ANSWERS:
            answers.append(lines)
            p.turns.append((lines, {t.name: side for t, side in choice.items()}))
    parts = [s for s in SIDES if len(mine) > 1 and alike(mine, OTHER[s]) and not alike(mine, s)]
    for side in parts:
        wheres = mine[0].set("parts", [t.piece.where for t in mine])
        answers.append([wheres, mine[0].set("samples", side), *(t.drop() for t in mine[1:])])
    text = f"are the {mine[0].side} of {mine[0].name} the samples ({first.size})?"
    text += " Or are the tables parts of one view?" if parts else ""
    p.choose([*now], text, *answers)


def _by_convention(group):
    """Say whether samples are rows for sure, and if so by convention only: equal first columns."""
    rows, across = ([t.side_names(side) for t in group.tables] for side in ("rows", "columns"))
    widths = {t.size("columns") for t in group.tables}
    several = len(widths) > 1 or sum(m[2] is not None for m in group.members) > 1
    lying = any(words.uniform(n) or words.like(n, words.SAMPLE_LIKE) for n in across)
    if not several or lying or any(t.side != "rows" for t in group.tables):
        return False, False
    if all(names is None or words.uniform(names) for names in rows):
        return True, False
    looks = any(words.like(n, words.GENE_LIKE) or words.like(n, words.FEATURE_LIKE) for n in rows)
    return not looks, not looks


def _contradicted(group, mine):
    """Whether names or numbers speak against the chosen sides."""
    for t in group.tables:
        dates = t.names is not None and t.kinds[t.names] == "date"
        turned = t.piece.samples and _is_turned(t)
        if dates or turned or evidence(t, t.side) < 0 or evidence(t, OTHER[t.side]) > 0:
            return True
    titles = [t.title(t.names) for t in group.tables if t.names is not None and t.side == "rows"]
    said = any(words.names_samples(c) and c.lower() not in ("id", "ids") for c in titles)
    sides = ((t.piece.samples, t.side_names(t.side)) for t in group.tables)
    if group.fit or said or any(told or words.like(n, words.SAMPLE_LIKE) for told, n in sides):
        return False
    shares = ((s[t.side], s[OTHER[t.side]]) for t in mine for s in (spread(t),))
    return all(here > max(0.4, 5 * across) for here, across in shares)


def is_symmetric(t: Table) -> bool:
    """Whether both sides of a matrix hold the same."""
    X = t.values[:, t.data()]
    return X.ndim == 2 and X.shape[0] == X.shape[1] and np.allclose(X, X.T, equal_nan=True)


def alike(tables: list[Table], side: str) -> bool:
    """Whether tables have the same names on a side."""
    names = [t.side_names(side) or (t.columns if side == "columns" else None) for t in tables]
    return all(n and set(n) == set(names[0] or ()) for n in names)


def is_labels(v) -> bool:
    """Whether a vector is called labels, and could be."""
    values = vector(v)
    called = words.called_labels(v.name) or bool(v.of and words.LABEL.match(v.of))
    return called and 1 <= len(set(values[values == values])) <= max(2, len(values) / 2)


def is_facts(t: Table) -> bool:
    """Whether a table tells about the samples: by its name, or as words outweigh numbers."""
    if words.FACTS.search(t.name) or words.LABEL_PART.search(t.name):
        return True
    if t.texts is None:
        return False
    doubtful = len(t.data(*TEXT)) + (0 if words.uniform(t.columns) else len(t.data("few")))
    plain = t.data("words", "text", "date", "names")
    return doubtful > 0.5 * max(1, len(t.data())) and bool(plain)


def _apart(p, t, covered, n_samples):
    """Leave out a table that does not hold the samples that the others hold."""
    named = [(names, t.size(s)) for s in SIDES if (names := t.side_names(s))]
    sides = ((u, u.side_names(OTHER[u.side]), u.size(OTHER[u.side])) for u in covered)
    about = [u.name for u, names, n in sides
             if names is not None and any(linked(*side, names, n) for side in named)]  # fmt: skip
    numeric = sum(k in ("num", "whole") for k in t.kinds)
    twin = any(len({*(t.columns or ())} & {*(u.columns or ())}) > 2 for u in covered)
    if about and t.texts is not None and numeric < len(t.kinds) / 2 and not twin:
        return p.leave(t.name, f"tells about the features of {about[0]}")
    size = f"{t.values.shape[0]} x {t.values.shape[-1]}"
    none = f"{size}: no side holds the {n_samples} samples"
    able = [(u, j) for u in covered if u.texts is not None for j in u.data("words")]
    for of, j in able if t.row_names else ():
        both = len({*map(str, t.row_names)} & {*of.cells(j)})
        if both > 0.5 * min(len(t.values), of.distinct(j)):
            rows = of.set("ids", of.title(j)), of.set("repeated", "mean"), "labels: null"
            text = f"{of.title(j)} in {of.name} names its samples, in several rows each: go on "
            return p.leave(t.name, none, f"{text}without it?", [*rows, t.as_view(samples="rows")])
    if t.values.size < n_samples:
        return p.leave(t.name, none)
    why = f"{size}, no sample in common with {covered[0].name}"
    shared = next((u for u in covered if not is_facts(u) and alike([t, u], OTHER[u.side])), None)
    lies = evidence(t, "columns") > evidence(t, "rows")
    side = shared.side if shared else "columns" if lies else "rows"
    flat = t.values.ndim == 2
    out = columns.doubtful(t, covered) if side == "rows" and flat else ()
    as_view = [t.as_view(samples=side, without=t.titles([*t.spare, *out]) or None)][: int(flat)]
    text = ", but the same features: a part of that view?" if shared else ": go on without it?"
    parts = [shared.set("parts", [shared.piece.where, t.piece.where])] if shared else []
    p.leave(t.name, why, f"{why} ({n_samples} samples){text}", *parts, *as_view)


def _check_names(p, covered, vectors, n_samples):
    """Ask where names match in part, by number only, or come in two orders without names."""
    standing = [t for t in covered if t.side == "rows" and t.names is not None]
    numbered = (t for t in standing if t.side_names("rows") is None
                and any(len(u.values) != len(t.values) for u in standing))  # fmt: skip
    if t := next(numbered, None):
        text = "its rows have numbers only. Are they names of samples?"
        p.choose(t, text, t.set("by_order", False), t.set("by_order", True))
    named = []
    for t in covered:
        read = t.titles(t.measured()) if t.header and t.side == "columns" else t.row_names
        if own := t.side_names(t.side) or (None if is_facts(t) else read):  # also numbers
            named.append((t, [*map(str, own)]))
    named.sort(key=lambda pair: (min(map(len, pair[1])), covered.index(pair[0])))
    for n, (t, names) in enumerate(named[1:], 1):
        ref, first = max(named[:n], key=lambda pair: len(set(pair[1]) & set(names)))
        shared = len(set(names) & set(first))
        how = words.relation(names, first) or words.relation(first, names)
        partly = how and ("plain_ids" in how or words.ZEROS in how.get("rename", ()))
        if how and (shared < 2 or partly):
            _ask_match(p, t, names, ref, first, how, named)
        elif shared < 0.7 * min(len(names), len(first)) or _counted_apart(names, first):
            text = f"it and {ref.name} share {shared} samples only, of {len(names)} and "
            text += f"{len(first)} ({names[0]}, {first[0]}): right?"
            p.ask(t, text, f"{_place(t)}: null")
    named = [(t, names) for t, names in named if not is_facts(t)]
    for t, names in named:
        _ask_repeated(p, t, names)
    named.sort(key=lambda pair: covered.index(pair[0]))
    ways = [matched(names, View.model_validate(t.match)) for t, names in named]
    of_samples = {v.name: [*vector(v)] for v in vectors if len(vector(v)) == n_samples}
    ways += [x for x in of_samples.values() if isinstance(x[0], str) and len({*x}) == n_samples]
    order = {name: i for i, name in enumerate(dict.fromkeys(i for names in ways for i in names))}
    nameless = [t.name for t in covered if t.side_names(t.side) is None]
    nameless += [v.name for v in vectors if is_labels(v) and v.name in of_samples]
    if nameless and any(names != sorted(names, key=order.__getitem__) for names in ways):
        text = "without names, while the others have two orders: which is its order? (It is read "
        p.ask(nameless, f"{text}in the order in which they name the samples.)")


def _ask_repeated(p, t, names):
    """Ask whether S1_1, S1_2, S2_1, ... or S1, S1.rep, S2 are several measurements of S1, S2."""
    ends, known = {n: m[0] for n in names if (m := re.search(words.AGAIN, n))}, {*names}
    again = [n for n, end in ends.items() if n.removesuffix(end) in known]
    if again:
        rename = {re.escape(end) + "$": "" for end in dict.fromkeys(ends[n] for n in again)}
        mean = [t.set("rename", rename), t.set("repeated", "mean")]
        p.ask(t, f"is {again[0]} a sample that was measured again?", mean)
    series = (re.fullmatch(r"(.*\d.*)[_.-](\d)", n) for n in names)
    found = grouped((m and m[1], m and int(m[2])) for m in series)
    counts = [min(each) in (0, 1) and len({*each}) > 1 for stem, each in found.items() if stem]
    if len(counts) > 2 and None not in found and all(counts):
        text = f"{names[0]}, {names[1]}, ...: several measurements of {len(counts)} samples?"
        p.ask(t, text, [t.set("rename", {r"[_.-]\d$": ""}), t.set("repeated", "mean")])


def _counted_apart(names, first):
    """Whether names that count the samples begin elsewhere, or mere numbers end elsewhere."""
    starts = words.counted(names), words.counted(first)
    if len(names) == len(first) or None in starts:
        return len(names) == len(first) and starts[0] != starts[1]
    return all(str(n).isdigit() for n in names)


def _ask_match(p, t, names, ref, first, how, named):
    """Match names that differ by an end or by marks; ask, as several may become one."""
    target = first if words.relation(names, first) is not None else names
    who = [u for u, own in named if "plain_ids" in how or words.relation(own, target) == how]
    spec = View.model_validate(how)
    once = all(len(set(matched(own, spec))) == len(own) for u, own in named if u in who)
    for u in who if once else ():
        u.match = how
    lines = [
        [line(f"{_place(u)}.{k}", v) for u in who for k, v in how.items()],
        [f"{_place(u)}.{k}: null" for u in who for k in how],
    ]
    answers = lines if once else lines[::-1]
    if any(q["answers"][:2] == answers for q in p.questions):
        return  # asked with another table
    there = dict(zip(matched(first, spec), first, strict=True))
    pairs = ((n, there.get(k)) for n, k in zip(names, matched(names, spec), strict=True))
    mine, theirs = next((p for p in pairs if p[1] not in (None, p[0])), (names[0], first[0]))
    text = f"{mine} in {t.name} and {theirs} in {ref.name}: the same samples, under names that "
    text += "differ?" if once else "differ, several to one?"
    p.choose(t, text, *answers, f"{_place(t)}: null")


def _place(t):
    return f"views.{t.name}" if not is_facts(t) else "labels"
