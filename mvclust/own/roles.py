"""What each table and vector is: a view, labels, a mask, facts about the samples."""

import re
from collections import Counter

import numpy as np

from mvclust.own import columns, words
from mvclust.own.read import grouped, vector
from mvclust.own.sides import OTHER, alike, is_facts, is_symmetric
from mvclust.own.tables import Table, is_one_hot, kind_of
from mvclust.own.texts import number, same
from mvclust.own.views import line

SHORT = 6  # letters of a name that other tables may give to others
SHOWN = 12  # candidates that a question lists
LOOKED_AT = 20  # features by which versions of a view are found
MOST_VERSIONS = 4  # of a view that a question offers
MOST_VALUES = 10  # of labels as columns


class Labels:
    """Vectors and columns that could be the labels."""

    def __init__(self):
        self.called: list = []  # (what views.yaml says, values) by their name
        self.others: list = []  # (title, what views.yaml says, values, whether their name fits)

    def add(self, name: str, spec: dict, values: list, called: object, alone=False) -> None:
        if called:
            self.called.append((spec, values))
            return
        title = name.rsplit("/", 1)[-1]
        fits = (alone and not words.ASIDE.match(title)) or words.SOFT_LABEL.match(title)
        self.others.append((name, spec, values, bool(fits and not words.DERIVED.search(name))))

    def add_columns(self, t: Table, js: list, called: object = False) -> None:
        """Add those of some columns that have few values or words."""
        for j in t.of(js, "few", "words"):
            name, alone = f"{t.name}/{t.title(j)}", len(t.data()) == 1
            self.add(name, t.beside(column=t.title(j)), t.cells(j), called or t.is_class(j), alone)

    def add_one_hot(self, t: Table, spec: dict, X: np.ndarray, called: object) -> None:
        """Add columns of zeros and ones, one per class."""
        self.add(f"{t.name} (one column per class)", spec, list(np.argmax(X, axis=1)), called)


def give(p, covered: list[Table], vectors: list, n: int) -> None:
    """Say what every table and vector is; ask where more than one role fits."""
    facts = [t for t in covered if is_facts(t)]
    views = [t for t in covered if t not in facts]
    if not views:
        kinds = ("num", "whole"), ("num", "whole", "few")
        views = [t for able in kinds for t in facts if len(t.data(*able)) > 1][:1]
        facts = [t for t in facts if t not in views]
        for t in (t for t in views if words.FACTS.search(t.name)):
            p.notes.append(f"{t.name} tells about the samples by its name; nothing else is a view")
    labels = Labels()
    for v in vectors:
        _vector(p, v, n, views, labels)
    for t in facts:
        _facts(p, t, labels)
    views = _without_copies(p, [t for t in views if _is_view(p, t, views, labels)])
    for t in views:
        beside = [o for o in (*views, *facts) if o is not t]  # no copies of a view
        if t.side == "rows":
            columns.standing(p, t, beside, labels, survival(p, t))
        else:
            columns.lying(p, t, beside, labels)
    y = _choose_labels(p, labels)
    asked = _ask_numbered(p, views, covered)
    _ask_folds(p, [t for t in views if t not in asked])
    for t in views[:1]:
        _classes_in_names(p, t, labels)
    for t in facts:
        used = p.labels and all(p.labels.get(k) == v for k, v in t.piece.where.items())
        if used and len(t.data()) == 1:
            p.left_out.pop(t.name, None)
            p.facts.pop(t.name, None)
    for t in views:
        _ends(p, t, y)


