"""What is understood of data, for people and for programs."""

from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import yaml
from scipy import sparse

from mvclust.own import NotUnderstood
from mvclust.own.checks import marks_of_gaps, no_samples, notes_on
from mvclust.own.propose import propose
from mvclust.own.read import OwnData, read
from mvclust.own.views import Views, is_whole, read_file

NAME = "views.yaml"
MOST_TRIED = 50_000_000  # cells that are read to try answers
BESIDE = "labels", "mask", "survival", "batch"  # what another reading of the samples may not match


@dataclass
class Changes:
    """What the command line changes in views.yaml: a new proposal, sides, answers, lines."""

    again: bool = False
    samples: str | None = None
    answers: list = field(default_factory=list)
    lines: list = field(default_factory=list)

    def __bool__(self) -> bool:
        return any(vars(self).values())


@dataclass
class Look:
    """The records of views.yaml, the data that they describe, and what is to be said of both."""

    file: Path
    views: Views
    data: OwnData | None = None
    notes: list = field(default_factory=list)
    error: str | None = None
    stored: bool = True  # whether the file has these records


def look(path: Path, changes: Changes | None = None) -> Look:
    """Read data as views.yaml and changes say; propose where there is no views.yaml."""
    path, changes, pieces = Path(path), changes or Changes(), None
    file = path / NAME if path.is_dir() else path.with_name(f"{path.name}.{NAME}")
    if file.exists() and not changes.again:
        found = Look(file, read_file(file), stored=not changes)
    else:
        p = propose(path)
        found, pieces = _proposed(file, p), p.pieces
    chosen = changed(found.views, changes)
    found.views = chosen.turned()
    found.stored = found.stored and found.views is chosen
    try:
        if changes or found.data is None:
            found.data = read(path, found.views, pieces)
    except NotUnderstood as error:
        found.data, found.error = None, str(error)
    else:
        found.notes += notes_on(found.data)
    return found


def _proposed(file, p) -> Look:
    """Return what a proposal says of the data; what cannot be read is refused later."""
    found = Look(file, p.records(), notes=list(p.notes), stored=False)
    with suppress(NotUnderstood):
        found.data = read(p.path, found.views, p.pieces)
        of_values = *marks_of_gaps(found.data), *no_samples(found.data, found.views)
        found.views.ask = [*found.views.ask, *of_values]
        n_cells = len(p.turns) * sum(piece.values.size for piece in p.pieces)
        # An answer about sides is what is proposed for them, with its questions.
        for lines, sides in p.turns if n_cells <= MOST_TRIED else ():
            other = _proposed(file, propose(p.path, p, sides))
            answers = next((q.answers for q in found.views.ask if lines in q.answers), [])
            if other.data is not None and answers:
                answers[answers.index(lines)] = other.views.lines()
        _try_answers(p.path, found.views, p.pieces)
    return found


def _try_answers(path, views, pieces):
    """Offer only answers that can be read; a question says why another reading cannot."""
    n_answers = sum(len(q.answers) - 1 for q in views.ask)
    if n_answers * sum(p.values.size for p in pieces) > MOST_TRIED:
        return
    for question in views.ask:
        first, *others = question.answers
        refused, question.answers = [], [first]
        for answer in others:
            try:
                question.answers.append(_readable(path, views, answer, pieces))
            except NotUnderstood as error:
                refused.append(str(error))
        if refused and len(question.answers) == 1:
            question.question += f" (Otherwise: {refused[0].rstrip('.').partition('. ')[0]}.)"


def _readable(path, views, answer, pieces):
    """Return an answer, and what must go with it: labels and the like of other samples."""
    given = {a.split(":")[0].split(".")[0] for a in answer}
    beside = [f"{key}: null" for key in BESIDE if getattr(views, key) and key not in given]
    beside += ["facts: {}"] if views.facts and "facts" not in given else []
    refused = []
    for more in dict.fromkeys([(), *((b,) for b in beside), tuple(beside)]):
        try:
            read(path, views.changed([*answer, *more]), pieces)
        except NotUnderstood as error:
            refused.append(error)
        else:
            return [*answer, *more]
    raise refused[0]


def changed(views: Views, changes: Changes) -> Views:
    """Return views with samples on one side, questions answered by number, and lines applied."""
    views = views.model_copy(deep=True)
    if changes.samples:
        side = f".samples: {changes.samples}"
        for question in views.open_questions():  # about sides: answered
            for n, answer in enumerate(question.answers, 1):
                about = [a for a in answer if a.removesuffix(": null") not in BESIDE]
                other = views.changed(answer).views.values() if is_whole(answer) else ()
                turned = other and all(v.samples == changes.samples for v in other)
                if turned or (about and all(a.endswith(side) for a in about)):
                    question.answer = n
        views = views.turned()
        views = views.changed([f"views.{name}{side}" for name in views.views])
    questions = views.open_questions()
    if len(changes.answers) > len(questions):
        raise NotUnderstood(f"{len(changes.answers)} answers to {len(questions)} open questions.")
    for question, answer in zip(questions, changes.answers, strict=False):
        if not 1 <= answer <= (n := len(question.answers)):
            text = f"answer {answer}, expected a number from 1 to {n}."
            raise NotUnderstood(f"{question.question}: {text}")
        question.answer = answer
    return views.changed(changes.lines, new=True)


