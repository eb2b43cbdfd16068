"""What each table and vector is: a view, labels, a mask, facts about the samples."""

import re
from collections import Counter

import numpy as np

from mvclust.own import columns
from mvclust.own.proposal import Proposal, vector
from mvclust.own.sides import is_facts, other
from mvclust.own.tables import Table, kind_of, line
from mvclust.own.texts import number
from mvclust.own.words import (
    EVENT,
    FACTS,
    HAPPENED,
    INDEX,
    LABEL,
    LABEL_PART,
    MASK,
    SAID,
    SAID_NOT,
    SOFT_LABEL,
    TIME,
    VERSION,
    called_labels,
)

SHOWN = 12  # candidates that a question lists
LOOKED_AT = 20  # features by which versions of a view are found
MOST_VALUES = 10  # of labels as columns


class Labels:
    """Vectors and columns that could be the labels."""

    def __init__(self):
        self.called: list = []  # (what views.yaml says, values) by their name
        self.others: list = []  # (title, what views.yaml says, values, whether their name fits)
        self.told_apart = False  # whether the format itself holds facts apart from views

    def add(self, name: str, spec: dict, values: list, called: bool) -> None:
        if called:
            self.called.append((spec, values))
        else:
            title = name.rsplit("/", 1)[-1]
            self.others.append((name, spec, values, bool(SOFT_LABEL.match(title))))


def give(p: Proposal, covered: list[Table], vectors: list, n: int) -> None:
    """Say what every table and vector is; ask where more than one role fits."""
    facts = [t for t in covered if is_facts(t)]
    views = [t for t in covered if t not in facts]
    if not views:
        several = [
            t for able in (("num", "whole"), ("num", "whole", "few")) for t in facts
            if sum(t.kinds[j] in able for j in t.data()) > 1
        ]  # fmt: skip
        views = several[:1]
        facts = [t for t in facts if t not in views]
    labels = Labels()
    for v in vectors:
        _vector(p, v, n, views, labels)
    for t in facts:
        _facts(p, t, labels)
    views = _without_copies(p, [t for t in views if _is_view(p, t, views, labels)])
    for t in views:
        beside = [o for o in covered if o is not t]
        gone = survival(p, t) if t.side == "rows" else []
        if t.side == "rows":
            columns.standing(p, t, beside, labels, gone)
        else:
            columns.lying(p, t, beside, labels)
    y = _choose_labels(p, labels)
    for t in views[:1]:
        _classes_in_names(p, t, labels)
    for t in facts:
        used = p.labels and all(p.labels.get(k) == v for k, v in t.piece.where.items())
        if used and len(t.data()) == 1:
            p.left_out.pop(t.name, None)
            p.facts.pop(t.name, None)
    for t in views:
        _ends(p, t, y)


def _vector(p, v, n, views, labels):
    values, name = vector(v), v.of or v.name
    spec = v.place()
    known = values[values == values]
    distinct, texts = len(set(known)), values.dtype == object
    whole = not texts and len(known) and np.equal(known, np.round(known)).all()
    called = called_labels(name)
    if v.of and INDEX.match(name) and whole and distinct == len(values):
        _index(p, v, values, n, views)
    elif texts and list(values) in [
        names for t in views for names in (t.piece.rows, t.piece.columns)
    ]:
        return  # the list of names that a matrix has got
    elif len(values) != n:
        p.leave(v.name, f"{len(values)} values, {n} samples")
        named = texts and distinct == len(values)
        near = 2 < len(values) > n / 2 and not v.of and not texts
        of_features = len(values) in [t.size(other(t.side)) for t in views]
        if (called and not named) or (near and not of_features):
            p.ask(v.name, f"does not have one value for each of the {n} samples: go on without "
                  "it?", [])  # fmt: skip
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
        p.leave(v.name, "one number per sample")
        text = "holds one number per sample: no view (an outcome, a time)?"
        p.ask(v.name, text, [], [line(f"views.{v.name}", spec)])