def _ask_numbered(p, views, covered) -> list[Table]:
    """Ask about tables with the same columns whose samples have short names (S1) or none."""
    used = [t for t in views if t.name in p.views]
    able = [t for t in covered if t.texts is not None and not t.piece.of
            and {*t.piece.where} <= {"file", "sheet", "key"}]  # fmt: skip
    each = (_same_columns(t, able) for t in used)
    same, groups = next((ts for ts in each if len(ts) > 1), None), []
    for t in used:  # arrays of one name and width in groups that are numbered: S2/ACC, S3/ACC
        group, _, inside = t.piece.where.get("key", "").partition("/")
        whole = inside and not inside.isdigit() and "slice" not in t.piece.where
        if whole and "view" not in group.lower():
            key = t.piece.where["file"], words.shape(group), inside, t.size("columns")
            groups.append((key, t))
    same = same or max(grouped(groups).values(), key=len, default=[])
    if len(same) < 2:
        return []
    wheres = [t.piece.where for t in same]
    parts = [same[0].set("parts", wheres), same[0].set("by_order", True)]
    if p.labels and p.labels.get("file") in [where["file"] for where in wheres]:
        column = {k: v for k, v in p.labels.items() if k not in ("file", "ids")}
        parts.append(line("labels", {**column, "parts": wheres, "by_order": True}))
    text = "the same columns, and samples that are only counted: other samples in each table?"
    gone = [each for t in same for each in (t.drop(), f"facts.{t.name}: null")][1:]
    p.ask(same, text, [*parts, *gone])
    return same


def _same_columns(t, able) -> list[Table]:
    """Return a table and those with the same columns, unless their samples have names of their own.

    Without names, tables are alike by the kinds of their columns, or their width and own names.
    """
    bare, kinds = not t.columns, t.kinds
    if t not in able or (bare and t.side_names(t.side) is not None):
        return []
    same = [o for o in able if o is t or (o.side == t.side and (
        not o.columns and o.side_names(o.side) is None and len(o.kinds) == len(kinds)
        if bare else alike([o, t], OTHER[t.side])))]  # fmt: skip
    same.sort(key=lambda o: o is not t)
    numbered = [o for o in same if words.shape(o.name) == words.shape(t.name)]
    if len(numbered) > 2 and not (words.VIEW.match(t.name) or words.FOLD.search(t.name)):
        return numbered
    if bare:  # mostly of the same kinds, one by one
        agree = ((sum(map(str.__eq__, o.kinds, kinds)), o) for o in same if len({*o.kinds}) > 1)
        return [o for count, o in agree if count > 0.6 * len(kinds) and len(kinds) > 3]
    names = [o.side_names(o.side) for o in same]
    short = all(n and words.uniform(n) and max(map(len, n)) <= SHORT for n in names)
    return same if short or not any(names) else []


def _ask_folds(p, views):
    """Ask about tables of several folds: the same samples once more."""
    folds = []
    for t in views:
        where = t.piece.where.get("parts", [t.piece.where])[0]
        place = "/".join(filter(None, (where.get("file"), where.get("key"))))
        folds += [(int(m[1]), t)] if (m := words.FOLD.search(place)) else []
    first, *others = grouped(folds).values() or [[]]
    if others:
        text = "several folds or runs: views, and not the same samples again?"
        p.ask(first, text, [t.drop() for each in others for t in each])