def save(found: Look) -> str:
    """Write views.yaml beside the data if it is new; return a sentence that says so."""
    if found.stored:
        return f"as written in {found.file}"
    try:
        found.file.write_text(found.views.text(), encoding="utf-8")
    except OSError as error:
        return f"{found.file} cannot be written ({error.strerror}):\n{found.views.text()}"
    return f"written: {found.file}"


def questions_of(views: Views) -> list[str]:
    """Return the open questions with their answers, as lines for people."""
    lines = []
    for n, question in enumerate(views.open_questions(), 1):
        lines.append(f"question {n}: {question.question}")
        for k, answer in enumerate(question.answers, 1):
            shown = answer
            if is_whole(answer):  # it replaces all: what is new
                n_more = len(yaml.safe_load(answer[-1])["ask"])
                more = f"{n_more} other question{'s' * (n_more > 1)}"
                kept = (x for x in answer[1:-1] if not x.endswith((": null", ": {}")))
                shown = [answer[0], *kept, more if n_more else "no other question"]
            written = " (as written)" if k == 1 and answer else ""
            lines.append(f"  {k}. {'; '.join(shown) or 'as written'}{written}")
    return lines


def describe(found: Look) -> list[str]:
    """Return what is understood, as lines of text."""
    if found.data is None:
        return [f"not read: {found.error}"]
    rows = [("view", "features", "missing", "values")]
    for (name, X, present), kind in zip(found.data.each(), found.data.kinds, strict=True):
        values = X.data if sparse.issparse(X) else X[present]
        values = values[np.isfinite(values)]
        low, high = (values.min(), values.max()) if values.size else (0, 0)
        low = min(low, 0) if sparse.issparse(X) else low
        missing = f"{(~present).sum()} of {len(present)}" if not present.all() else "none"
        span = f"{low:.4g} to {high:.4g}" + ("" if kind == "numeric" else f", {kind}")
        rows.append((name, str(X.shape[1]), missing, span))
    i, j, k, _ = (max(map(len, column)) for column in zip(*rows, strict=True))
    lines = [f"{a:<{i}}  {b:>{j}}  {c:>{k}}  {d}" for a, b, c, d in rows]
    lines += [_samples(found.data), f"read: {', '.join(found.views.files())}"]
    if found.views.facts:
        lines.append(f"compared with the clusters: {', '.join(found.views.facts)}")
    left = [f"left out: {name} ({why})" for name, why in found.views.left_out.items()]
    return [*lines, *left, *found.notes]


def _samples(data):
    n_classes = len(data.label_names)
    if not n_classes:
        return f"{data.n_samples} samples, no labels"
    if data.y is None:
        return f"{data.n_samples} samples, {n_classes} classes, not all labels known"
    counts = np.bincount(data.y, minlength=n_classes)
    shown = ", ".join(f"{name} ({n})" for name, n in zip(data.label_names, counts, strict=True))
    shown = shown if len(shown) < 300 else f"{counts.min()} to {counts.max()} samples each"
    return f"{data.n_samples} samples, {n_classes} classes: {shown}"


def presence_tested(data: OwnData) -> tuple[list[str], dict | None]:
    """Test whether it depends on the samples which views are present, in words and for JSON."""
    if data.presence.all():
        return [], None
    from mvclust.missingness import describe_missingness, missingness_test

    result, names = missingness_test(data.Xs, data.presence), data.view_names
    if not result.views:
        return [], None
    keys = "n_samples", "p", "p_location", "p_magnitude"
    views = [{"view": names[of.view], **{key: getattr(of, key) for key in keys},
              "auc": {names[v]: auc for v, auc in of.aucs.items()}}
             for of in result.views]  # fmt: skip
    return describe_missingness(result, names), {"p": result.p, "views": views}


def as_record(found: Look) -> dict:
    """Return what is understood, as one object for JSON."""
    ask = [{"question": q.question, "answers": q.answers} for q in found.views.open_questions()]
    left = [f"{name}: {why}" for name, why in found.views.left_out.items()]
    beside = {"ask": ask, "facts": [*found.views.facts], "left_out": left, "notes": found.notes}
    data = found.data
    if data is None:
        return {"error": found.error, **beside}
    views = [
        {"name": name, "n_features": X.shape[1], "missing": int((~present).sum()), "kind": kind}
        for (name, X, present), kind in zip(data.each(), data.kinds, strict=True)
    ]
    classes = len(data.label_names) if len(data.label_names) > 1 else None
    named = {"label_names": data.label_names, "survival": data.survival and data.survival.columns}
    return {"n_samples": data.n_samples, "views": views, "n_classes": classes, **named, **beside}