def _index(p, v, values, n, views):
    """Numbers of the samples that a view has."""
    number_of = v.where["key"].rsplit("/", 1)[-1]
    cells = [t for t in views if t.piece.of] or views
    at = int(number_of) - 1 if number_of.isdigit() else len(cells)
    owner = cells[at] if at < len(cells) else None
    if owner is not None and owner.size(owner.side) == n:
        X = owner.upright
        present = set(np.flatnonzero(~np.isnan(X).all(axis=1)).tolist())
        if present in ({int(i) for i in values}, {int(i) - 1 for i in values}):
            p.leave(v.name, "the samples that are present, as the rows of NaN say")
            return
    p.leave(v.name, "numbers of samples")
    whose = owner.name if owner else "a view"
    text = f"holds {len(values)} numbers of samples: those that {whose} has?"
    p.ask(v.name, text, [], *([[owner.set("only", v.where)]] if owner else []))


def _facts(p, t, labels):
    """Find labels and survival in a table about the samples; the rest is left out."""
    gone = survival(p, t)
    kept = [j for j in t.data() if t.kinds[j] not in ("empty", "const") and j not in gone]
    X = t.values[:, kept]
    if len(kept) > 1 and np.isin(X, (0, 1)).all() and (X.sum(axis=1) == 1).all():
        spec = p.spec(t, one_hot=t.titles(kept))
        name = f"{t.name} (one column per class)"
        labels.add(name, spec, list(np.argmax(X, axis=1)), bool(LABEL_PART.search(t.name)))
        kept = []
    alone = len(kept) == 1 and called_labels(t.name)
    for j in kept:
        if t.kinds[j] in ("few", "words"):
            called = bool(alone or LABEL.match(t.title(j)))
            labels.told_apart |= t.piece.samples is not None
            labels.add(f"{t.name}/{t.title(j)}", p.column(t, j), t.cells(j), called)
    p.tells(t, alone)
    numeric = [j for j in kept if t.kinds[j] in ("num", "whole", "index")]
    mostly = not FACTS.search(t.name) or len(numeric) > 0.6 * len(kept)
    if numeric and mostly and not LABEL_PART.search(t.name):
        without = [k for k in t.data() if k not in numeric] + t.spare
        text = (
            f"holds {len(numeric)} columns of numbers beside words: about the samples, and no view?"
        )
        p.ask(t.name, text, [], [p.view(t, samples=t.side, without=t.titles(without))])


def survival(p: Proposal, t: Table) -> list[int]:
    """Return the columns of times and events; which value means the event is asked."""
    if not t.columns:
        return []
    kinds = dict(enumerate(t.kinds))
    times = [
        j for j, k in kinds.items()
        if TIME.search(t.title(j)) and (k in ("num", "whole", "index", "odd") or (
            k == "few" and len(t.values) < 40 and not EVENT.search(t.title(j))))
    ]  # fmt: skip
    events = [
        j for j, k in kinds.items()
        if EVENT.search(t.title(j)) and k in ("few", "words", "const") and j not in times
    ]  # fmt: skip
    if not times or not events:
        return []
    plainly = ("os", "vital", "death", "dead", "event")
    event = next((j for j in events if any(w in t.title(j).lower() for w in plainly)), events[0])
    cells = {c.strip() for c in t.cells(event)}
    words = sorted(c for c in cells if (value := number(c)) is None or value == value)
    words = [w[:-2] if w.endswith(".0") else w for w in words]
    both = {"0", "1"} <= set(words)
    guess = next((w for w in words if HAPPENED.match(w) and not (w == "2" and both)), words[-1])
    of_days = len(times) == 2 and all("days_to" in t.title(j).lower() for j in times)
    of_days = of_days and "death" in t.title(times[0]).lower()
    sure = SAID.match(guess) and all(SAID_NOT.match(w) for w in words if w != guess)
    sure = sure or (of_days and _death_decides(t, times[0], event, guess))
    time = t.titles(times) if of_days else t.title(times[0])
    by_order = {"by_order": True} if t.side_names("rows") is None and t.row_names else {}
    p.survival = p.spec(t, time=time, event={"column": t.title(event), "is": guess}, **by_order)
    rest = [w for w in words if w != guess]
    if sure:
        p.notes.append(
            f"survival: {t.name}, time {t.title(times[0])}, event {t.title(event)} = {guess}"
        )
        return times + events
    p.ask(
        "survival",
        f"{t.name}, time {t.title(times[0])}; does {t.title(event)} = {guess} mean that the event "
        "happened?",
        *([line("survival.event.is", w)] for w in [guess, *rest]),
        ["survival: null"],
    )
    return times + events