def _vector(p, v, n, views, labels):
    """Say what one value per sample is: labels, a list of names, numbers of samples, an outcome."""
    values, name, spec = vector(v), v.of or v.name, v.place(v.header)
    known = values[values == values]
    distinct, texts = len(set(known)), values.dtype == object
    whole = not texts and len(known) and np.equal(known, np.round(known)).all()
    called = words.called_labels(name)
    if v.of and words.INDEX.match(name) and whole and distinct == len(values):
        _index(p, v, values, n, views)
    elif texts and any(list(values) in (t.piece.rows, t.piece.columns) for t in views):
        return  # the list of names that a matrix has got
    elif len(values) != n:
        named = texts and distinct == len(values)
        near = 2 < len(values) > n / 2 and not v.of and not texts
        widths = [t.size(OTHER[t.side]) for t in views]
        of_views = len(values) == len(views) > 2 and known.tolist() != widths
        parts = whole and len(values) > 1 and (of_views or known.sum() in widths)
        asked = (called and not named) or (near and len(values) not in widths) or parts
        text = f"does not have one value for each of the {n} samples: go on without it?"
        p.leave(v.name, f"{len(values)} values, {n} samples", text * bool(asked))
    elif called and distinct == 1:
        p.leave(v.name, "labels of one class only")
    elif 2 <= distinct <= max(2, n / 2) and (texts or whole):
        labels.add(v.name, spec, list(values), called)
        if not called:
            p.leave(v.name, "few distinct values, one per sample")
        elif len(known) < n:
            p.notes.append(f"labels: {n - len(known)} of {n} are not known")
    elif texts or (whole and distinct == n):
        p.leave(v.name, "names or numbers every sample")
    else:
        text = "holds one number per sample: no view (an outcome, a time)?"
        p.leave(v.name, "one number per sample", text, [line(f"views.{v.name}", spec)])


def _index(p, v, values, n, views):
    """Numbers of the samples that a view has."""
    number_of = v.where["key"].rsplit("/", 1)[-1]
    cells = [t for t in views if t.piece.of] or views
    at = int(number_of) - 1 if number_of.isdigit() else len(cells)
    owner = cells[at] if at < len(cells) else None
    if owner is not None and owner.size(owner.side) == n:
        present = set(np.flatnonzero(~np.isnan(owner.upright).all(axis=1)).tolist())
        if present in ({int(i) for i in values}, {int(i) - 1 for i in values}):
            return p.leave(v.name, "the samples that are present, as the rows of NaN say")
    whose = owner.name if owner else "a view"
    text = f"holds {len(values)} numbers of samples: those that {whose} has?"
    only = [[owner.set("only", v.where)]] if owner else []
    p.leave(v.name, "numbers of samples", text, *only)


def _facts(p, t, labels):
    """Find labels and survival in a table about the samples; compare clusters with the rest."""
    gone, called = survival(p, t), words.LABEL_PART.search(t.name)
    kept = [j for j in t.data() if not t.of([j], "empty", "const") and j not in gone]
    if len(kept) > 1 and is_one_hot(X := t.values[:, kept]):
        labels.add_one_hot(t, t.spec(one_hot=t.titles(kept)), X, called)
        kept = []
    alone = len(kept) == 1 and words.called_labels(t.name)
    labels.add_columns(t, kept, alone)
    if t.columns and t.side == "rows" and not alone:
        p.facts[t.name] = t.beside()
    else:
        p.leave(t.name, "tells about the samples")
    texts = [[c for c in t.cells(j)[:99] if re.match(r"\W*\d", c)] for j in t.data("text", "names")]
    marked = [cells[0] for cells in texts if len(cells) > 0.7 * min(99, len(t.values))]
    if len(marked) > max(1, len(t.data()) / 2):
        p.ask(t, f"holds texts such as {marked[0]}: are these no numbers?")
    n_words = len(t.data("few", "words"))
    if n_words > 1 and not (words.FACTS.search(t.name) or called):
        kind = "categorical" if n_words == len(t.data()) else "mixed"
        text = "holds categories: facts about the samples, or a view to cluster by?"
        p.ask(t, text, t.as_view(samples=t.side, kind=kind, transform="gower"))
    numeric = t.of(kept, "num", "whole", "index")
    mostly = not words.FACTS.search(t.name) or len(numeric) > 0.6 * len(kept)
    if numeric and mostly and not called:
        without = t.titles([k for k in t.data() if k not in numeric] + t.spare)
        text = f"holds {len(numeric)} columns of numbers beside words: about the samples, and no "
        p.ask(t, f"{text}view?", t.as_view(samples=t.side, without=without))


