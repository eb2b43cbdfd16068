"""What is understood of data, for people and for programs."""

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from scipy import sparse

from mvclust.own import NotUnderstood
from mvclust.own.checks import marks_of_gaps, notes_on
from mvclust.own.propose import propose, views_of
from mvclust.own.read import OwnData, read
from mvclust.own.views import Question, Views, read_file

NAME = "views.yaml"


@dataclass
class Changes:
    """What the command line changes in views.yaml: a new proposal, sides, answers, lines."""

    again: bool = False
    samples: str | None = None
    answers: list = field(default_factory=list)
    lines: list = field(default_factory=list)

    def __bool__(self) -> bool:
        return bool(self.again or self.samples or self.answers or self.lines)


@dataclass
class Look:
    """The records of views.yaml, the data that they describe, and what is to be said of both."""

    file: Path
    views: Views
    data: OwnData | None = None
    notes: list = field(default_factory=list)
    error: str | None = None
    stored: bool = True  # whether the file has these records


def views_file(path: Path) -> Path:
    """Return where the views.yaml of a file or folder is."""
    path = Path(path)
    return path / NAME if path.is_dir() else path.with_name(f"{path.name}.{NAME}")


def look(path: Path, changes: Changes | None = None) -> Look:
    """Read data as views.yaml and changes say; propose where there is no views.yaml."""
    file, changes = views_file(path), changes or Changes()
    if not Path(path).exists():
        raise NotUnderstood(f"{path}: there is no such file or folder.")
    if file.exists() and not changes.again:
        found, pieces = Look(file, read_file(file), stored=not changes), None
    else:
        p = propose(path)
        found, pieces = Look(file, views_of(p), notes=list(p.notes), stored=False), p.pieces
        _ask_marks(found, path, pieces)
    if changes.samples:
        found.views = turned(found.views, changes.samples)
    if changes.answers or changes.lines:
        found.views = settle(found.views, changes.answers, changes.lines)
    return read_again(found, path, pieces)


def _ask_marks(found, path, pieces):
    """Ask about values that may mark gaps; what cannot be read is refused later."""
    try:
        data = read(path, found.views, pieces)
    except NotUnderstood:
        return
    for name, mark, text in marks_of_gaps(data):
        answers = [[], [f"views.{name}.missing: [{mark:g}]"]]
        found.views.ask = [*found.views.ask, Question(question=text, answers=answers)]


def read_again(found: Look, path: Path, pieces: list | None = None) -> Look:
    """Read the data as the records say; a refusal becomes the error."""
    try:
        found.data = read(path, found.views, pieces)
    except NotUnderstood as error:
        found.error = str(error)
    else:
        found.notes += notes_on(found.data)
    return found


def save(found: Look) -> str:
    """Write views.yaml beside the data if it is new; return a sentence that says so."""
    if found.stored:
        return f"as written in {found.file}"
    try:
        found.file.write_text(found.views.text(), encoding="utf-8")
    except OSError as error:
        return f"{found.file} cannot be written ({error.strerror}):\n{found.views.text()}"
    return f"written: {found.file}"


def settle(views: Views, answers: list[int], lines: list[str]) -> Views:
    """Return views with questions answered by number, and lines of views.yaml applied."""
    views = views.model_copy(deep=True)
    questions = views.open_questions()
    if len(answers) > len(questions):
        raise NotUnderstood(f"{len(answers)} answers to {len(questions)} open questions.")
    for question, answer in zip(questions, answers, strict=False):
        if not 1 <= answer <= len(question.answers):
            raise NotUnderstood(
                f"{question.question}: answer {answer}, expected a number from 1 to "
                f"{len(question.answers)}."
            )
        question.answer = answer
    return views.changed(lines) if lines else views


def turned(views: Views, side: str) -> Views:
    """Return views whose samples are all on one side; a question about sides is answered."""
    lines = [f"views.{name}.samples: {side}" for name in views.views]
    for question in views.open_questions():
        for n, answer in enumerate(question.answers, 1):
            if answer and all(a.endswith(f".samples: {side}") for a in answer):
                question.answer = n
    return views.changed(lines)


def questions_of(views: Views) -> list[str]:
    """Return the open questions with their answers, as lines for people."""
    lines = []
    for n, question in enumerate(views.open_questions(), 1):
        lines.append(f"question {n}: {question.question}")
        for k, answer in enumerate(question.answers, 1):
            shown = "; ".join(answer) or "as written"
            lines.append(f"  {k}. {shown}" + (" (as written)" if k == 1 and answer else ""))
    return lines


def describe(found: Look) -> list[str]:
    """Return what is understood, as lines of text."""
    if found.data is None:
        return [f"not read: {found.error}"]
    data = found.data
    rows = [("view", "features", "missing", "values")]
    for name, X, present, kind in zip(
        data.view_names, data.Xs, data.presence.T, data.kinds, strict=True
    ):
        values = X.data if sparse.issparse(X) else X[present]
        values = values[np.isfinite(values)]
        low, high = (values.min(), values.max()) if values.size else (0, 0)
        low = min(low, 0) if sparse.issparse(X) else low
        missing = int((~present).sum())
        span = f"{low:.4g} to {high:.4g}" + ("" if kind == "numeric" else f", {kind}")
        rows.append((name, str(X.shape[1]), f"{missing} of {len(present)}" if missing else "none",
                     span))  # fmt: skip
    widths = [max(len(row[c]) for row in rows) for c in range(4)]
    lines = [
        f"{a:<{widths[0]}}  {b:>{widths[1]}}  {c:>{widths[2]}}  {d}" for a, b, c, d in rows
    ]  # fmt: skip
    left = [f"left out: {name} ({why})" for name, why in found.views.left_out.items()]
    read_files = f"read: {', '.join(found.views.files())}"
    facts = [f"compared with the clusters: {', '.join(found.views.facts)}"]
    facts = facts if found.views.facts else []
    return [*lines, _samples(data), read_files, *facts, *left, *found.notes]


def _samples(data):
    if not data.label_names:
        return f"{data.n_samples} samples, no labels"
    n_classes = len(data.label_names)
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

    result = missingness_test(data.Xs, data.presence)
    if not result.views:
        return [], None
    names = data.view_names
    views = [
        {
            "view": names[of.view],
            "n_samples": of.n_samples,
            "p": of.p,
            "p_location": of.p_location,
            "p_magnitude": of.p_magnitude,
            "auc": {names[v]: auc for v, auc in of.aucs.items()},
        }
        for of in result.views
    ]
    return describe_missingness(result, names), {"p": result.p, "views": views}


def as_record(found: Look) -> dict:
    """Return what is understood, as one object for JSON."""
    ask = [{"question": q.question, "answers": q.answers} for q in found.views.open_questions()]
    left = [f"{name}: {why}" for name, why in found.views.left_out.items()]
    facts = list(found.views.facts)
    beside = {"ask": ask, "facts": facts, "left_out": left, "notes": found.notes}
    if found.data is None:
        return {"error": found.error, **beside}
    data = found.data
    views = [
        {"name": name, "n_features": int(X.shape[1]), "missing": int((~present).sum()),
         "kind": kind}
        for name, X, present, kind in zip(
            data.view_names, data.Xs, data.presence.T, data.kinds, strict=True
        )
    ]  # fmt: skip
    classes = len(data.label_names) if len(data.label_names) > 1 else None
    named = {"label_names": data.label_names, "survival": data.survival and data.survival.columns}
    return {"n_samples": data.n_samples, "views": views, "n_classes": classes, **named, **beside}