def _death_decides(t, time, event, guess):
    """Whether just those with the value of an event have a time of death."""
    happened = np.array([number(c) == number(guess) if number(guess) is not None else c == guess
                         for c in t.cells(event)])  # fmt: skip
    return np.array_equal(happened, np.isfinite(t.values[:, time])) and happened.any()


def _is_view(p, t, views, labels) -> bool:
    """Whether a matrix is a view, and no mask, classes or graph."""
    X = t.of_samples()
    head = X[:20]
    few = len(np.unique(head[head == head])) <= MOST_VALUES
    seen = set(np.unique(X[X == X]).tolist()) if few else set()
    binary, called = seen <= {0.0, 1.0} and bool(seen), called_labels(t.name)
    if _mask(p, t, views, X, binary):
        return False
    sums, several = X.sum(axis=1), X.shape[1] > 1
    shares = (X >= 0).all() and (np.allclose(sums, 1, atol=0.01) or np.allclose(sums, 100, atol=1))
    as_view = [p.view(t, samples=t.side)]
    if several and X.shape[1] <= 20 and not binary and not called and shares:
        p.leave(t.name, "its columns sum up to 1")
        text = "its columns sum up to 1 in each row: probabilities of classes, left out?"
        p.ask(t.name, text, [], as_view)
        return False
    if several and np.allclose(sums, 1) and (binary or called):
        p.leave(t.name, "one column per class")
        if binary:
            spec = {**p.spec(t), "one_hot": True}
            name = f"{t.name} (one column per class)"
            labels.add(name, spec, list(np.argmax(X, axis=1)), called)
        else:
            p.ask(t.name, "holds probabilities of classes: left out?", [])
        return False
    if (called and several and 0 < len(seen) <= MOST_VALUES) or seen == {-1.0, 1.0}:
        p.leave(t.name, "several labels per sample")
        able = t.side == "rows" and X.shape[1] < 6
        each = [[line("labels", p.spec(t, column=t.title(j)))] for j in t.data()] if able else []
        text = (
            f"holds {len(seen)} values in {X.shape[1]} columns: several labels per sample, left "
            "out?"
        )
        p.ask(t.name, text, [], as_view, *each)
        return False
    if called and several:
        text = f"is called as labels are, and holds {X.shape[1]} columns of numbers: a view, or "
        p.ask(t.name, f"{text}outcomes?", [], [t.drop()])
    if X.shape[0] == X.shape[1] > 2:
        _square(p, t, X)
    return True