def survival(p, t: Table) -> list[int]:
    """Return the columns of times and events; which value means the event is asked."""
    levels = {j: {c.strip() for c in t.cells(j)} - {""} for j in t.of(range(len(t.kinds)), "words")}
    of_life = [j for j, each in levels.items() if any(map(words.SAID.match, each))
               and all(words.SAID.match(c) or words.SAID_NOT.match(c) for c in each)]  # fmt: skip
    named = [j for j in range(len(t.kinds)) if words.EVENT.search(t.title(j)) or j in of_life]
    timed = [j for j in range(len(t.kinds)) if words.TIME.search(t.title(j))]
    few = [j for j in t.of(timed, "few") if len(t.values) < 40 and j not in named]
    times = sorted([*t.of(timed, "num", "whole", "index", "odd"), *few])
    events = [j for j in t.of(named, "few", "words", "const") if j not in times]
    called = bool(times and events)
    spans = [] if times else t.data("num", "whole", "few")
    spans = [j for j in spans if words.SPAN.match(t.title(j))]
    times = times or t.of(spans, "num", "whole")
    if not (times and events):  # pgtime, pgstat
        times, events = (
            {(m[1] or m[2] or "").lower(): j for j in js if (m := pattern.fullmatch(t.title(j)))}
            for pattern, js in ((words.STEM_TIME, t.data("num", "whole", "index")),
                                (words.STEM_EVENT, t.data("few", "words")))
        )  # fmt: skip
        both = [stem for stem in times if stem in events]
        times, events = [times[stem] for stem in both], [events[stem] for stem in both]
    if not times or not events:
        return []
    plainly = re.compile("os|vital|death|dead|event|surviv", re.I)
    event = next((j for j in events if plainly.search(t.title(j))), events[0])
    values = (c for c in {c.strip() for c in t.cells(event)} if (x := number(c)) is None or x == x)
    values = [v.removesuffix(".0") for v in sorted(values)]
    both = {"0", "1"} <= set(values)
    turned = words.TURNED.match(t.title(event)) and all(map(words.BARE_ANSWER.match, values))
    happened = (v for v in values if bool(words.HAPPENED.match(v)) != bool(turned)
                and not (v == "2" and both))  # fmt: skip
    guess = next(happened, values[-1])
    of_days = len(times) == 2 and all("days_to" in t.title(j).lower() for j in times)
    of_days = of_days and "death" in t.title(times[0]).lower()
    rest = [v for v in values if v != guess]
    sure = words.SAID.match(guess) and all(map(words.SAID_NOT.match, rest))
    if of_days:  # sure if just those with the event have a time of death
        happened = [same(c, guess) for c in t.cells(event)]
        died = np.isfinite(t.values[:, times[0]])
        sure = sure or (any(happened) and np.array_equal(happened, died))
    time, title = t.titles(times) if of_days else t.title(times[0]), t.title(event)
    p.survival = t.beside(time=time, event={"column": title, "is": guess})
    text = f"{t.name}, time {t.title(times[0])}"
    if sure and called:
        p.notes.append(f"survival: {text}, event {title} = {guess}")
    else:
        also = [] if called or of_days else t.titles(times[1:2])
        lines = [[line("survival.time", u)] * (u != time) + [line("survival.event.is", v)]
                 for u in (time, *also) for v in (guess, *rest)]  # fmt: skip
        text = f"{text}; does {title} = {guess} mean that the event happened?"
        p.choose("survival", text, *lines, "survival: null")
    return [*{*times, *events, *spans}]


def _is_view(p, t, views, labels) -> bool:
    """Whether a matrix is a view, and no mask, classes or graph."""
    X, several, among = t.upright, t.upright.shape[1] > 1, len(views) > 1
    head = X[:20]
    few = len(np.unique(head[head == head])) <= MOST_VALUES
    seen = set(np.unique(X[X == X]).tolist()) if few else set()
    binary, called = seen <= {0.0, 1.0} and bool(seen), words.called_labels(t.name)
    if _mask(p, t, views, X, binary):
        return False
    sums, as_view = X.sum(axis=1), t.as_view(samples=t.side)
    shares = (X >= 0).all() and (np.allclose(sums, 1, atol=0.01) or np.allclose(sums, 100, atol=1))
    shares = shares and several and X.shape[1] <= 20 and not binary and not called
    alike = shares and among and all(
        o.upright.shape[1] == X.shape[1]
        and np.allclose(o.upright.sum(axis=1), o.upright[:1].sum(), rtol=0.02) for o in views
    )  # fmt: skip
    if shares and not alike:
        text = "its columns sum up to 1 in each row: probabilities of classes, left out?"
        p.leave(t.name, "its columns sum up to 1", text, as_view)
        return False
    if several and np.allclose(sums, 1) and (binary or called):
        text = "" if binary else "holds probabilities of classes: left out?"
        p.leave(t.name, "one column per class", text)
        if binary:
            turned = "columns" if t.side == "columns" else None
            labels.add_one_hot(t, t.spec(samples=turned, one_hot=True), X, called)
        return False
    if (called and several and 0 < len(seen) <= MOST_VALUES) or seen == {-1.0, 1.0}:
        able = t.data() if t.side == "rows" and X.shape[1] < 6 else []
        each = (line("labels", t.spec(column=title)) for title in t.titles(able))
        text = f"holds {len(seen)} values in {X.shape[1]} columns: several labels per sample, left "
        p.leave(t.name, "several labels per sample", f"{text}out?", as_view, *each)
        return False
    outcomes = bool(t.columns) and words.like(t.titles(t.data()), words.RESPONSE)
    for applies, text in (
        (alike, "its columns sum up to one whole in each row: a view, and no probabilities?"),
        (among and (outcomes or words.OUTCOME.search(t.name)),
         "is called as outcomes are: a view?"),
        (called and several, f"is called as labels are, and holds {X.shape[1]} columns of numbers: "
                             "a view, or outcomes?"),
        (among and binary and several and words.TAGS.search(t.name),
         "zeros and ones: a view, and no labels, of which a sample has several?"),
        (among and words.DERIVED.search(t.name),
         "coordinates or clusters that a method made of other tables, by its name: a view?"),
    ):  # fmt: skip
        if applies:
            p.ask(t, text, t.drop())
    if X.shape[0] == X.shape[1] > 2:
        _square(p, t, X)
    return True


def _mask(p, t, views, X, binary):
    """Zeros and ones, samples x views: the mask of what is present, or asked about."""
    others = [v for v in views if not words.LABEL.match(v.name)
              and v is not t and (not t.piece.of or v.piece.of != t.piece.of)]  # fmt: skip
    called = words.MASK.search(t.name)
    if not binary or not 2 <= X.shape[1] == len(others) or not (called or X.any(axis=1).all()):
        return False
    senses = [s for s in (1, 0) if (s == X).any(axis=1).all()]
    gone = np.array([np.isnan(v.upright).all(axis=1) for v in others]).T
    agrees = not gone.any() or any(np.array_equal(gone, s != X) for s in senses)
    spec = {k: v for k, v in t.spec().items() if k in ("file", "sheet", "key", "header", "ids")}
    p.leave(t.name, "zeros and ones, samples x views")
    masks = [{**spec, "present": s} for s in senses]
    sure = bool(called and masks and agrees)
    p.mask = masks[0] if sure else p.mask
    if sure and len(senses) == 1 and called[0].lower() == "mask":
        p.notes.append(f"mask: {t.name}, {senses[0]} where an instance is present")
        return True
    lines = ["mask: null"][sure:] + [line("mask", mask) for mask in masks]
    text = "has the shape samples x views and holds 0 and 1: is it the mask of presence?"
    p.choose(t, text, *lines, [t.as_view(samples=t.side), "mask: null"])
    return True