def _mask(p, t, views, X, binary):
    """Zeros and ones, samples x views: the mask of what is present, or asked about."""
    others = [v for v in views if v is not t and not LABEL.match(v.name)]
    called = MASK.search(t.name)
    if not binary or not 2 <= X.shape[1] == len(others) or not (called or X.any(axis=1).all()):
        return False
    senses = [s for s in (1, 0) if (s == X).any(axis=1).all()]
    gone = np.array([np.isnan(v.upright).all(axis=1) for v in others]).T
    agrees = not gone.any() or any(
        gone.shape == X.shape and np.array_equal(gone, s != X) for s in senses
    )
    spec = {k: v for k, v in p.spec(t).items() if k in ("file", "sheet", "key", "header", "ids")}
    p.leave(t.name, "zeros and ones, samples x views")
    if called and called[0].lower() == "mask" and len(senses) == 1 and agrees:
        p.mask = {**spec, "present": senses[0]}
        p.notes.append(f"mask: {t.name}, {senses[0]} where an instance is present")
        return True
    masks = [[line("mask", {**spec, "present": s})] for s in senses]
    if agrees and called and masks:
        p.mask = {**spec, "present": senses[0]}
    else:
        masks = [["mask: null"], *masks]
    text = "has the shape samples x views and holds 0 and 1: is it the mask of presence?"
    p.ask(t.name, text, *masks, [p.view(t, samples=t.side), "mask: null"])
    return True


def _square(p, t, X):
    """A square matrix: a half of a symmetric one, a kernel or graph, or a view."""
    lower = np.isnan(X[np.tril_indices(len(X), -1)]).all()
    upper = np.isnan(X[np.triu_indices(len(X), 1)]).all()
    names = t.side_names("rows"), t.side_names("columns")
    if upper or lower:
        t.half = True
        text = "one half is empty; a symmetric matrix?"
        p.ask(t.name, text, [t.set("triangle", True)], [t.set("triangle", False)])
    elif np.allclose(X, X.T, equal_nan=True):
        p.notes.append(
            f"{t.name} is symmetric: a kernel, distances or a graph; its rows are features"
        )
        if names[0] and names[0] == names[1]:
            text = "relates the samples to each other: use its rows as features?"
            p.ask(t.name, text, [t.set("samples", "rows")], [t.drop()])
    elif names == (None, None) and not t.piece.of:
        text = f"{len(X)} x {len(X)} and not symmetric: a view, its samples in {t.side}?"
        p.ask(
            t.name, text, [t.set("samples", t.side)], [t.set("samples", other(t.side))], [t.drop()]
        )


def _without_copies(p, views) -> list[Table]:
    """Leave out copies of a view; ask about other versions of one."""
    kept: list[Table] = []
    for t in sorted(views, key=lambda t: not t.piece.of):
        X = t.upright
        same = [(o, o.upright) for o in kept if o.upright.shape == X.shape]
        copy_of = next((o for o, Z in same if np.allclose(Z, X, equal_nan=True)), None)
        if copy_of is not None:
            p.leave(t.name, f"the same as {copy_of.name}")
            continue
        for o, Z in same:
            if min(X.shape[0] - 3, X.shape[1]) > 1:
                _ask_version(p, t, o, X, Z)
        kept.append(t)
    return sorted(kept, key=views.index)


def _ask_version(p, t, o, X, Z):
    ranks = [
        [
            np.argsort(np.argsort(M[:500, j], kind="stable"), kind="stable")
            for j in range(min(LOOKED_AT, M.shape[1]))
        ]
        for M in (X, Z)
    ]  # fmt: skip
    alike = np.median([np.corrcoef(a, b)[0, 1] for a, b in zip(*ranks, strict=True)])
    if alike > 0.95 or (VERSION.search(f"{t.name} {o.name}") and abs(alike) > 0.7):
        text = f"another version of {o.name} ({X.shape[1]} features)? Both are used."
        p.ask(t.name, text, [t.set("samples", t.side)], [t.drop()], [o.drop()])