def _square(p, t, X):
    """A square matrix: a half of a symmetric one, a kernel or graph, or a view."""
    names = t.side_names("rows"), t.side_names("columns")
    below = np.tril_indices(len(X), -1)
    if any(np.isnan(half[below]).all() for half in (X, X.T)):
        t.half = True
        each = (t.set("triangle", whether) for whether in (True, False))
        p.choose(t, "one half is empty; a symmetric matrix?", *each)
    elif is_symmetric(t):
        text = "is symmetric: a kernel, distances or a graph; its rows are features"
        p.notes.append(f"{t.name} {text}")
        if names[0] and names[0] == names[1]:
            text = "relates the samples to each other: use its rows as features?"
            p.choose(t, text, t.set("samples", "rows"), t.drop())
    elif names == (None, None) and not t.piece.of:
        text = f"{len(X)} x {len(X)} and not symmetric: a view, its samples in {t.side}?"
        p.choose(t, text, *(t.set("samples", side) for side in (t.side, OTHER[t.side])), t.drop())


def _without_copies(p, views) -> list[Table]:
    """Leave out copies of a view, and views side by side; ask about versions of one."""
    kept: list[Table] = []
    for t in sorted(views, key=lambda t: not t.piece.of):
        copies = (o for o in kept if o.upright.shape == t.upright.shape
                  and np.allclose(o.upright, t.upright, equal_nan=True))  # fmt: skip
        if copy_of := next(copies, None):
            p.leave(t.name, f"the same as {copy_of.name}")
        else:
            kept.append(t)
    for t in kept:
        others = [o for o in kept if o is not t and len(o.upright) == len(t.upright)]
        if len(others) > 1 and sum(o.upright.shape[1] for o in others) == t.upright.shape[1]:
            joined = np.hstack([o.upright for o in others])
            if np.allclose(np.sort(joined, axis=1), np.sort(t.upright, axis=1), equal_nan=True):
                p.leave(t.name, f"{' and '.join(o.name for o in others)} side by side")
                return [o for o in views if o in kept and o is not t]
    rest = kept
    while rest:
        o, *rest = rest
        same = [o, *(t for t in rest if _are_versions(t, o))]
        rest = [t for t in rest if t not in same]
        if len(same) > 1:
            text = f"another version of {o.name} ({o.upright.shape[1]} features)? All are used."
            only = ([t.drop() for t in same if t is not each] for each in same[:MOST_VERSIONS])
            p.ask(same[1:], text, *only)
    return sorted(kept, key=views.index)


def _are_versions(t, o):
    """Whether one table is another one again: in other numbers, coarser, or with more features."""
    X, Y = t.upright, o.upright
    again = t.side == "rows" and columns.also_in(t, o)[1]
    if again or _coarser(X, Y) or _coarser(Y, X):
        return True
    if X.shape != Y.shape or min(X.shape[0] - 3, X.shape[1]) < 2:
        mine, there = ({column.tobytes() for column in Z.T} for Z in (X, Y))
        return len(mine & there) > max(2, 0.8 * min(len(mine), len(there)))
    ranks = (np.argsort(Z[:500, :LOOKED_AT], axis=0, kind="stable") for Z in (X, Y))
    ranks = (np.argsort(order, axis=0, kind="stable").T for order in ranks)
    alike = np.median([np.corrcoef(a, b)[0, 1] for a, b in zip(*ranks, strict=True)])
    return alike > 0.95 or (words.VERSION.search(f"{t.name} {o.name}") and abs(alike) > 0.7)


def _coarser(X, Y) -> bool:
    """Whether few values of X tell those of Y, feature by feature: yes, perhaps, no as 1, 1, 0."""
    if X.shape != Y.shape or X.shape[1] < 2:
        return False
    for x, y in zip(X.T[:LOOKED_AT].tolist(), Y.T[:LOOKED_AT].tolist(), strict=True):
        values, pairs = {*x}, {*zip(x, y, strict=True)}
        few = 2 * len(values) < len(x) and len(values) <= MOST_VALUES
        if not few or not 1 < len({*y}) <= len(values) == len(pairs):
            return False
    return True


def _choose_labels(p, labels) -> list | None:
    """Take labels by their name; ask where there are several, or candidates without a name."""
    distinct, none = {}, "labels: null"
    for spec, values in labels.called:
        codes = np.unique([str(v) for v in values], return_inverse=True)[1]
        distinct.setdefault(tuple(codes.tolist()), (spec, values))
    if distinct:
        specs = [spec for spec, _ in distinct.values()]
        if p.labels and p.labels not in specs:
            specs.append(p.labels)
        p.labels, values = next(iter(distinct.values()))
        p.ask_unknown(values)
        if len(specs) > 1:
            p.choose("labels", "there are several: which?", *(line("labels", s) for s in specs))
        return values
    others = labels.others
    if not others:
        return None
    fitting = [o for o in others if o[3]] or [o for o in others if "/" not in o[0]]
    order = [*fitting, *[o for o in others if o not in fitting]]
    names, specs = zip(*(o[:2] for o in order[:SHOWN]), strict=True)
    if p.labels:
        names, specs = ("right", *names), (p.labels, *specs)
    elif fitting:
        p.labels = specs[0]
        p.ask_unknown(order[0][2])
    lines = [line("labels", spec) for spec in specs]
    first, *rest = names if p.labels else ["none", *names]
    text = f"{first}? Others with few distinct values: {', '.join(rest) or 'none'}."
    text += f" ({len(order) - SHOWN} more.)" if len(order) > SHOWN else ""
    p.choose("labels", text, *([*lines, none] if p.labels else [none, *lines]))
    return None


def _classes_in_names(p, t, labels):
    """Ask whether samples are named by their class and a number (ALL1, AML2)."""
    names = t.side_names(t.side)
    if p.labels or labels.others or not names:
        return
    begins = Counter(m[1] for n in names if (m := re.fullmatch(r"([A-Za-z]+)[ _.-]?\d+", str(n))))
    if begins.total() == len(names) and 1 < len(begins) < 10 and min(begins.values()) > 2:
        spec = t.spec(samples=t.side, pattern="^[A-Za-z]+")
        text = f"the names of the samples begin with {', '.join(begins)}: are these no classes?"
        p.ask(t, text, line("labels", spec))


def _ends(p, t, y):
    """Ask about classes in a column at an end of an array without names."""
    X = t.upright
    if (t.columns and t.texts is not None) or X.shape[1] < 2 or t.name not in p.views:
        return
    key = "without" if t.side == "rows" else "without_rows"
    for j in (j for j in (0, X.shape[1] - 1) if kind_of(X[:, j], []) == "few"):
        if y is not None:
            pairs = {(str(a), b) for a, b in zip(y, X[:, j].tolist(), strict=False)}
            hit = len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        else:
            hit = t.texts is None and np.mean([kind_of(c, []) == "few" for c in X.T[:100]]) < 0.34
        if not hit:
            continue
        title = t.title(t.data()[j]) if t.side == "rows" else str((t.row_names or {j: j + 1})[j])
        kept = p.views[t.name].get(key, [])
        if t.side == "rows" and not set(t.titles(t.data())) - {title, *kept}:
            p.leave(t.name, "its only column holds classes")
            del p.views[t.name]
            return
        p.views[t.name][key] = [*kept, title]
        out, back = t.set(key, [*kept, title]), t.set(key, kept)
        if y is None and not p.labels and t.side == "rows":
            p.labels = t.spec(column=title)
            text = f"column {title} holds {len(set(X[:, j]))} whole values: the labels, and no "
            chosen = [out, line("labels", p.labels)]
            p.choose(t, f"{text}feature?", chosen, [back, "labels: null"])
        else:
            what = "holds few whole values, as classes do" if y is None else "repeats the labels"
            p.choose(t, f"feature {title} {what}: left out?", out, back)