def _choose_labels(p, labels) -> list | None:
    """Take labels by their name; ask where there are several, or candidates without a name."""
    distinct: dict = {}
    for spec, values in labels.called:
        codes = np.unique([str(v) for v in values], return_inverse=True)[1]
        distinct.setdefault(tuple(codes.tolist()), (spec, values))
    if distinct:
        spec, values = next(iter(distinct.values()))
        hot, p.labels = p.labels, spec
        specs = [s for s, _ in distinct.values()]
        if hot and hot not in specs:
            specs.append(hot)
        if len(specs) > 1:
            p.ask("labels", "there are several: which?", *([line("labels", s)] for s in specs))
        return values
    others = labels.others
    if others and not p.labels:
        fitting = [o for o in others if o[3]] or [o for o in others if "/" not in o[0]]
        order = [*fitting, *[o for o in others if o not in fitting]]
        if not fitting and labels.told_apart:
            names = ", ".join(o[0] for o in order[:SHOWN])
            p.notes.append(f"no labels; these have few distinct values: {names}")
            return None
        lines = [[line("labels", o[1])] for o in order[:SHOWN]]
        none = ["labels: null"]
        p.labels = order[0][1] if fitting else None
        rest = ", ".join(o[0] for o in order[1 if fitting else 0 : SHOWN]) or "none"
        text = f"{order[0][0] if fitting else 'none'}? Others with few distinct values: {rest}." + (
            f" ({len(order) - SHOWN} more.)" if len(order) > SHOWN else ""
        )
        p.ask("labels", text, *([*lines, none] if fitting else [none, *lines]))
    elif others and not any("labels" in q["text"] for q in p.questions):
        p.ask(
            "labels",
            f"right? Also with few distinct values: {', '.join(o[0] for o in others[:8])}.",
            [line("labels", p.labels)],
            *([line("labels", o[1])] for o in others[:SHOWN]),
            ["labels: null"],
        )
    return None


def _classes_in_names(p, t, labels):
    """Ask whether samples are named by their class and a number (ALL1, AML2)."""
    names = t.side_names(t.side)
    if p.labels or labels.others or not names:
        return
    begins = Counter(m[1] for n in names if (m := re.fullmatch(r"([A-Za-z]+)[ _.-]?\d+", str(n))))
    if begins.total() == len(names) and 1 < len(begins) < 10 and min(begins.values()) > 2:
        spec = p.spec(t, samples=t.side, pattern="^[A-Za-z]+")
        text = f"the names of the samples begin with {', '.join(begins)}: are these no classes?"
        p.ask(t.name, text, [], [line("labels", spec)])


def _ends(p, t, y):
    """Ask about classes in a column at an end of an array without names."""
    if (t.columns and t.texts is not None) or t.values.ndim != 2 or t.name not in p.views:
        return
    X = t.upright
    if X.shape[1] < 2:
        return
    for j in sorted({0, X.shape[1] - 1}):
        if kind_of(X[:, j], []) != "few":
            continue
        if y is not None:
            pairs = {(str(a), b) for a, b in zip(y, X[:, j].tolist(), strict=False)}
            hit = len(pairs) == len({a for a, _ in pairs}) == len({b for _, b in pairs})
        else:
            hit = t.texts is None and np.mean([kind_of(c, []) == "few" for c in X.T[:100]]) < 0.34
        if not hit:
            continue
        title = t.title(j) if t.side == "rows" else str((t.row_names or {j: j + 1})[j])
        key = "without" if t.side == "rows" else "without_rows"
        kept = p.views[t.name].get(key, [])
        if key == "without" and not set(t.titles(t.data())) - {title, *kept}:
            p.leave(t.name, "its only column holds classes")
            del p.views[t.name]
            return
        p.views[t.name][key] = [*kept, title]
        drop, keep = t.set(key, [*kept, title]), t.set(key, kept)
        spec = {**p.spec(t), "column": title}
        if y is None and not p.labels and t.side == "rows":
            p.labels = spec
            text = (
                f"column {title} holds {len(set(X[:, j]))} whole values: the labels, and no "
                "feature?"
            )
            p.ask(t.name, text, [drop, line("labels", spec)], [keep, "labels: null"])
        else:
            what = "holds few whole values, as classes do" if y is None else "repeats the labels"
            p.ask(t.name, f"feature {title} {what}: left out?", [drop], [keep])
